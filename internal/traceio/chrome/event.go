package chrome

import (
	"bytes"
	"errors"
	"strconv"
	"strings"

	"diptych/internal/trace"
	"diptych/internal/traceio/jsonin"
)

// span is a piece of a batch's text: [from, to).
type span struct{ from, to uint32 }

func (s span) empty() bool { return s.from == s.to }

func (s span) len() int { return int(s.to - s.from) }

// event is one trace event as it stands in the text: the contents of its members, strings without
// their quotes and still escaped.
type event struct {
	name, cat, ph, ts, dur, pid, tid span
	args                             span // the whole value
	more
	members int
	letter  byte // the phase, if it is known
	gaps    bool // args have white space between tokens
	copied  bool // args are already where the batch has them, at out
	out     span

	// What ts and dur say, where the fast way through an event has read them already.
	at, length           instant
	atKnown, lengthKnown bool
	pidWord, tidWord     uint64 // likewise pid and tid, as words of their text; else 0
}

// more are the members that few events have.
type more struct {
	id, id2, scope, bind span
	next                 bool // a flow's end binds to the call that follows it
	flowIn, flowOut      bool
	noThread             bool // tid is missing
}

// event parses the object at i. Values stay where they are. Most events take the faster way of
// quick.go, which comes to the same.
func (s *scanner) event(b []byte, i int, e *event) (int, status) {
	*e = event{more: more{next: true}}
	i = jsonin.SkipSpace(b, i+1)
	if i < len(b) && b[i] == '}' {
		return i + 1, whole
	}
	for {
		if i >= len(b) {
			return i, cut
		}
		from := i + 1
		to, next, st := s.key(b, i)
		if st != whole {
			return next, st
		}
		i = jsonin.SkipSpace(b, next)
		if i >= len(b) {
			return i, cut
		}
		if i, st = s.member(b, b[from:to], i, e); st != whole {
			return i, st
		}
		e.members++
		i = jsonin.SkipSpace(b, i)
		if i >= len(b) {
			return i, cut
		}
		switch b[i] {
		case '}':
			return i + 1, whole
		case ',':
			i = jsonin.SkipSpace(b, i+1)
		default:
			return i, broken
		}
	}
}

// member parses the value at i of the member called name.
func (s *scanner) member(b, name []byte, i int, e *event) (int, status) {
	var to *span
	switch string(name) {
	case "name":
		to = &e.name
	case "cat":
		to = &e.cat
	case "ph":
		to = &e.ph
	case "ts":
		return s.time(b, i, &e.ts)
	case "dur":
		return s.time(b, i, &e.dur)
	case "pid":
		to = &e.pid
	case "tid":
		to = &e.tid
	case "id":
		to = &e.id
	case "scope":
		to = &e.scope
	case "bind_id":
		to = &e.bind
	case "args":
		end, st := s.value(b, i)
		if e.args, e.gaps = (span{uint32(i), uint32(end)}), s.gaps; b[i] == 'n' {
			e.args = span{} // null
		}
		return end, st
	case "id2":
		end, st := s.value(b, i)
		e.id2 = span{uint32(i), uint32(end)}
		return end, st
	case "bp":
		var v span
		end, st := s.content(b, i, &v)
		e.next = string(b[v.from:v.to]) != "e"
		return end, st
	case "flow_in":
		e.flowIn = b[i] == 't'
	case "flow_out":
		e.flowOut = b[i] == 't'
	}
	if to != nil {
		return s.content(b, i, to)
	}
	if bytes.IndexByte(name, '\\') >= 0 {
		if plain := jsonin.Text(name); strings.IndexByte(plain, '\\') < 0 {
			return s.member(b, []byte(plain), i, e)
		}
	}
	return s.value(b, i)
}

// content notes the content of the string, number or word at i; null and what has brackets count as
// absent.
func (s *scanner) content(b []byte, i int, to *span) (int, status) {
	switch b[i] {
	case '"':
		end := jsonin.StringEnd(b, i+1)
		if end < 0 {
			return len(b), cut
		}
		*to = span{uint32(i + 1), uint32(end)}
		return end + 1, whole
	case '{', '[':
		return s.value(b, i)
	}
	end, st := scalar(b, i)
	if b[i] != 'n' || string(b[i:end]) != "null" {
		*to = span{uint32(i), uint32(end)}
	}
	return end, st
}

// time notes the content of a time: what has brackets is none, and not absent.
func (s *scanner) time(b []byte, i int, to *span) (int, status) {
	end, st := s.content(b, i, to)
	if b[i] == '{' || b[i] == '[' {
		*to = span{uint32(i), uint32(end)}
	}
	return end, st
}

