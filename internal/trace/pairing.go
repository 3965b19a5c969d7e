package trace

import (
	"cmp"
	"context"
	"slices"
)

// interval is a call paired from a begin and an end at positions lo and hi of the sorted log.
type interval struct {
	start, end int64
	lo, hi     int32
	fn         FuncID
	ord        uint32
	unclosed   bool
}

// pair matches the begins and ends of a logged thread, in stream order stably sorted by time: an
// end that carries a name closes the innermost open begin of that name, an unnamed one the
// innermost. A begin without end is closed with its caller, or at the thread's last time, which may
// be that of an instant.
func (t *ThreadBuilder) pair(ctx context.Context) ([]interval, error) {
	late, err := t.sortLog(ctx)
	if err != nil {
		return nil, err
	}
	r := &t.b.room
	out := made[interval](r, len(t.log)/2)[:0]
	var (
		open   []int32                // all begins not yet known to be closed, by position
		byFn   = map[FuncID][]int32{} // the same by function
		done   []bool                 // by interval
		caller []int32                // by interval: the innermost open begin when it began
	)
	top := func(s []int32) []int32 {
		for len(s) > 0 && done[s[len(s)-1]] {
			s = s[:len(s)-1]
		}
		return s
	}
	for at, v := range t.log {
		if at&0xfff == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !v.isEnd() {
			open = top(open)
			c := int32(-1)
			if len(open) > 0 {
				c = open[len(open)-1]
			}
			i := int32(len(out))
			out = pushed(r, out, interval{start: v.at, lo: int32(at), fn: v.fn, ord: v.ord, unclosed: true})
			done, caller = pushed(r, done, false), pushed(r, caller, c)
			open = append(open, i)
			byFn[v.fn] = append(byFn[v.fn], i)
			continue
		}
		var s []int32
		if v.ord == plainEnd {
			open = top(open)
			s = open
		} else {
			s = top(byFn[v.fn])
			byFn[v.fn] = s
		}
		if len(s) == 0 {
			t.strayEnd(v)
			continue
		}
		i := s[len(s)-1]
		done[i] = true
		out[i].end, out[i].hi, out[i].unclosed = v.at, int32(at), false
		if text, ok := late[int32(at)]; ok {
			t.args.push(arg{int32(out[i].ord), text.from, text.to})
		}
	}
	t.closeWithCallers(out, caller)
	dropped(r, done)
	dropped(r, caller)
	return out, nil
}

// closeWithCallers gives unclosed intervals the end of the innermost caller that was still running
// when they began; callers come before what they call.
func (t *ThreadBuilder) closeWithCallers(out []interval, caller []int32) {
	for i := range out {
		v := &out[i]
		if !v.unclosed {
			continue
		}
		if c := running(out, caller, int32(i)); c >= 0 {
			v.end, v.hi = out[c].end, out[c].hi
		} else {
			v.end, v.hi = t.last, int32(len(t.log))
		}
		t.openEnd(v.fn, v.start)
		t.marks = append(t.marks, mark{v.ord, Unclosed})
	}
}

// running returns the innermost caller of interval i that has not ended when i begins, or −1. A
// named end can close a call around others that never end. Those end with it, and do not call what
// begins later:
//
//	begin f, begin g, end f, begin h: g ends with f, so h is not in g.
//
// Begins only get later, so an interval that has ended is never needed again; each search shortens
// the way past such intervals by half.
func running(out []interval, caller []int32, i int32) int32 {
	over := func(c int32) bool { return c >= 0 && out[c].hi < out[i].lo }
	c := caller[i]
	for over(c) {
		if next := caller[c]; over(next) {
			caller[c] = caller[next]
		}
		c = caller[c]
	}
	return c
}

func (t *ThreadBuilder) strayEnd(r record) {
	name := ""
	if r.ord == namedEnd {
		name = " of " + t.b.functions[r.fn].Name
	}
	t.diagnose(UnmatchedEnd, 1, t.says("end%s at %v closes nothing", name, Since(r.at)))
}

func (t *ThreadBuilder) openEnd(fn FuncID, start int64) {
	t.diagnose(UnmatchedBegin, 1,
		t.says("%s begun at %v has no end", t.b.functions[fn].Name, Since(start)))
}

