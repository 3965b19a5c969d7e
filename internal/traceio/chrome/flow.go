package chrome

import (
	"diptych/internal/trace"
	"diptych/internal/traceio/spans"
)

// flowStep notes an s, t or f event. A flow is known by category (or scope), name and id.
func (f *feed) flowStep(t *batch, r *record) {
	f.b.Observe(r.at)
	m := &t.more[r.more]
	th := f.track(t, r)
	id, local := f.id(t, m)
	pid := ""
	if local {
		pid = th.pid
	}
	category := t.category(r)
	if !m.scope.empty() {
		category = t.text(m.scope)
	}
	p := spans.Point{Flow: f.flows.ID(category, t.name(r), id, []byte(pid)), At: r.at,
		Thread: th.ThreadBuilder}
	switch r.phase {
	case 't':
		p.Role = spans.Steps
	case 'f':
		p.Role = spans.Finishes
		p.Next = m.next
	}
	f.flows.Add(p)
}

// boundFlow notes a flow that is stated on a call itself; it is known by bind_id alone.
func (f *feed) boundFlow(t *batch, r *record, th *track, call trace.Ref) {
	m := &t.more[r.more]
	p := spans.Point{Flow: f.flows.ID(t.text(m.bind)), At: r.at, Until: r.at,
		Thread: th.ThreadBuilder, Call: call}
	if r.phase == 'X' {
		p.Until = r.end
	}
	switch {
	case m.flowIn && m.flowOut:
		p.Role = spans.Steps
	case m.flowIn:
		p.Role = spans.Finishes
	case !m.flowOut:
		return
	}
	f.flows.Add(p)
}
