package pprof

import (
	"fmt"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// A profile.proto message refers to its strings and locations by number, and both Go and pprof
// write the strings last. So a file that was cut has no names, and the parser refuses it. Mending
// keeps the fields that are whole and adds what they refer to: a string like "?17", and a function
// or a location in a function of that name.

// reference is what a number of a message stands for.
type reference uint8

const (
	stringNumber reference = iota + 1
	locationNumber
	functionNumber
	mappingNumber
)

func (r reference) String() string {
	return [...]string{"", "string", "location", "function", "mapping"}[r]
}

// message says what the fields of a message are.
type message struct {
	asks   map[protowire.Number]reference // fields that refer to something
	nested map[protowire.Number]*message
	gives  reference // what the message's field 1 numbers
}

// Numbers of the fields that are looked at here, in the outermost message.
const (
	typeField     protowire.Number = 1
	sampleField   protowire.Number = 2
	locationField protowire.Number = 4
	functionField protowire.Number = 5
	stringField   protowire.Number = 6
)

func asking(what reference, fields ...protowire.Number) *message {
	m := &message{asks: map[protowire.Number]reference{}}
	for _, f := range fields {
		m.asks[f] = what
	}
	return m
}

// Messages of profile.proto.
var (
	lineShape   = asking(functionNumber, 1)
	sampleShape = func() *message {
		m := asking(locationNumber, 1)
		m.nested = map[protowire.Number]*message{3: asking(stringNumber, 1, 2, 4)}
		return m
	}()
)

// outermost is the message Profile.
var outermost = func() *message {
	mapping := asking(stringNumber, 5, 6)
	mapping.gives = mappingNumber
	location := &message{gives: locationNumber, nested: map[protowire.Number]*message{4: lineShape}}
	function := asking(stringNumber, 2, 3, 4)
	function.gives = functionNumber
	m := asking(stringNumber, 7, 8, 13, 14)
	m.nested = map[protowire.Number]*message{typeField: asking(stringNumber, 1, 2),
		sampleField: sampleShape, 3: mapping, locationField: location, functionField: function,
		11: asking(stringNumber, 1, 2)}
	return m
}()

// mender notes what a message refers to and what it has.
type mender struct {
	asked, given map[reference]map[uint64]bool
	strings      uint64 // that there are
	out          []byte
	standIns     int
	most         int // of them: more numbers come from damage, for to name one takes two bytes
}

// mend returns a profile that was cut as one that can be parsed, or nil if that cannot be done.
func mend(data []byte) []byte {
	m := mender{most: len(data) / 2,
		asked: map[reference]map[uint64]bool{}, given: map[reference]map[uint64]bool{}}
	for _, r := range []reference{stringNumber, locationNumber, functionNumber, mappingNumber} {
		m.asked[r], m.given[r] = map[uint64]bool{}, map[uint64]bool{}
	}
	m.out = slices.Clip(data[:m.walk(outermost, data)])
	for text := range m.asked[stringNumber] {
		m.addStrings(text)
	}
	for _, id := range m.missing(functionNumber) {
		m.addFunction(id)
	}
	free := uint64(1)
	for _, id := range m.missing(locationNumber) {
		for m.asked[functionNumber][free] || m.given[functionNumber][free] {
			free++
		}
		line := appendNumber(nil, 1, free)
		location := appendNumber(nil, 1, id)
		location = protowire.AppendBytes(protowire.AppendTag(location, 4, protowire.BytesType), line)
		m.add(locationField, location)
		m.addFunction(free)
		free++
	}
	if m.standIns > m.most {
		return nil
	}
	return m.out
}

// missing returns the numbers that are asked for and not given, sorted.
func (m *mender) missing(r reference) (ids []uint64) {
	for id := range m.asked[r] {
		if !m.given[r][id] {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// add appends a field of the outermost message.
func (m *mender) add(field protowire.Number, body []byte) {
	if m.standIns++; m.standIns <= m.most {
		m.out = protowire.AppendBytes(protowire.AppendTag(m.out, field, protowire.BytesType), body)
	}
}

// addFunction appends a function and the string that is its name. All strings that are asked for
// must be there, as their numbers are taken.
func (m *mender) addFunction(id uint64) {
	m.add(functionField, appendNumber(appendNumber(nil, 1, id), 2, m.strings))
	m.addStrings(m.strings)
}

// addStrings appends strings up to the given number; they are numbered from 0 without gaps.
func (m *mender) addStrings(upTo uint64) {
	for m.strings <= upTo && m.standIns <= m.most {
		name := ""
		if m.strings > 0 {
			name = fmt.Sprintf("?%d", m.strings)
		}
		m.add(stringField, []byte(name))
		m.strings++
	}
}

func appendNumber(to []byte, field protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(to, field, protowire.VarintType), v)
}

// walk notes the fields of a message and returns the length of those that are whole.
func (m *mender) walk(shape *message, data []byte) (whole int) {
	for whole < len(data) {
		field, wire, n := protowire.ConsumeTag(data[whole:])
		if n < 0 {
			return whole
		}
		rest := data[whole+n:]
		length := protowire.ConsumeFieldValue(field, wire, rest)
		if length < 0 {
			return whole
		}
		m.note(shape, field, wire, rest[:length])
		whole += n + length
	}
	return whole
}

// note notes one field.
func (m *mender) note(shape *message, field protowire.Number, wire protowire.Type, value []byte) {
	var numbers []uint64
	switch wire {
	case protowire.VarintType:
		v, _ := protowire.ConsumeVarint(value)
		numbers = append(numbers, v)
	case protowire.BytesType:
		body, _ := protowire.ConsumeBytes(value)
		if inner := shape.nested[field]; inner != nil {
			m.walk(inner, body)
			return
		}
		if shape == outermost && field == stringField {
			m.strings++
			return
		}
		if shape.asks[field] == 0 {
			return
		}
		for len(body) > 0 { // a packed list
			v, n := protowire.ConsumeVarint(body)
			if n < 0 {
				break
			}
			numbers, body = append(numbers, v), body[n:]
		}
	}
	for _, v := range numbers {
		if r := shape.asks[field]; r != 0 {
			m.asked[r][v] = true
		}
		if shape.gives != 0 && field == 1 {
			m.given[shape.gives][v] = true
		}
	}
}
