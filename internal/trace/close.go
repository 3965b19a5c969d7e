package trace

import (
	"cmp"
	"math"
	"slices"
)

// Shelf holds what threads that are closed took to gather their records, for those that come after:
// a recording can have a hundred thousand threads of a few calls each, of which few live at a time.
// It is used by one goroutine at a time.
type Shelf struct {
	spare []*gathered

	// Room for the columns of threads, of which many share a piece.
	fn     []FuncID
	base   []int64
	spans  []span
	places []place
	depth  []uint8
	flags  []Flags
}

// mostShelved is how many calls a thread has at most that Close builds, shared how many values a
// piece of a column has that threads share, and fewShared how many the first one has.
const (
	mostShelved = 1 << 12
	shared      = 1 << 13
	fewShared   = 1 << 8
)

// Use has a thread that has no records yet gather them in what is on the shelf.
func (t *ThreadBuilder) Use(s *Shelf) {
	if n := len(s.spare) - 1; n >= 0 && t.gathered == nil {
		t.gathered, s.spare = s.spare[n], s.spare[:n]
		t.b.take(laneBytes)
	}
}

// Close builds a thread that gets no more records and no other name. What it took to gather its
// records goes on the shelf. Threads with many calls, with arguments or with open calls are left to
// Build. The trace is the same either way.
func (t *ThreadBuilder) Close(s *Shelf) {
	if t.gathered == nil || t.mode != nested || t.n == 0 || t.n > mostShelved || len(t.open) > 0 ||
		t.rarities != &noRarities || t.args.len() > 0 || len(t.objects) > 0 || t.turns > 0 ||
		t.blocks.full != nil {
		return
	}
	th, g := t.lane(0), t.calls
	th.Fn, th.base = kept(t, &s.fn, &g.fn), kept(t, &s.base, &g.base)
	th.spans, th.places = kept(t, &s.spans, &g.spans), kept(t, &s.places, &g.places)
	th.depth = kept(t, &s.depth, &g.depth)
	if th.large = g.large; th.large != nil {
		th.settle()
	}
	t.lanes = []*Thread{th}
	t.attachBlocks()
	if t.flags.len() > 0 {
		t.flagsFor(th.Len())
		th.detailed().flags = kept(t, &s.flags, &t.flags)
	}
	slices.SortStableFunc(t.instants, func(x, y Instant) int { return cmp.Compare(x.At, y.At) })
	th.Instants = t.instants
	th.LOD = newPyramid(th, &t.b.room)
	th.maxDepth = th.levels()
	t.gathered.clear()
	s.spare, t.gathered = append(s.spare, t.gathered), nil
}

// kept returns the values of a column as a piece of its own, and empties the column.
func kept[T any](t *ThreadBuilder, piece *[]T, c *column[T]) []T {
	n := len(c.last)
	if len(*piece)+n > cap(*piece) {
		*piece = made[T](&t.b.room, max(n, fewShared, min(2*cap(*piece), shared)))[:0]
	}
	from := len(*piece)
	*piece = append(*piece, c.last...)
	clear(c.last) // as columns are at first
	c.last = c.last[:0]
	return (*piece)[from : from+n : from+n]
}

// clear has a thread's records forgotten, whose columns are empty.
func (g *gathered) clear() {
	g.calls.large = nil
	g.blocks.cut(len(g.blocks.last))
	*g = gathered{calls: g.calls, open: g.open[:0], lastAt: math.MinInt64, blocks: g.blocks,
		flags: g.flags, args: g.args, rarities: &noRarities}
}

// shiftClosed counts the times of the threads that were closed from the trace's first event.
func (b *Builder) shiftClosed() error {
	const some = 1 << 12 // threads at a time
	return each((len(b.threads)+some-1)/some, func(k int) error {
		for _, t := range b.threads[k*some : min((k+1)*some, len(b.threads))] {
			for _, lane := range t.lanes {
				lane.move(-b.first)
				lane.shiftInstants(-b.first)
			}
		}
		return nil
	})
}
