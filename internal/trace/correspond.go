package trace

import (
	"context"
	"math"
	"slices"
	"sort"
)

// explicit is a pair that a recording states: release ended wait. There can be as many as waits, so
// the calls are named without pointers, which the garbage collector would have to follow.
type explicit struct {
	wait, release spot
	object        ObjectID
	at            int64 // or atStart
	idle          int64 // see Correspondence
}

// spot is a Ref with the number of its thread.
type spot struct{ thread, ord uint32 }

func (r Ref) spot() spot { return spot{r.t.number, r.ord} }

// atStart stands for the start of the releasing call.
const atStart = math.MinInt64

// Correspond records that release ended wait; object may be NoObject. The calls are marked as a
// release and as a wait on that object, unless they are marked so already.
func (b *Builder) Correspond(wait, release Ref, object ObjectID) {
	b.takeLink()
	b.explicit.push(explicit{wait.spot(), release.spot(), object, atStart, 0})
}

// CorrespondAt records that release ended wait at time at, which may lie anywhere in release.
func (b *Builder) CorrespondAt(wait, release Ref, at int64, object ObjectID) {
	b.Observe(at)
	b.takeLink()
	b.explicit.push(explicit{wait.spot(), release.spot(), object, at, 0})
}

// CorrespondIdle is CorrespondAt for a wait that is the gap of idle ns before the root call next.
func (b *Builder) CorrespondIdle(next Ref, idle int64, release Ref, at int64, object ObjectID) {
	b.Observe(at)
	b.takeLink()
	b.explicit.push(explicit{next.spot(), release.spot(), object, at, idle})
}

// ended is a pair of which both calls have marks of their own.
type ended struct {
	wait, release spot
	at            int64
}

// Ended is CorrespondAt without an object, for calls that Block marks as what they are: so nobody
// has to look whether they are marked, and millions of pairs are resolved by all processors.
func (b *Builder) Ended(wait, release Ref, at int64) {
	b.Observe(at)
	b.takeLink()
	wait.t.named, release.t.named = true, true
	b.ended.push(ended{wait.spot(), release.spot(), at})
}

// correspond resolves explicit pairs, links and flows to calls, and marks the calls at their ends.
func (b *Builder) correspond(ctx context.Context, tr *Trace) error {
	ends := &ends{threads: tr.Threads}
	b.resolvePairs(tr, ends)
	b.resolveLinks(tr)
	b.bindFlows(tr, ends)
	if err := ends.mark(ctx); err != nil {
		return err
	}
	err := mergeSort(ctx, &b.room, tr.Links, func(x, y Link) bool { return x.At < y.At })
	if err != nil {
		return err
	}
	if err := tr.indexLinks(ctx); err != nil {
		return err
	}
	return mergeSort(ctx, &b.room, tr.Correspondences, func(x, y Correspondence) bool {
		return x.At < y.At
	})
}

// resolveLinks turns links between calls that are named into ones between calls of lanes.
func (b *Builder) resolveLinks(tr *Trace) {
	if n := b.links.len() + len(b.flows); n > 0 {
		tr.Links = make([]Link, 0, n)
	}
	for chunk := range b.links.chunks {
		for i := range chunk {
			l := &chunk[i]
			ft, fc := b.threads[l.from.thread].locate(l.from.ord)
			tt, tc := b.threads[l.to.thread].locate(l.to.ord)
			tr.Links = append(tr.Links, Link{CallRef{ft.index, fc}, CallRef{tt.index, tc},
				l.at - b.first, l.until - b.first, l.part})
		}
	}
	b.links = column[link]{}
}

// resolvePairs turns explicit pairs into correspondences.
func (b *Builder) resolvePairs(tr *Trace, ends *ends) {
	if n := b.explicit.len() + b.ended.len(); n > 0 {
		tr.Correspondences = made[Correspondence](nil, n)[:0]
	}
	for chunk := range b.explicit.chunks {
		for i := range chunk {
			b.resolvePair(tr, ends, &chunk[i])
		}
	}
	b.explicit = column[explicit]{}
	b.resolveEnded(tr)
}

// resolveEnded does so with the pairs of Ended, a chunk of them at a time.
func (b *Builder) resolveEnded(tr *Trace) {
	from := len(tr.Correspondences)
	out := tr.Correspondences[from : from+b.ended.len()]
	tr.Correspondences = tr.Correspondences[:from+len(out)]
	single, chunks := b.singleLanes(), slices.Collect(b.ended.chunks)
	locate := func(s spot) CallRef {
		if i := single[s.thread]; i >= 0 {
			return CallRef{i, int32(s.ord)}
		}
		th, call := b.threads[s.thread].locate(s.ord)
		return CallRef{th.index, call}
	}
	_ = each(len(chunks), func(k int) error {
		to := out[k<<chunkShift:]
		for i, e := range chunks[k] {
			to[i] = Correspondence{Wait: locate(e.wait), Release: locate(e.release), At: e.at - b.first,
				Object: NoObject}
		}
		return nil
	})
	b.ended = column[ended]{}
}

