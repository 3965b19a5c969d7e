package trace

import "math"

// preorder are the complete records of a thread as long as each comes in its place: in the order
// (start, −end) and without partly overlapping one before it. Recorders that sort their events
// write them so. Such calls go straight into the final columns while the rest of the recording is
// read, as those of begins and ends do, so little is left to do for the one processor that builds
// the thread:
//
//	[0, 9] f   [1, 3] g   [1, 2] h   [4, 9] i     stays: h lies in g, g and i lie in f
//	[0, 9] f   [1, 3] g   [0, 2] h                h belongs before g
//	[0, 9] f   [1, 3] g   [2, 4] h                h ends after g, in which it begins
//
// The first record that is out of place makes all of them loose again, for good: see forest.
type preorder struct {
	gathering
	around     []enclosing // the last call and those it lies in, outermost first
	start, end int64       // of the last call
}

// enclosing is a call that a later one may lie in.
type enclosing struct {
	end  int64
	call int32
}

func newPreorder(r *room) *preorder {
	return &preorder{gathering: *newGathering(r), around: make([]enclosing, 0, fewOpen),
		start: math.MinInt64}
}

// appendPreorder adds complete records as long as they come in pre-order, and returns how many.
func (t *ThreadBuilder) appendPreorder(e *Records, list []Record) (n int) {
	p := t.whole.preorder
	for more := true; more && n < len(list); {
		var added int
		added, more = p.appendPiece(e, list[n:])
		n += added
	}
	if n == 0 {
		return 0
	}
	for i := range list[:n] {
		if v := &list[i]; v.End < v.At {
			t.notBefore(v)
		}
		t.last = max(t.last, list[i].End, list[i].At)
	}
	t.first, t.lastX = min(t.first, list[0].At), p.start
	t.appendAllArgs(e, list[:n], t.n)
	t.n += uint32(n)
	return n
}

// appendPiece adds records as long as they come in pre-order and fit into the last chunk of the
// columns. It returns how many, and whether all so far were in pre-order.
func (p *preorder) appendPiece(e *Records, list []Record) (n int, more bool) {
	from := p.len()
	spans := p.spans.extend(len(list))
	list = list[:len(spans)]
	places, depth, fn := p.places.extend(len(list)), p.depth.extend(len(list)), p.fn.extend(len(list))
	base := int64(0)
	if from%baseLen != 0 {
		base = p.base.at(from >> baseShift)
	}
	around, start, end := p.around, p.start, p.end
	for ; n < len(list); n++ {
		v := &list[n]
		at, to := v.At, max(v.End, v.At)
		if at < start || at == start && to > end {
			break
		}
		k := len(around)
		for k > 0 && around[k-1].end < to && around[k-1].end <= at {
			k--
		}
		if k > 0 && around[k-1].end < to {
			break
		}
		call, up := from+n, uint32(0)
		for _, o := range around[k:] {
			if size := uint32(call) - uint32(o.call); size > 1 {
				p.placeOf(o.call, from, places).setSize(&p.large, p.base.room, size)
			}
		}
		if around = around[:k]; k > 0 {
			up = uint32(call) - uint32(around[k-1].call)
		}
		around = append(around, enclosing{to, int32(call)})
		if call%baseLen == 0 {
			base = at
			p.base.push(at)
		}
		spans[n] = span{fitTime(&p.large, p.base.room, at-base), fitTime(&p.large, p.base.room, to-at)}
		places[n], depth[n], fn[n] = fitPlace(&p.large, p.base.room, up, 1), fitDepth(&p.large, p.base.room, call, k), e.fn(v)
		start, end = at, to
	}
	p.around, p.start, p.end = around, start, end
	more = n == len(list)
	p.cut(len(list) - n)
	return n, more
}

// placeOf returns the place of a call, which may be one of the last ones, from index from on.
func (p *preorder) placeOf(call int32, from int, last []place) *place {
	if i := int(call) - from; i >= 0 {
		return &last[i]
	}
	return p.places.place(int(call))
}

// cut takes the last n calls away.
func (p *preorder) cut(n int) {
	p.spans.cut(n)
	p.places.cut(n)
	p.depth.cut(n)
	p.fn.cut(n)
}

// finish gives a thread the columns, and empties p.
func (p *preorder) finish(th *Thread) {
	for _, o := range p.around {
		p.places.place(int(o.call)).setSize(&p.large, p.base.room, uint32(p.len()-int(o.call)))
	}
	p.gathering.finish(th)
}

// finishPreorder makes the thread's lane of calls that came in pre-order, to the last.
func (t *ThreadBuilder) finishPreorder() {
	th := t.lane(0)
	t.whole.preorder.finish(th)
	t.lanes = t.only[:]
}

// loosen takes the calls out of pre-order again, for what comes next is out of place.
func (w *wholeColumns) loosen(r *room) {
	if w.preorder == nil {
		return
	}
	var th Thread
	w.preorder.finish(&th)
	w.preorder = nil
	for i, fn := range th.Fn {
		w.start.push(th.Start(i))
		w.end.push(th.End(i))
		w.fn.push(fn)
	}
	th.drop(r)
}
