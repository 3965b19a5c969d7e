package align

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"diptych/internal/pair"
	"diptych/internal/trace"
)

// Two runs of one program are mostly aligned without classes.
//
// Classes say which subtrees are identical, wherever they are. But on most levels the penalty alone
// leaves one alignment, and then only a callee and its partner are compared: call by call, which
// takes a tenth of the time in which both subtrees are numbered. For example, of
//
//	A: main(f(x y) g h(x))    B: main(f(x y) g new(x) h(x))
//
// main's level has one alignment of the least penalty; f and f are found identical by a comparison
// of their calls, and so are h and h. No subtree has got a number. Only the callees among which the
// penalty leaves a choice are numbered, for their level alone (numberChoices).
//
// Where a comparison fails, it has found the first calls that differ. What comes before them is not
// compared again on the levels below (partners.alike).
//
// There may be calls to pass through (wrappers.go). These change levels, so all is aligned as if
// there were none, and then it is found out whether there are (suspects.go). If so, all is aligned
// anew, with classes. The same is done if more was compared in vain or numbered than that would
// cost (charge), where time without a processor has callees, and with anchors. Results that were
// begun lend their memory.

// direct is the state of one run without classes.
type direct struct {
	w           *work
	left        atomic.Int64 // so much more may be charged
	sameNumbers bool         // a function that both sides number alike has one identity
	anyOff      bool         // of some functions, calls are set aside

	seekWrappers bool // when all is placed
	countedAll   bool // edges are those of all calls

	mu    sync.Mutex
	edges directEdges
	met   map[uint64]bool // levels not of few callees, by hash
}

// errIndirect says that classes are needed, or cheaper.
var errIndirect = errors.New("classes are needed")

const (
	chargedShare   = 2       // of all calls may be charged in advance, as its reciprocal
	chargedPerPair = 32      // may be charged for each pair
	leastCharged   = 1 << 18 // what may be charged in any case
	chargedCallee  = 8       // for a callee on a level of many, if such a level was met before
	chargedNumber  = 16      // for a call that is numbered
)

// alignDirectly aligns all pairs of threads without classes, or fails if that cannot be done.
func (w *work) alignDirectly(ctx context.Context) ([]*Result, error) {
	if !w.mayAlignDirectly() {
		return nil, errIndirect
	}
	d, calls := &direct{w: w, sameNumbers: sameNumbers(w.p), anyOff: slices.Contains(w.off, true),
		met: map[uint64]bool{}}, w.calls()
	w.direct = d
	d.left.Store(calls/chargedShare + leastCharged)
	d.seekWrappers = !w.o.Strict && calls > w.o.mostCounted
	if !w.o.Strict && !d.seekWrappers {
		if err := d.countAll(ctx); err != nil {
			return nil, err
		}
	}
	room := new(atomic.Int64)
	room.Store(w.o.pocketCells)
	none := newTallies(newClassTable(w.off))
	w.spaces.New = func() any { return newWorkspace(none, room, 1) }
	rs := make([]*Result, len(w.pairs))
	w.begun = make([]*Result, len(w.pairs))
	w.m.Expect(calls)
	err := w.alignFast(ctx, func(k int, r *Result) error {
		rs[k] = r
		return nil
	})
	if err == nil && d.seekWrappers {
		err = d.findWrappers(ctx)
	}
	if errors.Is(err, errIndirect) {
		w.m.Expect(-calls) // numbering expects as many
	}
	return rs, err
}

// mayAlignDirectly reports whether all threads are in one pair each, and none has an anchor.
func (w *work) mayAlignDirectly() bool {
	if w.o.Engine != Auto || w.o.classesOnly || len(w.o.Anchors) > 0 {
		return false
	}
	var met [2]map[int]bool
	for s := range met {
		met[s] = map[int]bool{}
		for _, tp := range w.pairs {
			k := w.index(tp, pair.Side(s))
			if k >= 0 && met[s][k] {
				return false
			}
			met[s][k] = true
		}
	}
	return true
}

// calls returns the number of calls of all threads.
func (w *work) calls() (n int64) {
	for th := range w.threads {
		n += int64(th.th.Len())
	}
	return n
}

// onSide is a thread of a side.
type onSide struct {
	side pair.Side
	th   *trace.Thread
}

