package trace

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// build turns what was gathered into the thread's lanes.
func (t *ThreadBuilder) build(ctx context.Context) error {
	if t.gathered == nil {
		return nil // only ever named
	}
	if t.mode == nested || t.mode == empty {
		t.finishNested()
	} else if err := t.finishForest(ctx); err != nil {
		return err
	}
	if t.backwards > 0 {
		t.b.diags.count(Reordered, t.backwards, t.says("%d records out of order", t.backwards))
	}
	t.b.diags.count(NotUTF8, t.notUTF8, t.says("%s", t.escaped))
	t.b.diags.count(BadRecord, t.unkept, t.says("more than 4 GiB of argument text"))
	t.attach()
	t.gathered = nil
	if len(t.lanes) == 1 && t.lanes[0].Len() == 0 && len(t.lanes[0].Instants) == 0 {
		t.lanes = nil // only ever named
	}
	return nil
}

// says defers the formatting of an example until one is needed.
func (t *ThreadBuilder) says(format string, args ...any) func() string {
	return func() string { return "thread " + t.id + ": " + fmt.Sprintf(format, args...) }
}

func (t *ThreadBuilder) finishNested() {
	for _, s := range t.strays {
		t.strayEnd(s.record)
	}
	c := t.calls
	if c == nil {
		c = new(columns)
	}
	n := c.start.len()
	for _, i := range t.open {
		c.end.set(int(i), t.lastAt)
		c.size.set(int(i), uint32(n)-uint32(i))
		t.openEnd(c.fn.at(int(i)), c.start.at(int(i)))
		t.marks = append(t.marks, mark{uint32(i), Unclosed})
	}
	for _, a := range t.lateArgs {
		if a.ord != noOrd {
			t.args = append(t.args, arg{int32(a.ord), a.from, a.to})
		}
	}
	th := t.lane(0)
	th.Start, th.End, th.Fn = c.start.flatten(), c.end.flatten(), c.fn.flatten()
	th.Parent, th.Size, th.Depth = c.parent.flatten(), c.size.flatten(), c.depth.flatten()
	th.measure()
	t.lanes = []*Thread{th}
}

func (t *ThreadBuilder) finishForest(ctx context.Context) error {
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
			t.b.diags.count(OverlapLane, uint64(n), t.says("%d calls partly overlap others", n))
		}
	}
	if p.lane == nil {
		th := t.lanes[0]
		th.Start, th.End, th.Fn, th.Parent, th.Depth = f.start, f.end, f.fn, p.parent, p.depth
	} else {
		t.scatter(&f, &p)
	}
	for _, th := range t.lanes {
		th.Size = sizes(th.Parent)
		th.measure()
	}
	t.noteOrdinals(&f, &p)
	return nil
}

// scatter distributes the calls of a forest over its lanes. The columns of all lanes share one
// allocation, because there can be as many lanes as calls.
func (t *ThreadBuilder) scatter(f *forest, p *placement) {
	n := len(p.lane)
	start, end, fn := make([]int64, n), make([]int64, n), make([]FuncID, n)
	parent, depth := make([]int32, n), make([]uint32, n)
	for k, th := range t.lanes {
		n := int(p.counts[k])
		th.Start, start = cut(start, n)
		th.End, end = cut(end, n)
		th.Fn, fn = cut(fn, n)
		th.Parent, parent = cut(parent, n)
		th.Depth, depth = cut(depth, n)
	}
	for i, l := range p.lane {
		th, c := t.lanes[l], p.call[i]
		th.Start[c], th.End[c], th.Fn[c] = f.start[i], f.end[i], f.fn[i]
		th.Parent[c], th.Depth[c] = p.parent[i], p.depth[i]
	}
}

func cut[T any](s []T, n int) (head, rest []T) { return s[:n:n], s[n:] }

// noteOrdinals notes where each ordinal went, unless it stayed where it was.
func (t *ThreadBuilder) noteOrdinals(f *forest, p *placement) {
	same := p.lane == nil
	for i := 0; same && i < len(f.ord); i++ {
		same = f.ord[i] == uint32(i)
	}
	if same {
		return
	}
	t.where = make([]position, t.n)
	for i, ord := range f.ord {
		at := position{0, int32(i)}
		if p.lane != nil {
			at = position{p.lane[i], p.call[i]}
		}
		t.where[ord] = at
	}
}

// sizes returns the sizes of subtrees. Children come after their parents, so one pass from the end
// is enough.
func sizes(parent []int32) []uint32 {
	size := make([]uint32, len(parent))
	for i := len(parent) - 1; i >= 0; i-- {
		size[i]++
		if p := parent[i]; p >= 0 {
			size[p] += size[i]
		}
	}
	return size
}

func (t *ThreadBuilder) lane(k int) *Thread {
	th := &Thread{ID: t.id, Name: t.name, Process: t.process, Sort: t.sort, Kind: t.kind,
		Sampled: t.sampled, Lane: int(t.lane0) + k, Role: t.role, Numbered: t.numbered}
	if !t.hasRole {
		th.Role, th.Numbered = DeriveRole(t.id, t.name, int(t.lane0))
	}
	if k > 0 {
		th.Name = laneName(t.name, k)
		th.ID = fmt.Sprintf("%s.%d", t.id, k+1)
	}
	return th
}

func (t *Thread) measure() {
	for _, d := range t.Depth {
		t.maxDepth = max(t.maxDepth, int32(d)+1)
	}
}

// shift moves all times by dt ns.
func (t *Thread) shift(dt int64) {
	for i := range t.Start {
		t.Start[i] += dt
		t.End[i] += dt
	}
	for i := range t.Instants {
		t.Instants[i].At += dt
	}
}

// locate returns the lane and index of the call with the given ordinal.
func (t *ThreadBuilder) locate(ord uint32) (*Thread, int32) {
	if t.where == nil {
		return t.lanes[0], int32(ord)
	}
	p := t.where[ord]
	return t.lanes[p.lane], p.call
}

// attach moves arguments, blocking marks, flags and instants from ordinals to calls.
func (t *ThreadBuilder) attach() {
	for _, a := range t.args {
		th, c := t.locate(uint32(a.call))
		a.call = c
		x := th.detailed()
		x.args, x.argText = append(x.args, a), t.argText
	}
	for _, k := range t.blocks {
		th, c := t.locate(uint32(k.Call))
		k.Call = c
		th.Blocks = append(th.Blocks, k)
	}
	for _, m := range t.marks {
		th, c := t.locate(m.ord)
		x := th.detailed()
		if x.flags == nil {
			x.flags = make([]Flags, th.Len())
		}
		x.flags[c] |= m.flags
	}
	slices.SortStableFunc(t.instants, func(x, y Instant) int { return cmp.Compare(x.At, y.At) })
	t.lanes[0].Instants = t.instants
	for _, th := range t.lanes {
		if th.details != nil {
			slices.SortStableFunc(th.details.args, func(x, y arg) int { return int(x.call) - int(y.call) })
		}
		slices.SortStableFunc(th.Blocks, func(x, y Block) int { return int(x.Call) - int(y.Call) })
	}
}
