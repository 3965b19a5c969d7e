// Package stats counts what functions do in a range of time on either side of a pair: their calls,
// the time they run, by themselves and with what they call, and the time they wait. It also says
// how long the calls of one function take, as a histogram of both sides over the same bins.
//
// All of it is a walk over the calls of the range: its cost does not depend on how long the traces
// are beside it. The package knows neither alignments nor what is shown.
//
// # What is counted
//
// A Range is half-open, [From, To). Each thread is looked at by itself, and threads add up.
//
//   - A call is in the range if some of its time is, or, for a call that takes no time, its start.
//     Calls that began before the range count in it: a range within main has a call of main.
//   - Self is the time of the calls within the range during which no callee ran.
//   - Total is the time of the calls within the range, callees included. Of recursive calls only
//     the outermost counts, so that no moment of a thread counts twice: on one thread Total is
//     never more than the length of the range.
//   - Wait is how much of Total the thread spent in calls that wait: in the call itself, in a
//     callee, or in a caller that is a wait. Waits that lie in other waits count once.
package stats

import (
	"context"
	"sort"

	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/trace"
)

// Range is a stretch of time of a trace, ns since its start, without its end.
type Range struct{ From, To int64 }

// Window is what is looked at: a range of each side, on all threads or, with One, on one pair of
// threads alone.
type Window struct {
	Ranges  [2]Range
	One     bool
	Threads pair.ThreadPair
}

// Everything returns the window of all calls of a pair.
func Everything(p *pair.Pair) (w Window) {
	for side := range w.Ranges {
		if t := p.Trace(pair.Side(side)); t != nil {
			w.Ranges[side] = Range{0, t.Duration + 1}
		}
	}
	return w
}

// has reports whether a side's thread is looked at.
func (w *Window) has(side pair.Side, thread int) bool {
	return !w.One || w.Threads.On(side) == thread
}

// Len returns the length of the range, ns.
func (r Range) Len() int64 { return max(r.To-r.From, 0) }

// has reports whether a call from start to end is in the range. Nothing is in an empty range.
func (r Range) has(start, end int64) bool {
	return r.Len() > 0 && start < r.To && (end > r.From || start >= r.From)
}

// clip returns how much of a call lies in the range, ns.
func (r Range) clip(start, end int64) int64 {
	return max(min(end, r.To)-max(start, r.From), 0)
}

// Amount is what a function does on one side, in a range. Times are in ns, or in the trace's unit.
type Amount struct {
	Calls             int
	Self, Total, Wait int64
	First             trace.CallRef // the first of the calls, by thread, then in pre-order
}

// Function is what a function does on both sides.
type Function struct {
	ID    uint32 // identity, an index into pair.Pair.Names
	Sides [2]Amount
}

// Change returns B − A of the self time.
func (f *Function) Change() int64 { return f.Sides[pair.B].Self - f.Sides[pair.A].Self }

// Table is what all functions do in a window.
type Table struct {
	Pair      *pair.Pair
	Window    Window
	Functions []Function // those with calls in the range of some side, by ID
	Sums      [2]Amount  // of all calls; Self and Total are both the time of root calls
}

// Count makes the table of functions for a window of p: of one pair of threads, or else of those
// that count (pair.Counted). report, which may be nil, counts threads.
func Count(ctx context.Context, p *pair.Pair, w Window, report progress.Func) (*Table, error) {
	t := &Table{Pair: p, Window: w}
	rows := make([]Function, len(p.Names))
	err := eachThread(ctx, p, &w, report, func(side pair.Side) func(th *trace.Thread, index int) error {
		c := counter{rows: rows, sum: &t.Sums[side], side: side, ids: p.IDs(side),
			within: w.Ranges[side], open: make([]int32, len(p.Names))}
		return func(th *trace.Thread, index int) error {
			if !w.One && !p.Counted(side, index) {
				return nil
			}
			return c.count(ctx, th, index)
		}
	})
	if err != nil {
		return nil, err
	}
	for id := range rows {
		f := &rows[id]
		if f.Sides[0].Calls+f.Sides[1].Calls == 0 {
			continue
		}
		f.ID = uint32(id)
		t.Functions = append(t.Functions, *f)
	}
	return t, nil
}

