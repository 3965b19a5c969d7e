package paje

import (
	"encoding/binary"
	"maps"
	"slices"

	"diptych/internal/trace"
)

// links joins the starts and ends of links, which may come in either order.
type links struct {
	open map[string]*pending // by type and key
	done []link
	ids  map[*entityType]uint32
	key  []byte
}

// point is an end of a link: the state that was open there, or else a moment of the container.
type point struct {
	in   *container
	at   int64
	lane *lane // nil if no state was open
	ref  trace.Ref
}

type pending struct {
	point
	role role
}

type link struct{ from, to point }

// linkEnd feeds the start or the end of a link.
func (f *feed) linkEnd(at int64, r role) {
	t, c := f.types[string(f.field(roleType))], f.container(r)
	switch {
	case t == nil || t.kind != defineLinkType:
		f.bad("its type is not defined, or is no type of links")
		return
	case c == nil:
		f.bad("the container at its end is not there")
		return
	}
	p := pending{point{in: c, at: at}, r}
	for _, l := range c.lanes {
		if n := len(l.open); n > 0 {
			p.lane, p.ref = l, l.open[n-1].ref
			break
		}
	}
	f.links.join(f.b, f.links.number(t), f.field(roleKey), p)
}

// number numbers a type of links.
func (s *links) number(t *entityType) uint32 {
	if s.ids == nil {
		s.ids = map[*entityType]uint32{}
	}
	n, ok := s.ids[t]
	if !ok {
		n = uint32(len(s.ids))
		s.ids[t] = n
	}
	return n
}

// join makes a link of an end and its counterpart, or keeps it until that comes.
func (s *links) join(b *trace.Builder, of uint32, key []byte, p pending) {
	s.key = append(binary.LittleEndian.AppendUint32(s.key[:0], of), key...)
	q := s.open[string(s.key)]
	switch {
	case q == nil:
		s.open[string(s.key)] = &p
	case q.role == p.role:
		b.Diagnose(trace.UnboundFlow, 1, "link %q from %s has one end only", key, q.in.name)
		*q = p
	default:
		delete(s.open, string(s.key))
		if p.role == roleStart {
			s.done = append(s.done, link{p.point, q.point})
		} else {
			s.done = append(s.done, link{q.point, p.point})
		}
	}
}

// hand hands all links to the Builder, once it is known which containers are threads.
func (s *links) hand(b *trace.Builder) {
	for _, l := range s.done {
		from, ok := l.from.moment()
		to, also := l.to.moment()
		if !ok || !also { // such as the wires between machines
			b.Diagnose(trace.NotRead, 1, "a link from %s to %s, of which one has no states",
				l.from.in.name, l.to.in.name)
			continue
		}
		b.Flow(from, to)
	}
	for _, key := range slices.Sorted(maps.Keys(s.open)) {
		q := s.open[key]
		b.Diagnose(trace.UnboundFlow, 1, "link %q of %s has one end only", key[4:], q.in.name)
	}
}

// moment returns a point as the Builder takes it, and false if nothing was recorded there.
func (p *point) moment() (trace.Moment, bool) {
	switch {
	case p.lane != nil:
		return trace.Moment{Thread: p.lane.ThreadBuilder, At: p.at, Call: p.ref}, true
	case len(p.in.lanes) > 0 && p.in.lanes[0].of != nil:
		return trace.Moment{Thread: p.in.lanes[0].ThreadBuilder, At: p.at}, true
	}
	return trace.Moment{}, false
}
