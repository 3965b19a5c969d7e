package requests

import (
	"context"
	"fmt"

	"diptych/internal/trace"
	"diptych/internal/traceio/spans"
)

// feeder hands the spans of a request to the Builder.
type feeder struct {
	*layout
	threads []*trace.ThreadBuilder // by lane
	refs    []trace.Ref            // by span
	lane    []int32                // by span: index into threads
	args    Members
}

// feed hands a request to the Builder.
func feed(ctx context.Context, b *trace.Builder, r *request) error {
	t := newTree(b, r.spans, r.end)
	if err := t.countSkew(ctx); err != nil {
		return err
	}
	f := feeder{layout: lay(t), refs: make([]trace.Ref, len(t.spans)), lane: make([]int32, len(t.spans))}
	if err := f.addThreads(); err != nil {
		return err
	}
	for k, heads := range f.lanes {
		for _, head := range heads {
			f.branch(int32(k), head)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	for _, i := range t.order {
		f.call(i)
	}
	f.links(r)
	return ctx.Err()
}

// addThreads adds the services as processes, in the order in which the request reaches them, and
// their lanes as threads. It fails if they take too much memory: each span can be a lane.
func (f *feeder) addThreads() error {
	title := map[string]string{}
	for i := range f.spans {
		r := f.spans[i].Resource
		title[r.id()] = r.name()
	}
	for k, service := range f.services {
		p := f.b.Process(service)
		f.b.NameProcess(p, title[service])
		f.b.SortProcess(p, k)
	}
	for _, at := range f.of {
		if err := f.b.Refused(); err != nil {
			return err
		}
		name, id := title[at.service], spans.PlainID(at.service)
		if at.number > 0 {
			id = fmt.Sprintf("%s.%d", id, at.number+1)
			name = fmt.Sprintf("%s · %d", name, at.number+1)
		}
		th := f.b.Thread(id, f.b.Process(at.service))
		th.SetName(name)
		th.SetLane(at.number)
		th.SetRole(title[at.service], false)
		th.SetKind(trace.Ordinary)
		th.SetSort(at.number)
		f.threads = append(f.threads, th)
	}
	return nil
}

// branch hands a span and all that stays with it to its thread, in the order of time.
func (f *feeder) branch(lane, head int32) {
	th := f.threads[lane]
	type step struct {
		span  int32
		begin bool
	}
	stack := []step{{head, true}}
	for len(stack) > 0 {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		x := &f.spans[s.span]
		if !s.begin {
			th.End(x.End)
			continue
		}
		f.lane[s.span] = lane
		f.refs[s.span] = th.Begin(x.Start, f.b.Function(f.function(s.span)))
		stack = append(stack, step{s.span, false})
		for k := len(f.below[s.span]) - 1; k >= 0; k-- {
			stack = append(stack, step{f.below[s.span][k], true})
		}
	}
}

// function returns the function of a span.
func (f *feeder) function(i int32) trace.Function {
	return trace.Function{Name: f.name[i], Package: f.spans[i].Scope, Kind: trace.Region}
}

// call adds what is known of a span beside its times.
func (f *feeder) call(i int32) {
	x, th := &f.spans[i], f.threads[f.lane[i]]
	if f.open[i] {
		th.Flag(f.refs[i], trace.Unclosed)
	}
	th.Args(f.refs[i], f.arguments(i))
	if x.Detail == nil {
		return
	}
	for _, e := range x.Events {
		if e.At <= 0 || e.At > trace.Limit {
			f.b.Diagnose(trace.BadRecord, 1, "event %s of span %s is at %d ns", e.Name, x.ID, e.At)
			continue
		}
		name := x.Resource.name() + ": " + e.Name
		th.Instant(e.At, f.b.Function(trace.Function{Name: name, Package: x.Scope, Kind: trace.Event}))
	}
}

// arguments returns the arguments of a span as a JSON object: its attributes, what recorded it
// unless its caller says that already, and its id. It is good until the next call.
func (f *feeder) arguments(i int32) []byte {
	x, m := &f.spans[i], &f.args
	m.Reset()
	m.Open('{')
	if x.Detail != nil && len(x.Args) > 0 {
		m.Raw(x.Args)
	}
	if p, r := f.parent[i], x.Resource; r != nil && len(r.Args) > 0 && (p == none || f.spans[p].Resource != r) {
		m.Name("resource")
		m.Open('{')
		m.Raw(r.Args)
		m.Close('}')
	}
	if by, ok := f.moved[i]; ok {
		m.Counted("movedNs", by.by)
		m.Counted("cutNs", by.cut)
	}
	m.Said("spanID", x.ID)
	m.Close('}')
	return m.Text
}

// links states what caused what, where the calls do not say it by lying in one another.
func (f *feeder) links(r *request) {
	byID := make(map[string]int32, len(f.spans))
	for i := range f.spans {
		if _, ok := byID[f.spans[i].ID]; !ok {
			byID[f.spans[i].ID] = int32(i)
		}
	}
	for _, i := range f.order {
		if p := f.parent[i]; p != none && f.head[i] == i {
			f.child(p, i)
		}
		if x := &f.spans[i]; x.Detail != nil {
			for _, l := range x.Links {
				f.linked(r, byID, l, i)
			}
		}
	}
}

// child links a span to its parent on another lane. The parent sent for it when it began, as far as
// the recording tells. The span is a part of its parent if it ends first; or if the parent is a
// client's, which waits for the answer, whatever the clock of the other service says.
func (f *feeder) child(p, i int32) {
	x, y := &f.spans[p], &f.spans[i]
	at := min(max(y.Start, x.Start), x.End)
	remote := x.Kind == Client && !f.sameService(p, i) && y.Start < x.End
	if f.apart(i) || f.lane[p] == f.lane[i] || y.End > x.End && !remote && !f.jitter(i, p, y.End-x.End) {
		f.b.Link(f.refs[p], f.refs[i], at, max(at, y.Start))
		return
	}
	f.b.Part(f.refs[p], f.refs[i], at, max(at, y.Start))
	if end := min(x.End, y.End); remote && end > x.Start {
		f.b.CorrespondAt(f.refs[p], f.refs[i], end, trace.NoObject)
	}
}

// linked adds a link to span i from one that it names.
func (f *feeder) linked(r *request, byID map[string]int32, l Link, i int32) {
	from, ok := byID[l.Span]
	if !ok || l.Trace != "" && plain(l.Trace) != plain(r.id) {
		f.b.Diagnose(trace.UnboundFlow, 1, "span %s, %s, is linked to span %s of trace %s",
			f.spans[i].ID, f.name[i], l.Span, l.Trace)
		return
	}
	x, y := &f.spans[from], &f.spans[i]
	at := min(max(y.Start, x.Start), x.End)
	f.b.Link(f.refs[from], f.refs[i], at, max(at, y.Start))
}
