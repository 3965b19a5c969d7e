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
func (g *gathering) size(i int) uint32 {
	v := g.places.at(i)
	if v >= far {
		return g.large.places[v-far].size
	}
	return uint32(v >> upBits)
}

// reserve makes room for so many calls in all, in one piece.
func (g *gathering) reserve(calls int) {
	g.base.reserve((calls + baseLen - 1) / baseLen)
	g.spans.reserve(calls)
	g.places.reserve(calls)
	g.depth.reserve(calls)
	g.fn.reserve(calls)
}

// leave ends a call.
func (g *gathering) leave(o opened, at int64) {
	i := int(o.call)
	g.spans.place(i).dur = fitTime(&g.large, at-o.start)
	g.places.place(i).setSize(&g.large, uint32(g.len()-i))
}

// finish gives a thread the columns, and empties g. Those of a long thread are copied at once.
func (g *gathering) finish(th *Thread) {
	c := &th.columns
	c.large = g.large
	atOnce(g.len(),
		func() { th.Fn, c.base = g.fn.flatten(), g.base.flatten() },
		func() { c.spans = g.spans.flatten() },
		func() { c.places, c.depth = g.places.flatten(), g.depth.flatten() })
	th.settle()
}

// front is where the columns grow: room for calls from index from on, of which n are there.
type front struct {
	spans  []span
	places []place
	depth  []uint8
	fn     []FuncID
	from   int
	n      int
	base   int64 // of the call that comes next, unless it has one of its own
}

// front makes room for at most n calls.
func (g *gathering) front(n int) front {
	f := front{from: g.len()}
	if n > 0 {
		f.spans = g.spans.extend(n)
		n = len(f.spans)
		f.places, f.depth, f.fn = g.places.extend(n)[:n], g.depth.extend(n)[:n], g.fn.extend(n)[:n]
	}
	if f.from%baseLen != 0 {
		f.base = g.base.at(f.from >> baseShift)
	}
	return f
}

// full reports whether there is no room left.
func (f *front) full() bool { return f.n == len(f.fn) }

// close gives back the room that is left.
func (g *gathering) close(f *front) {
	if n := len(f.fn) - f.n; n > 0 {
		g.spans.cut(n)
		g.places.cut(n)
		g.depth.cut(n)
		g.fn.cut(n)
	}
}

// function returns the function of a call, which may have been there before.
func (g *gathering) function(f *front, call int) FuncID {
	if i := call - f.from; i >= 0 {
		return f.fn[i]
	}
	return g.fn.at(call)
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
	f.spans[i] = span{after: fitTime(&g.large, at-f.base)}
	f.places[i], f.depth[i] = fitPlace(&g.large, up, 1), fitDepth(&g.large, call, len(open))
	f.fn[i] = fn
	f.n = i + 1
	return opened{at, int32(call)}
}

// enterNext is enter without a front: the columns grow alike, so where one has room all have.
func (g *gathering) enterNext(at int64, fn FuncID, open []opened) opened {
	n, call := len(g.fn.last), g.len()
	if n == cap(g.fn.last) || call%baseLen == 0 {
		to := g.front(1)
		return g.enter(&to, at, fn, open)
	}
	up := uint32(0)
	if k := len(open); k > 0 {
		up = uint32(call) - uint32(open[k-1].call)
	}
	g.spans.last = append(g.spans.last, span{after: fitTime(&g.large, at-g.base.at(call>>baseShift))})
	g.places.last = append(g.places.last, fitPlace(&g.large, up, 1))
	g.depth.last = append(g.depth.last, fitDepth(&g.large, call, len(open)))
	g.fn.last = append(g.fn.last, fn)
	return opened{at, int32(call)}
}

// leaveNear is leave while there is a front, behind which the call may be.
func (g *gathering) leaveNear(f *front, o opened, at int64) {
	i, call := int(o.call)-f.from, int(o.call)
	var to *span
	var its *place
	if i >= 0 {
		to, its = &f.spans[i], &f.places[i]
	} else {
		to, its = g.spans.place(call), g.places.place(call)
	}
	to.dur = fitTime(&g.large, at-o.start)
	its.setSize(&g.large, uint32(f.from+f.n-call))
}
