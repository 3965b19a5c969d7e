package chrome

import (
	"math/bits"

	"diptych/internal/traceio/jsonin"
)

// The fast way through an event: its shape is known, see shape.go, and so are those of its
// arguments. Everything else is left to scanner.event, from the start of the event. What is taken
// here is taken for the same as there; a test holds them against each other.

// read parses the object at i as an event and makes a record of it. It learns its shape if that is
// new.
func (p *parser) read(t *batch, i int) (end int, st status) {
	var place *slot
	if p.stamping && !p.stamps.resting() {
		if end, place = p.stamped(t, i); end > 0 {
			return end, whole
		}
	}
	e := &p.event
	if end, st = p.parse(t, i, e); st != whole {
		return end, st
	}
	if e.members > 0 && !p.keep(t, e, i) {
		t.spoil(i)
	}
	if place != nil {
		p.stamp(t.block, i, end, place)
	}
	return end, whole
}

// parse parses the object at i as an event, and learns its shape if that is new.
func (p *parser) parse(t *batch, i int, e *event) (end int, st status) {
	args := len(t.args)
	end, ok := p.quick(t, i, e)
	if ok {
		return end, whole
	}
	t.args = t.args[:args]
	end, st = p.scanner.event(t.block, i, e)
	if st == whole && p.events.miss() {
		p.events.learnEvent(&p.scanner, t.block, i, end)
	}
	return end, st
}

// quick parses the event at i, if its shape is known.
func (p *parser) quick(t *batch, i int, e *event) (end int, ok bool) {
	*e = event{more: more{next: true}}
	b := t.block
	limit := len(b) - margin
	for n := p.events.first; n != nil && i <= limit; {
		c := (*[16]byte)(b[i:])
		if n.differs(c) || n.long && !n.isAt(b, i) {
			n = n.other
			continue
		}
		if i += n.len; i > limit {
			break
		}
		if n.fixes {
			n.fix(e, i)
		}
		from := i
		switch n.hole {
		case noHole:
			return i, true
		case nameHole:
			if i = nameEnd(b, i); i < 0 {
				return 0, false
			}
			e.name = span{uint32(from), uint32(i)}
		case startHole:
			if e.at, i = n.micros(b, i); i > 0 {
				e.ts, e.atKnown = span{uint32(from), uint32(i)}, true
			}
		case lengthHole:
			if e.length, i = shortMicros(b, i); i > 0 {
				e.dur, e.lengthKnown = span{uint32(from), uint32(i)}, true
			}
		case processHole:
			if e.pidWord, i = n.id(b, i); i > 0 {
				e.pid = span{uint32(from), uint32(i)}
			}
		case threadHole:
			if e.tidWord, i = n.id(b, i); i > 0 {
				e.tid = span{uint32(from), uint32(i)}
			}
		case argsHole:
			if i = p.quickArgs(t, i, e); i == 0 {
				return 0, false
			}
		default:
			i = 0
		}
		if i == 0 {
			if i = p.member(b, from, n, e); i <= 0 {
				return 0, false
			}
		}
		e.members++
		n = n.next
	}
	return 0, false
}

// member takes a value at i that few events have, or that is not written as usual. It returns its
// end; 0 or less if there is none.
func (p *parser) member(b []byte, i int, n *node, e *event) (end int) {
	switch bare := jsonin.Bare[b[i]]; {
	case n.hole == textHole:
		end = jsonin.StringEnd(b, i)
	case n.hole == innerHole && !bare:
		var st status
		if end, st = p.scanner.value(b, i); st != whole {
			return 0
		}
	case bare && (n.hole == innerHole || n.hole == wordHole || b[i]-'0' <= 9 || b[i] == '-'):
		end = bareEnd(b, i) // of a member that is kept never null
	}
	if end > 0 {
		e.set(b, n.field, span{uint32(i), uint32(end)})
	}
	return end
}

// nameEnd is jsonin.StringEnd for a string of which longName bytes are there. Names have all
// lengths, so it looks at all of those bytes before it decides anything.
func nameEnd(b []byte, i int) int {
	c := (*[longName]byte)(b[i:])
	all := quotes(eightAt(c[0:8], 0)) | quotes(eightAt(c[8:16], 0))<<8 |
		quotes(eightAt(c[16:24], 0))<<16 | quotes(eightAt(c[24:32], 0))<<24
	at := i + bits.TrailingZeros32(all) // or behind all of them
	if all == 0 || b[at] != '"' {
		return jsonin.StringEnd(b, at)
	}
	return at
}

// quotes has a bit for each byte of a word that is a quote or a backslash. Those after the first
// may be wrong.
func quotes(w uint64) uint32 {
	const (
		ones   = 0x0101010101010101
		tops   = 0x8080808080808080
		gather = 0x0102040810204080 // a product has the lowest bits of all bytes in its highest
	)
	q, s := w^ones*'"', w^ones*'\\'
	return uint32(((q-ones)&^q | (s-ones)&^s) & tops >> 7 * gather >> 56)
}

// bareEnd is jsonin.WordEnd, faster for numbers of a few digits.
func bareEnd(b []byte, i int) int {
	if _, n := digits(eightAt(b, i)); n < 8 && !jsonin.Bare[b[i+n]] {
		return i + n
	}
	return jsonin.WordEnd(b, i)
}

// quickArgs takes the arguments at i, an object, and returns their end, or 0.
func (p *parser) quickArgs(t *batch, i int, e *event) (end int) {
	if end = p.copyArgs(t, i, e); end > 0 {
		return end
	}
	b := t.block
	if b[i] != '{' {
		return 0
	}
	end, st := p.scanner.value(b, i)
	if st != whole {
		return 0
	}
	e.args, e.gaps, e.copied = span{uint32(i), uint32(end)}, p.scanner.gaps, false
	if p.args.miss() {
		p.args.learnValue(b, i, end)
	}
	return end
}

// copyArgs adds the arguments at i to the batch's, if their shape is known, without their white
// space. It returns their end, or 0.
func (p *parser) copyArgs(t *batch, i int, e *event) (end int) {
	b, from, copied := t.block, len(t.args), i
	e.args.from, e.gaps = uint32(i), false
	part := !pressing() // copy parts as they come
	limit := len(b) - margin
	for n := p.args.first; n != nil && i <= limit; {
		c := (*[16]byte)(b[i:])
		if n.differs(c) || n.long && !n.isAt(b, i) {
			n = n.other
			continue
		}
		if n.gaps {
			if e.gaps = true; part {
				t.args = append(append(t.args, b[copied:i]...), n.tight...)
				copied = i + n.len
			}
		}
		if i += n.len; i > limit && n.hole != noHole {
			break
		}
		switch n.hole {
		case noHole:
			if e.gaps && !part {
				t.squeeze(copied, i)
			} else {
				t.args = append(t.args, b[copied:i]...)
			}
			if len(t.args)-from == 2 {
				t.args = t.args[:from] // no arguments
			}
			e.args.to, e.out, e.copied = uint32(i), span{uint32(from), uint32(len(t.args))}, true
			return i
		case textHole:
			if i = jsonin.StringEnd(b, i); i < 0 {
				t.args = t.args[:from]
				return 0
			}
		default:
			word := i
			if i = bareEnd(b, i); i == word {
				t.args = t.args[:from]
				return 0
			}
		}
		n = n.next
	}
	t.args = t.args[:from]
	return 0
}