// sortLog sorts the log stably by time and returns the late arguments by the new position of their
// end.
func (t *ThreadBuilder) sortLog(ctx context.Context) (map[int32]lateArg, error) {
	late := make(map[int32]lateArg, len(t.lateArgs))
	for _, a := range t.lateArgs {
		late[a.end] = a
	}
	if slices.IsSortedFunc(t.log, func(x, y record) int { return cmp.Compare(x.at, y.at) }) {
		return late, nil
	}
	order := made[uint32](&t.b.room, len(t.log))
	for i := range order {
		order[i] = uint32(i)
	}
	before := func(x, y uint32) bool { return t.log[x].at < t.log[y].at }
	if err := mergeSort(ctx, &t.b.room, order, before); err != nil {
		return nil, err
	}
	t.log = permute(&t.b.room, t.log, order)
	moved := make(map[int32]lateArg, len(late))
	for to, from := range order {
		if a, ok := late[int32(from)]; ok {
			moved[int32(to)] = a
		}
	}
	dropped(&t.b.room, order)
	return moved, nil
}

// deepScan is how far down the stack a named end looks before the thread is logged instead, where
// looking up open calls by name takes constant time.
const deepScan = 256

func (t *ThreadBuilder) isOpen(fn FuncID) bool {
	for k := len(t.open) - 1; k >= 0; k-- {
		if len(t.open)-k > deepScan || t.calls.fn.at(int(t.open[k].call)) == fn {
			return true
		}
	}
	return false
}

// toLog turns a nested or whole thread into a logged one. The records of a nested thread are those
// of a walk around its forest, with the ends that closed nothing at their former positions.
func (t *ThreadBuilder) toLog() {
	was := t.mode
	t.mode = logged
	if was == wholes {
		t.whole.loosen(&t.b.room)
		// The intervals stay as they are, and the log begins empty. From now on their ordinals are
		// not their indices.
		for i := range uint32(t.whole.start.len()) {
			t.whole.ord.push(i)
		}
	}
	if was != nested {
		return
	}
	total := t.records()
	var th Thread
	if t.calls != nil {
		t.calls.finish(&th)
	}
	t.log = made[record](&t.b.room, total+total/2+16)[:0]
	style := uint32(plainEnd)
	if t.ends == namedEnds {
		style = namedEnd
	}
	strays := t.strays
	emit := func(r record) {
		for len(strays) > 0 && strays[0].before == len(t.log) {
			t.log = append(t.log, strays[0].record)
			strays = strays[1:]
		}
		t.log = append(t.log, r)
	}
	stillOpen := make(map[int32]bool, len(t.open))
	for _, o := range t.open {
		stillOpen[o.call] = true
	}
	var stack []int32
	closeTop := func() {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if !stillOpen[i] {
			emit(record{th.End(int(i)), th.Fn[i], style})
		}
	}
	for i := range th.Len() {
		for len(stack) > int(th.Depth(i)) {
			closeTop()
		}
		emit(record{th.Start(i), th.Fn[i], uint32(i)})
		stack = append(stack, int32(i))
	}
	for len(stack) > 0 {
		closeTop()
	}
	for _, s := range strays {
		t.log = append(t.log, s.record)
	}
	th.drop(&t.b.room)
	t.calls, t.open = nil, nil
	if t.strays != nil {
		t.rarities.strays = nil
	}
}

// Renumber replaces the function id f of every event of the thread by to[f]. A loader that reads
// several threads at once gives each its own numbers, in order of appearance, and renumbers them
// when all are read, so that the ids of a trace do not depend on which goroutine came first.
func (t *ThreadBuilder) Renumber(to []FuncID) {
	if t.gathered == nil {
		return
	}
	var fns []*column[FuncID]
	if t.calls != nil {
		fns = append(fns, &t.calls.fn)
	}
	if t.whole != nil {
		fns = append(fns, &t.whole.fn)
		if p := t.whole.preorder; p != nil {
			fns = append(fns, &p.fn)
		}
	}
	for _, c := range fns {
		for chunk := range c.chunks {
			for i, f := range chunk {
				chunk[i] = to[f]
			}
		}
	}
	for i := range t.log {
		if r := &t.log[i]; r.ord != plainEnd {
			r.fn = to[r.fn]
		}
	}
	for i := range t.strays {
		if r := &t.strays[i]; r.ord != plainEnd {
			r.fn = to[r.fn]
		}
	}
	for i := range t.instants {
		t.instants[i].Fn = to[t.instants[i].Fn]
	}
}
