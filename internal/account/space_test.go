package account

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/pair"
	"diptych/internal/trace"
	"diptych/internal/wait"
)

// sideOf returns one side whose threads are split in the given memory, or each in fresh memory.
func sideOf(t *rapid.T, tr *trace.Trace, s *space) (*side, [][]stretch) {
	p := pair.New(tr, tr, pair.Rules{})
	b, w := &Balance{Pair: p}, analyse(t, tr)
	b.Objects, _ = wait.PairObjects(context.Background(), w, w, p)
	named := map[uint32]bool{p.IDA[1%len(p.IDA)]: true}
	d := b.newSide(pair.A, w, Options{Below: named}, newScopes(named))
	d.spaces = &sync.Pool{New: func() any {
		if s == nil {
			return &space{}
		}
		return s
	}}
	way, err := findWay(context.Background(), w, (*trace.Thread).Runs)
	if err != nil {
		t.Fatal(err)
	}
	of, _ := byThread(way, len(tr.Threads))
	return d, of
}

// dirty makes memory as if threads had been split in it that had an entry for every call: what they
// left must not be taken for something of the next thread.
func dirty(round uint32) *space {
	s := &space{round: round}
	r := rand.New(rand.NewPCG(17, 1))
	for i := range s.cache { // keys of few callers and functions, as in small traces
		s.cache[i] = cached{pair.KeyOf(r.Uint32N(4), r.Uint32N(6)), 1 + r.Int32N(3), round}
	}
	for up := range uint32(4) {
		for fn := range uint32(6) {
			key := pair.KeyOf(up, fn)
			s.cache[key*0x9e3779b97f4a7c15>>(64-cacheBits)] = cached{key, 2, 1}
			s.callees.Of(key)
			s.calleeAt = append(s.calleeAt, 1)
		}
	}
	s.list = append(s.list, entry{part: idlePart, Amount: Amount{Ns: 99, Squares: 9801}})
	s.sums, s.above = append(s.sums, sum{7, 7, 7}, sum{8, 8, 8}), append(s.above, 3, 3, 3)
	return s
}

// TestMemoryOfOneThreadForTheNext: threads that are split one after the other in the same memory have
// the parts that they have in memory of their own, also after the number of threads goes round; and
// the lists of earlier threads stay as they were.
func TestMemoryOfOneThreadForTheNext(t *testing.T) {
	for _, round := range []uint32{1, 5, math.MaxUint32 - 1, math.MaxUint32} {
		rapid.Check(t, func(t *rapid.T) {
			tr := shape.Draw(t, "trace")
			alone, way := sideOf(t, tr, nil)
			s := dirty(round)
			together, _ := sideOf(t, tr, s)
			var lists, copies [][]entry
			for range 2 {
				for k := range tr.Threads {
					want, got := alone.split(k, way[k]), together.split(k, way[k])
					if !slices.Equal(got, want) {
						t.Fatalf("thread %d: %+v\nwant %+v", k, got, want)
					}
					lists, copies = append(lists, got), append(copies, slices.Clone(got))
				}
			}
			for i := range lists {
				if !slices.Equal(lists[i], copies[i]) {
					t.Fatalf("list %d became %+v\nit was %+v", i, lists[i], copies[i])
				}
				if cap(lists[i]) > 0 && cap(s.list) > 0 && &lists[i][:1][0] == &s.list[:1][0] {
					t.Fatalf("list %d is memory that the next thread uses", i)
				}
			}
		})
	}
}
