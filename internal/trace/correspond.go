package trace

import (
	"cmp"
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

// correspond resolves explicit pairs, links and flows to calls, and marks the calls at their ends.
func (b *Builder) correspond(tr *Trace) {
	ends := newEnds(tr)
	b.resolvePairs(tr, ends)
	for _, l := range b.links {
		ft, fc := l.from.t.locate(l.from.ord)
		tt, tc := l.to.t.locate(l.to.ord)
		tr.Links = append(tr.Links, Link{CallRef{ft.index, fc}, CallRef{tt.index, tc},
			l.at - b.first, l.until - b.first, l.part})
	}
	b.bindFlows(tr, ends)
	ends.mark()
	slices.SortStableFunc(tr.Links, func(x, y Link) int { return cmp.Compare(x.At, y.At) })
	tr.indexLinks()
	slices.SortStableFunc(tr.Correspondences, func(x, y Correspondence) int {
		return cmp.Compare(x.At, y.At)
	})
}

// resolvePairs turns explicit pairs into correspondences.
func (b *Builder) resolvePairs(tr *Trace, ends *ends) {
	if n := b.explicit.len(); n > 0 {
		tr.Correspondences = make([]Correspondence, 0, n)
	}
	for chunk := range b.explicit.chunks {
		for i := range chunk {
			b.resolvePair(tr, ends, &chunk[i])
		}
	}
	b.explicit = column[explicit]{}
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
	lacking []lacking // by thread
}

// lacking are the marks of one thread.
type lacking struct {
	marks []Block
	near  int // where the thread's own marks of the call asked for last are
}

func newEnds(tr *Trace) *ends { return &ends{tr.Threads, make([]lacking, len(tr.Threads))} }

func (e *ends) addEnd(th *Thread, call int32, k BlockKind, object ObjectID) {
	l := &e.lacking[th.index]
	if l.marked(th.Blocks, call, k) {
		return
	}
	mark := Block{Call: call, Kind: k}
	if object != NoObject {
		mark.Objects = []ObjectID{object}
	}
	l.marks = append(l.marks, mark)
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
func (e *ends) mark() {
	for i, l := range e.lacking {
		if len(l.marks) == 0 {
			continue
		}
		th := e.threads[i]
		th.Blocks = append(th.Blocks, united(l.marks)...)
		slices.SortStableFunc(th.Blocks, byCall)
	}
}

// united sorts marks, and has those of one call and kind be one.
func united(marks []Block) []Block {
	slices.SortStableFunc(marks, byCall)
	once := marks[:0]
	for _, m := range marks {
		last := len(once) - 1
		if last < 0 || byCall(once[last], m) != 0 {
			once = append(once, m)
			continue
		}
		for _, o := range m.Objects {
			if !slices.Contains(once[last].Objects, o) {
				once[last].Objects = append(once[last].Objects, o)
			}
		}
	}
	return once
}

// byCall orders marks by call, then kind.
func byCall(x, y Block) int {
	return cmp.Or(cmp.Compare(x.Call, y.Call), cmp.Compare(x.Kind, y.Kind))
}
