package trace

import (
	"cmp"
	"math"
	"slices"
)

// Shelf holds room that threads share, and what threads that are closed took to gather their
// records, for those that come after: a recording can have a hundred thousand threads of a few
// calls each, of which few live at a time. It is used by one goroutine at a time.
type Shelf struct {
	spare []*gathered

	// Room for the columns of threads, of which many share a piece.
	fn     []FuncID
	base   []int64
	spans  []span
	places []place
	depth  []uint8
	flags  []Flags
	blocks []Block

	threads []Thread // room for further ones
	closed  int      // threads so far
}

// mostTogether is how many threads lie in one piece of memory at most.
const mostTogether = 64

// next returns room for one more thread when there are n. There can be a hundred thousand, and to
// make each by itself takes longer than to fill it. Pieces are no larger than all before them, for
// most recordings have few threads.
func next[T any](room *[]T, n int) *T {
	if len(*room) == 0 {
		*room = make([]T, min(max(n, 1), mostTogether))
	}
	x := &(*room)[0]
	*room = (*room)[1:]
	return x
}

// mostShelved is how many calls a thread has at most that Close builds, fewExpected how many those
// have that ExpectFew makes room for, shared how many values a piece of a column has that threads
// share, and fewShared how many the first one has.
const (
	mostShelved = 1 << 12
	fewExpected = 1 << 10
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

// Close builds a thread that gets no more records and no other name. The memory in which its
// records were gathered goes on the shelf. Threads with many calls, with arguments or with open
// calls are left to Build. The trace is the same either way.
func (t *ThreadBuilder) Close(s *Shelf) {
	if t.gathered == nil || t.mode != nested || t.n == 0 || t.n > mostShelved || len(t.open) > 0 ||
		t.rarities != &noRarities || t.args.len() > 0 || len(t.objects) > 0 || t.turns > 0 ||
		t.blocks.full != nil {
		return
	}
	t.only[0] = next(&s.threads, s.closed)
	s.closed++
	th, g := t.lane(0), t.calls
	th.Fn, th.base = kept(t, &s.fn, &g.fn), kept(t, &s.base, &g.base)
	th.spans, th.places = kept(t, &s.spans, &g.spans), kept(t, &s.places, &g.places)
	th.depth = kept(t, &s.depth, &g.depth)
	if th.large = g.large; th.large != nil {
		th.settle()
	}
	t.lanes = t.only[:]
	if n := t.blocks.len(); n > 0 {
		th.Blocks = cutOf(&s.blocks, n)
	}
	t.attachBlocks()
	if t.flags.len() > 0 {
		t.flagsFor(th.Len())
		th.flags = kept(t, &s.flags, &t.flags)
	}
	slices.SortStableFunc(t.instants, func(x, y Instant) int { return cmp.Compare(x.At, y.At) })
	th.Instants = t.instants
	th.LOD = newPyramid(th, &t.b.room)
	th.maxDepth = th.levels()
	t.gathered.clear()
	s.spare, t.gathered = append(s.spare, t.gathered), nil
}

// ExpectFew is ExpectCalls for a thread that has no records yet, where the caller has read a whole
// file: threads with few calls then have their columns side by side, and need not be made room for
// one by one. Whoever reads one thread after the other later finds them in the order of memory.
func (t *ThreadBuilder) ExpectFew(s *Shelf, calls int) {
	r := &t.b.room
	if calls > fewExpected || t.gathered != nil && t.mode != empty ||
		r.file != nil && r.heap.Add(-int64(calls)*callBytes) < 0 {
		t.ExpectCalls(calls)
		return
	}
	t.hold()
	if t.calls == nil {
		t.calls = newGathering(r)
	}
	g := t.calls
	g.fn.last, g.base.last = cutOf(&s.fn, calls), cutOf(&s.base, basesOf(calls))
	g.spans.last, g.places.last = cutOf(&s.spans, calls), cutOf(&s.places, calls)
	g.depth.last = cutOf(&s.depth, calls)
}

// cutOf returns room for so many values in a piece, on the heap.
func cutOf[T any](piece *[]T, n int) []T {
	from := len(*piece)
	if from+n > cap(*piece) {
		*piece, from = make([]T, 0, max(n, fewShared, min(2*cap(*piece), shared))), 0
	}
	*piece = (*piece)[:from+n]
	return (*piece)[from : from : from+n]
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
				lane.shiftMoments(-b.first)
			}
		}
		return nil
	})
}
