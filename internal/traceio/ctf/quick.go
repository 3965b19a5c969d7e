package ctf

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// A shape is quick if a loop without calls can read it: all parts begin at whole bytes, numbers are
// little-endian, and only the clock and an address of 64 bits are wanted. The quick shapes of a
// stream have the same header and context, so that only an address and the size differ:
//
//	tag, clock  tid, pid, procname  addr, site     quick: only addr is wanted of the fields
//	4 bytes     25 bytes            16 bytes       16 + 29 bytes
//
// Sizes and places are in bytes.

// quick is a quick shape; its size is 0 if the shape is not quick.
type quick struct {
	size    uint64
	steps   int64
	addr    uint64
	act     int32
	hasAddr bool
}

// quickHead is what the quick shapes of a stream have in common.
type quickHead struct {
	from, to uint64 // the context
	keep     [contextWords]uint64
	shift    uint64 // of the clock in the first 8 bytes
	mask     uint64 // of its bits
	clock    *clock // nil if no shape is quick
}

// contextWords is how many words of the context are compared without a call. LTTng's context of a
// thread's number, its process's and its name takes four.
const contextWords = 4

// hasten finds the quick shapes among all.
func (x *shapes) hasten(l *layout) {
	for tag, of := range x.of {
		if of == nil {
			continue
		}
		q, head := of.quickly(l, x.tag)
		if q.size == 0 || x.head.clock != nil && x.head != head {
			continue
		}
		if x.head = head; x.quick == nil {
			x.quick = make([]quick, len(x.of))
		}
		x.quick[tag] = q
	}
}

// quickly returns the shape as a quick one.
func (x *shape) quickly(l *layout, tag load) (q quick, h quickHead) {
	a := x.class.body.act
	if l.heading[0].align != 8 || x.size%8 != 0 || x.from%8 != 0 || x.to%8 != 0 || a.rest || !a.common ||
		tag.field.big || tag.at+uint64(tag.size) > 64 || len(x.loads) == 0 || len(x.loads) > 2 {
		return q, h
	}
	c := x.loads[0]
	if c.clock == nil || c.clock.freq != 1e9 || !c.clock.near() ||
		c.field.big || c.signed || c.size == 64 || c.at+uint64(c.size) > 64 {
		return q, h
	}
	if len(x.loads) == 2 {
		if v := x.loads[1]; v.how != word64 || v.clock != nil || v.field != a.addr {
			return q, h
		}
		q.addr, q.hasAddr = x.loads[1].at/8, true
	}
	q.size, q.steps, q.act = x.size/8, x.steps, a.number
	h = quickHead{from: x.from / 8, to: x.to / 8, shift: c.at, mask: uint64(1)<<c.size - 1, clock: c.clock}
	for i := range h.keep {
		h.keep[i] = uint64(1)<<(8*min(max(h.to-h.from, 8*uint64(i))-8*uint64(i), 8)) - 1
	}
	return q, h
}

// latest is the greatest value of a clock of ns for which the sums in run cannot overflow.
const latest = 1 << 59

// near reports whether the origin of a clock is so close that no time up to latest is out of range.
func (c *clock) near() bool {
	const seconds = latest / 1_000_000_000
	return c.offset > -latest && c.offset < latest && c.seconds > -seconds && c.seconds < seconds
}

// run reads events as long as they have quick shapes and the context of the event before. It stops
// before any other event, before one whose time may be wrong, and where less is left of the packet
// than it looks at: readEvent is for those.
func (s *stream) run() {
	all, b := &s.layout.shapes, s.batch
	head, of, pos, end := &all.head, all.quick, s.pos/8, s.end/8
	if s.plain || head.clock == nil || head.clock != s.clock || s.around == nil || !s.listed || !s.common ||
		s.pos%8 != 0 || pos+8 > end {
		return
	}
	shift, mask := all.tag.at&63, uint64(1)<<all.tag.size-1
	tag := binary.LittleEndian.Uint64(s.buf[pos:]) >> shift & mask
	if tag >= uint64(len(of)) || of[tag].size == 0 {
		return
	}
	until := uint64(latest)
	if p := &s.packet; p.begin <= p.end && p.end > 0 {
		until = min(until, p.end+(p.end-p.begin)+1e9)
	}
	b.events = slices.Grow(b.events, b.most-len(b.events))
	n, room, buf := len(b.events), b.events[:b.most], s.buf[:end]
	stamp, steps, owner := s.stamp, s.steps, int32(len(b.owners)-1)
	from, ticks, tick, origin := head.from, head.mask, head.shift&63, s.clock.offset+s.clock.seconds*1e9
	size, need := uint64(0), uint64(0) // of the last event, and how many bytes are looked at
	w0, w1, w2, w3, rest := words(s.around)
	k0, k1, k2, k3 := head.keep[0], head.keep[1], head.keep[2], head.keep[3]
	for n < len(room) && pos+need <= uint64(len(buf)) {
		here := buf[pos:]
		word := binary.LittleEndian.Uint64(here)
		tag := word >> shift & mask
		if tag >= uint64(len(of)) {
			break
		}
		q := &of[tag]
		if q.size != size {
			// Mostly it is the same. Then the place of the next event is known before this one
			// is looked at, and the processor reads both at once.
			if size = q.size; size == 0 {
				break
			}
			need = max(size, from+8*contextWords)
			continue
		}
		c := here[from : from+8*contextWords]
		other := (binary.LittleEndian.Uint64(c)^w0)&k0 | (binary.LittleEndian.Uint64(c[8:])^w1)&k1 |
			(binary.LittleEndian.Uint64(c[16:])^w2)&k2 | (binary.LittleEndian.Uint64(c[24:])^w3)&k3
		if other != 0 || steps < q.steps || len(rest) > 0 && !bytes.Equal(rest, here[from+8*contextWords:head.to]) {
			break
		}
		now := following(stamp, word>>tick&ticks, ticks)
		if now > until {
			break
		}
		e := &room[n]
		e.at, e.addr, e.act, e.owner = int64(now)+origin, 0, q.act, owner
		if q.hasAddr {
			e.addr = binary.LittleEndian.Uint64(here[q.addr:])
		}
		n, pos, stamp, steps = n+1, pos+size, now, steps-q.steps
	}
	b.events = room[:n]
	if pos*8 > s.pos {
		s.pos, s.stamp, s.good, s.steps = pos*8, stamp, stamp, steps
	}
}

// words returns the first bytes of a context as words, filled up with zeros, and the others.
func words(context []byte) (w0, w1, w2, w3 uint64, rest []byte) {
	var first [8 * contextWords]byte
	rest = context[copy(first[:], context):]
	order := binary.LittleEndian
	return order.Uint64(first[:]), order.Uint64(first[8:]), order.Uint64(first[16:]), order.Uint64(first[24:]), rest
}

// following returns the time of a clock, of which some bits are known, after a time before.
func following(before, v, mask uint64) uint64 {
	if v < before&mask {
		v += mask + 1
	}
	return v + before&^mask
}
