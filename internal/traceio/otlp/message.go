package otlp

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"diptych/internal/trace"
	"diptych/internal/traceio/requests"
)

// message walks over the fields of a message that is held, in the order of the file.
type message struct {
	rest   []byte
	number protowire.Number
	kind   protowire.Type
	n      uint64 // of a varint or a fixed field
	body   []byte // of a length-delimited field; nil of another
}

// next goes to the next field and reports whether there is one. A broken field ends the walk and is
// counted; what came before it stands.
func (m *message) next(w *wire) bool {
	if len(m.rest) == 0 {
		return false
	}
	number, kind, k := protowire.ConsumeTag(m.rest)
	if k >= 0 {
		m.number, m.kind, m.rest, m.body, m.n = number, kind, m.rest[k:], nil, 0
		switch kind {
		case protowire.VarintType:
			m.n, k = protowire.ConsumeVarint(m.rest)
		case protowire.BytesType:
			m.body, k = protowire.ConsumeBytes(m.rest)
		case protowire.Fixed64Type:
			m.n, k = protowire.ConsumeFixed64(m.rest)
		case protowire.Fixed32Type:
			var n uint32
			n, k = protowire.ConsumeFixed32(m.rest)
			m.n = uint64(n)
		default:
			k = -1
		}
	}
	if k < 0 {
		m.rest = nil
		w.b.Diagnose(trace.BadRecord, 1, "before offset %d: a message is damaged", w.at)
		return false
	}
	m.rest = m.rest[k:]
	return true
}

func (m *message) text() string { return string(m.body) }

// time returns a time in ns since 1970, or one that cannot be.
func (m *message) time() int64 { return int64(min(m.n, math.MaxInt64)) }

func (w *wire) readResource(r *requests.Resource, body []byte) {
	a := attributes{said: map[string]string{}}
	for m := (message{rest: body}); m.next(w); {
		if m.number == resourceAttributes {
			if key, text := w.attribute(&a.Members, m.body); watched[key] {
				a.said[key] = text
			}
		}
	}
	w.resource(r, &a)
}

func (w *wire) readScope(s *scope, body []byte) {
	var a requests.Members
	for m := (message{rest: body}); m.next(w); {
		switch m.number {
		case scopeName:
			s.name = m.text()
		case scopeVersion:
			s.version = m.text()
		case scopeAttributes:
			w.attribute(&a, m.body)
		}
	}
	s.attributes = a.Text
}

// readSpan reads a span into the loader's.
func (w *wire) readSpan(body []byte) {
	x := &w.span
	x.reset()
	for m := (message{rest: body}); m.next(w); {
		switch m.number {
		case spanTrace:
			x.trace = idOf(m.body)
		case spanID:
			x.id = idOf(m.body)
		case spanParent:
			x.parent = idOf(m.body)
		case spanState:
			x.state = m.text()
		case spanName:
			x.name = m.text()
		case spanKind:
			x.kind = int64(m.n)
		case spanStart:
			x.start = m.time()
		case spanEnd:
			x.end = m.time()
		case spanAttributes:
			w.attribute(&x.attributes, m.body)
		default:
			w.readMore(&m)
		}
	}
}

// readMore reads what only some spans have.
func (w *wire) readMore(m *message) {
	x := &w.span
	switch m.number {
	case spanEvents:
		w.readEvent(m.body)
	case spanLinks:
		w.readLink(m.body)
	case spanStatus:
		for s := (message{rest: m.body}); s.next(w); {
			switch s.number {
			case statusMessage:
				x.message = s.text()
			case statusCode:
				x.code = int64(s.n)
			}
		}
	case spanDropped:
		x.dropped[0] = int64(uint32(m.n))
	case spanDroppedEvents:
		x.dropped[1] = int64(uint32(m.n))
	case spanDroppedLinks:
		x.dropped[2] = int64(uint32(m.n))
	}
}

func (w *wire) readEvent(body []byte) {
	x := &w.span
	e := event{from: len(x.text.Text)}
	for m := (message{rest: body}); m.next(w); {
		switch m.number {
		case eventTime:
			e.at = m.time()
		case eventName:
			e.name = m.text()
		case eventAttributes:
			w.attribute(&x.text, m.body)
		}
	}
	e.to = len(x.text.Text)
	x.events = append(x.events, e)
}

func (w *wire) readLink(body []byte) {
	x := &w.span
	k := link{from: len(x.text.Text)}
	for m := (message{rest: body}); m.next(w); {
		switch m.number {
		case linkTrace:
			k.trace = idOf(m.body)
		case linkSpan:
			k.span = idOf(m.body)
		case linkAttributes:
			w.attribute(&x.text, m.body)
		}
	}
	k.to = len(x.text.Text)
	x.links = append(x.links, k)
}

// Numbers of the fields of KeyValue and AnyValue.
const (
	pairKey   = 1
	pairValue = 2

	anyString = 1
	anyBool   = 2
	anyInt    = 3
	anyDouble = 4
	anyList   = 5
	anyPairs  = 6
	anyBytes  = 7
)

// mostNested is how deep values may lie in each other.
const mostNested = 32

// attribute writes a KeyValue as a member, and returns its key and, if it is one, its text.
func (w *wire) attribute(out *requests.Members, body []byte) (key, text string) {
	return w.pair(out, body, 0)
}

func (w *wire) pair(out *requests.Members, body []byte, depth int) (key, text string) {
	var value []byte
	for m := (message{rest: body}); m.next(w); {
		switch m.number {
		case pairKey:
			key = m.text()
		case pairValue:
			value = m.body
		}
	}
	out.Name(key)
	return key, w.value(out, value, depth)
}

// value writes an AnyValue, and returns it if it is a text. One that is empty is null.
func (w *wire) value(out *requests.Members, body []byte, depth int) (text string) {
	m, last := message{rest: body}, message{}
	for m.next(w) {
		last = m // of several the last counts
	}
	switch {
	case depth >= mostNested:
		out.Quote("…")
	case last.number == anyString:
		out.Quote(last.text())
		return last.text()
	case last.number == anyBool:
		out.Bool(last.n != 0)
	case last.number == anyInt:
		out.Int(int64(last.n))
	case last.number == anyDouble:
		out.Float(math.Float64frombits(last.n))
	case last.number == anyBytes:
		out.Bytes(last.body)
	case last.number == anyList:
		out.Open('[')
		for e := (message{rest: last.body}); e.next(w); {
			w.value(out, e.body, depth+1)
		}
		out.Close(']')
	case last.number == anyPairs:
		out.Open('{')
		for e := (message{rest: last.body}); e.next(w); {
			w.pair(out, e.body, depth+1)
		}
		out.Close('}')
	default:
		out.Raw([]byte("null"))
	}
	return ""
}
