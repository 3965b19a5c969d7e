package ctf

import "bytes"

// Most events have a fixed size, once it is known which kind of header they have. A header of LTTng
// begins with a number: a small one tells the class, and that 27 bits of the clock follow. A stream
// has a shape for each such number:
//
//	5 bits   27 bits    25 bytes             8 bytes
//	id       timestamp  tid, pid, procname   addr       every event of the class with the id 3
//
// So an event is read in two steps: look at the number, then load what is wanted from where the
// shape says. Events without a shape are read by their plans.

// shapes are those of the events of a stream.
type shapes struct {
	align uint64 // of events
	tag   load   // the number
	of    []*shape
	head  quickHead
	quick []quick // by the number; nil if none is quick
}

// shape is an event of fixed size.
type shape struct {
	class    *eventClass
	size     uint64 // in bits
	steps    int64
	loads    []load
	from, to uint64 // the bits of the context that all events have
	common   []load // in that
}

// mostShapes bounds the numbers that are looked at.
const mostShapes = 1 << 12

// shape works out the shapes of a stream. There are none unless its headers begin as above.
func (s *streamClass) shape() (x shapes) {
	head := s.layout.heading
	if len(head) != 1 || head[0].align < 8 || !s.layout.around.fixed() && s.layout.common != nil {
		return x
	}
	for _, l := range head[0].loads {
		if l.isID {
			x.tag = l
		}
	}
	if x.tag.field == nil || x.tag.signed || x.tag.field.kind == float {
		return x
	}
	x.align = head[0].align
	for id, e := range s.events {
		if tag := uint64(1)<<x.tag.size - 1; id < mostShapes && id <= tag && e.body.err == nil {
			for uint64(len(x.of)) <= id {
				x.of = append(x.of, nil)
			}
			x.of[id] = s.shapeOf(e, x.tag)
		}
	}
	x.hasten(s.layout)
	return x
}

// shapeOf returns the shape of a class whose number is in the tag, or nil if it has none.
func (s *streamClass) shapeOf(e *eventClass, tag load) *shape {
	l, x := s.layout, &shape{class: e}
	head := &l.heading[0]
	parts := []plan{l.heading}
	if head.rest != nil {
		if head.rest.kind != variant || head.rest.ref != tag.field {
			return nil
		}
		known := reader{slots: slots{nums: make([]uint64, tag.slot+1)}}
		known.nums[tag.slot] = e.id
		k := known.option(head.rest)
		if k < 0 {
			return nil
		}
		parts = append(parts, head.options[k])
	}
	for _, p := range parts {
		if !x.add(p, head, true) {
			return nil
		}
	}
	from := len(x.loads)
	if x.from = x.size; len(l.around) > 0 {
		if !x.add(l.around, head, false) {
			return nil
		}
		x.loads, x.common = x.loads[:from:from], x.loads[from:]
		x.from = x.size - l.around[0].size
	}
	if x.to = x.size; !x.add(e.body.plan, head, false) || x.size == 0 {
		return nil
	}
	return x
}

// add adds the runs of a plan, and reports whether they have a fixed place. Only the header's clock
// counts, and only one number may tell the class.
func (x *shape) add(p plan, head *run, header bool) bool {
	for i := range p {
		r := &p[i]
		if r.align > head.align || r.rest != nil && r != head {
			return false
		}
		at := (x.size + r.align - 1) &^ (r.align - 1)
		for _, l := range r.loads {
			if l.isID {
				if r != head {
					return false
				}
				continue
			}
			l.at += at
			if !header {
				l.clock = nil
			}
			x.loads = append(x.loads, l)
		}
		x.size, x.steps = at+r.size, x.steps+r.steps
	}
	return true
}

// shaped reads the wanted fields of an event by its shape, and reports whether it could.
func (s *stream) shaped() bool {
	all := &s.layout.shapes
	start := (s.pos + all.align - 1) &^ (all.align - 1)
	if len(all.of) == 0 || start+all.tag.at+uint64(all.tag.size) > s.end {
		return false
	}
	tag := s.bitsAt(start+all.tag.at, all.tag.field)
	if tag >= uint64(len(all.of)) {
		return false
	}
	x := all.of[tag]
	if x == nil || start+x.size > s.end || s.steps < x.steps {
		return false
	}
	s.timed = true
	for i := range x.loads {
		s.load(&x.loads[i], start)
	}
	s.timed = false
	now := s.buf[(start+x.from)/8 : (start+x.to)/8]
	if s.changed = s.around == nil || !bytes.Equal(s.around, now); s.changed {
		s.around = now
		for i := range x.common {
			s.load(&x.common[i], start)
		}
	}
	s.pos, s.steps, s.event = start+x.size, s.steps-x.steps, x.class
	return true
}
