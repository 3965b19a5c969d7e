package match

import (
	"context"
	"math/bits"
	"slices"

	"diptych/internal/progress"
	"diptych/internal/trace"
)

// A side's calls are divided into shares. One goroutine finds Γ of the calls of a share, with sets
// of its own; then the sets of all shares get common numbers. So that these do not depend on the
// number of processors, the number of shares follows from that of the calls.
//
// A share goes through its calls with a stack of those around each. At the end of a call, the sets
// of its callees are known. Its own is their union and its function; mostly an earlier call of the
// function had callees of the same sets, and a table has the union.
//
//	f(g g h)  f(h g)    the callees of both calls of f have the sets {g} and {h}
//
// If a call begins before the share or ends after it, only some of its callees are known. It keeps
// these until all shares are joined.
type share struct {
	*sets
	from, to int      // its calls, as indices of the side
	ids      []uint32 // identity by function
	leaf     []uint32 // by function: 1 + the set of a call without callees, or 0
	of       labels   // by call: its set
	unions   unions
	open     []openCall
	callees  []uint32 // sets of the callees so far, of the calls that are open
	left     []leftCall
	tallies  []setTally // by set
}

// openCall is a call that has not ended yet.
type openCall struct {
	call, end int32 // in the thread
	callees   int32 // where the sets of its callees begin
	id        uint32
}

// leftCall is a call of which some callees are in the share, and their sets.
type leftCall struct {
	call    int // of the side
	id      uint32
	callees []uint32
}

const (
	leastShare  = 1 << 20 // calls
	mostShares  = 4
	mostCallees = 1 << 16 // sets of callees beyond which each is kept once
)

// sharing is how the calls of a side are divided.
type sharing struct {
	calls  Calls
	of     labels // by call: its set in its share
	shares []*share
}

// sharesOf returns how many shares so many calls are divided into.
func sharesOf(calls int) int { return min(max(calls/leastShare, 1), mostShares) }

// newSharing divides calls into n shares.
func newSharing(calls Calls, n int, ids []uint32, identities int) *sharing {
	d := &sharing{calls: calls, of: newLabels(calls.Len(), 1<<24)} // there are seldom more sets
	for k := range n {
		s := &share{sets: newSets(identities), ids: ids, leaf: make([]uint32, len(ids)),
			from: k * calls.Len() / n, to: (k + 1) * calls.Len() / n}
		s.of = d.of.part(s.from, s.to)
		d.shares = append(d.shares, s)
	}
	return d
}

// findSets finds Γ of all calls of the share that are wholly in it.
func (s *share) findSets(ctx context.Context, calls *Calls, m *progress.Meter) error {
	for k, th := range calls.Threads {
		first := calls.First[k]
		from, to := max(s.from, first)-first, min(s.to, first+th.Len())-first
		if from >= to {
			continue
		}
		s.openCallers(th, from)
		for at := from; at < to; {
			next := min(at+checkEvery, to)
			s.of.widen(len(s.list) + next - at)
			s.findSetsOf(th, first, at, next, from)
			if len(s.callees) > mostCallees {
				s.dropRepeated()
			}
			if err := m.Add(ctx, int64(next-at)); err != nil {
				return err
			}
			at = next
		}
		s.leaveOpen(first)
	}
	s.unions = unions{}
	s.tally(calls)
	return ctx.Err()
}

// openCallers opens the calls around one.
func (s *share) openCallers(th *trace.Thread, call int) {
	s.open, s.callees = s.open[:0], s.callees[:0]
	for p := th.Parent(call); p >= 0; p = th.Parent(int(p)) {
		s.open = append(s.open, openCall{call: p, end: int32(th.Next(int(p))), id: s.ids[th.Fn[p]]})
	}
	slices.Reverse(s.open)
}

// findSetsOf goes through calls [from, to) of a thread. begin is its first call in the share.
func (s *share) findSetsOf(th *trace.Thread, first, from, to, begin int) {
	low, high := s.of.low[first+from-s.from:], s.of.high[first+from-s.from:]
	low, high = low[:to-from], high[:to-from]
	fns, callees := th.Fn[from:to], s.callees
	end, own := s.innermost()
	for i := from; ; {
		if i == end {
			callees = s.closeCall(callees, first, begin)
			end, own = s.innermost()
			continue
		}
		if i >= to {
			break
		}
		fn := fns[i-from]
		if size := int(th.Size(i)); size > 1 {
			s.open = append(s.open, openCall{int32(i), int32(i + size), int32(len(callees)), s.ids[fn]})
			end, own = i+size, len(callees)
			i++
			continue
		}
		set := s.leaf[fn] - 1
		if set == ^uint32(0) {
			set = s.single(s.ids[fn])
			s.leaf[fn] = set + 1
		}
		low[i-from], high[i-from] = uint16(set), uint8(set>>16)
		if s.of.top != nil {
			s.of.set(first+i-s.from, set)
		}
		if n := len(callees); n == own || callees[n-1] != set {
			callees = append(callees, set)
		}
		i++
	}
	s.callees = callees
}

// dropRepeated keeps each set of callees of an open call once. A call may have millions of callees.
func (s *share) dropRepeated() {
	all := s.callees
	s.callees = all[:0]
	for k := range s.open {
		to := len(all)
		if k+1 < len(s.open) {
			to = int(s.open[k+1].callees)
		}
		own := s.unions.distinct(s.sets, all[s.open[k].callees:to])
		s.open[k].callees = int32(len(s.callees))
		s.callees = append(s.callees, own...)
	}
}

// innermost returns the end of the innermost open call, and where the sets of its callees begin.
func (s *share) innermost() (end, callees int) {
	if n := len(s.open); n > 0 {
		return int(s.open[n-1].end), int(s.open[n-1].callees)
	}
	return none, 0
}