// threads yields all threads that are aligned.
func (w *work) threads(yield func(onSide) bool) {
	for _, tp := range w.pairs {
		for s := range pair.B + 1 {
			if k := w.index(tp, s); k >= 0 && !yield(onSide{s, w.p.Trace(s).Threads[k]}) {
				return
			}
		}
	}
}

// sameNumbers reports whether functions to which both sides give one number have one identity.
func sameNumbers(p *pair.Pair) bool {
	n := min(len(p.IDA), len(p.IDB))
	return slices.Equal(p.IDA[:n], p.IDB[:n])
}

// anyAside reports whether calls of a thread are set aside. It fails if some of them have callees.
func (d *direct) anyAside(s pair.Side, th *trace.Thread) (any bool, err error) {
	if !d.anyOff {
		return false, nil
	}
	ids := d.w.p.IDs(s)
	for i, fn := range th.Fn {
		if d.w.off[ids[fn]] {
			if any = true; th.Size(i) > 1 {
				return any, errIndirect
			}
		}
	}
	return any, nil
}

// metBefore reports whether a level of the same functions was met before, which classes may save.
func (d *direct) metBefore(lv *level) bool {
	h := uint64(len(lv.fa))
	for _, list := range [][]uint32{lv.fa, lv.fb} {
		for _, fn := range list {
			h = mix(h ^ uint64(fn))
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	met := d.met[h]
	d.met[h] = true
	return met
}

// sizeOnLevels returns how many calls of a subtree are on levels.
func (d *direct) sizeOnLevels(th *trace.Thread, ids []uint32, call int) (n int) {
	if !d.anyOff {
		return int(th.Size(call))
	}
	for _, fn := range th.Fn[call:th.Next(call)] {
		if !d.w.off[ids[fn]] {
			n++
		}
	}
	return n
}

// charge counts work that classes would save. It fails once that is too much for the calls that
// are paired so far.
func (p *placer) charge(work int) error {
	paired := p.equal + p.different
	earned := chargedPerPair * (paired - p.counted)
	p.counted = paired
	if p.w.direct.left.Add(earned-int64(work)) < 0 {
		return errIndirect
	}
	return nil
}

// placeDirectly places the callees of two calls that are paired.
func (p *placer) placeDirectly(ctx context.Context, at partners) error {
	at, levels, err := p.stepDown(at)
	if err != nil {
		return err
	}
	m, asideA := p.listCallees(pair.A, at.a)
	n, asideB := p.listCallees(pair.B, at.b)
	if m > 0 && n > 0 {
		runs, err := p.alignListed(ctx, at)
		if err != nil {
			return err
		}
		if err := p.pairListed(at, runs); err != nil {
			return err
		}
	}
	if asideA && asideB {
		p.equal += p.pairAsideBelow(at.a, at.b, &p.space.calls)
	}
	return p.t.Add(ctx, int64(levels+m))
}

// placeThreadsDirectly puts the roots of two threads on an empty stack, or pairs all calls if the
// threads are identical.
func (p *placer) placeThreadsDirectly() error {
	a, b := p.r.Threads[pair.A], p.r.Threads[pair.B]
	at := partners{a: roots, b: roots}
	p.compare(&at, a.Len(), b.Len())
	if int(at.x) == a.Len() && int(at.y) == b.Len() {
		p.pairAlike(0, 0, a.Len(), b.Len())
		return nil
	}
	p.stack = append(p.stack, at)
	return p.charge(int(at.x))
}

// stepDown is climbDown without classes: it pairs the only callees of two calls of one function,
// their only callees, and so on, and returns the last pair, whose callees are to be placed.
func (p *placer) stepDown(at partners) (end partners, levels int, err error) {
	a, b := p.r.Threads[pair.A], p.r.Threads[pair.B]
	for ; p.plain && levels < checkEvery && at.a != roots && p.ofOneFunction(at.a, at.b) &&
		callsOne(a, at.a) && callsOne(b, at.b); levels++ {
		at.a, at.b = at.a+1, at.b+1
		same, err := p.pairDirectly(&at)
		if err != nil {
			return at, levels, err
		}
		if same { // the last call of either has no callees
			at.a, at.b = int32(a.Next(int(at.a)))-1, int32(b.Next(int(at.b)))-1
		}
	}
	p.ties.Levels += levels // of one cell each, within any budget
	return at, levels, nil
}

// callsOne reports whether a call has one callee.
func callsOne(th *trace.Thread, i int32) bool {
	size := th.Size(int(i))
	return size > 1 && th.Size(int(i)+1) == size-1
}

// ofOneFunction reports whether calls of A and B are of one function.
func (p *placer) ofOneFunction(a, b int32) bool {
	return p.ids[pair.A][p.r.Threads[pair.A].Fn[a]] == p.ids[pair.B][p.r.Threads[pair.B].Fn[b]]
}

// listCallees lists the callees of a call and their functions, and returns their number, and
// whether others are set aside.
func (p *placer) listCallees(s pair.Side, call int32) (n int, aside bool) {
	th, ids, last := p.r.Threads[s], p.ids[s], int32(p.r.Threads[s].Len())
	if call != roots {
		last = int32(th.Next(int(call)))
	}
	calls, fns := p.space.calls[s][:0], p.space.fns[s][:0]
	for i := call + 1; i < last; i += int32(th.Size(int(i))) {
		fn := ids[th.Fn[i]]
		if !p.plain && p.w.off[fn] {
			aside = true
			continue
		}
		calls, fns = append(calls, i), append(fns, fn)
	}
	p.space.calls[s], p.space.fns[s] = calls, fns
	return len(calls), aside
}

// alignListed aligns the callees that are listed.
func (p *placer) alignListed(ctx context.Context, at partners) ([]run, error) {
	if at.a != roots && !p.ofOneFunction(at.a, at.b) {
		if alike, err := p.reachAlike(at); err != nil || !alike {
			return nil, err
		}
	}
	lv, space := p.listedLevel(at), p.space
	if slices.Equal(lv.fa, lv.fb) { // no other alignment has a penalty of 0
		p.ties.addLevel(lv.full, false)
		space.runs = append(space.runs[:0], run{0, 0, int32(len(lv.a))})
		return space.runs, nil
	}
	if (!lv.full || max(len(lv.a), len(lv.b)) > mostFew) && p.w.direct.metBefore(lv) {
		if err := p.charge(chargedCallee * (len(lv.a) + len(lv.b))); err != nil {
			return nil, err
		}
	}
	s, err := lv.solve(ctx, p.w.m, space.runs)
	if err != nil {
		return nil, err
	}
	space.runs = s.runs[:0]
	p.ties.addLevel(s.full, s.broad)
	if len(s.pockets) == 0 {
		return s.runs, nil
	}
	for sd, calls := range space.calls {
		space.took[sd] = space.took[sd][:0]
		for _, i := range calls {
			space.took[sd] = append(space.took[sd], p.r.Threads[sd].Dur(int(i)))
		}
	}
	lv.took = space.took
	return lv.decide(ctx, p.w.m, &s)
}

// listedLevel returns the level of the callees that are listed, whose classes are not known.
func (p *placer) listedLevel(at partners) *level {
	a, b, space := p.r.Threads[pair.A], p.r.Threads[pair.B], p.space
	fa, fb := space.fns[pair.A], space.fns[pair.B]
	size := uint32(min(a.Len(), b.Len())) + 1
	if at.a != roots {
		size = min(a.Size(int(at.a)), b.Size(int(at.b)))
	}
	space.unknown = slices.Grow(space.unknown[:0], len(fa)+len(fb))[:len(fa)+len(fb)]
	lv := &space.level
	*lv = level{a: space.unknown[:len(fa)], b: space.unknown[len(fa):], fa: fa, fb: fb, size: size,
		space: space, unnumbered: p, calls: space.calls}
	if lv.full = lv.cells() <= p.w.o.TieCells && lv.fitCommon(); !lv.full {
		lv.fitEqual()
	}
	return lv
}

// pairListed pairs the listed callees of two calls as the runs of their level say.
func (p *placer) pairListed(at partners, runs []run) error {
	a, b := p.r.Threads[pair.A], p.r.Threads[pair.B]
	as, bs := p.space.calls[pair.A], p.space.calls[pair.B]
	for _, r := range runs {
		for k := range r.n {
			c := partners{a: as[r.i+k], b: bs[r.j+k]}
			if r.i == r.j { // what is known of the calls around holds for these too
				c.x, c.y = at.x, at.y
			}
			same, err := p.pairDirectly(&c)
			if err != nil {
				return err
			}
			if !same && a.Size(int(c.a)) > 1 && b.Size(int(c.b)) > 1 {
				p.stack = append(p.stack, c)
			}
		}
	}
	return nil
}
