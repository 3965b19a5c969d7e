package align

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"diptych/internal/huge"
	"diptych/internal/pair"
	"diptych/internal/progress"
)

// One run, from pairs of threads to their Results, with classes. Its stages:
//
//  1. classify: number the subtrees of all threads (classes.go); find the calls to pass through
//     (wrappers.go) and what anchors demand (anchor.go), and if there are any, number again;
//  2. place the pairs (place.go): from the roots to the leaves, align each level when it is
//     reached, and write its pairs into the Result. The engine Auto divides this among all
//     processors (pool.go) and aligns levels in the cheapest way (auto.go).
//
// Stage 1 takes time linear in the calls. Stage 2 takes time linear in the calls that are paired,
// and what the levels need. Memory is 4 bytes a call for partners, and what classes need.

// reportEvery is the work between two reports of progress: about a millisecond. A unit is a call
// that is classified or placed, or 64 cells of a level.
const reportEvery = 1 << 13

// work is the state of one run.
type work struct {
	p      *pair.Pair
	pairs  []pair.ThreadPair
	o      Options
	m      *progress.Meter
	c      *classes
	off    []bool // by identity: is time without a processor
	below  *below
	large  largeLevels
	direct *direct // nil if there are classes
	// By pair, results that were begun without classes. Their memory is used again with classes.
	begun []*Result

	spaces sync.Pool // of *workspace

	forced map[pair.ThreadPair]*forced // nil for threads without anchors
}

func newWork(p *pair.Pair, pairs []pair.ThreadPair, o Options, m *progress.Meter) *work {
	return &work{p: p, pairs: pairs, o: o.withDefaults(), m: m, off: offCPU(p),
		forced: map[pair.ThreadPair]*forced{}, large: largeLevels{of: map[uint64]*largeLevel{}}}
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
	recent := min(w.o.recent, 1<<bits.Len(uint(len(w.c.fn)))) // a small run has few levels
	w.spaces.New = func() any { return newWorkspace(counted, room, recent) }
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

// noPartners returns the partners of n calls of a side of the k-th pair, all of which have none.
func (w *work) noPartners(ctx context.Context, k, side, n int) (partner []int32, err error) {
	if k < len(w.begun) && w.begun[k] != nil {
		partner = w.begun[k].Partner[side]
	}
	if len(partner) != n {
		partner = huge.Make[int32](n)
	}
	if n < checkEvery {
		setNone(partner)
		return partner, nil
	}
	list := partner // for the function: what it refers to is moved to the heap
	return list, inPieces(ctx, n, func(from, to int) error {
		setNone(list[from:to])
		return nil
	})
}

func setNone(partner []int32) {
	for i := range partner {
		partner[i] = None
	}
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

// add counts the levels of another part of a run.
func (t *Ties) add(o Ties) {
	t.Levels += o.Levels
	t.OverBudget += o.OverBudget
	t.Broad += o.Broad
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
