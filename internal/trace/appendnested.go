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
		t.calls = newGathering(&t.b.room)
		t.open = make([]opened, 0, fewOpen)
	}
	g, before := t.calls, t.records()
	to := g.front(calls)
	style, end := noEnds, -1 // of the last record that is an end
	for i := range list {
		v := &list[i]
		if v.Kind == Enter {
			if to.full() {
				calls -= to.n
				to = g.front(calls)
			}
			t.open = append(t.open, g.enter(&to, v.At, e.fn(v), t.open))
			if v.From != v.To {
				t.appendArgs(e, uint32(to.from+to.n-1), v)
			}
			continue
		}
		k := len(t.open) - 1
		o := t.open[k]
		if style = plainEnds; v.Kind == LeaveNamed {
			if style = namedEnds; g.function(&to, int(o.call)) != e.fn(v) {
				list = list[:i]
				break
			}
		}
		t.open = t.open[:k]
		g.leaveNear(&to, o, v.At)
		t.lastEnd, end = uint32(o.call), i
		if v.From != v.To {
			t.endRecord = int32(before + i)
			t.ReturnArgs(e.Text[v.From:v.To])
		}
	}
	g.close(&to)
	if len(list) == 0 {
		return 0
	}
	t.takeColumns(callBytes * (g.len() - int(t.n)))
	t.n = uint32(g.len())
	if end >= 0 {
		t.ends, t.endRecord = style, int32(before+end)
	}
	t.mode, t.lastAt = nested, list[len(list)-1].At
	t.observe(list[0].At)
	t.observe(t.lastAt)
	return len(list)
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
			t.calls = newGathering(&t.b.room)
		}
		t.calls.reserve(calls)
	case t.mode == wholes && t.whole.preorder != nil:
		t.whole.preorder.reserve(calls)
	case t.mode == wholes:
		t.whole.start.reserve(calls)
		t.whole.end.reserve(calls)
		t.whole.fn.reserve(calls)
	}
}
