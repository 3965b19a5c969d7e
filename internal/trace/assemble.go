package trace

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"diptych/internal/plural"
	"diptych/internal/progress"
)

// buildThreads builds all threads, several at once, those with the most calls first, so that none
// is left to a single processor at the end. The records of each are freed as it is built.
func (b *Builder) buildThreads(ctx context.Context) error {
	b.noteRefs()
	if err := cmp.Or(b.Refused(), ctx.Err(), b.shiftClosed()); err != nil {
		return err
	}
	var order []*ThreadBuilder
	for _, t := range b.threads {
		if t.gathered != nil {
			order = append(order, t)
		}
	}
	room := make([]Thread, len(order)) // one by one they would take longer, and more memory
	for i, t := range order {
		t.only[0] = &room[i]
	}
	slices.SortStableFunc(order, func(x, y *ThreadBuilder) int { return cmp.Compare(y.begun(), x.begun()) })
	return each(len(order), func(i int) error {
		if err := cmp.Or(b.Refused(), ctx.Err()); err != nil {
			return err
		}
		return order[i].build(ctx)
	})
}

// each runs work for every number below n on all processors, until one fails. It is work that sees
// the context.
func each(n int, work func(i int) error) error {
	return progress.Spread(context.Background(), n, work)
}

// begun returns how many calls have begun.
func (t *ThreadBuilder) begun() uint32 { return t.n }

// noteRefs notes the threads that correspondences, links and flows name calls of. Ended did so for
// its own.
func (b *Builder) noteRefs() {
	for chunk := range b.explicit.chunks {
		for i := range chunk {
			b.threads[chunk[i].wait.thread].named = true
			b.threads[chunk[i].release.thread].named = true
		}
	}
	for chunk := range b.links.chunks {
		for i := range chunk {
			b.threads[chunk[i].from.thread].named = true
			b.threads[chunk[i].to.thread].named = true
		}
	}
	for _, f := range b.flows {
		for _, m := range []Moment{f.from, f.to} {
			if m.Call.t != nil {
				m.Call.t.named = true
			}
		}
	}
}

// build turns what was gathered into the thread's lanes, with times since the trace's first event.
func (t *ThreadBuilder) build(ctx context.Context) error {
	if t.mode == nested || t.mode == empty {
		t.finishNested()
	} else if err := t.finishForest(ctx); err != nil {
		return err
	}
	if t.rarities != &noRarities {
		t.diagnoseRarities()
	}
	if t.n < manyCalls {
		t.attach()
		t.finishLanes()
	} else {
		atOnce(t.attach, t.finishLanes)
	}
	t.gathered = nil
	if !t.named {
		t.places = nil
	}
	t.lanes[0].shiftMoments(-t.b.first)
	if len(t.lanes) == 1 && t.lanes[0].Len() == 0 && len(t.lanes[0].Instants) == 0 {
		t.lanes = nil // only ever named
	}
	return nil
}

// diagnoseRarities counts what few threads have.
func (t *ThreadBuilder) diagnoseRarities() {
	if t.backwards > 0 {
		t.diagnose(Reordered, t.backwards, t.says("%s out of order", plural.Of(t.backwards, "record")))
	}
	t.diagnose(NotUTF8, t.notUTF8, t.says("%s", t.escaped))
	t.diagnose(BadRecord, t.unkept, t.says("more than 4 GiB of argument text"))
	t.diagnose(NegativeDuration, t.negative, t.says("%v from %v on", Length(-t.negativeBy), Since(t.negativeAt)))
}

// manyCalls is how many calls of a thread are worth several goroutines. With fewer, the closures
// alone that these need are felt in thousands of threads.
const manyCalls = 1 << 14

// atOnce does several things at once.
func atOnce(works ...func()) {
	_ = each(len(works), func(i int) error {
		works[i]()
		return nil
	})
}

// finishLanes counts the times of all lanes from the trace's first event, and builds the pyramids.
func (t *ThreadBuilder) finishLanes() {
	for _, lane := range t.lanes {
		lane.move(-t.b.first)
		lane.LOD = newPyramid(lane, &t.b.room)
		lane.maxDepth = lane.levels()
	}
}

// diagnose counts what is wrong with the thread. Build unites what all threads count.
func (t *ThreadBuilder) diagnose(c Code, n uint64, example func() Example) {
	if t.diags == nil && n > 0 {
		t.diags = diagnostics{}
	}
	t.diags.count(c, n, example)
}

// says defers the formatting of an example until one is needed.
func (t *ThreadBuilder) says(format string, args ...any) func() Example {
	return func() Example { return NewExample(format, args...).After("thread " + t.id + ": ") }
}

func (t *ThreadBuilder) finishNested() {
	for _, s := range t.strays {
		t.strayEnd(s.record)
	}
	g := t.calls
	if g == nil {
		g = newGathering(&t.b.room)
	}
	for _, o := range t.open {
		g.leave(o, t.last)
		t.openEnd(g.fn.at(int(o.call)), o.start)
		t.marks = append(t.marks, mark{uint32(o.call), Unclosed})
	}
	for _, a := range t.lateArgs {
		if a.ord != noOrd {
			t.args.push(arg{int32(a.ord), a.from, a.to})
		}
	}
	th := t.lane(0)
	g.finish(th)
	t.lanes = t.only[:]
}

