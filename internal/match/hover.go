package match

import (
	"context"

	"diptych/internal/pair"
	"diptych/internal/progress"
)

// HoverIntervals returns which bars light up when a call f is hovered, by pair.Side and interval.
// On f's own side they are the intervals in which a call of f's subtree starts that has a match, on
// the other side those in which such a match starts.
func (g *Graph) HoverIntervals(ctx context.Context, tau Tau, side pair.Side, call int,
	ivs [2]*Intervals) ([2][]bool, error) {
	var out [2][]bool
	own, other := g.Sides[side], g.Sides[side.Other()]
	below := own.classesBelow(call)
	matching, matched, err := g.matchedEitherWay(ctx, tau, side, below)
	if err != nil {
		return out, err
	}
	out[side] = ivs[side].withCallsOf(own, call, matching)
	out[side.Other()] = make([]bool, ivs[side.Other()].n)
	for k := range other.Size {
		if matched[k] {
			for _, e := range ivs[side.Other()].entriesOf(k) {
				out[side.Other()][e.interval] = true
			}
		}
	}
	return out, ctx.Err()
}

// classesBelow returns which classes occur in the subtree of a call.
func (c *Classes) classesBelow(call int) []bool {
	has, left := make([]bool, len(c.Size)), len(c.Size)
	for i, next := call, c.Next(call); i < next && left > 0; i++ {
		if k := c.Class(i); !has[k] {
			has[k] = true
			left--
		}
	}
	return has
}

// matchedEitherWay compares some classes of one side with all of the other. It returns which of the
// some have a match, and which of the others are matched. If they are few, they are compared with
// all others. If they are many, one match (a witness) is searched for each class of both sides.
func (g *Graph) matchedEitherWay(ctx context.Context, tau Tau, side pair.Side,
	some []bool) (matching, matched []bool, err error) {
	x, y := g.Sides[side], g.Sides[side.Other()]
	ids, n := len(g.Pair.Names), 0
	for _, is := range some {
		if is {
			n++
		}
	}
	if n < len(some)/4 {
		matching, matched = make([]bool, len(x.Size)), make([]bool, len(y.Size))
		r := newRow(x, newColumns(y, ids))
		for k := range some {
			if some[k] {
				r.seekClass(k)
				matching[k] = r.markMatched(tau, matched)
			}
			if err := ctx.Err(); err != nil {
				return nil, nil, err
			}
		}
		return matching, matched, nil
	}
	work, ctx := progress.NewGroup(ctx)
	work.Go(func() (err error) {
		matching, err = newWitnesses(tau, x, y, ids, nil).matching(ctx, some)
		return err
	})
	work.Go(func() (err error) {
		matched, err = newWitnesses(tau, y, x, ids, some).matching(ctx, nil)
		return err
	})
	err = work.Wait()
	return matching, matched, err
}

// withCallsOf returns in which intervals a call of a subtree starts that is of one of the classes.
func (iv *Intervals) withCallsOf(c *Classes, call int, classes []bool) []bool {
	lit := make([]bool, iv.n)
	thread, from := c.At(call)
	th, first := c.Threads[thread], c.First[thread]
	to := th.Next(from)
	for k := range lit {
		begins, ends := border(iv.from, iv.to, k, iv.n), border(iv.from, iv.to, k+1, iv.n)
		from = th.FirstFrom(begins, from, to)
		for i := from; i < to && (th.Start(i) < ends || k == iv.n-1 && th.Start(i) == ends); i++ {
			if classes[c.Class(first+i)] {
				lit[k] = true
				break
			}
		}
	}
	return lit
}

// Witnesses show which classes of X have a match in Y. One match is enough, and mostly a guess
// finds it: the class with equal Γ, the class that matches the base, or the witness found last. A
// guess is checked with the members of one class. Only if all guesses fail, the class is compared
// with all of Y.
type witnesses struct {
	tau     Tau
	x, y    *Classes
	among   []bool // the classes of Y that may be witnesses, or nil for all
	equal   map[uint64]int32
	hashes  []uint64 // by class of X
	of      []int32  // by class of X: a class of Y that it matches, or none
	last    int32    // the witness found last, or none
	members []bool   // by identity: Γ of the class of X that is at
	at      int32
	row     *row
}

func newWitnesses(tau Tau, x, y *Classes, identities int, among []bool) *witnesses {
	w := &witnesses{tau: tau, x: x, y: y, among: among, equal: make(map[uint64]int32, len(y.Size)),
		hashes: x.hashes(), of: make([]int32, len(x.Size)), last: none,
		members: make([]bool, identities), at: none, row: newRow(x, newColumns(y, identities))}
	for k, h := range y.hashes() {
		w.equal[h] = int32(k)
	}
	return w
}

// hashes returns by class the sum of its members' hashes.
func (c *Classes) hashes() []uint64 {
	out := make([]uint64, len(c.Base))
	for k, base := range c.Base {
		if base != none {
			out[k] = out[base]
		}
		for _, id := range c.added[c.from[k]:c.from[k+1]] {
			out[k] += hashOf(id)
		}
	}
	return out
}

// matching returns which classes of X have a match, of some of them or, if some is nil, of all.
func (w *witnesses) matching(ctx context.Context, some []bool) ([]bool, error) {
	out := make([]bool, len(w.x.Size))
	for k := range out {
		w.of[k] = none
		if some != nil && !some[k] {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if w.of[k] = w.witness(int32(k)); w.of[k] != none {
			out[k], w.last = true, w.of[k]
		}
	}
	return out, nil
}

// witness returns a class of Y that matches class k of X, or none.
func (w *witnesses) witness(k int32) int32 {
	w.seekMembers(k)
	if y, ok := w.equal[w.hashes[k]]; ok && w.matches(k, y) {
		return y
	}
	if base := w.x.Base[k]; base != none && w.matches(k, w.of[base]) {
		return w.of[base]
	}
	if w.matches(k, w.last) {
		return w.last
	}
	w.row.seekClass(int(k))
	return w.row.firstMatch(w.tau, w.among)
}

// seekMembers marks the members of class k.
func (w *witnesses) seekMembers(k int32) {
	x := w.x
	for w.at != none && (k < w.at || uint32(k) >= x.End[w.at]) {
		w.markMembers(w.at, false)
		w.at = x.Base[w.at]
	}
	for c := k; c != w.at; c = x.Base[c] {
		w.markMembers(c, true)
	}
	w.at = k
}

func (w *witnesses) markMembers(c int32, is bool) {
	for _, id := range w.x.added[w.x.from[c]:w.x.from[c+1]] {
		w.members[id] = is
	}
}

// matches reports whether class k of X, whose members are marked, matches class y, and y may be a
// witness.
func (w *witnesses) matches(k, y int32) bool {
	if y == none || w.among != nil && !w.among[y] {
		return false
	}
	size, ySize, common := w.x.Size[k], w.y.Size[y], uint32(0)
	if !w.tau.Exceeded(min(size, ySize), size, ySize) {
		return false
	}
	for c := y; c != none; c = w.y.Base[c] {
		for _, id := range w.y.added[w.y.from[c]:w.y.from[c+1]] {
			if w.members[id] {
				common++
			}
		}
	}
	return w.tau.Exceeded(common, size, ySize)
}