// singleLanes returns the index of the only lane of each thread whose ordinals are calls there; −1
// for other threads.
func (b *Builder) singleLanes() []int32 {
	single := make([]int32, len(b.threads))
	for i, t := range b.threads {
		single[i] = -1
		if t.places == nil && len(t.lanes) == 1 {
			single[i] = t.lanes[0].index
		}
	}
	return single
}

func (b *Builder) resolvePair(tr *Trace, ends *ends, e *explicit) {
	wt, wc := b.threads[e.wait.thread].locate(e.wait.ord)
	rt, rc := b.threads[e.release.thread].locate(e.release.ord)
	at := e.at - b.first
	if e.at == atStart {
		at = rt.Start(int(rc))
	}
	tr.Correspondences = append(tr.Correspondences, Correspondence{
		Wait: CallRef{wt.index, wc}, Release: CallRef{rt.index, rc}, At: at, Idle: e.idle,
		Object: e.object})
	if e.idle == 0 {
		ends.addEnd(wt, wc, Wait, e.object)
	}
	ends.addEnd(rt, rc, Release, e.object)
}

// ends holds the marks that the calls at the ends of correspondences still need: the waiting call a
// mark as a wait, the releasing call one as a release.
type ends struct {
	threads []*Thread
	lacking []lacking // by thread; nil if no call lacks any
}

// lacking are the marks of one thread.
type lacking struct {
	marks []lack
	near  int // where the thread's own marks of the call asked for last are
}

// lack is a mark that a call lacks, with an object or none. There can be as many as pairs.
type lack struct {
	call   int32
	kind   BlockKind
	object ObjectID
}

func (e *ends) addEnd(th *Thread, call int32, k BlockKind, object ObjectID) {
	if e.lacking == nil {
		e.lacking = make([]lacking, len(e.threads))
	}
	l := &e.lacking[th.index]
	if !l.marked(th.Blocks, call, k) {
		l.marks = append(l.marks, lack{call, k, object})
	}
}

// nearby is how many marks are passed before the rest are searched by halves.
const nearby = 8

// marked reports whether a call has a mark of kind k among blocks, which are in order of calls.
// Pairs mostly come in that order too, so it looks behind where it was last.
func (l *lacking) marked(blocks []Block, call int32, k BlockKind) bool {
	i := l.near
	if i >= len(blocks) || i > 0 && blocks[i-1].Call >= call {
		i = 0
	}
	for n := 0; n < nearby && i < len(blocks) && blocks[i].Call < call; n++ {
		i++
	}
	if i < len(blocks) && blocks[i].Call < call {
		i += sort.Search(len(blocks)-i, func(k int) bool { return blocks[i+k].Call >= call })
	}
	l.near = i
	for ; i < len(blocks) && blocks[i].Call == call; i++ {
		if blocks[i].Kind == k {
			return true
		}
	}
	return false
}

// mark adds the marks to those of the threads. A call may both wait and release, but is marked once
// as each, with all its objects.
func (e *ends) mark(ctx context.Context) error {
	return each(len(e.lacking), func(i int) error {
		l, th := &e.lacking[i], e.threads[i]
		if len(l.marks) == 0 {
			return nil
		}
		more, err := th.united(ctx, l.marks)
		if err != nil {
			return err
		}
		l.marks = nil
		err = mergeSort(ctx, nil, th.Blocks, func(x, y Block) bool {
			return precedes(x.Call, x.Kind, y.Call, y.Kind)
		})
		th.Blocks = merged(th.Blocks, more)
		return err
	})
}

// merged merges sorted marks. Of equal ones those of x come first.
func merged(x, y []Block) []Block {
	all := make([]Block, 0, len(x)+len(y))
	for len(x) > 0 && len(y) > 0 {
		if precedes(y[0].Call, y[0].Kind, x[0].Call, x[0].Kind) {
			all, y = append(all, y[0]), y[1:]
		} else {
			all, x = append(all, x[0]), x[1:]
		}
	}
	return append(append(all, x...), y...)
}

// united sorts marks, and has those of one call and kind be one. Their objects become the thread's.
func (t *Thread) united(ctx context.Context, marks []lack) ([]Block, error) {
	err := mergeSort(ctx, nil, marks, func(x, y lack) bool {
		return precedes(x.call, x.kind, y.call, y.kind)
	})
	if err != nil {
		return nil, err
	}
	once, objects := make([]Block, 0, len(marks)), []ObjectID(nil)
	for from, to := 0, 0; from < len(marks); from = to {
		first := &marks[from]
		objects = objects[:0]
		for to < len(marks) && marks[to].call == first.call && marks[to].kind == first.kind {
			if o := marks[to].object; o != NoObject && !slices.Contains(objects, o) {
				objects = append(objects, o)
			}
			to++
		}
		once = append(once, Block{first.call, first.kind, t.addObjects(objects)})
	}
	return once, nil
}

// precedes orders marks by call, then kind.
func precedes(call int32, kind BlockKind, otherCall int32, otherKind BlockKind) bool {
	return call < otherCall || call == otherCall && kind < otherKind
}
