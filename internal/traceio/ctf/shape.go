package ctf

import (
	"bytes"
	"encoding/binary"
)

// Most events have a fixed size, by a header that is one of a few kinds: those of LTTng begin with a
// number that tells the class and, if it is small, also that 27 bits of the clock follow. A stream
// has a shape for each such number:
//
//	5 bits   27 bits    25 bytes             8 bytes
//	id       timestamp  tid, pid, procname   addr       every event of the class with the id 3
//
// So to read an event is to look at the number, and then to load what is wanted from where its shape
// says. Events without a shape are read by their plans.

// shapes are those of the events of a stream.
type shapes struct {
	align uint64 // of events
	tag   load   // the number
	of    []*shape
}

// shape is an event of fixed size.
type shape struct {
	class    *eventClass
	size     uint64 // in bits
	steps    int64
	loads    []load
	from, to uint64 // the bits of the context that all events have
	common   []load // in that
	quick    quick
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
	x.quick = x.quickly(l, tag)
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

// quick is a shape of which all lies at bytes, in the order of this package's usual machines, and
// nothing but the clock and an address is wanted. Sizes are in bytes.
type quick struct {
	size, from, to, addr uint64
	hasAddr              bool
	act                  int32
	shift                uint64 // of the clock in the first 8 bytes
	mask                 uint64 // of its bits; 0 if the shape is not quick
	clock                *clock
}

// quickly returns what is needed to read a shape quickly.
func (x *shape) quickly(l *layout, tag load) (q quick) {
	a := x.class.body.act
	if l.heading[0].align != 8 || x.size%8 != 0 || x.from%8 != 0 || x.to%8 != 0 || a.rest || !a.common ||
		tag.field.big || tag.at+uint64(tag.size) > 64 || len(x.loads) == 0 || len(x.loads) > 2 {
		return q
	}
	c := x.loads[0]
	if c.clock == nil || c.clock.freq != 1e9 || c.field.big || c.at+uint64(c.size) > 64 || c.size == 64 || c.signed ||
		!c.clock.near() {
		return q
	}
	if len(x.loads) == 2 {
		if v := x.loads[1]; v.how != word64 || v.clock != nil || v.field != a.addr {
			return q
		}
		q.addr, q.hasAddr = x.loads[1].at/8, true
	}
	q.size, q.from, q.to, q.act = x.size/8, x.from/8, x.to/8, a.number
	q.shift, q.mask, q.clock = c.at, uint64(1)<<c.size-1, c.clock
	return q
}

// latest is the greatest value of a clock of ns for which the sums below cannot overflow.
const latest = 1 << 59

// near reports whether the origin of a clock is so close that no time up to latest is out of range.
func (c *clock) near() bool {
	return c.offset > -latest && c.offset < latest && c.seconds > -latest/1_000_000_000 && c.seconds < latest/1_000_000_000
}

// run reads events as long as they have quick shapes, and the same context as the event before. It
// stops before anything else.
func (s *stream) run() {
	all, b := &s.layout.shapes, s.batch
	if s.plain || len(all.of) == 0 || s.around == nil || !s.listed || !s.common || s.pos%8 != 0 {
		return
	}
	until := uint64(latest)
	if p := &s.packet; p.begin <= p.end && p.end > 0 {
		until = min(until, p.end+(p.end-p.begin)+1e9)
	}
	pos, end, stamp, steps := s.pos/8, s.end/8, s.stamp, s.steps
	owner := int32(len(b.owners) - 1)
	for len(b.events) < b.most && pos+8 <= end {
		word := binary.LittleEndian.Uint64(s.buf[pos:])
		tag := word >> all.tag.at & (1<<all.tag.size - 1)
		if tag >= uint64(len(all.of)) || all.of[tag] == nil {
			break
		}
		x := all.of[tag]
		q := &x.quick
		if q.mask == 0 || pos+q.size > end || steps < x.steps || q.clock != s.clock ||
			!bytes.Equal(s.around, s.buf[pos+q.from:pos+q.to]) {
			break
		}
		now := following(stamp, word>>q.shift&q.mask, q.mask)
		if now > until {
			break
		}
		e := event{at: int64(now) + q.clock.offset + q.clock.seconds*1e9, act: q.act, owner: owner}
		if q.hasAddr {
			e.addr = binary.LittleEndian.Uint64(s.buf[pos+q.addr:])
		}
		b.events = append(b.events, e)
		pos, stamp, steps = pos+q.size, now, steps-x.steps
	}
	if pos*8 > s.pos {
		s.pos, s.stamp, s.good, s.steps = pos*8, stamp, stamp, steps
	}
}

// following returns the time of a clock, of which some bits are known, after a time before.
func following(before, v, mask uint64) uint64 {
	if v < before&mask {
		v += mask + 1
	}
	return v + before&^mask
}
