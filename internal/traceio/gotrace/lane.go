package gotrace

import (
	"fmt"
	"strconv"

	xtrace "golang.org/x/exp/trace"

	"diptych/internal/trace"
)

// lane is a thread of asynchronous spans: a user task, or the runtime's ranges on one resource.
type lane struct {
	thread *trace.ThreadBuilder
	open   []span
}

type span struct {
	fn  trace.FuncID
	ref trace.Ref
}

func (l *loader) lane(id, name, role string) *lane {
	t := l.b.Thread(id, -1)
	t.Use(&l.shelf)
	t.SetName(name)
	t.SetRole(role, false)
	t.SetKind(trace.AsyncTrack)
	l.b.Holds(laneBytes)
	n := &lane{thread: t}
	l.lanes = append(l.lanes, n)
	return n
}

func (n *lane) begin(at int64, fn trace.FuncID) trace.Ref {
	ref := n.thread.Begin(at, fn)
	n.open = append(n.open, span{fn, ref})
	return ref
}

// end closes the innermost open span of fn; the builder counts it if there is none.
func (n *lane) end(at int64, fn trace.FuncID) {
	n.thread.EndNamed(at, fn)
	for i := len(n.open) - 1; i >= 0; i-- {
		if n.open[i].fn == fn {
			n.open = append(n.open[:i], n.open[i+1:]...)
			return
		}
	}
}

func (n *lane) isOpen(fn trace.FuncID) bool {
	for _, s := range n.open {
		if s.fn == fn {
			return true
		}
	}
	return false
}

// leave closes the spans that the trace leaves open.
func (l *loader) leave(n *lane) {
	for i := len(n.open) - 1; i >= 0; i-- {
		s := n.open[i]
		n.thread.EndNamed(l.now, s.fn)
		n.thread.Flag(s.ref, trace.Unclosed)
		l.b.Diagnose(trace.UnmatchedBegin, 1, "%s has no end", l.b.FunctionName(s.fn))
	}
}

// task begins or ends a user task. One that is older than the recording is as old as that; only
// when a task begins is it said what it is called.
func (l *loader) task(e *xtrace.Event, kind xtrace.EventKind) {
	t := l.batch.task()
	l.sampled(e)
	if kind == xtrace.EventTaskBegin {
		n, ref := l.beginTask(t.ID, t.Type, l.now)
		if t.Parent != xtrace.NoTask && t.Parent != xtrace.BackgroundTask {
			n.thread.Args(ref, fmt.Appendf(nil, "parent=%d", t.Parent))
		}
		if l.oldest == 0 || t.ID < l.oldest {
			l.oldest = t.ID
		}
		return
	}
	n := l.tasks[t.ID]
	switch older := l.oldest == 0 || t.ID < l.oldest; {
	case n != nil:
	case older && t.ID != xtrace.NoTask && t.ID != xtrace.BackgroundTask:
		n, _ = l.beginTask(t.ID, "task", l.born)
	default:
		l.b.Diagnose(trace.UnmatchedEnd, 1, "end of task %d closes nothing", t.ID)
		return
	}
	n.end(l.now, n.open[0].fn)
	n.thread.Close(&l.shelf)
	delete(l.tasks, t.ID)
}

func (l *loader) beginTask(id xtrace.TaskID, name string, at int64) (*lane, trace.Ref) {
	n := l.lane(fmt.Sprintf("task %d", id), name, name)
	l.tasks[id] = n
	return n, n.begin(at, l.fns.region(name, nil))
}

// ranged begins or ends a range of the runtime, such as a garbage collection.
func (l *loader) ranged(e *xtrace.Event, kind xtrace.EventKind) {
	r := ask(&l.guard, e.Range)
	fn := l.fns.named(r.Name, trace.Event)
	n, at := l.ranges[r.Scope], l.now
	if n == nil {
		n, at = l.lane(scopeName(r.Scope)), l.born
		l.ranges[r.Scope] = n
	}
	switch kind {
	case xtrace.EventRangeBegin:
		l.sampled(e)
		n.begin(l.now, fn)
	case xtrace.EventRangeActive:
		// Said of each active range in every generation; news only of one older than the trace.
		if !n.isOpen(fn) {
			n.begin(at, fn)
		}
	case xtrace.EventRangeEnd:
		l.sampled(e)
		n.end(l.now, fn)
		l.said = appendAttributes(l.said[:0], ask(&l.guard, e.RangeAttributes))
		n.thread.ReturnArgs(l.said)
	}
}

func appendAttributes(text []byte, as []xtrace.RangeAttribute) []byte {
	for i, a := range as {
		if i > 0 {
			text = append(text, ' ')
		}
		text = append(append(text, a.Name...), '=')
		if a.Value.Kind() == xtrace.ValueUint64 {
			text = strconv.AppendUint(text, a.Value.Uint64(), 10)
		} else {
			text = append(text, a.Value.String()...)
		}
	}
	return text
}

// scopeName returns the id, the name and the role of the lane of a resource's ranges.
func scopeName(r xtrace.ResourceID) (id, name, role string) {
	switch r.Kind {
	case xtrace.ResourceGoroutine:
		g := r.Goroutine()
		return fmt.Sprintf("G%d", g), fmt.Sprintf("goroutine %d · ranges", g), "goroutine · ranges"
	case xtrace.ResourceProc:
		return fmt.Sprintf("P%d", r.Proc()), fmt.Sprintf("processor %d · ranges", r.Proc()),
			"processor · ranges"
	case xtrace.ResourceThread:
		return fmt.Sprintf("M%d", r.Thread()), fmt.Sprintf("thread %d · ranges", r.Thread()),
			"thread · ranges"
	}
	return "world", "world · ranges", "world · ranges"
}
