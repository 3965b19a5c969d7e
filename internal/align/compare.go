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
// it notes the first call that differs.
func (p *placer) pairDirectly(c *partners) (same bool, err error) {
	size, one := int(p.r.Threads[pair.A].Size(int(c.a))), p.ofOneFunction(c.a, c.b)
	if one && size == int(p.r.Threads[pair.B].Size(int(c.b))) {
		if c.x <= uint32(c.a) {
			n := p.sameLength(int(c.a), int(c.b), size)
			if c.x = uint32(int(c.a) + n); n < size {
				if err := p.w.direct.charge(n); err != nil {
					return false, err
				}
			}
		}
		if int(c.x) >= int(c.a)+size {
			p.pairIdentical(c.a, c.b, size)
			return true, nil
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

// sameLength returns how many of n calls from A's i on are of the functions of those from B's j on,
// and have subtrees of the same sizes, up to the first that has not. It takes that of the first
// calls for granted.
func (p *placer) sameLength(i, j, n int) int {
	const atOnce = 64
	a, b, idsA, idsB := p.r.Threads[pair.A], p.r.Threads[pair.B], p.ids[pair.A], p.ids[pair.B]
	for k := 1; k < n; {
		end := min(k+atOnce, n)
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

// reachAlike reports whether two calls reach similar sets of functions, as below.alike does of
// classes.
func (p *placer) reachAlike(at partners) (bool, error) {
	var of [2]int
	space := p.space
	list := space.unknown[:0]
	for sd, i := range [2]int32{at.a, at.b} {
		th := p.r.Threads[sd]
		if err := p.w.direct.charge(int(th.Size(int(i)))); err != nil {
			return false, err
		}
	}
	for sd, i := range [2]int32{at.a, at.b} {
		th := p.r.Threads[sd]
		for _, fn := range th.Fn[i:th.Next(int(i))] {
			id := p.ids[sd][fn]
			if space.each[id] == 0 {
				list = append(list, id)
			}
			space.each[id] |= 1 << sd
		}
	}
	fx, fy := p.r.ID(pair.A, int(at.a)), p.r.ID(pair.B, int(at.b))
	common := 0
	for _, id := range list {
		in := space.each[id]
		of[pair.A], of[pair.B] = of[pair.A]+int(in&1), of[pair.B]+int(in>>1)
		if in == 3 && id != fx && id != fy {
			common++
		}
	}
	space.forget(list)
	space.unknown = list
	na, nb := of[pair.A]-1, of[pair.B]-1 // each holds its own function
	return na > 0 && nb > 0 && 2*common >= na+nb-common, nil
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
	p := lv.unnumbered
	if err := p.w.direct.charge(len(p.w.off)); err != nil {
		return err
	}
	t := newClassTable(p.w.off)
	number := func(s pair.Side, classes []uint32, from, to int32) error {
		th := p.r.Threads[s]
		for k := from; k < to; k++ {
			i := int(lv.calls[s][k])
			if err := p.w.direct.charge(chargedNumber * int(th.Size(i))); err != nil {
				return err
			}
			classes[k] = t.numberSubtree(th, p.ids[s], i)
		}
		return nil
	}
	for _, g := range choices {
		if err := number(pair.A, lv.a, int32(g.i), g.last().i); err != nil {
			return err
		}
		if err := number(pair.B, lv.b, g.lo[0], g.last().j); err != nil {
			return err
		}
	}
	lv.space, lv.unnumbered = newWorkspace(newTallies(t), lv.space.room, 1), nil
	return nil
}

// numberSubtree returns the class of the subtree of a call. It goes from the last call to the
// first, so that the callees of each have classes before it: they are the last ones in the list.
func (t *classTable) numberSubtree(th *trace.Thread, ids []uint32, call int) uint32 {
	var list []uint32
	for i := th.Next(call) - 1; i >= call; i-- {
		k := len(list)
		for below := th.Size(i) - 1; below > 0; below -= t.size[list[k]] {
			k--
		}
		slices.Reverse(list[k:])
		fn, class := ids[th.Fn[i]], uint32(0)
		if k == len(list) {
			class = t.leafClass(fn)
		} else {
			class = t.intern(fn, list[k:])
		}
		list = append(list[:k], class)
	}
	return list[0]
}
