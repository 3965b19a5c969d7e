package align

import (
	"slices"

	"diptych/internal/pair"
	"diptych/internal/trace"
)

// What is asked of subtrees where there are no classes (direct.go): whether two are identical,
// whether they reach similar sets of functions, and for the few among which there is a choice, the
// classes after all.

// pairDirectly pairs two calls, and all calls below them if their subtrees are identical. Otherwise
// it notes the first calls that differ.
func (p *placer) pairDirectly(c *partners) (same bool, err error) {
	a, b := p.r.Threads[pair.A], p.r.Threads[pair.B]
	one := p.ofOneFunction(c.a, c.b)
	if one && (!p.plain || a.Size(int(c.a)) == b.Size(int(c.b))) {
		endA, endB := a.Next(int(c.a)), b.Next(int(c.b))
		known := c.knows()
		if !known {
			p.compare(c, endA, endB)
		}
		if int(c.x) >= endA && int(c.y) >= endB {
			p.pairAlike(c.a, c.b, endA, endB)
			return true, nil
		}
		if !known {
			if err := p.charge(int(c.x) - int(c.a)); err != nil {
				return false, err
			}
		}
	}
	p.r.Partner[pair.A][c.a], p.r.Partner[pair.B][c.b] = c.b, c.a
	if one {
		p.equal++
	} else {
		p.different++
		p.unlike = append(p.unlike, [2]int32{c.a, c.b})
	}
	return false, nil
}

// knows reports whether it is known from a comparison which calls behind two are alike.
func (c *partners) knows() bool { return c.x > uint32(c.a) }

// compare finds the first calls behind two calls that differ, up to the given ends.
func (p *placer) compare(c *partners, endA, endB int) {
	i, j := int(c.a)+1, int(c.b)+1
	if p.plain {
		n := p.sameLength(i, j, min(endA-i, endB-j))
		c.x, c.y = uint32(i+n), uint32(j+n)
		return
	}
	i, j = p.sameOnLevels(i, endA, j, endB)
	c.x, c.y = uint32(i), uint32(j)
}

const comparedAtOnce = 64 // calls

// sameLength returns how many of n calls from A's i on are of the functions of those from B's j on,
// and have subtrees of the same sizes, up to the first that has not.
func (p *placer) sameLength(i, j, n int) int {
	a, b, idsA, idsB := p.r.Threads[pair.A], p.r.Threads[pair.B], p.ids[pair.A], p.ids[pair.B]
	for k := 0; k < n; {
		end := min(k+comparedAtOnce, n)
		if p.w.direct.sameNumbers && a.SameCalls(i+k, b, j+k, end-k) {
			k = end
			continue
		}
		for ; k < end; k++ {
			if idsA[a.Fn[i+k]] != idsB[b.Fn[j+k]] || a.Size(i+k) != b.Size(j+k) {
				return k
			}
		}
	}
	return n
}

// sameOnLevels goes from A's call i and B's call j to the first two that differ, or to the ends.
// Calls that are set aside are skipped. As they have no callees, two others have subtrees of the
// same shape if they and those behind them are on the same stack levels.
func (p *placer) sameOnLevels(i, endA, j, endB int) (x, y int) {
	a, b, idsA, idsB := p.r.Threads[pair.A], p.r.Threads[pair.B], p.ids[pair.A], p.ids[pair.B]
	for {
		const n = comparedAtOnce
		if p.w.direct.sameNumbers && i+n <= endA && j+n <= endB &&
			slices.Equal(a.Fn[i:i+n], b.Fn[j:j+n]) && a.SameLevels(i, b, j, n) {
			i, j = i+n, j+n
			continue
		}
		for range n {
			i, j = int(p.skipAside(pair.A, int32(i), endA)), int(p.skipAside(pair.B, int32(j), endB))
			if i == endA || j == endB || idsA[a.Fn[i]] != idsB[b.Fn[j]] || a.Depth(i) != b.Depth(j) {
				return i, j
			}
			i, j = i+1, j+1
		}
	}
}

// pairAlike pairs the calls from A's a and B's b on up to the ends, which are alike, and between
// them those that are set aside.
func (p *placer) pairAlike(a, b int32, endA, endB int) {
	if p.plain {
		p.pairIdentical(a, b, endA-int(a))
		return
	}
	pa, pb := p.r.Partner[pair.A], p.r.Partner[pair.B]
	for {
		nextA, nextB := p.skipAside(pair.A, a, endA), p.skipAside(pair.B, b, endB)
		p.equal += p.pairAsideAlike(a, nextA, b, nextB)
		if a, b = nextA, nextB; int(a) == endA {
			return
		}
		pa[a], pb[b] = b, a
		p.equal++
		a, b = a+1, b+1
	}
}

// skipAside returns the first call of a side from i on that is on a level, or the end.
func (p *placer) skipAside(s pair.Side, i int32, end int) int32 {
	fns, ids, off := p.r.Threads[s].Fn, p.ids[s], p.w.off
	for int(i) < end && off[ids[fns[i]]] {
		i++
	}
	return i
}

