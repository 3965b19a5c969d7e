package finding

import (
	"cmp"
	"slices"

	"diptych/internal/align"
	"diptych/internal/pair"
)

// plainStraighten looks at all levels, and sorts their calls by function.
func plainStraighten(s *study, r *align.Result, self *[2]durations) {
	for a := int32(align.None); a < int32(r.Threads[pair.A].Len()); a++ {
		b := int32(align.None)
		if a != align.None {
			if b = r.Partner[pair.A][a]; b == align.None {
				continue
			}
		}
		pairs, strays := map[uint32][]int32{}, map[uint32]bool{}
		for sd, call := range [2]int32{a, b} {
			eachCallee(r, pair.Side(sd), call, func(i int32) {
				id := s.identity(r, pair.Side(sd), i)
				if s.stray(r, pair.Side(sd), i) {
					strays[id] = true
				} else if sd == int(pair.A) {
					pairs[id] = append(pairs[id], i)
				}
			})
		}
		for id := range strays {
			plainRank(r, self, pairs[id])
		}
	}
}

// plainRank gives the k-th shortest self time to the call whose partner is the k-th shortest.
func plainRank(r *align.Result, self *[2]durations, calls []int32) {
	var ns []int64
	for _, i := range calls {
		ns = append(ns, self[pair.A].at(i))
	}
	slices.Sort(ns)
	slices.SortStableFunc(calls, func(x, y int32) int {
		return cmp.Compare(self[pair.B].at(r.Partner[pair.A][x]), self[pair.B].at(r.Partner[pair.A][y]))
	})
	for k, i := range calls {
		self[pair.A].set(i, ns[k])
	}
}

// durations are times of the calls of a thread, ns.
type durations []int64

func (d durations) at(i int32) int64      { return d[i] }
func (d durations) set(i int32, ns int64) { d[i] = ns }
