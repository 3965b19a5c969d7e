package align

import (
	"context"
	"slices"
	"sync"

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
	w      *work
	k      int // among the pairs of the run
	r      *Result
	c      *classes
	aside  [2]bool // by side: some calls are set aside
	forced *forced
	solve  solver
	whole  bool        // identical subtrees are paired call by call, without aligning them
	plain  bool        // no calls are set aside or passed through
	ids    [2][]uint32 // identity by side and function
	climbs bool        // only callees of two calls are paired without a look at anything else

	mu               sync.Mutex
	parts            int // that are being placed, or wait for it
	equal, different int64
	unlike           [][2]int32 // pairs of two functions; without classes
}

// solver returns the alignment of the callees of two calls. It holds until the placer is asked for
// the next one.
type solver func(ctx context.Context, p *placer, at partners) ([]run, error)

// partners is two calls that are paired, and their classes.
type partners struct {
	a, b int32
	// Without classes, calls of A and B: all on levels between a and x are like those between b
	// and y, but x and y, or what stands for the ends of what was compared, are not.
	x, y uint32
}

// roots stands for the virtual call over a thread's roots.
const roots = int32(-1)

// newPlacing begins the alignment of the k-th pair of threads, in which nothing is paired yet.
func (w *work) newPlacing(ctx context.Context, k int, solve solver, whole bool) (*placing, error) {
	r := &Result{Pair: w.p, Engine: w.o.Engine.String()}
	f := &placing{w: w, k: k, r: r, c: w.c, forced: w.forced[w.pairs[k]], solve: solve,
		whole: whole, parts: 1, ids: [2][]uint32{w.p.IDA, w.p.IDB}}
	for s := range r.Threads {
		n := w.index(w.pairs[k], pair.Side(s))
		r.Indices[s], r.Threads[s] = n, nothing
		if n >= 0 {
			r.Threads[s] = w.p.Trace(pair.Side(s)).Threads[n]
		}
		r.Score -= int64(r.Threads[s].Len())
		var err error
		if w.c != nil {
			r.Passed[s] = slices.Clone(w.c.passed[s][n])
			f.aside[s] = w.c.aside[s][n]
		} else if f.aside[s], err = w.direct.anyAside(pair.Side(s), r.Threads[s]); err != nil {
			return nil, err
		}
		if r.Partner[s], err = w.noPartners(ctx, k, s, r.Threads[s].Len()); err != nil {
			return nil, err
		}
	}
	if w.direct != nil {
		w.begun[k] = r
	}
	f.plain = len(r.Passed[pair.A])+len(r.Passed[pair.B]) == 0 && f.aside == [2]bool{}
	f.climbs = f.plain && f.whole && f.forced == nil
	return f, nil
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
	if f.w.direct == nil {
		r.Score += (equalScore - 2*gapScore) * f.pairAside()
	}
}

// placer places a part of two threads: some paired calls, whose callees are still to be placed. It
// keeps a stack of its own instead of recursing, because calls may nest a hundred thousand deep.
type placer struct {
	*placing
	space *workspace
	pool  *pool // with which it shares its stack, or nil
	stack []partners

	equal, different int64
	counted          int64 // pairs that were counted for what may be charged
	unlike           [][2]int32
	ties             Ties
	t                progress.Ticker
}

// placeThreads puts the roots of two threads on an empty stack, or pairs all calls if the threads
// are identical.
func (p *placer) placeThreads() error {
	if p.r.Indices[pair.A] < 0 || p.r.Indices[pair.B] < 0 {
		return nil
	}
	if p.w.direct != nil {
		return p.placeThreadsDirectly()
	}
	x, y := p.rootClass(pair.A), p.rootClass(pair.B)
	if p.whole && x == y && p.forced == nil {
		p.pairIdentical(0, 0, int(p.c.size[x])-1)
		return nil
	}
	p.stack = append(p.stack, partners{roots, roots, x, y})
	return nil
}

