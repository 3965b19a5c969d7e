package align

import (
	"context"
	"slices"
	"sync"

	"diptych/internal/huge"
	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/trace"
)

// Placing: from the roots to the leaves, each level that is reached is aligned, and its pairs are
// written into the Result.
//
// Whether and how the callees of two calls are paired does not depend on any other level, and each
// call is written at most once. So any number of goroutines may place parts of one pair of threads
// at once, and the result is the same.

// placing is two threads whose alignment is being written into a Result.
type placing struct {
	w       *work
	k       int // among the pairs of the run
	r       *Result
	c       *classes
	classOf [2][]uint32 // class by call; noClass for calls that are set aside
	aside   [2]bool     // by side: some are
	forced  *forced
	solve   solver
	whole   bool // identical subtrees are paired call by call, without aligning them

	mu               sync.Mutex
	parts            int // that are being placed, or wait for it
	equal, different int64
}

// solver returns the alignment of the callees of two calls. It holds until the placer is asked for
// the next one.
type solver func(ctx context.Context, p *placer, a, b int32) ([]run, error)

// roots stands for the virtual call over a thread's roots.
const roots = int32(-1)

// newPlacing begins the alignment of the k-th pair of threads, in which nothing is paired yet.
func (w *work) newPlacing(ctx context.Context, k int, solve solver, whole bool) (*placing, error) {
	r := &Result{Pair: w.p, Engine: w.o.Engine.String()}
	f := &placing{w: w, k: k, r: r, c: w.c, forced: w.forced[w.pairs[k]], solve: solve,
		whole: whole, parts: 1}
	for s := range r.Threads {
		n := w.index(w.pairs[k], pair.Side(s))
		r.Indices[s], r.Threads[s] = n, nothing
		if n >= 0 {
			r.Threads[s] = w.p.Trace(pair.Side(s)).Threads[n]
		}
		r.Score -= int64(r.Threads[s].Len())
		r.Passed[s] = slices.Clone(w.c.passed[s][n])
		f.classOf[s], f.aside[s] = w.c.classOf[s][n], w.c.aside[s][n]
		var err error
		if r.Partner[s], err = noPartners(ctx, r.Threads[s].Len()); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// noPartners returns the partners of n calls that have none.
func noPartners(ctx context.Context, n int) ([]int32, error) {
	partner := huge.Make[int32](n)
	fill := func(from, to int) error {
		for i := range partner[from:to] {
			partner[from+i] = None
		}
		return nil
	}
	if n < checkEvery {
		return partner, fill(0, n)
	}
	return partner, inPieces(ctx, n, fill)
}

// finish completes the Result once all parts are placed.
func (f *placing) finish() {
	r := f.r
	if r.Indices[pair.A] >= 0 && r.Indices[pair.B] >= 0 {
		m, n := int64(len(r.Partner[pair.A])), int64(len(r.Partner[pair.B]))
		gaps := m + n - 2*(f.equal+f.different)
		r.Score = equalScore*f.equal + differentScore*f.different + gapScore*gaps
	}
	r.keepPassed()
	f.pairAside()
}

// placer places a part of two threads: some paired calls, whose callees are still to be placed. It
// keeps a stack of its own instead of recursing, because calls may nest a hundred thousand deep.
type placer struct {
	*placing
	space *workspace
	pool  *pool // with which it shares its stack, or nil
	stack [][2]int32

	equal, different int64
	ties             Ties
	t                progress.Ticker
}

// placeThreads puts the roots of two threads on an empty stack, or pairs all calls if the threads
// are identical.
func (p *placer) placeThreads() {
	if p.r.Indices[pair.A] < 0 || p.r.Indices[pair.B] < 0 {
		return
	}
	if x := p.class(pair.A, roots); p.whole && x == p.class(pair.B, roots) && p.forced == nil {
		p.pairIdentical(0, 0, int(p.c.size[x])-1)
		return
	}
	p.stack = append(p.stack, [2]int32{roots, roots})
}

// placeAll places the callees of the calls on the stack, and what is below them. It reports whether
// this was the last part of the threads.
func (p *placer) placeAll(ctx context.Context) (last bool, err error) {
	for len(p.stack) > 0 {
		top := p.stack[len(p.stack)-1]
		p.stack = p.stack[:len(p.stack)-1]
		x, y := p.class(pair.A, top[pair.A]), p.class(pair.B, top[pair.B])
		if len(p.c.callees(x)) == 0 || len(p.c.callees(y)) == 0 {
			continue
		}
		runs, err := p.alignCallees(ctx, top[pair.A], top[pair.B])
		if err != nil {
			return false, err
		}
		p.pairCallees(top[pair.A], top[pair.B], runs)
		if err := p.t.Add(ctx, int64(len(p.c.callees(x)))); err != nil {
			return false, err
		}
		if p.pool != nil {
			p.pool.shareStack(p)
		}
	}
	if err := p.t.Flush(ctx); err != nil {
		return false, err
	}
	f := p.placing
	f.mu.Lock()
	defer f.mu.Unlock()
	f.equal += p.equal
	f.different += p.different
	f.r.Ties.add(p.ties)
	f.parts--
	return f.parts == 0, nil
}

// alignPlainly aligns the k-th pair of threads with a plain engine: every level when it is reached.
func (w *work) alignPlainly(ctx context.Context, k int) (*Result, error) {
	solve := func(ctx context.Context, p *placer, a, b int32) ([]run, error) {
		if !p.descends(a, b) {
			return nil, nil
		}
		lv := p.newLevel(a, b)
		if p.class(pair.A, a) != p.class(pair.B, b) {
			p.ties.addLevel(lv.full, false)
		}
		return lv.alignBy(ctx, w.o, w.m)
	}
	f, err := w.newPlacing(ctx, k, solve, false)
	if err != nil {
		return nil, err
	}
	space := w.spaces.Get().(*workspace)
	defer w.spaces.Put(space)
	p := placer{placing: f, space: space, t: newTicker(w.m)}
	p.placeThreads()
	if _, err := p.placeAll(ctx); err != nil {
		return nil, err
	}
	f.finish()
	return f.r, nil
}

func (p *placer) class(s pair.Side, call int32) uint32 {
	if call == roots {
		return p.c.root[s][p.r.Indices[s]]
	}
	return p.classOf[s][call]
}

// alignCallees returns the alignment of the callees of two calls.
func (p *placer) alignCallees(ctx context.Context, x, y int32) ([]run, error) {
	if pairs := p.forced.amongCallees(x); len(pairs) > 0 {
		return p.alignBetween(ctx, x, y, pairs)
	}
	return p.solve(ctx, p, x, y)
}

// newLevel returns the level of the callees of two calls, with their times.
func (p *placer) newLevel(a, b int32) *level {
	lv := p.c.newLevel(p.class(pair.A, a), p.class(pair.B, b), p.w.o, p.space)
	if lv.full {
		lv.took[pair.A] = p.took(pair.A, a, len(lv.a))
		lv.took[pair.B] = p.took(pair.B, b, len(lv.b))
	}
	return lv
}

// took returns how long the n callees of a call took, ns.
func (p *placer) took(s pair.Side, call int32, n int) []int64 {
	list := p.space.took[s][:0]
	for next := call + 1; len(list) < n; {
		var callee int32
		callee, next = p.callee(s, next)
		list = append(list, p.r.Threads[s].Dur(int(callee)))
	}
	p.space.took[s] = list
	return list
}

// descends reports whether the callees of two paired calls are aligned: those of calls of one
// function, of forced pairs, and of different calls that reach similar sets of functions.
func (p *placer) descends(a, b int32) bool {
	x, y := p.class(pair.A, a), p.class(pair.B, b)
	return p.c.fn[x] == p.c.fn[y] || p.forced.forces(a, b) || p.w.below.alike(x, y)
}

// decide returns the alignment of the callees of two calls from that of their classes.
func (p *placer) decide(ctx context.Context, a, b int32, s *solved) ([]run, error) {
	p.ties.addLevel(s.full, s.broad)
	if len(s.pockets) == 0 {
		return s.runs, nil
	}
	return p.newLevel(a, b).decide(ctx, p.w.m, s)
}

// pairCallees pairs the callees of two calls as the runs of their level say.
func (p *placer) pairCallees(x, y int32, runs []run) {
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
			p.pairCalls(a, b)
		}
		ki, kj = r.i+r.n, r.j+r.n
	}
}

