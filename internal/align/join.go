package align

import (
	"context"
	"slices"

	"diptych/internal/huge"
	"diptych/internal/pair"
	"diptych/internal/progress"
)

// Joining: each side numbers its subtrees by a table of its own, and then the two become one.
//
// One side is done before the other. From then on its table does not change, and the classes of the
// later side are looked up in it while further ones are added: when the later side is done, so is
// nearly all of this. Which class of A is which of B does not depend on which side was later, so
// neither do the numbers that come of it:
//
//	A's table    0 = g    1 = (f; 0)
//	B's table    0 = h    1 = g        2 = (f; 1)    3 = (f; 0)
//	joined       0 = g    1 = (f; 0)   2 = h         3 = (f; 2)

// published are the classes of a table that grows, up to some. What is there of them does not
// change any more.
type published struct {
	fn   []uint32
	list []listAt
	met  []subtree // of which only the sums may be read
	kids [][]uint32
}

// published returns all classes so far.
func (t *classTable) published() published {
	return published{t.fn, t.list, t.met, slices.Clone(t.kids)}
}

// publish lets the other side's classes be looked for among those so far.
func (n *numbering) publish() {
	select {
	case <-n.news: // nobody has taken it, and this is more
	default:
	}
	n.news <- n.published()
}

// twins are the classes of the later side, as far as they were looked up in the table of the other.
type twins struct {
	later  pair.Side
	in     *classTable // of the other side; it does not change
	of     []uint32    // by class of the later side: the same class of the other, or noClass
	mapped []uint32    // the callees of a class, by their twins
}

// followLater waits for one side, and then looks up the classes of the other until it is done, or
// until one of them has failed. Each side says at its end whether it has all its classes.
func followLater(sides [2]*numbering, ended [2]chan bool) *twins {
	x, whole := &twins{}, false
	select {
	case whole = <-ended[pair.A]:
		x.later = pair.B
	case whole = <-ended[pair.B]:
		x.later = pair.A
	}
	if !whole {
		return x
	}
	x.in = sides[1-x.later].classTable
	for {
		select {
		case p := <-sides[x.later].news:
			x.follow(p)
		case whole = <-ended[x.later]:
			if whole {
				x.follow(sides[x.later].published())
			}
			return x
		}
	}
}

// follow looks up the classes that were not looked up before.
//
// Classes are in bottom-up order, so those below a class have been looked up. If the table does not
// have a callee, it does not have the class.
func (x *twins) follow(p published) {
	x.of = slices.Grow(x.of, len(p.fn)-len(x.of))
	for c := len(x.of); c < len(p.fn); c++ {
		x.of = append(x.of, x.find(&p, c))
	}
}

// find returns the twin of a class.
func (x *twins) find(p *published, c int) uint32 {
	fn, at := p.fn[c], p.list[c]
	if at.n == 0 && fn != virtualFn {
		return x.in.leaf[fn]
	}
	x.mapped = x.mapped[:0]
	for _, k := range p.kids[at.part][at.from:][:at.n] {
		twin := x.of[k]
		if twin == noClass {
			return noClass
		}
		x.mapped = append(x.mapped, twin)
	}
	if class, ok := x.in.findList(fn, x.mapped, p.met[c].sum); ok {
		return class
	}
	return noClass
}

// join adds the classes of B's table to A's, which takes over their lists, and returns A's class
// for each of them: first come A's, then those that only B has, in their order. Neither table can
// number subtrees any more.
func (x *twins) join(ctx context.Context, a, b *classTable) (to []uint32, err error) {
	own := uint32(len(a.fn))
	to = x.of
	if x.later == pair.A {
		to = huge.Make[uint32](len(b.fn))
		for c := range to {
			to[c] = noClass
		}
		for c, twin := range x.of {
			if twin != noClass {
				to[twin] = uint32(c)
			}
		}
	}
	next := own
	for c, class := range to {
		if class == noClass {
			to[c] = next
			next++
		}
	}
	more, parts := int(next-own), uint32(len(a.kids))
	a.kids = append(a.kids, b.kids...)
	a.fn, a.size = roomFor(a.fn, more)[:next], roomFor(a.size, more)[:next]
	a.list = roomFor(a.list, more)[:next]
	const atOnce = 1 << 14
	err = progress.Spread(ctx, (len(to)+atOnce-1)/atOnce, func(i int) error {
		for c := i * atOnce; c < min((i+1)*atOnce, len(to)); c++ {
			if to[c] < own {
				continue
			}
			for k, kid := range b.callees(uint32(c)) {
				b.callees(uint32(c))[k] = to[kid]
			}
			at := b.list[c]
			at.part += parts
			a.fn[to[c]], a.size[to[c]], a.list[to[c]] = b.fn[c], b.size[c], at
		}
		return nil
	})
	a.slots, a.met = slots{}, nil
	b.slots, b.met, b.kids = slots{}, nil, nil
	return to, err
}
