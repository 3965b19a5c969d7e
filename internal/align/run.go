package align

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/trace"
)

// One run, from pairs of threads to their Results. Its stages:
//
//  1. classify: number the subtrees of all threads (classes.go); find the calls to pass through
//     (wrappers.go) and what anchors demand (anchor.go), and if there are any, number again;
//  2. align the levels: all distinct ones first (auto.go), or each when it is reached (plain
//     engines);
//  3. placer: from the roots to the leaves, write each level's pairs into the Result.
//
// Stage 1 takes time linear in the calls, stage 3 in the calls that are paired. Stage 2 depends on
// the levels. Memory is 4 bytes a call for classes and 4 for partners, and what distinct levels
// need.

// reportEvery is the work between two reports of progress: about a millisecond. A unit is a call
// that is classified or placed, or 64 cells of a level.
const reportEvery = 1 << 13

// work is the state of one run.
type work struct {
	p     *pair.Pair
	pairs []pair.ThreadPair
	o     Options
	m     *progress.Meter
	c     *classes
	off   []bool // by identity: is time without a processor
	below *below

	spaces sync.Pool // of *workspace

	forced map[pair.ThreadPair]*forced // nil for threads without anchors
}

func newWork(p *pair.Pair, pairs []pair.ThreadPair, o Options, m *progress.Meter) *work {
	return &work{p: p, pairs: pairs, o: o.withDefaults(), m: m, off: offCPU(p),
		forced: map[pair.ThreadPair]*forced{}}
}

// classify numbers the subtrees of all threads in pairs.
func (w *work) classify(ctx context.Context) (err error) {
	var threads [2][]int
	for s := range threads {
		for _, tp := range w.pairs {
			if k := w.index(tp, pair.Side(s)); k >= 0 {
				threads[s] = append(threads[s], k)
			}
		}
		slices.Sort(threads[s])
		threads[s] = slices.Compact(threads[s])
	}
	passed := w.passedOff(threads)
	if err := w.numberThreads(ctx, threads, passed); err != nil {
		return err
	}
	if err := w.findPassed(ctx, threads, passed); err != nil {
		return err
	}
	for _, tp := range w.pairs {
		if w.forced[tp], err = w.anchor(ctx, tp, passed); err != nil {
			return err
		}
	}
	if len(passed[pair.A])+len(passed[pair.B]) > 0 {
		err = w.numberThreads(ctx, threads, passed)
	}
	w.below = newBelow(w.c.classTable)
	counted := newTallies(w.c.classTable)
	room := new(atomic.Int64)
	room.Store(w.o.pocketCells)
	w.spaces.New = func() any { return newWorkspace(counted, room) }
	return err
}

// numberThreads numbers the subtrees of threads, with some of their calls passed through.
func (w *work) numberThreads(ctx context.Context, threads [2][]int, passed [2]map[int]Calls) (
	err error) {
	for s := range threads {
		for _, k := range threads[s] {
			w.m.Expect(int64(w.p.Trace(pair.Side(s)).Threads[k].Len()))
		}
	}
	w.c, err = classify(ctx, w.p, threads, passed, w.off, w.m)
	return err
}

// findPassed adds the calls to pass through by the census to those by side and thread.
func (w *work) findPassed(ctx context.Context, threads [2][]int, passed [2]map[int]Calls) error {
	if w.o.Strict {
		return nil
	}
	pass, err := w.c.passing(ctx, len(w.p.Names))
	if err != nil {
		return err
	}
	for s := range threads {
		for _, k := range threads[s] {
			side := pair.Side(s)
			th := w.p.Trace(side).Threads[k]
			if c := passedInThread(th, w.p.IDs(side), pass[s], passed[s][k]); c != nil {
				passed[s][k] = c
			}
		}
	}
	return nil
}

// index returns the thread of a pair on a side, or −1 where there is none.
func (w *work) index(tp pair.ThreadPair, s pair.Side) int {
	if t := w.p.Trace(s); t == nil || tp.On(s) >= len(t.Threads) {
		return -1
	}
	return max(tp.On(s), -1)
}

// result returns the alignment of two threads in which nothing is paired yet.
func (w *work) result(tp pair.ThreadPair) *Result {
	r := &Result{Pair: w.p, Engine: w.o.Engine.String()}
	for s := range r.Threads {
		r.Indices[s], r.Threads[s] = w.index(tp, pair.Side(s)), nothing
		if k := r.Indices[s]; k >= 0 {
			r.Threads[s] = w.p.Trace(pair.Side(s)).Threads[k]
		}
		r.Partner[s] = make([]int32, r.Threads[s].Len())
		for i := range r.Partner[s] {
			r.Partner[s][i] = None
		}
		r.Score -= int64(r.Threads[s].Len())
		r.Passed[s] = slices.Clone(w.c.passed[s][r.Indices[s]])
	}
	return r
}

// alignPlainly aligns two threads with a plain engine: every level when it is reached.
func (w *work) alignPlainly(ctx context.Context, r *Result) error {
	solve := func(ctx context.Context, p *placer, a, b int32) ([]run, error) {
		lv := p.newLevel(a, b)
		if p.class(pair.A, a) != p.class(pair.B, b) {
			r.Ties.addLevel(lv.full, false)
		}
		return lv.alignBy(ctx, w.o, w.m)
	}
	return w.fillResult(ctx, r, solve, w.below.alike, false)
}

