package pprof

import (
	"encoding/binary"
	"regexp"

	"diptych/internal/traceio/input"
)

// Sniff reports whether the source looks like a profile. None of the formats has a magic number, so
// other binary formats should be asked first: profile.proto is told from other protocol buffers by
// its fields, of which the first must be sample types (two numbers; Go puts the period's before
// them) and the others must have the types that the schema gives them.
func Sniff(src *input.Source) bool {
	h := src.Head
	return isProto(h) || isCPU(h) || isText(h)
}

// textual are the first lines of gperftools' and Go's text formats.
var textual = regexp.MustCompile(`\A(` +
	`heap profile: *\d+: *\d+ *\[ *\d+: *\d+ *\] *@ *(heap|growth|fragmentation)` +
	`|\S+ profile: total \d+\r?\n` +
	`|--- (contentionz |mutex:|contention:|heapz 1 ---|threadz \d+ ---)` +
	`|--- Thread [[:xdigit:]]+ \(name: .*/\d+\) stack: ---)`)

func isText(h []byte) bool { return textual.Match(h) }

func isCPU(h []byte) bool { return wordsOf(h) != nil }

// Sets of wire types of protocol buffers, by bit.
const (
	number = 1 << 0 // wire type 0: a varint
	chunk  = 1 << 2 // wire type 2: a length and as many bytes
)

// shape gives the wire types allowed for each field of a message, by field number.
type shape []uint8

var (
	valueType = shape{0, number, number}
	messages  = map[int]shape{
		1:  valueType,
		2:  {0, number | chunk, number | chunk, chunk}, // sample
		3:  {0, number, number, number, number, number, number, number, number, number, number},
		4:  {0, number, number, number, chunk, number}, // location
		5:  {0, number, number, number, number, number},
		11: valueType,
	}
	top = shape{0, chunk, chunk, chunk, chunk, chunk, chunk, number, number, number, number,
		chunk, number, number | chunk, number, number}
)

// isProto reports whether h can be the beginning of a profile.proto message.
func isProto(h []byte) bool {
	types := 0
	ok := top.walk(h, func(field int, value []byte) bool {
		if field == 1 && len(value) > 0 {
			types++
		}
		shape, known := messages[field]
		return (types > 0 || field == 11) && (!known || shape.walk(value, nil))
	})
	return ok && types > 0
}

// walk goes through the fields of a message that may be cut off, and stops at the first that does
// not fit.
func (s shape) walk(m []byte, visit func(field int, value []byte) bool) bool {
	for len(m) > 0 {
		tag, n := binary.Uvarint(m)
		if n == 0 {
			return true // cut
		}
		field, wire := tag>>3, tag&7
		if n < 0 || field == 0 || field >= uint64(len(s)) || s[field]>>wire&1 == 0 {
			return false
		}
		m = m[n:]
		v, n := binary.Uvarint(m)
		if n <= 0 {
			return n == 0
		}
		m = m[n:]
		if wire == 0 {
			continue
		}
		value := m[:min(v, uint64(len(m)))]
		if visit != nil && !visit(int(field), value) {
			return false
		}
		m = m[len(value):]
	}
	return true
}