// closeCall finds Γ of the innermost open call, which has ended, or leaves it if it began before
// the share. It returns the sets of callees, of the calls that are open.
func (s *share) closeCall(callees []uint32, first, begin int) []uint32 {
	o := s.open[len(s.open)-1]
	s.open = s.open[:len(s.open)-1]
	of := callees[o.callees:]
	if int(o.call) < begin {
		s.left = append(s.left, leftCall{first + int(o.call), o.id, slices.Clone(of)})
		return callees[:o.callees]
	}
	set := s.unions.of(s.sets, o.id, of)
	s.of.set(first+int(o.call)-s.from, set)
	return append(callees[:o.callees], set)
}

// leaveOpen leaves the calls that are open.
func (s *share) leaveOpen(first int) {
	for n := len(s.open) - 1; n >= 0; n-- {
		o := s.open[n]
		s.left = append(s.left, leftCall{first + int(o.call), o.id, slices.Clone(s.callees[o.callees:])})
		s.callees = s.callees[:o.callees]
	}
	s.open = s.open[:0]
}

// setTally is the number of calls with one set, and the sum of their start times, which has 128
// bits: that of ten million calls within an hour does not fit in 64. The parts are beside each
// other, since each call looks up another set.
type setTally struct {
	calls, low uint64
	high       uint32 // the sum of 2³² times of 64 bits has 96
}

func (t *setTally) add(start int64) {
	t.calls++
	low, carry := bits.Add64(t.low, uint64(start), 0)
	t.low = low
	t.high += uint32(carry)
}

// plus adds another tally.
func (t *setTally) plus(o *setTally) {
	t.calls += o.calls
	low, carry := bits.Add64(t.low, o.low, 0)
	t.low = low
	t.high += o.high + uint32(carry)
}

// tally counts the calls of each set, but for those that are left.
func (s *share) tally(calls *Calls) {
	s.tallies = make([]setTally, len(s.list))
	left := make([]int, 0, len(s.left)+1)
	for _, l := range s.left {
		left = append(left, l.call)
	}
	slices.Sort(left)
	left = append(left, s.to)
	for k, th := range calls.Threads {
		first := calls.First[k]
		at, to := max(s.from, first), min(s.to, first+th.Len())
		for at < to {
			for left[0] < at {
				left = left[1:]
			}
			for until := min(left[0], to); at < until; at++ {
				s.tallies[s.of.at(at-s.from)].add(th.Start(at - first))
			}
			if at == left[0] {
				at++
			}
		}
	}
}

// joined is what all shares of a side come to. The sets are those of the first share, and what
// other shares have besides.
type joined struct {
	*sharing
	*sets
	tallies []setTally // by set
	to      [][]uint32 // by share but the first, by its set: the common number
	unions  unions
	ends    []endedCall
}

// endedCall is a call that was left, and its set.
type endedCall struct {
	call int
	set  uint32
}

// join gives the sets of all shares common numbers, and finds Γ of the calls that are left.
func (d *sharing) join() *joined {
	j := &joined{sharing: d, sets: d.shares[0].sets, tallies: d.shares[0].tallies,
		to: make([][]uint32, len(d.shares))}
	list, added := 0, 0
	for _, o := range d.shares[1:] {
		list, added = list+len(o.list), added+len(o.added)
	}
	j.reserve(list, added)
	j.tallies = roomFor(j.tallies, list)
	for k, o := range d.shares[1:] {
		to := j.sets.join(o.sets)
		j.growTallies()
		for set := range o.tallies {
			j.tallies[to[set]].plus(&o.tallies[set])
		}
		j.to[k+1], o.sets, o.tallies = to, nil, nil
	}
	j.endLeft()
	return j
}

// growTallies makes tallies of sets that are new.
func (j *joined) growTallies() {
	for len(j.tallies) < len(j.list) {
		j.tallies = append(j.tallies, setTally{})
	}
}

// endLeft finds Γ of the calls that are left, the innermost first.
func (j *joined) endLeft() {
	var left []leftCall
	for k, s := range j.shares {
		for _, l := range s.left {
			for i, set := range l.callees {
				if k > 0 {
					l.callees[i] = j.to[k][set]
				}
			}
			left = append(left, l)
		}
	}
	slices.SortStableFunc(left, func(x, y leftCall) int { return y.call - x.call })
	more := map[int][]uint32{} // by call: sets of the callees that were left too
	for len(left) > 0 {
		call, id := left[0].call, left[0].id
		sets := more[call]
		delete(more, call)
		for ; len(left) > 0 && left[0].call == call; left = left[1:] {
			sets = append(sets, left[0].callees...)
		}
		set := j.unions.of(j.sets, id, sets)
		j.ends = append(j.ends, endedCall{call, set})
		j.growTallies()
		j.tallies[set].add(j.calls.Start(call))
		if p := j.calls.Caller(call); p >= 0 {
			more[p] = append(more[p], set)
		}
	}
}

// labelClasses returns the class of each call, given those of the sets. The labels take the place
// of those of the shares.
func (j *joined) labelClasses(ctx context.Context, class []uint32) (labels, error) {
	all := j.of
	all.widen(len(class))
	err := progress.Spread(ctx, len(j.shares), func(k int) error {
		to := class
		if k > 0 {
			to = make([]uint32, max(len(j.to[k]), 1)) // a call that is left has no set yet, but 0
			for set, common := range j.to[k] {
				to[set] = class[common]
			}
		}
		s := j.shares[k]
		of := all.part(s.from, s.to)
		for i := range s.of.low {
			of.set(i, to[s.of.at(i)])
		}
		return nil
	})
	for _, e := range j.ends {
		all.set(e.call, class[e.set])
	}
	return all.narrowed(len(class)), err
}
