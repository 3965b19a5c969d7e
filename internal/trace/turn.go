package trace

// Samplers know how many calls there will be, and many begin and end at one time: the stack of a
// sample replaces that of the one before. Such a thread is built in the columns that the trace has
// at last, without a copy:
//
//	Expect(n)            as often as some calls are found; what the Builder may take is asked for
//	Turn(at, ends, fns)  for each change of the stack, in the order of time
//
// A turn is checked against the one before as it comes. Where it is none of a stack (time goes
// back, more calls end than are open, or more begin than were expected), and once there is a record
// of another kind, the thread goes on the way that all others go, from what it has so far.

// turns are the calls of such a thread. The fields open, lastAt and n of the thread are used as by
// a nested one.
type turns struct {
	expected    int
	start, end  []int64 // as long as calls are expected
	fn          []FuncID
	parent      []int32
	size, depth []uint32
	levels      int    // greatest depth, plus one
	ended       int32  // the call that the last end closed, −1 for none
	since       uint32 // begins since then
}

// Expect says that so many more calls will be begun by Turn. It returns an error if the Builder may
// not take the memory, see Builder.Weigh. The thread must have no other records yet.
func (t *ThreadBuilder) Expect(calls int) error {
	t.hold()
	if t.turns == nil {
		t.turns = &turns{ended: -1}
	}
	t.turns.expected += calls
	t.take(turnedBytes * calls)
	return t.b.Refused()
}

// Turn ends so many calls, the innermost first, and then begins calls of functions in one another,
// the outermost first, all at time at. It is End and Begin for many calls.
func (t *ThreadBuilder) Turn(at int64, ends int, fns []FuncID) {
	if ends == 0 && len(fns) == 0 {
		return
	}
	t.hold()
	if t.mode == empty && t.turns != nil && t.turns.expected > 0 {
		t.turns.allocate()
		t.mode = turned
	}
	f, n, k := t.turns, int(t.n), len(t.open)-ends
	if t.mode != turned || at < t.lastAt || k < 0 || len(fns) > len(f.start)-n {
		t.turnSlowly(at, ends, fns)
		return
	}
	t.observe(at)
	t.lastAt = at
	if ends > 0 {
		for _, i := range t.open[k:] {
			f.end[i], f.size[i] = at, uint32(n)-uint32(i)
		}
		f.ended, f.since = t.open[k], 0
		t.open = t.open[:k]
	}
	parent := int32(-1)
	if k > 0 {
		parent = t.open[k-1]
	}
	start, parents, depth := f.start[n:][:len(fns)], f.parent[n:][:len(fns)], f.depth[n:][:len(fns)]
	copy(f.fn[n:], fns)
	for i := range start {
		start[i], parents[i], depth[i] = at, parent, uint32(k+i)
		parent = int32(n + i)
		t.open = append(t.open, parent)
	}
	f.levels = max(f.levels, len(t.open))
	f.since += uint32(len(fns))
	t.n += uint32(len(fns))
}

func (f *turns) allocate() {
	n := f.expected
	f.start, f.end, f.fn = make([]int64, n), make([]int64, n), make([]FuncID, n)
	f.parent, f.size, f.depth = make([]int32, n), make([]uint32, n), make([]uint32, n)
}

func (t *ThreadBuilder) turnSlowly(at int64, ends int, fns []FuncID) {
	for range ends {
		t.End(at)
	}
	for _, fn := range fns {
		t.Begin(at, fn)
	}
}

// join makes room for a record of another kind.
func (t *ThreadBuilder) join() {
	t.hold()
	if t.mode == turned {
		t.unturn()
	}
}

// unturn makes a nested thread of one that was made of turns.
func (t *ThreadBuilder) unturn() {
	f, n := t.turns, int(t.n)
	t.turns, t.mode = nil, nested
	if f.ended >= 0 {
		t.ends = plainEnds
	}
	for _, i := range t.open {
		f.end[i], f.size[i] = f.start[i], 1
	}
	c := new(columns)
	t.calls = c
	for i := range n {
		c.start.push(f.start[i])
		c.end.push(f.end[i])
		c.fn.push(f.fn[i])
		c.parent.push(f.parent[i])
		c.size.push(f.size[i])
		c.depth.push(f.depth[i])
	}
	if f.ended >= 0 {
		t.lastEnd, t.endRecord = uint32(f.ended), int32(t.records()-1)-int32(f.since)
	}
}

// finishTurned gives the first lane the columns. Calls that are open end with the last turn.
func (t *ThreadBuilder) finishTurned() {
	f, n := t.turns, int(t.n)
	t.turns = nil
	for _, i := range t.open {
		f.end[i], f.size[i] = t.lastAt, uint32(n)-uint32(i)
		t.unclosed(uint32(i), f.fn[i], f.start[i])
	}
	th := t.lane(0)
	th.Start, th.End, th.Fn = f.start[:n:n], f.end[:n:n], f.fn[:n:n]
	th.Parent, th.Size, th.Depth = f.parent[:n:n], f.size[:n:n], f.depth[:n:n]
	th.maxDepth = int32(f.levels)
	t.lanes = []*Thread{th}
}

// unclosed marks a call that had no end.
func (t *ThreadBuilder) unclosed(ord uint32, fn FuncID, start int64) {
	t.openEnd(fn, start)
	t.marks = append(t.marks, mark{ord, Unclosed})
}
