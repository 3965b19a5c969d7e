package trace

// Steps are the most common records of a thread in less room than Records have: calls that begin,
// and ends of the innermost call that name no function, without arguments.
type Steps struct {
	At []int64  // ns
	Fn []FuncID // of the call that begins, or StepEnd
}

// StepEnd marks a step that ends a call. No function has such an id.
const StepEnd FuncID = 1 << 31

// AppendSteps adds steps, each as Begin or End. See Append for who may call it when.
func (t *ThreadBuilder) AppendSteps(s Steps) {
	t.hold()
	t.steps(s, false)
	t.sketch.follow(t)
}

// steps adds steps, whose ends name functions or do not.
func (t *ThreadBuilder) steps(s Steps, named bool) {
	for len(s.At) > 0 {
		n := t.nest(s, named)
		n += t.oneByOne(s.from(n), named)
		s = s.from(n)
	}
}

// from returns the steps from the i-th on.
func (s Steps) from(i int) Steps { return Steps{s.At[i:], s.Fn[i:]} }

// oneByOne adds a step that nest does not take, if there is one, and those after it as long as they
// are at levels that nest does not take either. It returns how many.
func (t *ThreadBuilder) oneByOne(s Steps, named bool) int {
	for i, fn := range s.Fn {
		if i > 0 && t.mode == nested && len(t.open) < deep {
			return i
		}
		switch at := s.At[i]; {
		case fn < StepEnd:
			t.Begin(at, fn)
		case named:
			t.EndNamed(at, fn&^StepEnd)
		default:
			t.End(at)
		}
	}
	return len(s.Fn)
}

// mostSteps is how many records become steps at once.
const mostSteps = 128

// appendNested is Begin, End and EndNamed for the first records that have no arguments. It stops at
// any other, or if the thread is no nested one, and returns how many records it took.
func (t *ThreadBuilder) appendNested(e *Records, list []Record) (n int) {
	t.hold()
	if t.mode > nested || list[0].From != list[0].To || len(t.open) == 0 && list[0].Kind != Enter {
		return 0
	}
	var at [mostSteps]int64
	var fn [mostSteps]FuncID
	for t.mode <= nested && n < len(list) {
		some := list[n:min(n+mostSteps, len(list))]
		named := endsOf(t.ends, some) == namedEnds
		steps := take(Steps{at[:], fn[:]}, e, some, named)
		t.steps(steps, named)
		if n += len(steps.At); len(steps.At) < len(some) {
			break
		}
	}
	return n
}

// endsOf returns the style of ends, which the first of them chooses.
func endsOf(style endStyle, list []Record) endStyle {
	for i := 0; i < len(list) && style == noEnds; i++ {
		switch list[i].Kind {
		case Leave:
			style = plainEnds
		case LeaveNamed:
			style = namedEnds
		}
	}
	return style
}

// take makes steps of the first records, as many as it can, and returns them in the room of s. If
// ends are named, each has the function beside StepEnd.
func take(s Steps, e *Records, list []Record, named bool) Steps {
	list = list[:min(len(list), len(s.At), len(s.Fn))]
	at, fns, functions := s.At[:len(list)], s.Fn[:len(list)], e.Functions
	end, i := uint32(Leave), 0
	if named {
		end = uint32(LeaveNamed)
	}
	for ; i < len(list); i++ {
		v := &list[i]
		kind := uint32(v.Kind)
		if kind&^end != 0 || v.From != v.To {
			break
		}
		fn := v.Fn & (FuncID(kind&1) - 1) // a Leave has none
		if len(functions) > 0 {
			fn = functions[fn]
		}
		if fn >= StepEnd {
			break
		}
		at[i], fns[i] = v.At, fn|FuncID(kind|kind>>1)<<31
	}
	return Steps{at[:i], fns[:i]}
}

// nest takes steps as long as time does not go back, each end closes a call, which has the function
// that it names if ends are named, and all numbers fit their columns. It returns how many.
func (t *ThreadBuilder) nest(s Steps, named bool) (n int) {
	if t.mode > nested || t.ends == namedEnds && !named || len(s.At) == 0 {
		return 0
	}
	if t.calls == nil {
		t.calls = newGathering(&t.b.room)
	}
	for n < len(s.At) {
		run := t.nestedRun(Steps{s.At[n:], s.Fn[n:]}, named)
		if run == 0 {
			break
		}
		n += run
	}
	return n
}

