package finding

import (
	"cmp"
	"slices"
	"sort"

	"diptych/internal/align"
	"diptych/internal/huge"
	"diptych/internal/pair"
	"diptych/internal/progress"
)

// Calls in another order are paired with their twins.
//
// An alignment keeps the order of calls. A call that comes in another order therefore has no
// partner, or a call of the same function that does other things. For example:
//
//	A: step(parse) step(write)    B: step(write) step(parse)
//	aligned: first step with first, parse and write have no partner
//	here:    step(parse) with step(parse), step(write) with step(write); one of them has moved
//
// If an identical subtree is there on the other side, the two are paired, told as moved, and
// compared with each other. This is done for two sorts of subtrees:
//
//   - those that the alignment links as moved, wherever they are (align.Virtual.Moved);
//   - calls of one function on one level that have no partner on either side, or partners that are
//     identical to others. Very large levels have many of these, because alignment does not
//     compare subtrees there.
//
// Which subtrees are identical says identical.go.
//
// Cost: a look at each pair of threads in which something differs, and linear time on levels where
// a call may get another partner. Memory is that of hashes, and of a copy of partners once one
// changes.

// reorder adds pairs that are out of order to a copy of a result.
type reorder struct {
	s        *study
	r        *align.Result // a copy with partners of its own, once one changes
	owns     bool
	moved    [][2]int32  // roots of subtrees that have moved
	open     [2][]int32  // of a level: calls that may get other partners
	keys     [2][]uint64 // of these
	spare    keyList
	callees  map[uint32]*[2][]int32 // calls on a level, by function and side
	unpaired [][2]int32             // pairs of different functions that were taken apart

	*subtrees
}

// findOrder adds to each result the pairs that are out of order.
func (s *study) findOrder() error {
	s.aligned = slices.Clone(s.results)
	s.moved, s.different = make([][][2]int32, len(s.results)), make([][]int32, len(s.results))
	ids := [2][]uint32{s.identities(pair.A), s.identities(pair.B)}
	order := progress.LargestFirst(len(s.results), func(k int) int { return len(s.results[k].Partner[pair.A]) })
	return progress.Spread(s.ctx, len(s.results), func(n int) error {
		k := order[n]
		r, ctx := s.results[k], s.ctx
		if s.equal[r] {
			return nil
		}
		var links []align.Move
		if m := s.metrics[r]; m.GapA > 0 && m.GapB > 0 {
			var err error
			if links, err = r.Moved(ctx); err != nil {
				return err
			}
		}
		o := newReorder(s, r, &ids)
		for _, m := range links {
			if !s.recordedByChance(r, pair.A, m.A) {
				o.pairSubtrees(m.A, m.B)
				o.moved = append(o.moved, [2]int32{m.A, m.B})
			}
		}
		o.unpairDifferent()
		o.reorderLevel(align.None, align.None)
		for i := range o.levels(len(links) > 0).calls {
			if i%64 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			if j := o.r.Partner[pair.A][i]; j != align.None && !o.identical(i) {
				o.reorderLevel(i, j)
			}
		}
		o.restoreDifferent()
		s.results[k], s.moved[k], s.different[k] = o.r, o.moved, o.different
		return nil
	})
}

// levels returns A's calls on whose level there may be twins: wherever something differs if there
// are links, or calls on levels that are not their caller's.
func (o *reorder) levels(links bool) bitset {
	if links || !o.onLevels() {
		return o.differs[pair.A]
	}
	if o.sizes == nil {
		o.sizes = o.findOpenSizes()
	}
	return o.sizes.levels(o.r)
}

func newReorder(s *study, r *align.Result, ids *[2][]uint32) *reorder {
	return &reorder{s: s, r: r, callees: map[uint32]*[2][]int32{}, subtrees: newSubtrees(s, r, ids)}
}

// own makes the partners the reorder's own, before the first of them changes.
func (o *reorder) own() {
	if o.owns {
		return
	}
	own := *o.r
	for sd := range own.Partner {
		own.Partner[sd] = huge.Make[int32](len(o.r.Partner[sd]))
		copy(own.Partner[sd], o.r.Partner[sd])
	}
	o.r, o.owns = &own, true
}

// unpairDifferent takes pairs of two different functions apart if none of their callees is paired:
// each of the two calls may have a twin elsewhere.
func (o *reorder) unpairDifferent() {
	for _, i := range o.different {
		if j := o.r.Partner[pair.A][i]; !paired(o.r, pair.A, i) {
			o.own()
			o.unpaired = append(o.unpaired, [2]int32{i, j})
			o.r.Partner[pair.A][i], o.r.Partner[pair.B][j] = align.None, align.None
			o.setAlone(pair.A, i, j)
		}
	}
}

// restoreDifferent pairs those again that have found no twin.
func (o *reorder) restoreDifferent() {
	for _, m := range o.unpaired {
		if o.r.Partner[pair.A][m[0]] == align.None && o.r.Partner[pair.B][m[1]] == align.None {
			o.r.Partner[pair.A][m[0]], o.r.Partner[pair.B][m[1]] = m[1], m[0]
		}
	}
}

// pairSubtrees pairs the calls of two identical subtrees, without those recorded by chance.
func (o *reorder) pairSubtrees(a, b int32) {
	o.own()
	last := [2]int32{a, b}
	for sd, i := range last {
		last[sd] = int32(o.r.Threads[sd].Next(int(i)))
	}
	for {
		a, b = o.skipChance(pair.A, a, last[pair.A]), o.skipChance(pair.B, b, last[pair.B])
		if a == last[pair.A] || b == last[pair.B] {
			return
		}
		o.r.Partner[pair.A][a], o.r.Partner[pair.B][b] = b, a
		o.setIdentical(a, b)
		a, b = a+1, b+1
	}
}

