package align

import (
	"context"
	"fmt"
	"slices"

	"diptych/internal/pair"
	"diptych/internal/progress"
)

// reportEvery is the work between two reports of progress: about a millisecond. A unit is a call that
// is classified or placed, or 64 cells of a level.
const reportEvery = 1 << 13

// Align aligns thread a of A with thread b of B, given as indices into their traces' threads; −1
// stands for none.
func Align(ctx context.Context, p *pair.Pair, a, b int, o Options, report progress.Func) (*Result,
	error) {
	rs, err := All(ctx, p, []pair.ThreadPair{{A: a, B: b}}, o, report)
	if err != nil {
		return nil, err
	}
	return rs[0], nil
}

// All aligns pairs of threads and returns their results in the same order. Subtrees are classified
// once for all of them, and levels aligned once.
func All(ctx context.Context, p *pair.Pair, pairs []pair.ThreadPair, o Options,
	report progress.Func) ([]*Result, error) {
	rs := make([]*Result, len(pairs))
	err := Each(ctx, p, pairs, o, report, func(k int, r *Result) error {
		rs[k] = r
		return nil
	})
	if err != nil {
		return nil, err
	}
	return rs, nil
}

// Each is All for many pairs, whose results would not fit the memory together: each is handed over
// with its index when it is done, in no order, one at a time.
func Each(ctx context.Context, p *pair.Pair, pairs []pair.ThreadPair, o Options, report progress.Func,
	use func(k int, r *Result) error) error {
	if o.Engine >= engines {
		return fmt.Errorf("align: %v", o.Engine)
	}
	if err := anchorable(pairs, o.Anchors); err != nil {
		return err
	}
	w := newWork(p, pairs, o, progress.NewMeter(report, reportEvery))
	if err := w.classify(ctx); err != nil {
		return err
	}
	if w.o.Engine == Auto {
		return w.fast(ctx, use)
	}
	for k, tp := range pairs {
		r := w.result(tp)
		if err := w.plain(ctx, r); err != nil {
			return err
		}
		if err := use(k, r); err != nil {
			return err
		}
	}
	return nil
}

// work is one call of Each.
type work struct {
	p     *pair.Pair
	pairs []pair.ThreadPair
	o     Options
	m     *progress.Meter
	c     *classes
	below *below

	forced map[pair.ThreadPair]*forced // nil for threads without anchors
}

func newWork(p *pair.Pair, pairs []pair.ThreadPair, o Options, m *progress.Meter) *work {
	return &work{p: p, pairs: pairs, o: o.withDefaults(), m: m, forced: map[pair.ThreadPair]*forced{}}
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
	if err := w.number(ctx, threads, [2]map[int]Calls{}); err != nil {
		return err
	}
	passed, err := w.passed(ctx, threads)
	if err != nil {
		return err
	}
	for _, tp := range w.pairs {
		if w.forced[tp], err = w.anchor(ctx, tp, passed); err != nil {
			return err
		}
	}
	if len(passed[pair.A])+len(passed[pair.B]) > 0 {
		err = w.number(ctx, threads, passed)
	}
	w.below = newBelow(w.c.classTable)
	return err
}

// number numbers the subtrees of threads, with some of their calls passed through.
func (w *work) number(ctx context.Context, threads [2][]int, passed [2]map[int]Calls) (err error) {
	for s := range threads {
		for _, k := range threads[s] {
			w.m.Expect(int64(w.p.Trace(pair.Side(s)).Threads[k].Len()))
		}
	}
	w.c, err = classify(ctx, w.p, threads, passed, w.m)
	return err
}

// passed returns the calls to pass through by side and thread.
func (w *work) passed(ctx context.Context, threads [2][]int) (passed [2]map[int]Calls, err error) {
	passed = [2]map[int]Calls{{}, {}}
	if w.o.Strict {
		return passed, nil
	}
	pass, err := w.c.passing(ctx, len(w.p.Names))
	if err != nil {
		return passed, err
	}
	for s := range threads {
		for _, k := range threads[s] {
			side := pair.Side(s)
			if c := passedIn(w.p.Trace(side).Threads[k], w.p.IDs(side), pass[s]); c != nil {
				passed[s][k] = c
			}
		}
	}
	return passed, nil
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

// plain aligns every level that is reached with the engine that was asked for, one after the other.
func (w *work) plain(ctx context.Context, r *Result) error {
	solve := func(ctx context.Context, x, y uint32) ([]run, error) {
		lv := w.c.newLevel(x, y, w.o)
		if x != y {
			r.Ties.add(lv.full, false)
		}
		return lv.by(ctx, w.o, w.m)
	}
	return w.place(ctx, r, solve, w.below.alike, false)
}

// place fills in a result from its levels' alignments.
func (w *work) place(ctx context.Context, r *Result, solve solver,
	descend func(x, y uint32) bool, whole bool) error {
	if r.Indices[pair.A] < 0 || r.Indices[pair.B] < 0 {
		r.keepPassed()
		return nil
	}
	p := placer{r: r, c: w.c, descend: descend, solve: solve, whole: whole, t: newTicker(w.m),
		forced: w.forced[w.threadsOf(r)], level: w.level, o: w.o}
	for s := range p.of {
		p.of[s] = w.c.of[s][r.Indices[s]]
	}
	return p.run(ctx)
}

func (w *work) threadsOf(r *Result) pair.ThreadPair {
	return pair.ThreadPair{A: r.Indices[pair.A], B: r.Indices[pair.B]}
}

// level aligns a level that is no pair of classes.
func (w *work) level(ctx context.Context, lv *level) ([]run, error) {
	if w.o.Engine == Auto {
		return lv.auto(ctx, w.m)
	}
	return lv.by(ctx, w.o, w.m)
}

// by aligns a level as the engine does that was asked for.
func (lv *level) by(ctx context.Context, o Options, m *progress.Meter) ([]run, error) {
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

// add counts a level.
func (t *Ties) add(full, broad bool) {
	t.Levels++
	if !full {
		t.OverBudget++
	}
	if broad {
		t.Broad++
	}
}