// phase returns the event's phase letter, or 0 if it has none.
func (e *event) phase(b []byte) byte {
	if e.letter != 0 {
		return e.letter
	}
	letter := b[e.ph.from:e.ph.to]
	if len(letter) > 1 && letter[0] == '\\' {
		letter = []byte(jsonin.Text(letter))
	}
	if len(letter) != 1 {
		return 0
	}
	return letter[0]
}

// eventAt says whether a complete event begins at i, and where it ends. An object is taken for one
// if it has a phase.
func (s *scanner) eventAt(b []byte, i int) (int, status) {
	var e event
	end, st := s.event(b, i, &e)
	if st == whole && e.phase(b) == 0 {
		st = broken
	}
	return end, st
}

// begins reports whether an event could begin at the brace b[i]: it is no member's value, and a
// name follows.
func begins(b []byte, i int) bool {
	k := i - 1
	for k >= 0 && b[k] <= ' ' {
		k--
	}
	if k >= 0 && b[k] == ':' {
		return false
	}
	k = jsonin.SkipSpace(b, i+1)
	return k == len(b) || b[k] == '"'
}

// instant is a time in ns with the part below a nanosecond, so that the end of a call can be
// rounded once, as a whole: rounding is monotone then, and a call that ended within its caller
// still does.
type instant struct {
	ns   int64
	frac int32 // 10⁻⁶ ns, |frac| < fracUnit, of the sign of the number
}

const fracUnit = 1_000_000

// rounded returns the nearest ns, halves up.
func (t instant) rounded() int64 {
	switch {
	case t.frac >= fracUnit/2:
		return t.ns + 1
	case t.frac < -fracUnit/2:
		return t.ns - 1
	}
	return t.ns
}

// plus returns t + d. The fraction of the sum lies below fracUnit again, whatever the signs.
func (t instant) plus(d instant) instant {
	sum := int64(t.frac) + int64(d.frac)
	return instant{t.ns + d.ns + sum/fracUnit, int32(sum % fracUnit)}
}

// micros parses a decimal number of µs. Nothing goes through floating point: epoch times in µs have
// more digits than a float64 holds. It fails on what is no finite number or lies beyond
// trace.Limit, 2.3e15 µs. A time of 4e15 µs fits into an int64 of ns too, but what is kept are
// differences with the first event of the trace, which is not known yet and may be as far on the
// other side of 0. With the limit they are less than 2⁶², so that the sum of two fits, and 2⁶² is
// free for what is later than all times.
func micros(b []byte) (instant, bool) {
	negative := len(b) > 0 && b[0] == '-'
	if negative {
		b = b[1:]
	}
	var d decimal
	point := -1
	i := 0
	for ; i < len(b); i++ {
		if c := b[i] - '0'; c <= 9 {
			d.digit(c, point >= 0)
		} else if b[i] == '.' && point < 0 {
			point = i
			d.weight = onePoint
		} else {
			break
		}
	}
	if i == 0 || i == 1 && point == 0 {
		return instant{}, false
	}
	if i < len(b) {
		if b[i]|0x20 != 'e' {
			return instant{}, false
		}
		exp, err := strconv.Atoi(string(b[i+1:]))
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			return instant{}, false
		}
		d = shifted(b[:i], point, exp)
	}
	return d.instant(negative)
}

// shifted returns a mantissa, with its point at index point or −1 for none, times 10^exp.
func shifted(mantissa []byte, point, exp int) decimal {
	digits := mantissa
	if point >= 0 {
		digits = append(mantissa[:point:point], mantissa[point+1:]...)
	} else {
		point = len(digits)
	}
	point += max(min(exp, 1000), -1000) // beyond, it is 0 or too large anyway
	d := decimal{weight: onePoint}
	for ; point < 0; point++ {
		d.digit(0, true)
	}
	for k := range max(len(digits), point) {
		c := byte(0)
		if k < len(digits) {
			c = digits[k] - '0'
		}
		d.digit(c, k >= point)
	}
	return d
}

// onePoint is 1 µs in the unit of decimal.part.
const onePoint = 1_000_000_000

// decimal gathers the digits of a number of µs.
type decimal struct {
	whole  uint64 // µs, saturating
	part   uint64 // 10⁻⁹ µs
	weight uint64 // of the last digit after the point
}

func (d *decimal) digit(c byte, afterPoint bool) {
	if afterPoint {
		d.weight /= 10
		d.part += d.weight * uint64(c)
	} else if d.whole <= trace.Limit {
		d.whole = d.whole*10 + uint64(c)
	}
}

func (d decimal) instant(negative bool) (instant, bool) {
	if d.whole >= trace.Limit/1000 {
		return instant{}, false
	}
	t := instant{int64(d.whole*1000 + d.part/fracUnit), int32(d.part % fracUnit)}
	if negative {
		t.ns, t.frac = -t.ns, -t.frac
	}
	return t, true
}
