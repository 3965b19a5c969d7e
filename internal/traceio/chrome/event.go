package chrome

import (
	"bytes"
	"strings"
)

// span is a piece of a batch's text: [from, to).
type span struct{ from, to uint32 }

func (s span) empty() bool { return s.from == s.to }

// event is one trace event as it stands in the text: the contents of its members, strings without
// their quotes and still escaped.
type event struct {
	name, cat, ph, ts, dur, pid, tid span
	args                             span // the whole value
	more
	members int
	gaps    bool // args have white space between tokens
}

// more are the members that few events have.
type more struct {
	id, id2, scope, bind span
	next                 bool // a flow's end binds to the call that follows it
	flowIn, flowOut      bool
	noThread             bool // tid is missing
}

// event parses the object at i. It is the format's hot path: members are told apart by a switch on
// their names, values stay where they are.
func (s *scanner) event(b []byte, i int, e *event) (int, status) {
	*e = event{more: more{next: true}}
	i = skipSpace(b, i+1)
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
		i = skipSpace(b, next)
		if i >= len(b) {
			return i, cut
		}
		if i, st = s.member(b, b[from:to], i, e); st != whole {
			return i, st
		}
		e.members++
		i = skipSpace(b, i)
		if i >= len(b) {
			return i, cut
		}
		switch b[i] {
		case '}':
			return i + 1, whole
		case ',':
			i = skipSpace(b, i+1)
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
		to = &e.ts
	case "dur":
		to = &e.dur
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
		if plain := text(name); strings.IndexByte(plain, '\\') < 0 {
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
		end := stringEnd(b, i+1)
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

// phase returns the event's phase letter, or 0 if it has none.
func (e *event) phase(b []byte) byte {
	letter := b[e.ph.from:e.ph.to]
	if len(letter) > 1 && letter[0] == '\\' {
		letter = []byte(text(letter))
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
	k = skipSpace(b, i+1)
	return k == len(b) || b[k] == '"'
}
