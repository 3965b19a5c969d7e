package align

import (
	"context"
	"fmt"
	"slices"

	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/trace"
)

// Anchors: pairs made by hand.
//
// An anchor forces two calls to be partners, and so their callers have to be partners as well. The
// two chains of callers are aligned like any two sequences; callers that are left over are passed
// through. For example, an anchor of both calls of x in
//
//	A: main(f(x))    B: main(g(f(x)))
//
// pairs main with main and f with f, passes through g, and pairs x with x. On a level with forced
// pairs, the stretches between them are aligned each by itself. An anchor that contradicts an
// earlier one, because one pair would lie before the other on one side and after it on the other,
// is left out.
//
// The cost of an anchor is that of aligning two chains of callers. Levels with forced pairs are
// not shared between equal subtrees; all others are.

// anchorable returns an error if a thread with an anchor is aligned with several others. The calls
// that are passed through for the anchor would be passed through in all of them.
func anchorable(pairs []pair.ThreadPair, anchors []Anchor) error {
	for _, a := range anchors {
		if a.Threads.A < 0 || a.Threads.B < 0 {
			continue // there is nothing to pair
		}
		for s, name := range [2]string{"A", "B"} {
			n := 0
			for _, tp := range pairs {
				if tp.On(pair.Side(s)) == a.Threads.On(pair.Side(s)) {
					n++
				}
			}
			if n > 1 && slices.Contains(pairs, a.Threads) {
				return fmt.Errorf("align: thread %d of %s has an anchor and is in %d pairs",
					a.Threads.On(pair.Side(s)), name, n)
			}
		}
	}
	return nil
}

// forced is the pairs that anchors force on two threads.
type forced struct {
	partner map[int32]int32      // B's call by A's
	below   map[int32][][2]int32 // by caller in A: forced pairs of its callees, in order
	calls   []int32              // A's, ascending
}

// holdsBelow reports whether any call below a call of A is in a forced pair.
func (f *forced) holdsBelow(th *trace.Thread, call int32) bool {
	if f == nil {
		return false
	}
	k, _ := slices.BinarySearch(f.calls, call+1)
	return k < len(f.calls) && int(f.calls[k]) < th.Next(int(call))
}

// forces reports whether the pair of a and b is forced.
func (f *forced) forces(a, b int32) bool {
	if f == nil {
		return false
	}
	j, ok := f.partner[a]
	return ok && j == b
}

// amongCallees returns the forced pairs among the callees of a call of A, in order.
func (f *forced) amongCallees(call int32) [][2]int32 {
	if f == nil {
		return nil
	}
	return f.below[call]
}

// anchoring turns the anchors of two threads into forced pairs.
type anchoring struct {
	threads [2]*trace.Thread
	ids     [2][]uint32
	off     []bool   // by identity: cannot be anchored
	passed  [2]Calls // all calls that are passed through
	left    [2]Calls // callers that were left over, a part of passed
	partner map[int32]int32
}

// anchor returns the pairs that anchors force on two threads, or nil. It adds the callers that are
// left over to passed, the calls that are passed through by side and thread.
func (w *work) anchor(ctx context.Context, tp pair.ThreadPair, passed [2]map[int]Calls) (*forced,
	error) {
	g := anchoring{off: w.off, partner: map[int32]int32{}}
	for s := range g.threads {
		k := w.index(tp, pair.Side(s))
		if k < 0 {
			return nil, nil
		}
		g.threads[s], g.ids[s] = w.p.Trace(pair.Side(s)).Threads[k], w.p.IDs(pair.Side(s))
		g.passed[s] = passed[s][k]
	}
	for _, a := range w.o.Anchors {
		if a.Threads == tp && g.fits(a.Calls) {
			if err := g.addAnchor(ctx, a.Calls, w.m); err != nil {
				return nil, err
			}
		}
	}
	if len(g.partner) == 0 {
		return nil, nil
	}
	for s := range g.threads {
		if len(g.passed[s]) > 0 {
			passed[s][w.index(tp, pair.Side(s))] = g.passed[s]
		}
	}
	return g.forced(), nil
}

// fits reports whether two calls can be paired together with the pairs so far: the one must lie
// before, after, in or around each paired call just as the other lies to that call's partner.
func (g *anchoring) fits(calls [2]int32) bool {
	for s, i := range calls {
		if i < 0 || int(i) >= g.threads[s].Len() || g.left[s].Has(i) ||
			g.off[g.ids[s][g.threads[s].Fn[i]]] {
			return false
		}
	}
	for a, b := range g.partner {
		if lies(g.threads[pair.A], calls[pair.A], a) != lies(g.threads[pair.B], calls[pair.B], b) {
			return false
		}
	}
	return true
}

// lies says where call x lies as seen from call y.
func lies(th *trace.Thread, x, y int32) (where string) {
	switch {
	case x == y:
		return "at"
	case x > y && int(x) < th.Next(int(y)):
		return "in"
	case y > x && int(y) < th.Next(int(x)):
		return "around"
	case x < y:
		return "before"
	}
	return "after"
}

