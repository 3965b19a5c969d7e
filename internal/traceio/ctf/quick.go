package ctf

import (
	"bytes"
	"encoding/binary"
)

// quick is a shape that a loop without calls can read: all parts begin at whole bytes, numbers are
// little-endian, and only the clock and an address of 64 bits are wanted. Sizes are in bytes.
type quick struct {
	size, from, to, addr uint64
	hasAddr              bool
	act                  int32
	shift                uint64 // of the clock in the first 8 bytes
	mask                 uint64 // of its bits; 0 if the shape is not quick
	clock                *clock
}

// quickly returns the shape as a quick one; its mask is 0 if it is none.
func (x *shape) quickly(l *layout, tag load) (q quick) {
	a := x.class.body.act
	if l.heading[0].align != 8 || x.size%8 != 0 || x.from%8 != 0 || x.to%8 != 0 || a.rest || !a.common ||
		tag.field.big || tag.at+uint64(tag.size) > 64 || len(x.loads) == 0 || len(x.loads) > 2 {
		return q
	}
	c := x.loads[0]
	if c.clock == nil || c.clock.freq != 1e9 || !c.clock.near() ||
		c.field.big || c.signed || c.size == 64 || c.at+uint64(c.size) > 64 {
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

// latest is the greatest value of a clock of ns for which the sums in run cannot overflow.
const latest = 1 << 59

// near reports whether the origin of a clock is so close that no time up to latest is out of range.
func (c *clock) near() bool {
	const seconds = latest / 1_000_000_000
	return c.offset > -latest && c.offset < latest && c.seconds > -seconds && c.seconds < seconds
}

// run reads events as long as they have quick shapes and the context of the event before. It stops
// before any other event, and before one whose time may be wrong: readEvent is for those.
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
	owner, of := int32(len(b.owners)-1), all.of
	from, mask := all.tag.at, uint64(1)<<all.tag.size-1
	for len(b.events) < b.most && pos+8 <= end {
		word := binary.LittleEndian.Uint64(s.buf[pos:])
		tag := word >> from & mask
		if tag >= uint64(len(of)) || of[tag] == nil {
			break
		}
		x := of[tag]
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