// eachThread visits the threads of both sides in a window with what visitor makes for a side.
func eachThread(ctx context.Context, p *pair.Pair, w *Window, report progress.Func,
	visitor func(side pair.Side) func(th *trace.Thread, index int) error) error {
	m := progress.NewMeter(report, 0)
	for _, side := range []pair.Side{pair.A, pair.B} {
		if tr := p.Trace(side); tr != nil {
			m.Expect(int64(len(tr.Threads)))
		}
	}
	for _, side := range []pair.Side{pair.A, pair.B} {
		tr := p.Trace(side)
		if tr == nil {
			continue
		}
		visit := visitor(side)
		for k, th := range tr.Threads {
			if w.has(side, k) {
				if err := visit(th, k); err != nil {
					return err
				}
			}
			if err := m.Add(ctx, 1); err != nil {
				return err
			}
		}
	}
	m.Finish()
	return nil
}

// checkEvery is after how many calls a walk looks whether it has been cancelled.
const checkEvery = 1 << 16

// counter adds up the calls of one side.
type counter struct {
	rows   []Function
	sum    *Amount
	side   pair.Side
	ids    []uint32 // identity by function
	within Range

	thread int32
	open   []int32 // by identity: how many calls of it are open
	stack  []frame
	waits  []trace.Block // of the thread: waits that have not been reached
}

// frame is an open call.
type frame struct {
	next   int   // the first call after its subtree
	clip   int64 // its time in the range
	waited int64 // how much of that was waited, as far as it is known
	id     uint32
	waits  bool // it is a wait, or lies in one
	inner  bool // it lies in a wait, whose time its callers count already
}

// count adds the calls of a thread that are in the range.
func (c *counter) count(ctx context.Context, th *trace.Thread, index int) error {
	c.waits, c.thread = th.Blocks, int32(index)
	err := each(ctx, th, c.within, func(i int) {
		for len(c.stack) > 0 && i >= c.stack[len(c.stack)-1].next {
			c.leave()
		}
		c.enter(th, i)
	})
	for len(c.stack) > 0 {
		c.leave()
	}
	return err
}

// enter opens call i.
func (c *counter) enter(th *trace.Thread, i int) {
	id := c.ids[th.Fn[i]]
	f := frame{next: th.Next(i), clip: c.within.clip(th.Start(i), th.End(i)), id: id}
	a := &c.rows[id].Sides[c.side]
	if a.Calls++; a.Calls == 1 {
		a.First = trace.CallRef{Thread: c.thread, Call: int32(i)}
	}
	a.Self += f.clip
	c.sum.Calls++
	f.waits = c.isWait(i)
	if len(c.stack) > 0 {
		above := &c.stack[len(c.stack)-1]
		c.rows[above.id].Sides[c.side].Self -= f.clip
		f.inner = above.waits
		f.waits = f.waits || above.waits
	} else {
		c.sum.Self += f.clip
		c.sum.Total += f.clip
	}
	if f.waits {
		f.waited = f.clip
	}
	if c.open[id]++; c.open[id] == 1 {
		a.Total += f.clip
	}
	c.stack = append(c.stack, f)
}

// leave closes the innermost open call.
func (c *counter) leave() {
	f := c.stack[len(c.stack)-1]
	c.stack = c.stack[:len(c.stack)-1]
	if c.open[f.id]--; c.open[f.id] == 0 {
		c.rows[f.id].Sides[c.side].Wait += f.waited
	}
	switch {
	case f.inner:
	case len(c.stack) > 0:
		c.stack[len(c.stack)-1].waited += f.waited
	default:
		c.sum.Wait += f.waited
	}
}

// isWait reports whether call i is a wait. Calls are asked for in rising order.
func (c *counter) isWait(i int) bool {
	skip := sort.Search(len(c.waits), func(k int) bool { return int(c.waits[k].Call) >= i })
	c.waits = c.waits[skip:]
	for k := range c.waits {
		if int(c.waits[k].Call) != i {
			break
		}
		if c.waits[k].Kind == trace.Wait {
			return true
		}
	}
	return false
}

// each visits the calls of a thread that are in a range, in pre-order. Those that are open when the
// range begins are the last call before it and its callers, as far as they have not ended.
func each(ctx context.Context, th *trace.Thread, r Range, visit func(call int)) error {
	first := sort.Search(th.Len(), func(i int) bool { return th.Start(i) >= r.From })
	var open []int
	for i := first - 1; i >= 0; i = int(th.Parent(i)) {
		if r.has(th.Start(i), th.End(i)) {
			open = append(open, i)
		}
	}
	for k := len(open) - 1; k >= 0; k-- {
		visit(open[k])
	}
	for i := first; i < th.Len() && th.Start(i) < r.To; i++ {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		visit(i)
	}
	return ctx.Err()
}
