package ctf

import (
	"bytes"
	"context"
	"fmt"
	"math/bits"

	"diptych/internal/trace"
)

// advance reads the next event, and returns false when there is none, or when the batch cannot take
// more of what is wrong with the stream.
func (s *stream) advance(ctx context.Context) bool {
	for n := 0; !s.batch.full(); n++ {
		if n&0xff == 0 && ctx.Err() != nil {
			return false
		}
		if s.pos >= s.end {
			if !s.nextPacket(ctx) {
				return false
			}
			continue
		}
		if s.run(); s.batch.full() || s.pos >= s.end {
			continue
		}
		if err := s.readEvent(); err != nil {
			s.bad("%v; the rest of its packet is skipped", err)
			s.pos = s.end
			continue
		}
		if s.sound() {
			return true
		}
	}
	return false
}

// readEvent reads an event: the fields that are wanted; all of them, if that fails, to say why.
func (s *stream) readEvent() error {
	from, steps, clock, stamp := s.pos, s.steps, s.clock, s.stamp
	if !s.plain && (s.shaped() || s.planned()) && s.pos > from {
		return nil
	}
	s.pos, s.steps, s.clock, s.stamp = from, steps, clock, stamp
	s.around, s.changed = nil, true
	return s.whole()
}

// planned reads the wanted fields of an event by their plans, and reports whether it could.
func (s *stream) planned() bool {
	s.id, s.timed = 0, true
	ok := s.follow(s.layout.heading)
	s.timed = false
	if !ok || !s.identify() || s.event.body.err != nil {
		return false
	}
	return s.surrounded() && s.follow(s.event.body.plan)
}

// identify finds the class of the event that a header tells, and reports whether there is one.
func (s *stream) identify() bool {
	if s.event == nil || s.event.id != s.id || s.event.stream != s.class.id {
		s.event = s.class.events[s.id]
	}
	return s.event != nil
}

// surrounded reads the context that all events have. Mostly its bytes are those of the event
// before, as that was on the same thread; then its values are there.
func (s *stream) surrounded() bool {
	p := s.layout.around
	s.changed = true
	if !p.fixed() {
		return s.follow(p)
	}
	from, ok := s.begin(&p[0])
	if !ok {
		return false
	}
	now := s.buf[from/8 : (from+p[0].size)/8]
	if s.around != nil && bytes.Equal(s.around, now) {
		s.pos, s.steps, s.changed = from+p[0].size, s.steps-p[0].steps, false
		return true
	}
	s.around = now
	return s.follow(p)
}

// whole reads all fields of an event.
func (s *stream) whole() error {
	from, l := s.pos, s.layout
	s.id, s.timed = 0, true
	err := s.read(l.header)
	s.timed = false
	if err != nil {
		return fmt.Errorf("header of an event: %w", err)
	}
	if !s.identify() {
		return fmt.Errorf("event %d is not defined", s.id)
	}
	b := s.event.body
	if err = b.err; err == nil {
		if err = s.read(l.common); err == nil {
			if err = s.read(b.context); err == nil {
				err = s.read(b.fields)
			}
		}
	}
	switch {
	case err != nil:
		return fmt.Errorf("event %q: %w", s.event.name, err)
	case s.pos == from:
		return errEndless
	}
	return nil
}

// sound works out the time of the event. It returns false, and restores the time before, if the
// time lies far from those of the packet.
func (s *stream) sound() bool {
	p, jumped := &s.packet, false
	if s.clock == nil {
		s.clock = &clock{freq: 1e9}
	}
	if p.begin <= p.end && p.end > 0 {
		jumped = s.stamp > p.end+(p.end-p.begin)+s.clock.freq
	}
	at, ok := s.clock.ns(s.stamp)
	if !ok || jumped {
		s.tell(trace.ClockJump, 1, "%s, offset %d: %s at %d, in a packet from %d to %d", s.name,
			s.offset+int64(s.pos/8), s.event.name, s.stamp, p.begin, p.end)
		s.stamp = max(p.begin, s.good)
		s.around = nil // the last owner is not of this context, as the event is not kept
		return false
	}
	s.good, s.at = s.stamp, at
	return true
}

// ns returns a value of the clock as a time, in ns since the clock's origin.
func (c *clock) ns(v uint64) (int64, bool) {
	if v >= 1<<62 {
		return 0, false
	}
	cycles := v + uint64(c.offset)
	whole, rest := int64(cycles), uint64(0)
	if c.freq != 1e9 {
		negative := int64(cycles) < 0
		if negative {
			cycles = -cycles
		}
		hi, lo := bits.Mul64(cycles, 1e9)
		if hi >= c.freq {
			return 0, false
		}
		var n uint64
		n, rest = bits.Div64(hi, lo, c.freq)
		if rest >= c.freq-rest { // round to the nearest
			n++
		}
		if whole = int64(n); negative {
			whole = -whole
		}
	}
	const most = int64(trace.Limit)
	if whole > most || whole < -most || c.seconds > most/1_000_000_000 || c.seconds < -most/1_000_000_000 {
		return 0, false
	}
	at := whole + c.seconds*1e9
	return at, at <= most && at >= -most
}