// callee returns the first callee from call i on, and where to look for the one after it.
func (p *placer) callee(s pair.Side, i int32) (callee, next int32) {
	callee = p.r.Passed[s].First(i)
	for p.aside[s] && p.classOf[s][callee] == noClass {
		callee = p.r.Passed[s].First(callee + 1)
	}
	return callee, callee + int32(p.r.Threads[s].Size(int(callee)))
}

// pairCalls pairs two calls, and puts them on the stack if both have callees.
func (p *placer) pairCalls(i, j int32) {
	pa, pb := p.r.Partner[pair.A], p.r.Partner[pair.B]
	x, y := p.classOf[pair.A][i], p.classOf[pair.B][j]
	if x == y && p.whole && !p.forced.holdsBelow(p.r.Threads[pair.A], i) {
		p.pairIdentical(i, j, int(p.c.size[x]))
		return
	}
	pa[i], pb[j] = j, i
	if p.c.fn[x] == p.c.fn[y] {
		p.equal++
	} else {
		p.different++
	}
	if len(p.c.callees(x)) > 0 && len(p.c.callees(y)) > 0 {
		p.stack = append(p.stack, [2]int32{i, j})
	}
}

// pairIdentical pairs n calls from i and j on, which are in identical subtrees.
func (p *placer) pairIdentical(i, j int32, n int) {
	p.equal += int64(n)
	pa, pb := p.r.Partner[pair.A], p.r.Partner[pair.B]
	if len(p.r.Passed[pair.A])+len(p.r.Passed[pair.B]) == 0 && p.aside == [2]bool{} {
		countUp(pa[i:int(i)+n], j)
		countUp(pb[j:int(j)+n], i)
		return
	}
	for range n {
		i, _ = p.callee(pair.A, i)
		j, _ = p.callee(pair.B, j)
		pa[i], pb[j] = j, i
		i, j = i+1, j+1
	}
}

// countUp fills dst with first, first+1, and so on.
func countUp(dst []int32, first int32) {
	for k := range dst {
		dst[k] = first + int32(k)
	}
}

// nothing stands for the thread of a side that has none.
var nothing = &trace.Thread{}
