package jaeger

import (
	"encoding/json"

	"diptych/internal/traceio/requests"
)

// readReference reads what a span says of another one.
func (l *loader) readReference(around string) {
	x := &l.span
	var kind, id, other string
	for name := range l.Members() {
		switch name {
		case "refType":
			kind = l.Text()
		case "traceID":
			other = l.Text()
		case "spanID":
			id = l.Text()
		}
	}
	own := x.trace
	if own == "" {
		own = around
	}
	if kind == "CHILD_OF" && x.parent == "" && (other == "" || own == "" || other == own) {
		x.parent = id
		return
	}
	x.links = append(x.links, requests.Link{Trace: other, Span: id})
	m := &x.refs
	m.Open('{')
	m.Said("refType", kind)
	m.Said("traceID", other)
	m.Said("spanID", id)
	m.Close('}')
}

// readLog reads an event. Its name is what its field event says, or message.
func (l *loader) readLog() {
	x, m, e := &l.span, &l.span.logs, requests.Event{Name: "log"}
	at, message := int64(-1), ""
	m.Open('{')
	from := len(m.Text)
	for name := range l.Members() {
		switch name {
		case "timestamp":
			at = l.number()
		case "fields":
			l.tags(m, func(key, text string) {
				switch key {
				case "event":
					e.Name = text
				case "message":
					message = text
				}
			})
		}
	}
	if e.Name == "log" && message != "" {
		e.Name = message
	}
	if len(m.Text) == from {
		m.Said("event", e.Name)
	}
	m.Name("atUs")
	m.Int(at)
	m.Close('}')
	e.At = micros(at)
	x.events = append(x.events, e)
}

// tags writes a list of keys and values as members, and tells those whose values are texts.
func (l *loader) tags(out *requests.Members, say func(key, text string)) {
	for range l.Elements() {
		if l.usualTag(out) {
			continue
		}
		key, kind, text := "", "", ""
		value := requests.Members{}
		for name := range l.Members() {
			switch name {
			case "key":
				key = l.Text()
			case "type":
				kind = l.Text()
			case "value":
				text = l.value(&value)
			}
		}
		out.Name(key)
		switch {
		case kind == "bool" && (text == "true" || text == "false"):
			out.Bool(text == "true") // some writers quote it
		case len(value.Text) == 0:
			out.Raw([]byte("null"))
		default:
			out.Raw(value.Text)
		}
		if text != "" {
			say(key, text)
		}
	}
}

// value writes the value of a tag, and returns it if it is a text.
func (l *loader) value(out *requests.Members) (text string) {
	switch l.Kind() {
	case '"':
		text = l.Text()
		out.Quote(text)
	case '0', 't', 'f':
		word := l.Word()
		if !json.Valid([]byte(word)) { // NaN, say
			out.Quote(word)
			break
		}
		out.Raw([]byte(word))
	default: // null, or what no tag has
		l.Skip()
	}
	return text
}
