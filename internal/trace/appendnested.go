package trace

// longestRun bounds what is looked at in vain where many records are not nested.
const longestRun = 1 << 10

// nestedRun returns how many of the records go on as a nested thread does, which is in time order
// and with ends of one style that each close a call, and how many of those begin a call. Whether
// ends that name a function name the innermost one is not looked at.
func (t *ThreadBuilder) nestedRun(list []Record) (n, calls int) {
	t.hold()
	if t.mode > nested {
		return 0, 0
	}
	at, open, ends := t.lastAt, len(t.open), t.ends
	list = list[:min(len(list), longestRun)]
	for i := range list {
		v := &list[i]
		switch {
		case v.At < at:
			return i, calls
		case v.Kind == Enter:
			calls++
			open++
		case v.Kind == Leave && open > 0 && ends != namedEnds:
			open--
			ends = plainEnds
		case v.Kind == LeaveNamed && open > 0 && ends != plainEnds:
			open--
			ends = namedEnds
		default:
			return i, calls
		}
		at = v.At
	}
	return len(list), calls
}

// appendNested is Begin, End and EndNamed for a run of records that nestedRun found, with so many
// calls. It stops before an end that does not name the innermost call, and returns how many records
// it took.
func (t *ThreadBuilder) appendNested(e *Records, list []Record, calls int) (n int) {
	if t.calls == nil {
		t.calls = new(columns)
	}
	before := t.records()
	to := t.calls.front(calls)
	style, end := noEnds, -1 // of the last record that is an end
	for i := range list {
		v := &list[i]
		if v.Kind == Enter {
			if to.n == len(to.start) {
				calls -= to.n
				to = t.calls.front(calls)
			}
			t.open = append(t.open, to.enter(v.At, e.fn(v), t.open))
			if v.From != v.To {
				t.appendArgs(e, uint32(to.from+to.n-1), v)
			}
			continue
		}
		k := len(t.open) - 1
		call := t.open[k]
		if style = plainEnds; v.Kind == LeaveNamed {
			if style = namedEnds; to.function(t.calls, int(call)) != e.fn(v) {
				list = list[:i]
				break
			}
		}
		t.open = t.open[:k]
		to.leave(t.calls, int(call), v.At)
		t.lastEnd, end = uint32(call), i
		if v.From != v.To {
			t.endRecord = int32(before + i)
			t.ReturnArgs(e.Text[v.From:v.To])
		}
	}
	t.calls.cut(len(to.start) - to.n)
	if len(list) == 0 {
		return 0
	}
	t.take(callBytes * (t.calls.start.len() - int(t.n)))
	t.n = uint32(t.calls.start.len())
	if end >= 0 {
		t.ends, t.endRecord = style, int32(before+end)
	}
	t.mode, t.lastAt = nested, list[len(list)-1].At
	t.observe(list[0].At)
	t.observe(t.lastAt)
	return len(list)
}

// front is where the columns of a nested thread grow: room for calls from index from on, of which n
// are there.
type front struct {
	start, ends []int64
	fn          []FuncID
	parent      []int32
	size, depth []uint32
	from, n     int
}

// front makes room for at most n calls.
func (c *columns) front(n int) front {
	if n == 0 {
		return front{from: c.start.len()}
	}
	from := c.start.len()
	start := c.start.room(n)
	n = len(start)
	return front{start, c.end.room(n)[:n], c.fn.room(n)[:n], c.parent.room(n)[:n],
		c.size.room(n)[:n], c.depth.room(n)[:n], from, 0}
}

// cut takes the last n calls away.
func (c *columns) cut(n int) {
	if n > 0 {
		c.start.cut(n)
		c.end.cut(n)
		c.fn.cut(n)
		c.parent.cut(n)
		c.size.cut(n)
		c.depth.cut(n)
	}
}

// function returns the function of a call, which may have been there before.
func (f *front) function(c *columns, call int) FuncID {
	if i := call - f.from; i >= 0 {
		return f.fn[i]
	}
	return c.fn.at(call)
}

// enter adds a call on top of those that are open and returns its index.
func (f *front) enter(at int64, fn FuncID, open []int32) int32 {
	i, parent := f.n, int32(-1)
	if k := len(open); k > 0 {
		parent = open[k-1]
	}
	f.start[i], f.ends[i], f.fn[i] = at, at, fn
	f.parent[i], f.size[i], f.depth[i] = parent, 1, uint32(len(open))
	f.n = i + 1
	return int32(f.from + i)
}

// leave ends a call, which may have been there before.
func (f *front) leave(c *columns, call int, at int64) {
	size := uint32(f.from + f.n - call)
	if i := call - f.from; i >= 0 {
		f.ends[i], f.size[i] = at, size
		return
	}
	c.end.set(call, at)
	c.size.set(call, size)
}

// mostExpected is how many times as many calls as there are a thread believes that it will have,
// and alwaysExpected how many it always takes to be there.
const (
	mostExpected   = 32
	alwaysExpected = 512
)

// ExpectCalls says how many calls the thread will have in all, as the size of a file tells that has
// been read in part. Their columns are then made in one piece and need not be copied when the
// thread is built. It is a hint: too many or too few do no harm, and far more than there are by now
// are not believed.
func (t *ThreadBuilder) ExpectCalls(calls int) {
	t.hold()
	switch n := int(t.n); {
	case calls <= n || calls > mostExpected*max(n, alwaysExpected):
	case t.mode == nested || t.mode == empty: // it is mostly begins and ends that are counted
		if t.calls == nil {
			t.calls = new(columns)
		}
		c := t.calls
		c.start.reserve(calls)
		c.end.reserve(calls)
		c.fn.reserve(calls)
		c.parent.reserve(calls)
		c.size.reserve(calls)
		c.depth.reserve(calls)
	case t.mode == wholes:
		t.whole.start.reserve(calls)
		t.whole.end.reserve(calls)
		t.whole.fn.reserve(calls)
	}
}