func (t *ThreadBuilder) finishForest(ctx context.Context) error {
	if t.mode == wholes && t.whole.preorder != nil {
		t.finishPreorder()
		return nil
	}
	f, err := t.forest(ctx)
	if err != nil {
		return err
	}
	p, err := f.nest(ctx)
	if err != nil {
		return err
	}
	t.b.take(laneBytes * int64(len(p.counts)-1))
	if err := t.b.Refused(); err != nil {
		return err
	}
	for k, n := range p.counts {
		t.lanes = append(t.lanes, t.lane(k))
		if k > 0 {
			t.diagnose(OverlapLane, uint64(n), t.says("%s partly overlapping others", plural.Of(n, "call")))
		}
	}
	if p.lane == nil {
		t.lanes[0].fill(&f, &p)
	} else {
		t.scatter(&f, &p)
	}
	t.noteOrdinals(&f, &p)
	dropped(f.room, f.ord)
	dropped(f.room, p.lane)
	dropped(f.room, p.call)
	return nil
}

// fill gives the thread all calls of a forest, each column of which is given back once it is read.
func (t *Thread) fill(f *forest, p *placement) {
	t.Fn = f.fn
	t.setTimes(f.room, f.start, f.end)
	f.dropTimes()
	t.setPlaces(f.room, p.parent)
	p.parent = dropped(f.room, p.parent)
	t.settle()
}

// scatter distributes the calls of a forest over its lanes. Calls are first brought together by
// lane, in columns that all lanes share, because there can be as many lanes as calls.
func (t *ThreadBuilder) scatter(f *forest, p *placement) {
	from := make([]int, len(t.lanes)+1)
	for k, n := range p.counts {
		from[k+1] = from[k] + int(n)
	}
	n := len(p.lane)
	r := f.room
	start, end := made[int64](r, n), made[int64](r, n)
	fn, parent := made[FuncID](r, n), made[int32](r, n)
	for i, l := range p.lane {
		to := from[l] + int(p.call[i])
		start[to], end[to], fn[to], parent[to] = f.start[i], f.end[i], f.fn[i], p.parent[i]
	}
	for k, th := range t.lanes {
		i, j := from[k], from[k+1]
		s, e, up := start[i:j], end[i:j], parent[i:j]
		th.Fn, th.columns = fn[i:j:j], newColumns(r, &s, &e, &up)
	}
	dropped(r, start)
	dropped(r, end)
	dropped(r, parent)
	f.dropTimes()
	f.fn, p.parent = dropped(r, f.fn), dropped(r, p.parent)
}

// noteOrdinals notes where each ordinal went, unless it stayed where it was or nobody will ask.
func (t *ThreadBuilder) noteOrdinals(f *forest, p *placement) {
	asked := t.named || t.args.len() > 0 || t.blocks.len() > 0 || t.flags.len() > 0 ||
		len(t.marks) > 0
	switch {
	case !asked, p.lane == nil && f.inOrder():
	case p.lane == nil:
		calls := made[int32](&t.b.room, int(t.n))
		for i, ord := range f.ord {
			calls[ord] = int32(i)
		}
		t.places = &places{calls: calls}
	default:
		where := made[position](&t.b.room, int(t.n))
		for i := range p.lane {
			where[f.ordinal(i)] = position{p.lane[i], p.call[i]}
		}
		t.places = &places{where: where}
	}
}

// lane makes the k-th lane of the thread.
func (t *ThreadBuilder) lane(k int) *Thread {
	th := t.only[0]
	if k > 0 {
		th = new(Thread)
	}
	th.ID, th.Name, th.Process, th.Sort, th.Kind = t.id, t.name, t.process, t.sort, t.kind
	th.Sampled, th.Lane = t.sampled, int(t.lane0)+k
	if th.Role, th.Numbered = t.role, t.numbered; !t.hasRole {
		th.Role, th.Numbered = DeriveRole(t.id, t.name, int(t.lane0))
	}
	if k > 0 {
		th.Name = laneName(t.name, k)
		th.ID = fmt.Sprintf("%s.%d", t.id, k+1)
	}
	return th
}

// shiftMoments moves what lies beside the calls by dt ns.
func (t *Thread) shiftMoments(dt int64) {
	for i := range t.Instants {
		t.Instants[i].At += dt
	}
	for i := range t.Stalls() {
		t.details.stalls[i].At += dt
	}
}

// locate returns the lane and index of the call with the given ordinal.
func (t *ThreadBuilder) locate(ord uint32) (*Thread, int32) {
	switch {
	case t.places == nil:
		return t.lanes[0], int32(ord)
	case t.places.where == nil:
		return t.lanes[0], t.places.calls[ord]
	}
	p := t.places.where[ord]
	return t.lanes[p.lane], p.call
}

// attach moves arguments, blocking marks, flags and instants from ordinals to calls.
func (t *ThreadBuilder) attach() {
	t.attachArgs()
	t.attachBlocks()
	t.attachFlags()
	slices.SortStableFunc(t.instants, func(x, y Instant) int { return cmp.Compare(x.At, y.At) })
	t.lanes[0].Instants = t.instants
	if len(t.stalls) > 0 {
		t.lanes[0].detailed().stalls = t.stalls
	}
}

// attachArgs gives each lane its arguments, by call. Several of one call stay in their order.
func (t *ThreadBuilder) attachArgs() {
	args := t.args.flatten()
	if len(t.lanes) == 1 && len(args) > 0 {
		t.lanes[0].detailed().args = args
		for i := range args {
			_, args[i].call = t.locate(uint32(args[i].call))
		}
	} else {
		for _, a := range args {
			th, c := t.locate(uint32(a.call))
			a.call = c
			x := th.detailed()
			x.args = pushed(&t.b.room, x.args, a)
		}
	}
	for _, th := range t.lanes {
		if x := th.details; x != nil {
			x.args, x.texts = byCallOf(&t.b.room, x.args, th.Len()), t.texts
		}
	}
}