// nestedRun is nest for as long as the last chunk of the columns has room. Most calls of most
// traces come this way, so it calls nothing and keeps what it needs in registers. There is no
// stack: callers are found in the columns.
func (t *ThreadBuilder) nestedRun(s Steps, named bool) int {
	g, before := t.calls, t.records()
	to := g.front(g.missing(s.Fn))
	bases := g.basesFrom(&to)
	fns := to.fn
	spans, places, depth := to.spans[:len(fns)], to.places[:len(fns)], to.depth[:len(fns)]
	list, names := s.At, s.Fn[:len(s.At)]
	n, level, base, last := to.n, len(t.open), to.base, t.lastAt
	based := basesOf(n) << baseShift // the next call that begins a base
	top := n                         // the innermost call, from the first of the chunk on; or n
	closed := top                    // the call that the last end closed
	if level > 0 {
		top = int(t.open[level-1].call) - to.from
	}
	i := 0
	for ; i < len(list); i++ {
		at, fn := list[i], names[i]
		if at < last {
			break
		}
		if fn >= StepEnd {
			if uint(top) >= uint(len(fns)) || level == 0 {
				break
			}
			after, p, size := spans[top].after, places[top], n-top
			dur := at - bases[top>>baseShift] - int64(after)
			if uint64(dur)|uint64(size)<<upBits|uint64(after|uint32(p)) >= far ||
				named && fn != fns[top]|StepEnd {
				break
			}
			spans[top].dur, places[top] = uint32(dur), place(size)<<upBits|p&mostUp
			closed = top
			top -= int(p & mostUp)
			if level--; level == 0 {
				top = n
			}
			last = at
			continue
		}
		if uint(n) >= uint(len(fns)) || level >= deep {
			break
		}
		if n == based {
			k := n >> baseShift
			if uint(k) >= uint(len(bases)) {
				break
			}
			bases[k], base = at, at
			based += baseLen
		}
		after, up := at-base, n-top
		if uint64(after)|uint64(up)<<sizeBits >= far {
			break
		}
		spans[n], places[n] = span{after: uint32(after)}, place(1<<upBits|up)
		depth[n], fns[n] = uint8(level), fn
		top, last = n, at
		level++
		n++
	}
	if i == 0 {
		return 0
	}
	g.base.last = g.base.last[:len(g.base.last)+basesOf(n)-basesOf(to.n)]
	to.n = n
	g.close(&to)
	t.reopen(level, to.from+top)
	t.tookSteps(Steps{list[:i], names[:i]}, named, before, to.from+closed)
	return i
}

// missing returns how many calls begin with the steps, if there is no room for any.
func (g *gathering) missing(steps []FuncID) (n int) {
	if len(g.fn.last) < cap(g.fn.last) {
		return 0
	}
	for _, fn := range steps {
		n += int(fn>>31 ^ 1)
	}
	return n
}

// tookSteps brings what else the thread has up to date after some steps, before which there were so
// many records. The last end of them, if there is one, closed a call.
func (t *ThreadBuilder) tookSteps(s Steps, named bool, before, closed int) {
	g := t.calls
	t.takeColumns(callBytes * (g.len() - int(t.n)))
	t.n, t.mode, t.lastAt = uint32(g.len()), nested, s.At[len(s.At)-1]
	t.observe(s.At[0])
	t.observe(t.lastAt)
	for i := len(s.Fn) - 1; i >= 0; i-- {
		if s.Fn[i] < StepEnd {
			continue
		}
		if t.ends = plainEnds; named {
			t.ends = namedEnds
		}
		t.lastEnd, t.endRecord = uint32(closed), int32(before+i)
		break
	}
}

// reopen brings the stack up to date, which has so many levels, the innermost of them a call.
func (t *ThreadBuilder) reopen(level, call int) {
	same := min(level, len(t.open)) // levels whose calls may still be open
	if level > cap(t.open) {
		t.open = append(make([]opened, 0, max(2*level, fewOpen)), t.open...)
	}
	t.open = t.open[:level]
	for k := level - 1; k >= 0 && (k >= same || int(t.open[k].call) != call); k-- {
		t.open[k] = opened{t.calls.start(call), int32(call)}
		call -= t.calls.up(call)
	}
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
