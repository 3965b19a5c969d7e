package align

import (
	"context"

	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/trace"
)

// placer writes the alignment of two threads into a Result, from caller to callee. What is to be
// done next is on a stack of its own: calls nest as deep as they like.
type placer struct {
	r       *Result
	c       *classes
	of      [2][]uint32 // class by call
	descend func(x, y uint32) bool
	solve   solver
	whole   bool // identical subtrees are copied
	forced  *forced
	level   func(ctx context.Context, lv *level) ([]run, error)
	o       Options

	equal, different int64
	stack            [][2]int32 // paired calls whose callees are still to be placed
	t                progress.Ticker
}

// solver returns the alignment of the callees of two classes.
type solver func(ctx context.Context, x, y uint32) ([]run, error)

// roots stands for the virtual call over a thread's roots.
const roots = int32(-1)

func (p *placer) run(ctx context.Context) error {
	p.stack = append(p.stack, [2]int32{roots, roots})
	if x := p.class(pair.A, roots); p.whole && x == p.class(pair.B, roots) && p.forced == nil {
		p.copyFrom(0, 0, int(p.c.size[x])-1)
		p.stack = p.stack[:0]
	}
	for len(p.stack) > 0 {
		top := p.stack[len(p.stack)-1]
		p.stack = p.stack[:len(p.stack)-1]
		x := p.class(pair.A, top[0])
		if len(p.c.callees(x)) == 0 || len(p.c.callees(p.class(pair.B, top[1]))) == 0 {
			continue
		}
		runs, err := p.align(ctx, top[0], top[1])
		if err != nil {
			return err
		}
		p.place(top[0], top[1], runs)
		if err := p.t.Add(ctx, int64(len(p.c.callees(x)))); err != nil {
			return err
		}
	}
	m, n := int64(len(p.r.Partner[pair.A])), int64(len(p.r.Partner[pair.B]))
	gaps := m + n - 2*(p.equal+p.different)
	p.r.Score = 2*p.equal - p.different - gaps
	p.r.keepPassed()
	return p.t.Flush(ctx)
}

func (p *placer) class(s pair.Side, call int32) uint32 {
	if call == roots {
		return p.c.root[s][p.r.Indices[s]]
	}
	return p.of[s][call]
}

// align returns the alignment of the callees of two calls.
func (p *placer) align(ctx context.Context, x, y int32) ([]run, error) {
	if pairs := p.forced.under(x); len(pairs) > 0 {
		return p.between(ctx, x, y, pairs)
	}
	return p.solve(ctx, p.class(pair.A, x), p.class(pair.B, y))
}

// place pairs the callees of two calls as their level's alignment says.
func (p *placer) place(x, y int32, runs []run) {
	i, j := x+1, y+1 // the callees reached, and their numbers
	var ki, kj int32
	for _, r := range runs {
		for ; ki < r.i; ki++ {
			_, i = p.callee(pair.A, i)
		}
		for ; kj < r.j; kj++ {
			_, j = p.callee(pair.B, j)
		}
		for range r.n {
			var a, b int32
			a, i = p.callee(pair.A, i)
			b, j = p.callee(pair.B, j)
			p.pair(a, b)
		}
		ki, kj = r.i+r.n, r.j+r.n
	}
}

// callee returns the first callee from call i on, and where the one after it is looked for.
func (p *placer) callee(s pair.Side, i int32) (callee, next int32) {
	callee = p.r.Passed[s].First(i)
	return callee, callee + int32(p.r.Threads[s].Size[callee])
}

// pair pairs two calls and sees to what is below them.
func (p *placer) pair(i, j int32) {
	pa, pb := p.r.Partner[pair.A], p.r.Partner[pair.B]
	x, y := p.of[pair.A][i], p.of[pair.B][j]
	if x == y && p.whole && !p.forced.holds(p.r.Threads[pair.A], i) {
		p.copyFrom(i, j, int(p.c.size[x]))
		return
	}
	pa[i], pb[j] = j, i
	if p.c.fn[x] == p.c.fn[y] {
		p.equal++
	} else {
		p.different++
		if !p.forced.is(i, j) && !p.descend(x, y) {
			return
		}
	}
	if len(p.c.callees(x)) > 0 && len(p.c.callees(y)) > 0 {
		p.stack = append(p.stack, [2]int32{i, j})
	}
}

// copyFrom pairs n calls from i and j on, of identical subtrees.
func (p *placer) copyFrom(i, j int32, n int) {
	p.equal += int64(n)
	pa, pb := p.r.Partner[pair.A], p.r.Partner[pair.B]
	a, b := p.r.Passed[pair.A], p.r.Passed[pair.B]
	if len(a)+len(b) == 0 {
		fill(pa[i:int(i)+n], j)
		fill(pb[j:int(j)+n], i)
		return
	}
	for range n {
		i, j = a.First(i), b.First(j)
		pa[i], pb[j] = j, i
		i, j = i+1, j+1
	}
}

// fill numbers dst from first on.
func fill(dst []int32, first int32) {
	for k := range dst {
		dst[k] = first + int32(k)
	}
}

// nothing is the thread of a side that has none.
var nothing = &trace.Thread{}