// placeAll places the callees of the calls on the stack, and what is below them. It reports whether
// this was the last part of the threads.
func (p *placer) placeAll(ctx context.Context) (last bool, err error) {
	for len(p.stack) > 0 {
		top := p.stack[len(p.stack)-1]
		p.stack = p.stack[:len(p.stack)-1]
		if err := p.placeOne(ctx, top); err != nil {
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
	f.unlike = append(f.unlike, p.unlike...)
	f.r.Ties.add(p.ties)
	f.parts--
	return f.parts == 0, nil
}

// placeOne places the callees of two calls that are paired.
func (p *placer) placeOne(ctx context.Context, at partners) error {
	if p.w.direct != nil {
		return p.placeDirectly(ctx, at)
	}
	if p.climbs {
		levels := 0
		at, levels = p.climbDown(at)
		if err := p.t.Add(ctx, int64(levels)); err != nil {
			return err
		}
		if at.x == at.y {
			return nil
		}
	}
	if p.c.list[at.x].n == 0 || p.c.list[at.y].n == 0 {
		return nil
	}
	runs, err := p.alignCallees(ctx, at)
	if err != nil {
		return err
	}
	p.pairCallees(at, runs)
	return p.t.Add(ctx, int64(p.c.list[at.x].n))
}

// climbDown pairs the only callees of two calls of one function, their only callees, and so on, and
// returns the last pair and over how many levels it came. It pairs all of identical subtrees. A
// stack of a hundred thousand calls is mostly such levels, on which there is nothing to choose.
func (p *placer) climbDown(at partners) (end partners, levels int) {
	c, pa, pb := p.c.classTable, p.r.Partner[pair.A], p.r.Partner[pair.B]
	for ; levels < checkEvery; levels++ {
		x, y := c.list[at.x], c.list[at.y]
		if x.n != 1 || y.n != 1 || c.fn[at.x] != c.fn[at.y] {
			break
		}
		at = partners{at.a + 1, at.b + 1, c.kids[x.part][x.from], c.kids[y.part][y.from]}
		if at.x == at.y {
			p.pairIdentical(at.a, at.b, int(c.size[at.x]))
			levels++
			break
		}
		pa[at.a], pb[at.b] = at.b, at.a
		if c.fn[at.x] == c.fn[at.y] {
			p.equal++
		} else {
			p.different++
		}
	}
	p.ties.Levels += levels // of one cell each, within any budget
	return at, levels
}

// alignPlainly aligns the k-th pair of threads with a plain engine: every level when it is reached.
func (w *work) alignPlainly(ctx context.Context, k int) (*Result, error) {
	solve := func(ctx context.Context, p *placer, at partners) ([]run, error) {
		if !p.descends(at) {
			return nil, nil
		}
		lv := p.newLevel(at)
		if at.x != at.y {
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
	if err := p.placeThreads(); err != nil {
		return nil, err
	}
	if _, err := p.placeAll(ctx); err != nil {
		return nil, err
	}
	f.finish()
	return f.r, nil
}

// rootClass returns the class of the virtual call over the roots of a side.
func (p *placer) rootClass(s pair.Side) uint32 { return p.c.root[s][p.r.Indices[s]] }

// alignCallees returns the alignment of the callees of two calls.
func (p *placer) alignCallees(ctx context.Context, at partners) ([]run, error) {
	if pairs := p.forced.amongCallees(at.a); len(pairs) > 0 {
		return p.alignBetween(ctx, at, pairs)
	}
	return p.solve(ctx, p, at)
}

// newLevel returns the level of the callees of two calls, with their times.
func (p *placer) newLevel(at partners) *level {
	lv := p.c.newLevel(at.x, at.y, p.w.o, p.space)
	if lv.full {
		lv.took[pair.A] = p.took(pair.A, at.a, len(lv.a))
		lv.took[pair.B] = p.took(pair.B, at.b, len(lv.b))
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
func (p *placer) descends(at partners) bool {
	return p.c.fn[at.x] == p.c.fn[at.y] || p.forced.forces(at.a, at.b) || p.w.below.alike(at.x, at.y)
}

// decide returns the alignment of the callees of two calls from that of their classes.
func (p *placer) decide(ctx context.Context, at partners, s *solved) ([]run, error) {
	p.ties.addLevel(s.full, s.broad)
	if len(s.pockets) == 0 {
		return s.runs, nil
	}
	return p.newLevel(at).decide(ctx, p.w.m, s)
}

// pairCallees pairs the callees of two calls as the runs of their level say.
func (p *placer) pairCallees(at partners, runs []run) {
	xs, ys := p.c.callees(at.x), p.c.callees(at.y)
	if p.plain {
		p.pairPlainCallees(at, xs, ys, runs)
		return
	}
	i, j := at.a+1, at.b+1 // the callees reached, and their numbers
	var ki, kj int32
	for _, r := range runs {
		for ; ki < r.i; ki++ {
			_, i = p.callee(pair.A, i)
		}
		for ; kj < r.j; kj++ {
			_, j = p.callee(pair.B, j)
		}
		for k := range r.n {
			c := partners{x: xs[r.i+k], y: ys[r.j+k]}
			c.a, i = p.callee(pair.A, i)
			c.b, j = p.callee(pair.B, j)
			p.pairCalls(c)
		}
		ki, kj = r.i+r.n, r.j+r.n
	}
}

// pairPlainCallees is pairCallees where all calls of both threads are on levels: then the classes
// of callees tell where the next one is.
func (p *placer) pairPlainCallees(at partners, xs, ys []uint32, runs []run) {
	size := p.c.size
	i, j := at.a+1, at.b+1
	var ki, kj int32
	for _, r := range runs {
		for ; ki < r.i; ki++ {
			i += int32(size[xs[ki]])
		}
		for ; kj < r.j; kj++ {
			j += int32(size[ys[kj]])
		}
		for ; ki < r.i+r.n; ki, kj = ki+1, kj+1 {
			x, y := xs[ki], ys[kj]
			p.pairCalls(partners{i, j, x, y})
			i, j = i+int32(size[x]), j+int32(size[y])
		}
	}
}

// callee returns the first callee from call i on, and where to look for the one after it.
func (p *placer) callee(s pair.Side, i int32) (callee, next int32) {
	callee = p.r.Passed[s].First(i)
	for p.aside[s] && p.isAside(s, callee) {
		callee = p.r.Passed[s].First(callee + 1)
	}
	return callee, callee + int32(p.r.Threads[s].Size(int(callee)))
}

// pairCalls pairs two calls, and puts them on the stack if both have callees.
func (p *placer) pairCalls(c partners) {
	if c.x == c.y && p.whole && !p.forced.holdsBelow(p.r.Threads[pair.A], c.a) {
		p.pairIdentical(c.a, c.b, int(p.c.size[c.x]))
		return
	}
	p.r.Partner[pair.A][c.a], p.r.Partner[pair.B][c.b] = c.b, c.a
	if p.c.fn[c.x] == p.c.fn[c.y] {
		p.equal++
	} else {
		p.different++
	}
	if p.c.list[c.x].n > 0 && p.c.list[c.y].n > 0 {
		p.stack = append(p.stack, c)
	}
}

// pairIdentical pairs n calls from i and j on, which are in identical subtrees.
func (p *placer) pairIdentical(i, j int32, n int) {
	p.equal += int64(n)
	pa, pb := p.r.Partner[pair.A], p.r.Partner[pair.B]
	if p.plain {
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
