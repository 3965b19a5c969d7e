package chrome

import "diptych/internal/traceio/spans"

// flowStep notes an s, t or f event. A flow is known by category (or scope), name and id.
func (f *feed) flowStep(t *batch, m *mention) {
	f.b.Observe(m.at)
	th := f.track(t, m.track)
	id, local := f.id(t, m)
	pid := ""
	if local {
		pid = th.pid
	}
	category := t.text(m.cat)
	if !m.scope.empty() {
		category = t.text(m.scope)
	}
	p := spans.Point{Flow: f.flows.ID(category, t.text(m.name), id, []byte(pid)), At: m.at,
		Thread: th.ThreadBuilder}
	switch m.phase {
	case 't':
		p.Role = spans.Steps
	case 'f':
		p.Role = spans.Finishes
		p.Next = m.next
	}
	f.flows.Add(p)
}

// boundFlow notes a flow that is stated on a call itself; it is known by bind_id alone.
func (f *feed) boundFlow(t *batch, m *mention) {
	th := f.track(t, m.track)
	p := spans.Point{Flow: f.flows.ID(t.text(m.bind)), At: m.at, Until: m.at,
		Thread: th.ThreadBuilder, Call: th.Call(th.begun + m.nth)}
	if m.phase == 'X' {
		p.Until = m.end
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
