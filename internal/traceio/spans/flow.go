package spans

import (
	"cmp"
	"slices"

	"diptych/internal/trace"
)

// Flows gathers the points of all flows. Files are not in time order, so they are linked at the
// end.
type Flows struct {
	points []Point
	ids    map[string]uint32
	key    []byte
}

// Point is where a flow passes: at a time on a thread, or exactly at a call.
type Point struct {
	Flow   uint32 // by ID
	Role   Role
	Next   bool // belongs to the call that starts then or next
	At     int64
	Until  int64 // the end of Call, as far as that is known
	Thread *trace.ThreadBuilder
	Call   trace.Ref // the zero Ref if it is not known
}

// Role is what a point is to its flow. Roles order the points that have the same time.
type Role uint8

const (
	Starts   Role = iota
	Passes        // starts the flow if nothing has before, and else is a step of it
	Steps         // needs a start
	Finishes      // needs a start, which may serve several finishes
	Ends          // a finish after which the id may stand for another flow
)

// NewFlows returns an empty set.
func NewFlows() Flows { return Flows{ids: map[string]uint32{}} }

// ID numbers a flow by the parts of its key.
func (s *Flows) ID(parts ...[]byte) uint32 {
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

// Add adds a point.
func (s *Flows) Add(p Point) { s.points = append(s.points, p) }

// Link hands the flows to the Builder and empties the set: each step and finish is caused by the
// last start or step before it. A call that states that it is a finish may begin before its flow
// does, as one that waits for it will. The Builder says which of them end a wait.
func (s *Flows) Link(b *trace.Builder) {
	slices.SortStableFunc(s.points, func(a, b Point) int {
		return cmp.Or(cmp.Compare(a.Flow, b.Flow),
			cmp.Compare(a.At, b.At), cmp.Compare(a.Role, b.Role))
	})
	var from *Point
	later := s.laterStarts()
	for i := range s.points {
		p := &s.points[i]
		if from != nil && from.Flow != p.Flow {
			from = nil
		}
		by := from
		if by == nil && p.Role == Finishes {
			by = s.startDuring(i, later[i])
		}
		switch {
		case p.Role == Starts, by == nil && p.Role == Passes:
		case by == nil:
			b.Diagnose(trace.UnboundFlow, 1, "flow to thread %s at %v has no start",
				p.Thread.ID(), trace.Since(p.At))
		default:
			b.Flow(by.moment(), p.moment())
		}
		switch p.Role {
		case Finishes:
		case Ends:
			from = nil
		default:
			from = p
		}
	}
	*s = NewFlows()
}

// laterStarts returns, by point, the next start that follows, or the number of points. They are in
// order of flows.
func (s *Flows) laterStarts() []int {
	later := make([]int, len(s.points))
	next := len(s.points)
	for i := len(s.points) - 1; i >= 0; i-- {
		later[i] = next
		if s.points[i].Role == Starts {
			next = i
		}
	}
	return later
}

// startDuring returns start k, the next after point i, if it is of the same flow and lies within
// the call that the point is bound to, and else nil.
func (s *Flows) startDuring(i, k int) *Point {
	if k == len(s.points) {
		return nil
	}
	p, q := &s.points[i], &s.points[k]
	if q.Flow != p.Flow || q.At > p.Until {
		return nil
	}
	return q
}

// moment returns the point as the Builder takes it.
func (p *Point) moment() trace.Moment {
	return trace.Moment{Thread: p.Thread, At: p.At, Next: p.Next, Call: p.Call}
}
