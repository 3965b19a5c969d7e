package trace

import (
	"context"
	"math"
)

// forest is a thread's calls in the order in which they can nest, before their parents are known.
// Where lo and hi are set, nesting goes by those stream positions; otherwise by time.
type forest struct {
	room       *room
	start, end []int64
	fn         []FuncID
	ord        []uint32 // nil if each call has its index
	lo, hi     []int32
}

// forest gathers the calls of a whole or logged thread in nesting order.
func (t *ThreadBuilder) forest(ctx context.Context) (forest, error) {
	if t.mode == logged {
		pairs, err := t.pair(ctx)
		if err != nil {
			return forest{}, err
		}
		t.log = dropped(&t.b.room, t.log)
		if t.whole == nil {
			return fromPairs(&t.b.room, pairs), nil
		}
		for _, v := range pairs {
			t.whole.start.push(v.start)
			t.whole.end.push(v.end)
			t.whole.fn.push(v.fn)
			t.whole.ord.push(v.ord)
		}
		dropped(&t.b.room, pairs)
	}
	return t.whole.forest(ctx, &t.b.room)
}

func fromPairs(r *room, pairs []interval) forest {
	n := len(pairs)
	f := forest{r, made[int64](r, n), made[int64](r, n), made[FuncID](r, n), made[uint32](r, n),
		made[int32](r, n), made[int32](r, n)}
	for i, v := range pairs {
		f.start[i], f.end[i], f.fn[i], f.ord[i] = v.start, v.end, v.fn, v.ord
		f.lo[i], f.hi[i] = v.lo, v.hi
	}
	dropped(r, pairs)
	return f
}

// dropTimes gives back what is known of when calls run.
func (f *forest) dropTimes() {
	f.start, f.end = dropped(f.room, f.start), dropped(f.room, f.end)
	f.lo, f.hi = dropped(f.room, f.lo), dropped(f.room, f.hi)
}

// from and to are the borders that decide nesting. For a call p that comes before a call i:
//
//	to(p) ≤ from(i)  p has ended when i begins
//	to(i) ≤ to(p)    i lies in p
//
// No begin shares a stream position with an end, so for stream positions the first is a <.
func (f *forest) from(i int32) int64 {
	if f.lo != nil {
		return int64(f.lo[i])
	}
	return f.start[i]
}

func (f *forest) to(i int32) int64 {
	if f.lo != nil {
		return int64(f.hi[i])
	}
	return f.end[i]
}

// sort brings the calls into the order (start, −end, input order).
func (f *forest) sort(ctx context.Context) error {
	n := uint32(len(f.start))
	sorted := true
	for i := uint32(1); i < n && sorted; i++ {
		sorted = f.before(i-1, i)
	}
	if sorted {
		return nil
	}
	order := made[uint32](f.room, int(n))
	for i := range order {
		order[i] = uint32(i)
	}
	if err := mergeSort(ctx, f.room, order, f.before); err != nil {
		return err
	}
	f.start = permute(f.room, f.start, order)
	f.end = permute(f.room, f.end, order)
	f.fn = permute(f.room, f.fn, order)
	f.ord = permute(f.room, f.ord, order)
	dropped(f.room, order)
	return nil
}

func (f *forest) before(x, y uint32) bool {
	switch {
	case f.start[x] != f.start[y]:
		return f.start[x] < f.start[y]
	case f.end[x] != f.end[y]:
		return f.end[x] > f.end[y]
	}
	return f.ordinal(int(x)) < f.ordinal(int(y))
}

// ordinal returns the ordinal of call i.
func (f *forest) ordinal(i int) uint32 {
	if f.ord == nil {
		return uint32(i)
	}
	return f.ord[i]
}

// inOrder reports whether each call has its index for an ordinal.
func (f *forest) inOrder() bool {
	for i, ord := range f.ord {
		if ord != uint32(i) {
			return false
		}
	}
	return true
}

// permute returns s in an order, and gives s back.
func permute[T any](r *room, s []T, order []uint32) []T {
	out := made[T](r, len(s))
	for to, from := range order {
		out[to] = s[from]
	}
	dropped(r, s)
	return out
}

// placement is where each call of a forest went: its lane, its index there and its parent's index
// there.
type placement struct {
	lane   []int32 // nil while there is one lane only
	call   []int32 // nil likewise: the index itself
	parent []int32
	counts []int32 // calls by lane
}

// nesting puts calls on lanes, in order.
type nesting struct {
	*forest
	placement
	lanes  lanes
	stacks [][]int32 // by lane: calls in one another, outermost first
}

// nest puts each call under the innermost call of the first lane where it nests, in O(n log k) for
// n calls on k lanes. As long as there is one lane, which mostly is to the end, it takes a pass
// over the calls with a stack.
func (f *forest) nest(ctx context.Context) (placement, error) {
	n := len(f.start)
	g := nesting{forest: f, lanes: newLanes(1), stacks: make([][]int32, 1),
		placement: placement{parent: made[int32](f.room, n), counts: []int32{0}}}
	var err error
	if f.lo != nil {
		g.stacks[0], err = nestOne(ctx, &g.placement, f.lo, f.hi)
	} else {
		g.stacks[0], err = nestOne(ctx, &g.placement, f.start, f.end)
	}
	from := g.counts[0]
	if int(from) == n || err != nil {
		return g.placement, err
	}
	g.lanes.set(0, g.nextEnd(0, g.from(from)))
	for i := from; i < int32(n); i++ {
		if i&0xfff == 0 && ctx.Err() != nil {
			return g.placement, ctx.Err()
		}
		g.put(i, g.fit(i))
	}
	return g.placement, nil
}