// fillResult fills in a result. solve aligns a level, and descends decides whether the callees of
// a different pair are aligned. If whole is set, identical subtrees are paired without asking
// solve.
func (w *work) fillResult(ctx context.Context, r *Result, solve solver,
	descend func(x, y uint32) bool, whole bool) error {
	if r.Indices[pair.A] < 0 || r.Indices[pair.B] < 0 {
		r.keepPassed()
		return nil
	}
	p := placer{w: w, r: r, c: w.c, descends: descend, solve: solve, whole: whole,
		t: newTicker(w.m), forced: w.forced[w.threadsOf(r)]}
	for s := range p.classOf {
		p.classOf[s] = w.c.classOf[s][r.Indices[s]]
		p.aside[s] = w.c.aside[s][r.Indices[s]]
	}
	err := p.pairAll(ctx)
	if p.space != nil {
		w.spaces.Put(p.space)
	}
	return err
}

func (w *work) threadsOf(r *Result) pair.ThreadPair {
	return pair.ThreadPair{A: r.Indices[pair.A], B: r.Indices[pair.B]}
}

// alignLevel aligns a level that is only a stretch of the callees of two classes.
func (w *work) alignLevel(ctx context.Context, lv *level) ([]run, error) {
	if w.o.Engine == Auto {
		return lv.auto(ctx, w.m)
	}
	return lv.alignBy(ctx, w.o, w.m)
}

// alignBy aligns a level with the plain engine that was asked for.
func (lv *level) alignBy(ctx context.Context, o Options, m *progress.Meter) ([]run, error) {
	lv.compareCallees(0, len(lv.a), 0, len(lv.b))
	switch {
	case o.Engine == Hirschberg:
		return lv.hirschberg(ctx, m, 0)
	case o.Engine == Hybrid:
		return lv.hirschberg(ctx, m, o.Cells)
	case lv.cells() > plainCells:
		return nil, fmt.Errorf("align: a level of %d × %d calls is too large for the plain engine",
			len(lv.a), len(lv.b))
	}
	m.Expect(lv.cells() / 64)
	return lv.needleman(ctx, m, nil, 0, 0)
}

// addLevel counts a level.
func (t *Ties) addLevel(full, broad bool) {
	t.Levels++
	if !full {
		t.OverBudget++
	}
	if broad {
		t.Broad++
	}
}

// placer writes the alignment of two threads into a Result, from callers to callees. It keeps a
// stack of its own instead of recursing, because calls may nest a hundred thousand deep.
type placer struct {
	w        *work
	r        *Result
	c        *classes
	classOf  [2][]uint32 // class by call; noClass for calls that are set aside
	aside    [2]bool     // by side: some are
	descends func(x, y uint32) bool
	solve    solver
	whole    bool // identical subtrees are paired call by call, without aligning them
	forced   *forced
	space    *workspace

	equal, different int64
	stack            [][2]int32 // paired calls whose callees are still to be placed
	t                progress.Ticker
}

// solver returns the alignment of the callees of two calls.
type solver func(ctx context.Context, p *placer, a, b int32) ([]run, error)

// roots stands for the virtual call over a thread's roots.
const roots = int32(-1)

func (p *placer) pairAll(ctx context.Context) error {
	p.stack = append(p.stack, [2]int32{roots, roots})
	if x := p.class(pair.A, roots); p.whole && x == p.class(pair.B, roots) && p.forced == nil {
		p.pairIdentical(0, 0, int(p.c.size[x])-1)
		p.stack = p.stack[:0]
	}
	for len(p.stack) > 0 {
		top := p.stack[len(p.stack)-1]
		p.stack = p.stack[:len(p.stack)-1]
		x := p.class(pair.A, top[0])
		if len(p.c.callees(x)) == 0 || len(p.c.callees(p.class(pair.B, top[1]))) == 0 {
			continue
		}
		runs, err := p.alignCallees(ctx, top[0], top[1])
		if err != nil {
			return err
		}
		p.pairCallees(top[0], top[1], runs)
		if err := p.t.Add(ctx, int64(len(p.c.callees(x)))); err != nil {
			return err
		}
	}
	m, n := int64(len(p.r.Partner[pair.A])), int64(len(p.r.Partner[pair.B]))
	gaps := m + n - 2*(p.equal+p.different)
	p.r.Score = 2*p.equal - p.different - gaps
	p.r.keepPassed()
	p.pairAside()
	return p.t.Flush(ctx)
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
	if p.space == nil {
		p.space = p.w.spaces.Get().(*workspace)
	}
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

// decide returns the alignment of the callees of two calls from that of their classes.
func (p *placer) decide(ctx context.Context, a, b int32, s *solved) ([]run, error) {
	p.r.Ties.addLevel(s.full, s.broad)
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

// pairCalls pairs two calls, and puts their callees on the stack if they are to be aligned.
func (p *placer) pairCalls(i, j int32) {
	pa, pb := p.r.Partner[pair.A], p.r.Partner[pair.B]
	x, y := p.classOf[pair.A][i], p.classOf[pair.B][j]
	if x == y && p.whole && !p.forced.holdsBelow(p.r.Threads[pair.A], i) {
		p.pairIdentical(i, j, int(p.c.size[x]))
		return
	}
	pa[i], pb[j] = j, i
	equal := p.c.fn[x] == p.c.fn[y]
	if equal {
		p.equal++
	} else {
		p.different++
	}
	if len(p.c.callees(x)) == 0 || len(p.c.callees(y)) == 0 {
		return
	}
	if equal || p.forced.forces(i, j) || p.descends(x, y) {
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