// addAnchor pairs two calls and their callers.
func (g *anchoring) addAnchor(ctx context.Context, calls [2]int32, m *progress.Meter) error {
	var chains [2][]int32
	for s, i := range calls {
		g.passed[s] = slices.Clone(g.passed[s])
		g.passed[s].remove(i)
		chains[s] = g.chain(pair.Side(s), i)
	}
	a, b := chains[pair.A], chains[pair.B]
	for len(a) > 0 { // from one known pair to the next; the last one is the anchor
		i, j := g.firstKnown(a, b, calls)
		if err := g.pairChains(ctx, a[:i], b[:j], m); err != nil {
			return err
		}
		g.partner[a[i]] = b[j]
		a, b = a[i+1:], b[j+1:]
	}
	return nil
}

// chain returns the callers of a call, outermost first, and then the call.
func (g *anchoring) chain(s pair.Side, i int32) (chain []int32) {
	for th := g.threads[s]; i != None; i = g.passed[s].caller(th, i) {
		chain = append(chain, i)
	}
	slices.Reverse(chain)
	return chain
}

// firstKnown returns the places in two chains of the first pair that is known already: one of an
// earlier anchor, or the ends of the chains.
func (g *anchoring) firstKnown(a, b []int32, ends [2]int32) (i, j int) {
	for i, x := range a {
		if y, ok := g.partner[x]; ok || x == ends[pair.A] {
			if !ok {
				y = ends[pair.B]
			}
			return i, slices.Index(b, y)
		}
	}
	return len(a) - 1, len(b) - 1
}

// pairChains aligns two chains of callers. Callers that are left over are passed through.
func (g *anchoring) pairChains(ctx context.Context, a, b []int32, m *progress.Meter) error {
	lv := &level{fa: g.identities(pair.A, a), fb: g.identities(pair.B, b)}
	lv.a, lv.b = lv.fa, lv.fb
	lv.fitEqual()
	runs, err := lv.auto(ctx, m)
	if err != nil {
		return err
	}
	var paired [2]map[int32]bool
	paired[pair.A], paired[pair.B] = map[int32]bool{}, map[int32]bool{}
	for _, r := range runs {
		for k := range r.n {
			x, y := a[r.i+k], b[r.j+k]
			g.partner[x] = y
			paired[pair.A][x], paired[pair.B][y] = true, true
		}
	}
	for s, chain := range [2][]int32{a, b} {
		for _, i := range chain {
			if n := g.threads[s].Len(); !paired[s][i] {
				g.passed[s].add(i, n)
				g.left[s].add(i, n)
			}
		}
	}
	return nil
}

func (g *anchoring) identities(s pair.Side, calls []int32) []uint32 {
	ids := make([]uint32, len(calls))
	for k, i := range calls {
		ids[k] = g.ids[s][g.threads[s].Fn[i]]
	}
	return ids
}

// forced returns the pairs so far, by caller.
func (g *anchoring) forced() *forced {
	f := &forced{partner: g.partner, below: map[int32][][2]int32{}}
	for a := range g.partner {
		f.calls = append(f.calls, a)
	}
	slices.Sort(f.calls)
	for _, a := range f.calls {
		caller := g.passed[pair.A].caller(g.threads[pair.A], a)
		f.below[caller] = append(f.below[caller], [2]int32{a, g.partner[a]})
	}
	return f
}

// alignBetween aligns a level with forced pairs, one stretch between them after the other.
func (p *placer) alignBetween(ctx context.Context, at partners, pairs [][2]int32) (runs []run,
	err error) {
	lv := p.newLevel(at)
	p.ties.addLevel(lv.full, false)
	next, number := [2]int32{at.a + 1, at.b + 1}, [2]int32{}
	var from run // where the last forced pair ends
	for k := 0; k <= len(pairs); k++ {
		to := run{int32(len(lv.a)), int32(len(lv.b)), 0}
		if k < len(pairs) {
			for s := range next {
				next[s], number[s] = p.advanceTo(pair.Side(s), next[s], number[s], pairs[k][s])
			}
			to = run{number[pair.A], number[pair.B], 1}
		}
		if from.i < to.i && from.j < to.j {
			part, err := p.w.alignLevel(ctx, lv.sublevel(int(from.i), int(to.i), int(from.j), int(to.j)))
			if err != nil {
				return nil, err
			}
			for _, r := range part {
				runs = appendRun(runs, run{from.i + r.i, from.j + r.j, r.n})
			}
		}
		if to.n > 0 {
			runs = appendRun(runs, to)
		}
		from = run{to.i + 1, to.j + 1, 0}
	}
	return runs, nil
}

// advanceTo goes from one callee on a level to a later one, call. A callee is given by the call
// from which on it is looked for, next, and by its number on the level; the same is returned of
// call.
func (p *placer) advanceTo(s pair.Side, next, number, call int32) (int32, int32) {
	for {
		callee, after := p.callee(s, next)
		if callee == call {
			return next, number
		}
		next, number = after, number+1
	}
}