// reachAlike reports whether two calls reach similar sets of functions, as below.alike does of
// classes.
func (p *placer) reachAlike(at partners) (bool, error) {
	var reached [2][]uint32
	for sd, i := range [2]int32{at.a, at.b} {
		r := &p.space.reached[sd]
		if th := p.r.Threads[sd]; !r.covers(th, int(i)) {
			if err := p.charge(int(th.Size(int(i)))); err != nil {
				return false, err
			}
			r.fill(th, p.ids[sd], p.w.off, int(i), p.space.each)
		}
		reached[sd] = r.from(int(i))
	}
	fx, fy := p.r.ID(pair.A, int(at.a)), p.r.ID(pair.B, int(at.b))
	common, met := 0, p.space.each
	for _, id := range reached[pair.A] {
		met[id] = 1
	}
	for _, id := range reached[pair.B] {
		if met[id] == 1 && id != fx && id != fy {
			common++
		}
	}
	p.space.forget(reached[pair.A])
	na, nb := len(reached[pair.A])-1, len(reached[pair.B])-1 // each holds its own function
	return na > 0 && nb > 0 && 2*common >= na+nb-common, nil
}

// reached is the functions in a subtree, in the order of their last calls from the end. So those of
// a subtree within it that ends with it come first: of a stack of a hundred thousand calls, each is
// looked at once.
type reached struct {
	th    *trace.Thread
	calls [2]int // the first of the subtree, and the one after the last
	fns   []uint32
	last  []int
}

// covers reports whether the functions of the subtree of a call are among these.
func (r *reached) covers(th *trace.Thread, call int) bool {
	return r.th == th && r.calls[0] <= call && th.Next(call) == r.calls[1]
}

// from returns the functions from a call on.
func (r *reached) from(call int) []uint32 {
	n, _ := slices.BinarySearchFunc(r.last, call, func(at, call int) int { return call - at - 1 })
	return r.fns[:n]
}

// fill finds the functions in the subtree of a call.
func (r *reached) fill(th *trace.Thread, ids []uint32, off []bool, call int, met []uint32) {
	*r = reached{th, [2]int{call, th.Next(call)}, r.fns[:0], r.last[:0]}
	for i := r.calls[1] - 1; i >= call; i-- {
		if id := ids[th.Fn[i]]; met[id] == 0 && !off[id] {
			met[id] = 1
			r.fns, r.last = append(r.fns, id), append(r.last, i)
		}
	}
	for _, id := range r.fns {
		met[id] = 0
	}
}

// numberChoices numbers the callees of a level among which the penalty leaves a choice, given all
// alignments of the least penalty.
func (lv *level) numberChoices(f *filled) error {
	var choices []region
	if _, err := f.refine(nil, func(runs []run, _ *walker, g region) ([]run, error) {
		choices = append(choices, g)
		return runs, nil
	}); err != nil || len(choices) == 0 {
		return err
	}
	return lv.number(choices)
}

// numberAll numbers all callees of a level.
func (lv *level) numberAll() error { return lv.number([]region{lv.whole()}) }

// number numbers the callees in some regions.
func (lv *level) number(regions []region) error {
	p, space := lv.unnumbered, lv.space.forChoices()
	calls := 0
	for _, g := range regions {
		calls += lv.callsBelow(pair.A, int32(g.i), g.last().i) + lv.callsBelow(pair.B, g.lo[0], g.last().j)
	}
	if err := p.charge(chargedNumber * calls); err != nil {
		return err
	}
	number := func(s pair.Side, classes []uint32, from, to int32) {
		for k := from; k < to; k++ {
			classes[k] = space.t.numberSubtree(p.r.Threads[s], p.ids[s], int(lv.calls[s][k]))
		}
	}
	for _, g := range regions {
		number(pair.A, lv.a, int32(g.i), g.last().i)
		number(pair.B, lv.b, g.lo[0], g.last().j)
	}
	space.fitClasses()
	lv.space, lv.unnumbered = space, nil
	return nil
}

// callsBelow returns how many calls the subtrees of some callees have.
func (lv *level) callsBelow(s pair.Side, from, to int32) (n int) {
	for _, i := range lv.calls[s][from:to] {
		n += int(lv.unnumbered.r.Threads[s].Size(int(i)))
	}
	return n
}

// numberSubtree returns the class of the subtree of a call. It goes from the last call to the
// first, so that the callees of each have classes before it: they are the last ones in the list.
func (t *classTable) numberSubtree(th *trace.Thread, ids []uint32, call int) uint32 {
	var list []uint32
	var calls []int // of these classes
	for i := th.Next(call) - 1; i >= call; i-- {
		fn, k := ids[th.Fn[i]], len(list)
		if t.off[fn] {
			continue
		}
		for end := th.Next(i); k > 0 && calls[k-1] < end; {
			k--
		}
		slices.Reverse(list[k:])
		class := uint32(0)
		if k == len(list) {
			class = t.leafClass(fn)
		} else {
			class = t.intern(fn, list[k:])
		}
		list, calls = append(list[:k], class), append(calls[:k], i)
	}
	return list[0]
}
