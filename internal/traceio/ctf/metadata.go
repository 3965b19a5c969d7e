package ctf

import (
	"cmp"
	"slices"
	"strconv"
)

// metadata is what a trace says of itself.
type metadata struct {
	order   order
	uuid    string
	packet  *typ // the header of packets, or nil
	env     map[string]string
	clocks  map[string]*clock
	streams map[uint64]*streamClass
	events  []*eventClass
}

// streamClass is a kind of streams: what surrounds their events.
type streamClass struct {
	id      uint64
	context *typ // of packets
	header  *typ // of events
	common  *typ // context of all events
	events  map[uint64]*eventClass
	layout  *layout
	err     error // why there is no layout
}

// eventClass is a kind of events.
type eventClass struct {
	id, stream uint64
	name       string
	context    *typ
	fields     *typ
	body       *body // nil if its stream has no layout
}

// clock tells times: a value v is (offset + v) / freq seconds plus whole seconds after its origin.
type clock struct {
	name            string
	freq            uint64
	seconds, offset int64
}

func newMetadata() *metadata {
	return &metadata{order: little, env: map[string]string{}, clocks: map[string]*clock{},
		streams: map[uint64]*streamClass{}}
}

// link sorts events into their streams. A trace need not say that it has a stream, if nothing
// surrounds its events.
func (m *metadata) link() {
	for _, e := range m.events {
		s := m.streams[e.stream]
		if s == nil {
			s = m.addStream(&streamClass{id: e.stream})
		}
		if s.events[e.id] == nil {
			s.events[e.id] = e
		}
	}
}

func (m *metadata) addStream(s *streamClass) *streamClass {
	s.events = map[uint64]*eventClass{}
	m.streams[s.id] = s
	return s
}

// onlyClock returns the clock of times that name none: that of the trace, if it has one, or one
// that counts ns.
func (m *metadata) onlyClock() *clock {
	switch len(m.clocks) {
	case 0:
		return &clock{freq: 1e9}
	case 1:
		for _, c := range m.clocks {
			return c
		}
	}
	return nil
}

// value is what an attribute is set to.
type value struct {
	token
	negative bool
	name     string // dotted, for kind nameToken
}

// attribute is one assignment in a block: of a value, or of a type.
type attribute struct {
	name string
	value
	typ *typ
}

// uint returns a number, and 0 for anything else.
func (v value) uint() uint64 {
	n, ok := number(v.text)
	if !ok || v.kind != numberToken {
		return 0
	}
	if v.negative {
		return -n
	}
	return n
}

// truth reads a flag.
func (v value) truth() bool {
	switch v.name {
	case "true", "TRUE":
		return true
	}
	return v.uint() != 0
}

// words returns what a name or a text says.
func (v value) words() string {
	if v.kind == nameToken {
		return v.name
	}
	return v.text
}

// number reads a number as C writes it.
func number(s string) (uint64, bool) {
	for len(s) > 1 && (s[len(s)-1]|0x20 == 'u' || s[len(s)-1]|0x20 == 'l') {
		s = s[:len(s)-1]
	}
	n, err := strconv.ParseUint(s, 0, 64)
	return n, err == nil
}

// apply takes over the attributes of a block at the top level.
func (m *metadata) apply(block string, list []attribute) {
	switch block {
	case "trace":
		m.applyTrace(list)
	case "env":
		for _, a := range list {
			text := a.words()
			if a.kind == numberToken && a.negative {
				text = "-" + text
			}
			m.env[a.name] = text
		}
	case "clock":
		m.applyClock(list)
	case "stream":
		m.applyStream(list)
	case "event":
		m.applyEvent(list)
	}
}

func (m *metadata) applyTrace(list []attribute) {
	for _, a := range list {
		switch a.name {
		case "byte_order":
			m.order = cmp.Or(orders[a.words()], m.order)
		case "uuid":
			m.uuid = a.words()
		case "packet.header":
			m.packet = a.typ
		}
	}
}

var orders = map[string]order{"le": little, "be": big, "network": big}

func (m *metadata) applyClock(list []attribute) {
	c := &clock{freq: 1e9}
	for _, a := range list {
		switch a.name {
		case "name":
			c.name = a.words()
		case "freq":
			c.freq = a.uint()
		case "offset":
			c.offset = int64(a.uint())
		case "offset_s":
			c.seconds = int64(a.uint())
		}
	}
	c.freq = max(c.freq, 1)
	m.clocks[c.name] = c
}

func (m *metadata) applyStream(list []attribute) {
	s := &streamClass{}
	for _, a := range list {
		switch a.name {
		case "id":
			s.id = a.uint()
		case "event.header":
			s.header = a.typ
		case "event.context":
			s.common = a.typ
		case "packet.context":
			s.context = a.typ
		}
	}
	m.addStream(s)
}

func (m *metadata) applyEvent(list []attribute) {
	e := &eventClass{}
	for _, a := range list {
		switch a.name {
		case "id":
			e.id = a.uint()
		case "name":
			e.name = a.words()
		case "stream_id":
			e.stream = a.uint()
		case "context":
			e.context = a.typ
		case "fields":
			e.fields = a.typ
		}
	}
	m.events = append(m.events, e)
}

// tool names the tracer and its version.
func (m *metadata) tool() string {
	name := m.env["tracer_name"]
	if major, minor := m.env["tracer_major"], m.env["tracer_minor"]; name != "" && major != "" {
		name += " " + major
		if minor != "" {
			name += "." + minor
		}
	}
	return name
}

// encoded reports whether an encoding is one of characters.
func encoded(v value) bool {
	return slices.Contains([]string{"UTF8", "utf8", "UTF-8", "ASCII", "ascii"}, v.words())
}
