package align

import (
	"slices"

	"diptych/internal/pair"
)

// Time without a processor (trace.Off) is set aside.
//
// When a scheduler takes the processor away from a thread is due to the system, and it happens
// anywhere. Were such calls aligned, they would make equal subtrees unequal, and functions would
// seem to have got a callee. So they are on no level: classes, the census and the rule for ties do
// not know them. One without callees, which is what all recordings have unless they are damaged, is
// paired after all others are. One with callees is passed through.
//
// Between two consecutive pairs of a level, the calls that are set aside are paired in order, the
// first with the first and so on, where they are of one function. The rest are gaps. For example,
// with s for such a call,
//
//	A  main( s f s s g )    B  main( f s g s )    pairs f, g, and one s between them: 3 gaps
//
// They count like all other calls in scores and metrics, so a thread is equal to itself.

// offCPU returns, by identity, whether a function is time without a processor on either side.
func offCPU(p *pair.Pair) []bool {
	off := make([]bool, len(p.Names))
	for _, s := range []pair.Side{pair.A, pair.B} {
		for fn, id := range p.IDs(s) {
			if p.Trace(s).Functions[fn].OffCPU() {
				off[id] = true
			}
		}
	}
	return off
}

// passedOff returns, by side and thread, the calls that are time without a processor and have
// callees.
func (w *work) passedOff(threads [2][]int) (passed [2]map[int]Calls) {
	none := !slices.Contains(w.off, true)
	for s := range threads {
		passed[s] = map[int]Calls{}
		if none {
			continue // most of all
		}
		ids, off := w.p.IDs(pair.Side(s)), w.off
		for _, k := range threads[s] {
			var c Calls
			th := w.p.Trace(pair.Side(s)).Threads[k]
			for i, fn := range th.Fn {
				if off[ids[fn]] && th.Size(i) > 1 {
					c.add(int32(i), th.Len())
				}
			}
			if c != nil {
				passed[s][k] = c
			}
		}
	}
	return passed
}

// isAside reports whether call i of side s is set aside.
func (p *placing) isAside(s pair.Side, i int32) bool {
	return p.w.off[p.r.ID(s, int(i))] && p.r.Threads[s].Size(int(i)) == 1
}

// pairAside pairs the calls that were set aside on all levels that are aligned, and returns the
// number of pairs.
func (p *placing) pairAside() (n int64) {
	if !p.aside[pair.A] || !p.aside[pair.B] {
		return 0
	}
	var between [2][]int32
	var rootsDone bool
	var done Calls // callers in A
	for i := range p.r.Partner[pair.A] {
		if !p.isAside(pair.A, int32(i)) {
			continue
		}
		switch caller := p.r.Caller(pair.A, int32(i)); {
		case caller == roots && !rootsDone:
			rootsDone = true
			n += p.pairAsideBelow(roots, roots, &between)
		case caller != roots && p.r.Partner[pair.A][caller] != None && !done.Has(caller):
			done.add(caller, len(p.r.Partner[pair.A]))
			n += p.pairAsideBelow(caller, p.r.Partner[pair.A][caller], &between)
		}
	}
	return n
}

// pairAsideBelow pairs the calls that were set aside among the callees of two calls. It lists those
// since the last pair in between, whose content it replaces.
func (p *placing) pairAsideBelow(a, b int32, between *[2][]int32) (n int64) {
	c := p.r.columnsBelow(a, b)
	between[pair.A], between[pair.B] = between[pair.A][:0], between[pair.B][:0]
	for {
		a, b := c.peek(p.r)
		for s, i := range [2]int32{a, b} {
			if i != None && p.isAside(pair.Side(s), i) {
				between[s] = append(between[s], i)
			}
		}
		if a == None == (b == None) {
			n += p.pairInOrder(between)
			between[pair.A], between[pair.B] = between[pair.A][:0], between[pair.B][:0]
		}
		if a == None && b == None {
			return n
		}
		c.take(p.r, a, b)
	}
}

// pairInOrder pairs the first of two lists, the second, and so on, where they are of one function.
func (p *placing) pairInOrder(calls *[2][]int32) (n int64) {
	b := calls[pair.B]
	for k, i := range calls[pair.A][:min(len(calls[pair.A]), len(b))] {
		n += p.pairIfEqual(i, b[k])
	}
	return n
}

// pairIfEqual pairs two calls if they are of one function, and returns the number of pairs.
func (p *placing) pairIfEqual(i, j int32) int64 {
	if p.r.ID(pair.A, int(i)) != p.r.ID(pair.B, int(j)) {
		return 0
	}
	p.r.Partner[pair.A][i], p.r.Partner[pair.B][j] = j, i
	return 1
}

// pairAsideAlike pairs calls that are set aside, those of A from i on and before the end, with
// those of B. In front of them is a pair, or on both sides the beginning, and behind them another
// pair or the end, so they are on levels that get higher: the first ones among the callees of the
// last pair, then those of its caller, and so on.
func (p *placing) pairAsideAlike(i, endA, j, endB int32) (n int64) {
	a, b := p.r.Threads[pair.A], p.r.Threads[pair.B]
	for i < endA && j < endB {
		switch da, db := a.Depth(int(i)), b.Depth(int(j)); {
		case da > db:
			i++
		case da < db:
			j++
		default:
			n += p.pairIfEqual(i, j)
			i, j = i+1, j+1
		}
	}
	return n
}
