package perfetto

import (
	"encoding/binary"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// fields walks over the fields of a message, in the order of the file. Fields that nobody asks for
// cost a few instructions, so unknown ones are skipped by not being asked for.
type fields struct {
	rest   []byte
	broken bool // what is left is no field

	number protowire.Number
	kind   protowire.Type
	n      uint64 // of a varint or a fixed field
	body   []byte // of a length-delimited field; it lies in the message
}

// fieldsOf begins a walk over a message.
func fieldsOf(message []byte) fields { return fields{rest: message} }

// next goes to the next field and reports whether there is one. A broken field ends the walk; what
// came before it stands.
func (f *fields) next() bool {
	if len(f.rest) == 0 {
		return false
	}
	if b := f.rest; len(b) > 1 && b[0] < 0x80 && b[1] < 0x80 && b[0] > 7 {
		// Nearly all fields have a number, and a value or a length, of a byte each.
		f.number, f.kind = protowire.Number(b[0]>>3), protowire.Type(b[0]&7)
		switch n := int(b[1]); {
		case f.kind == protowire.VarintType:
			f.n, f.rest = uint64(n), b[2:]
			return true
		case f.kind == protowire.BytesType && n <= len(b)-2:
			f.body, f.rest = b[2:2+n], b[2+n:]
			return true
		}
	}
	number, kind, k := protowire.ConsumeTag(f.rest)
	if k < 0 {
		return f.fail()
	}
	f.number, f.kind, f.rest = number, kind, f.rest[k:]
	switch kind {
	case protowire.VarintType:
		f.n, k = protowire.ConsumeVarint(f.rest)
	case protowire.BytesType:
		f.body, k = protowire.ConsumeBytes(f.rest)
	case protowire.Fixed64Type:
		f.n, k = protowire.ConsumeFixed64(f.rest)
	case protowire.Fixed32Type:
		var n uint32
		n, k = protowire.ConsumeFixed32(f.rest)
		f.n = uint64(n)
	default: // groups, which no message of Perfetto has
		k = -1
	}
	if k < 0 {
		return f.fail()
	}
	f.rest = f.rest[k:]
	return true
}

func (f *fields) fail() bool {
	f.rest, f.broken = nil, true
	return false
}

// is reports whether the field has a number, and is encoded as fields of that number are.
func (f *fields) is(number protowire.Number, kind protowire.Type) bool {
	return f.number == number && f.kind == kind
}

// text returns the body of a length-delimited field as a string of its own.
func (f *fields) text() string {
	if f.kind != protowire.BytesType {
		return ""
	}
	return string(f.body)
}

// message returns the body of a length-delimited field, nil of another.
func (f *fields) message() []byte {
	if f.kind != protowire.BytesType {
		return nil
	}
	return f.body
}

// double returns the value of a double field.
func (f *fields) double() float64 { return math.Float64frombits(f.n) }

// each64 is each for fields that are fixed64, or were varints once.
func (f *fields) each64(add func(uint64)) {
	if f.kind != protowire.BytesType {
		add(f.n)
		return
	}
	for b := f.body; len(b) >= 8; b = b[8:] {
		add(binary.LittleEndian.Uint64(b))
	}
}

// each calls add with all values of a repeated number, packed or not.
func (f *fields) each(add func(uint64)) {
	if f.kind != protowire.BytesType {
		add(f.n)
		return
	}
	for b := f.body; len(b) > 0; {
		n, k := protowire.ConsumeVarint(b)
		if k < 0 {
			f.broken = true
			return
		}
		add(n)
		b = b[k:]
	}
}