// skipChance returns the first call from i on that is not recorded by chance, or last.
func (o *reorder) skipChance(sd pair.Side, i, last int32) int32 {
	for i < last && o.s.recordedByChance(o.r, sd, i) {
		i += int32(o.r.Threads[sd].Size(int(i)))
	}
	return min(i, last)
}

// unpair takes the partners from call i of a side and from all calls below it.
func (o *reorder) unpair(sd pair.Side, i int32) {
	o.own()
	for k := range int32(o.r.Threads[sd].Size(int(i))) {
		if j := o.r.Partner[sd][i+k]; j != align.None {
			o.r.Partner[sd][i+k], o.r.Partner[sd.Other()][j] = align.None, align.None
			o.setAlone(sd, i+k, j)
		}
	}
}

// reorderLevel pairs identical calls on the level of the pair of a and b, or of the roots if both
// are None.
func (o *reorder) reorderLevel(a, b int32) {
	if !o.anyTwins(a, b) {
		return
	}
	for sd, call := range [2]int32{a, b} {
		eachCallee(o.r, pair.Side(sd), call, func(i int32) {
			id := o.s.identity(o.r, pair.Side(sd), i)
			if o.callees[id] == nil {
				o.callees[id] = &[2][]int32{}
			}
			o.callees[id][sd] = append(o.callees[id][sd], i)
		})
	}
	for _, id := range sortedKeys(o.callees, cmp.Compare[uint32]) {
		o.pairFunction(*o.callees[id])
	}
	clear(o.callees)
}

// pairFunction pairs the calls of one function on a level with calls that they are identical to.
// It never leaves more calls without a partner than before. Of the pairs, those that are not in
// the longest sequence in which both sides ascend have moved.
func (o *reorder) pairFunction(calls [2][]int32) {
	found := o.identicalCalls(calls)
	if len(found) == 0 {
		return
	}
	if o.lostPartners(found) > 0 {
		found = o.keepExchanges(found)
	}
	fresh := map[int32]bool{} // by A's call that is paired: neither side was paired before
	for _, m := range found {
		fresh[m[0]] = o.r.Partner[pair.A][m[0]] == align.None &&
			o.r.Partner[pair.B][m[1]] == align.None
		o.unpair(pair.A, m[0])
		o.unpair(pair.B, m[1])
	}
	for _, m := range found {
		o.pairSubtrees(m[0], m[1])
	}
	var b []int32
	calls[pair.A] = slices.DeleteFunc(calls[pair.A], func(i int32) bool {
		return o.r.Partner[pair.A][i] == align.None || o.s.stray(o.r, pair.A, i)
	})
	for _, i := range calls[pair.A] {
		b = append(b, o.r.Partner[pair.A][i])
	}
	for k, ordered := range increasing(b) {
		i := calls[pair.A][k]
		if both, found := fresh[i]; both || found && !ordered {
			o.moved = append(o.moved, [2]int32{i, b[k]})
		}
	}
}

// identicalCalls pairs open calls of A with open calls of B that have identical subtrees, in
// order.
func (o *reorder) identicalCalls(calls [2][]int32) (found [][2]int32) {
	left := map[uint64][]int32{}
	for _, j := range calls[pair.B] {
		if o.hasTwin(pair.B, j) {
			h := o.hash(pair.B, j)
			left[h] = append(left[h], j)
		}
	}
	for _, i := range calls[pair.A] {
		if len(left) == 0 || !o.hasTwin(pair.A, i) {
			continue
		}
		h := o.hash(pair.A, i)
		if l := left[h]; len(l) > 0 {
			found, left[h] = append(found, [2]int32{i, l[0]}), l[1:]
		}
	}
	return found
}

// lostPartners returns how many more calls have no partner once these pairs are made.
func (o *reorder) lostPartners(found [][2]int32) (n int) {
	gets := o.pairedBy(found)
	for _, m := range found {
		for sd, i := range m {
			if j := o.r.Partner[sd][i]; j == align.None {
				n--
			} else if !gets[1-sd][j] {
				n++
			}
		}
	}
	return n
}

// pairedBy returns by side the calls that these pairs contain.
func (o *reorder) pairedBy(found [][2]int32) [2]map[int32]bool {
	gets := [2]map[int32]bool{{}, {}}
	for _, m := range found {
		gets[pair.A][m[0]], gets[pair.B][m[1]] = true, true
	}
	return gets
}

// keepExchanges returns the largest part of these pairs that only exchanges partners: whoever
// loses a partner gets another one.
func (o *reorder) keepExchanges(found [][2]int32) [][2]int32 {
	for n := -1; n != len(found); {
		n = len(found)
		gets := o.pairedBy(found)
		found = slices.DeleteFunc(found, func(m [2]int32) bool {
			j, i := o.r.Partner[pair.A][m[0]], o.r.Partner[pair.B][m[1]]
			return j != align.None && !gets[pair.B][j] || i != align.None && !gets[pair.A][i]
		})
	}
	return found
}

// increasing marks the members of a longest increasing subsequence.
func increasing(of []int32) []bool {
	var ends []int // by length: index of the smallest end of an increasing sequence
	before := make([]int, len(of))
	for k, v := range of {
		n := sort.Search(len(ends), func(n int) bool { return of[ends[n]] >= v })
		if before[k] = -1; n > 0 {
			before[k] = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, k)
		} else {
			ends[n] = k
		}
	}
	in := make([]bool, len(of))
	if len(ends) > 0 {
		for k := ends[len(ends)-1]; k >= 0; k = before[k] {
			in[k] = true
		}
	}
	return in
}
