package trace

// gathering are the columns of a thread whose calls come in pre-order, while they are gathered: a
// call is entered, and later left.
type gathering struct {
	base   column[int64]
	spans  column[span]
	places column[place]
	depth  column[uint8]
	fn     column[FuncID]
	large  *large
}

// newGathering returns a gathering whose columns lie in a room.
func newGathering(r *room) *gathering {
	return &gathering{base: column[int64]{room: r}, spans: column[span]{room: r},
		places: column[place]{room: r}, depth: column[uint8]{room: r}, fn: column[FuncID]{room: r}}
}

// opened is a call that was entered and not yet left.
type opened struct {
	start int64
	call  int32
}

// len returns the number of calls.
func (g *gathering) len() int { return g.fn.len() }

// size returns the number of calls in the subtree of a call that was left.
func (g *gathering) size(i int) uint32 { return g.large.size(g.places.at(i)) }

// start returns when a call begins.
func (g *gathering) start(i int) int64 {
	return g.base.at(i>>baseShift) + g.large.time(g.spans.at(i).after)
}

// up returns how many calls before a call its caller is, 0 for a root.
func (g *gathering) up(i int) int {
	v := g.places.at(i)
	if v >= far {
		return int(g.large.places[v-far].up)
	}
	return int(v & mostUp)
}

// reserve makes room for so many calls in all, in one piece.
func (g *gathering) reserve(calls int) {
	g.base.reserve(basesOf(calls))
	g.spans.reserve(calls)
	g.places.reserve(calls)
	g.depth.reserve(calls)
	g.fn.reserve(calls)
}

// leave ends a call.
func (g *gathering) leave(o opened, at int64) {
	i := int(o.call)
	g.spans.place(i).dur = fitTime(&g.large, g.base.room, at-o.start)
	g.places.place(i).setSize(&g.large, g.base.room, uint32(g.len()-i))
}

// finish gives a thread the columns, and empties g. Those of a long thread are copied at once.
func (g *gathering) finish(th *Thread) {
	c := &th.columns
	c.large = g.large
	if g.len() < manyCalls {
		for part := range columnParts {
			g.flatten(part, th)
		}
	} else {
		_ = each(columnParts, func(part int) error {
			g.flatten(part, th)
			return nil
		})
	}
	th.settle()
}

// columnParts is how many parts of the columns are flattened at once.
const columnParts = 3

// flatten gives a thread some of the columns.
func (g *gathering) flatten(part int, th *Thread) {
	switch c := &th.columns; part {
	case 0:
		th.Fn, c.base = g.fn.flatten(), g.base.flatten()
	case 1:
		c.spans = g.spans.flatten()
	case 2:
		c.places, c.depth = g.places.flatten(), g.depth.flatten()
	}
}

// front is the last chunk of the columns, where they grow: up to their capacity.
type front struct {
	spans  []span
	places []place
	depth  []uint8
	fn     []FuncID
	from   int   // index of the chunk's first call
	n      int   // calls in the chunk
	base   int64 // of the call that comes next, unless it has one of its own
}

// front returns the front. Where there is no room, it makes some for so many calls, as far as a
// chunk has it. For no calls it makes none: where calls only end, the columns need not grow.
// Columns that have always grown alike have equal room.
func (g *gathering) front(more int) front {
	f := front{spans: g.spans.open(more), places: g.places.open(more), depth: g.depth.open(more),
		fn: g.fn.open(more)}
	f.n = len(g.fn.last)
	f.from = g.len() - f.n
	if call := g.len(); call%baseLen != 0 {
		f.base = g.base.at(call >> baseShift)
	}
	return f
}

// basesFrom returns the bases of a front that lie in one piece. If that is the last one and not
// full, it has room for one more where the front's calls may need it.
func (g *gathering) basesFrom(f *front) []int64 {
	c, k := &g.base, f.from>>baseShift
	if k < c.len() && (len(c.last) == chunkLen || k < c.len()-len(c.last)) {
		return c.from(k)
	}
	if basesOf(f.from+len(f.fn)) <= c.len() {
		return c.open(0)[k&(chunkLen-1):]
	}
	return c.open(1)[k&(chunkLen-1):]
}

// full reports whether there is no room left.
func (f *front) full() bool { return f.n == len(f.fn) }

// close takes over the calls that were added to a front.
func (g *gathering) close(f *front) {
	g.spans.last, g.places.last = f.spans[:f.n], f.places[:f.n]
	g.depth.last, g.fn.last = f.depth[:f.n], f.fn[:f.n]
}

// enter adds a call on top of those that are open, at a time that is not before theirs.
func (g *gathering) enter(f *front, at int64, fn FuncID, open []opened) opened {
	i := f.n
	call, up := f.from+i, uint32(0)
	if k := len(open); k > 0 {
		up = uint32(call) - uint32(open[k-1].call)
	}
	if call%baseLen == 0 {
		f.base = at
		g.base.push(at)
	}
	f.spans[i] = span{after: fitTime(&g.large, g.base.room, at-f.base)}
	f.places[i], f.depth[i] = fitPlace(&g.large, g.base.room, up, 1), fitDepth(&g.large, g.base.room, call, len(open))
	f.fn[i] = fn
	f.n = i + 1
	return opened{at, int32(call)}
}

// enterNext is enter without a front: the columns grow alike, so where one has room all have.
func (g *gathering) enterNext(at int64, fn FuncID, open []opened) opened {
	n, call := len(g.fn.last), g.len()
	if n == cap(g.fn.last) || call%baseLen == 0 {
		to := g.front(1)
		o := g.enter(&to, at, fn, open)
		g.close(&to)
		return o
	}
	up := uint32(0)
	if k := len(open); k > 0 {
		up = uint32(call) - uint32(open[k-1].call)
	}
	g.spans.last = append(g.spans.last, span{after: fitTime(&g.large, g.base.room, at-g.base.at(call>>baseShift))})
	g.places.last = append(g.places.last, fitPlace(&g.large, g.base.room, up, 1))
	g.depth.last = append(g.depth.last, fitDepth(&g.large, g.base.room, call, len(open)))
	g.fn.last = append(g.fn.last, fn)
	return opened{at, int32(call)}
}
