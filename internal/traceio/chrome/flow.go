package chrome

import (
	"cmp"
	"slices"

	"diptych/internal/trace"
)

// flows gathers the points of all flows. Files are not in time order, so they are linked at the
// end.
type flows struct {
	points []point
	ids    map[string]uint32
	key    []byte
}

// point is where a flow passes: at a time on a thread, or exactly at a call.
type point struct {
	flow  uint32
	role  role
	next  bool // belongs to the call that starts then or next
	bound bool // call is known
	at    int64
	until int64 // the end of the call that it is bound to, as far as that is known
	track *track
	call  trace.Ref
}

// role orders the points of a flow that have the same time.
type role uint8

const (
	starts role = iota
	steps
	finishes
)

func newFlows() flows { return flows{ids: map[string]uint32{}} }

// id numbers a flow by the parts of its key.
func (s *flows) id(parts ...[]byte) uint32 {
	s.key = s.key[:0]
	for _, p := range parts {
		s.key = append(append(s.key, p...), 0)
	}
	n, ok := s.ids[string(s.key)]
	if !ok {
		n = uint32(len(s.ids))
		s.ids[string(s.key)] = n
	}
	return n
}

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
	p := point{flow: f.flows.id(category, t.name(r), id, []byte(pid)), at: r.at, track: th}
	switch r.phase {
	case 't':
		p.role = steps
	case 'f':
		p.role = finishes
		p.next = m.next
	}
	f.flows.points = append(f.flows.points, p)
}

// boundFlow notes a flow that is stated on a call itself; it is known by bind_id alone.
func (f *feed) boundFlow(t *batch, r *record, th *track, call trace.Ref) {
	m := &t.more[r.more]
	p := point{flow: f.flows.id(t.text(m.bind)), at: r.at, until: r.at, track: th, call: call,
		bound: true}
	if r.phase == 'X' {
		p.until = r.end
	}
	switch {
	case m.flowIn && m.flowOut:
		p.role = steps
	case m.flowIn:
		p.role = finishes
	case !m.flowOut:
		return
	}
	f.flows.points = append(f.flows.points, p)
}

// link hands the flows to the Builder: each step and finish is caused by the last start or step
// before it. One start may have many finishes. A call that states that it is a finish may begin
// before its flow does, as one that waits for it will. The Builder says which of them end a wait.
func (f *feed) link() {
	slices.SortStableFunc(f.flows.points, func(a, b point) int {
		return cmp.Or(cmp.Compare(a.flow, b.flow),
			cmp.Compare(a.at, b.at), cmp.Compare(a.role, b.role))
	})
	var from *point
	later := f.flows.laterStarts()
	for i := range f.flows.points {
		p := &f.flows.points[i]
		if from != nil && from.flow != p.flow {
			from = nil
		}
		by := from
		if by == nil && p.role == finishes {
			by = f.flows.startDuring(i, later[i])
		}
		switch {
		case p.role == starts:
		case by == nil:
			f.b.Diagnose(trace.UnboundFlow, 1, "flow to thread %s/%s at %d ns has no start",
				p.track.pid, p.track.tid, p.at)
		default:
			f.b.Flow(by.moment(), p.moment())
		}
		if p.role != finishes {
			from = p
		}
	}
	f.flows = newFlows()
}

// laterStarts returns, by point, the next start that follows, or the number of points. They are in
// order of flows.
func (s *flows) laterStarts() []int {
	later := make([]int, len(s.points))
	next := len(s.points)
	for i := len(s.points) - 1; i >= 0; i-- {
		later[i] = next
		if s.points[i].role == starts {
			next = i
		}
	}
	return later
}

// startDuring returns start k, the next after point i, if it is of the same flow and lies within
// the call that the point is bound to, and else nil.
func (s *flows) startDuring(i, k int) *point {
	if k == len(s.points) {
		return nil
	}
	p, q := &s.points[i], &s.points[k]
	if q.flow != p.flow || q.at > p.until {
		return nil
	}
	return q
}

// moment returns the point as the Builder takes it.
func (p *point) moment() trace.Moment {
	return trace.Moment{Thread: p.track.ThreadBuilder, At: p.at, Next: p.next, Call: p.call}
}