// nestOne nests calls up to the first that partly overlaps another, with the borders that decide
// nesting. It returns those that have not ended, outermost first.
func nestOne[T int32 | int64](ctx context.Context, p *placement, from, to []T) ([]int32, error) {
	type open struct {
		to T
		i  int32
	}
	s := make([]open, 0, 64)
	n := len(from)
	to, parent := to[:n], p.parent[:n]
	end := n
place:
	for i := range from {
		if i&0xfff == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		k := len(s)
		for ; k > 0 && s[k-1].to < to[i]; k-- {
			if s[k-1].to > from[i] {
				end = i // and all of s may still be needed
				break place
			}
		}
		s = s[:k]
		parent[i] = -1
		if k > 0 {
			parent[i] = s[k-1].i
		}
		s = append(s, open{to[i], int32(i)})
	}
	p.counts[0] = int32(end)
	left := make([]int32, len(s))
	for k, o := range s {
		left[k] = o.i
	}
	return left, nil
}

// fit returns the first lane where call i nests.
func (g *nesting) fit(i int32) int {
	from, to := g.from(i), g.to(i)
	for {
		l := g.lanes.first(from, to)
		if l == len(g.stacks) {
			g.split(int(i))
		}
		if g.lanes.end(l) > from {
			return l
		}
		g.lanes.set(l, g.nextEnd(l, from))
	}
}

// nextEnd returns the earliest end on lane l after time from and forgets the calls that ended
// before. A call that ends exactly at from stays: a call of no length still nests in it.
func (g *nesting) nextEnd(l int, from int64) int64 {
	s := g.stacks[l]
	for len(s) > 0 && g.to(s[len(s)-1]) < from {
		s = s[:len(s)-1]
	}
	g.stacks[l] = s
	for k := len(s) - 1; k >= 0; k-- {
		if to := g.to(s[k]); to > from {
			return to
		}
	}
	return idle
}

// split adds a lane, and starts keeping lanes with the second one, at call i.
func (g *nesting) split(i int) {
	g.stacks, g.counts = append(g.stacks, nil), append(g.counts, 0)
	if g.lane != nil {
		return
	}
	g.lane, g.call = made[int32](g.room, len(g.parent)), made[int32](g.room, len(g.parent))
	for k := range i {
		g.call[k] = int32(k)
	}
}

// put adds call i to a lane that it fits, under the innermost call it lies in.
func (g *nesting) put(i int32, lane int) {
	s, to := g.stacks[lane], g.to(i)
	for len(s) > 0 && g.to(s[len(s)-1]) < to {
		s = s[:len(s)-1]
	}
	g.parent[i] = -1
	if k := len(s); k > 0 {
		up := s[k-1]
		g.parent[i] = up
		if g.call != nil {
			g.parent[i] = g.call[up]
		}
	}
	if g.lane != nil {
		g.lane[i], g.call[i] = int32(lane), g.counts[lane]
	}
	g.counts[lane]++
	g.stacks[lane] = append(s, i)
	if to > g.from(i) {
		g.lanes.set(lane, to)
	}
}

// lanes finds the first lane of a thread on which a call fits. A call partly overlaps an earlier
// call that ends strictly within it. So it fits a lane if, of the calls running there, the first to
// end does so at the call's own end or later:
//
//	lane 1 runs a [0, 10]; b [5, 8] fits below a; c [5, 15] does not, for a ends within c.
//
// The earliest ends of the lanes are the leaves of a tree; each node holds the least and the
// greatest end below it. Calls come in the order of their starts, so an end that is past stays
// past: the least end tells whether a lane has one, and a lane is updated only when a search meets
// it.
type lanes struct {
	size  int // leaves, a power of two; those beyond the lanes in use are idle
	nodes []extent
}

type extent struct{ least, most int64 }

// idle is the earliest end on a lane where nothing runs.
const idle = math.MaxInt64

func newLanes(size int) lanes {
	l := lanes{size, make([]extent, 2*size)}
	for k := range l.nodes {
		l.nodes[k] = extent{idle, idle}
	}
	return l
}

// first returns the first lane on which a call over (from, to] fits, or whose earliest end is past.
func (l *lanes) first(from, to int64) int {
	open := func(k int) bool { return l.nodes[k].least <= from || l.nodes[k].most >= to }
	if !open(1) {
		*l = l.doubled()
	}
	k := 1
	for k < l.size {
		k *= 2
		if !open(k) {
			k++
		}
	}
	return k - l.size
}

func (l *lanes) doubled() lanes {
	d := newLanes(2 * l.size)
	for i := range l.size {
		d.set(i, l.end(i))
	}
	return d
}

// end returns the earliest end of lane i as it was last set; it may be past.
func (l *lanes) end(i int) int64 { return l.nodes[l.size+i].least }

func (l *lanes) set(i int, end int64) {
	k := l.size + i
	l.nodes[k] = extent{end, end}
	for k /= 2; k > 0; k /= 2 {
		x, y := l.nodes[2*k], l.nodes[2*k+1]
		l.nodes[k] = extent{min(x.least, y.least), max(x.most, y.most)}
	}
}
