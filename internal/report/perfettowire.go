package report

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// message is a protocol buffer message that is being written (Protocol Buffers, "Encoding"): a
// sequence of fields, each a tag and a value. Messages in it are written in place between open and
// close, so that nothing is built apart and copied.
type message []byte

// Wire types, the lower three bits of a tag.
const (
	wireVarint  = 0
	wireFixed64 = 1
	wireLength  = 2
)

func (m *message) tag(field, wire int) {
	*m = binary.AppendUvarint(*m, uint64(field)<<3|uint64(wire))
}

// uint writes a field of an unsigned or enumerated type.
func (m *message) uint(field int, v uint64) {
	m.tag(field, wireVarint)
	*m = binary.AppendUvarint(*m, v)
}

// int writes an int64 field. Negative numbers take ten bytes.
func (m *message) int(field int, v int64) { m.uint(field, uint64(v)) }

func (m *message) fixed64(field int, v uint64) {
	m.tag(field, wireFixed64)
	*m = binary.LittleEndian.AppendUint64(*m, v)
}

func (m *message) double(field int, v float64) { m.fixed64(field, math.Float64bits(v)) }

func (m *message) text(field int, s string) {
	m.tag(field, wireLength)
	*m = binary.AppendUvarint(*m, uint64(len(s)))
	*m = append(*m, s...)
}

// open begins a message as a field of m and returns what close needs to end it.
func (m *message) open(field int) (at int) {
	m.tag(field, wireLength)
	*m = append(*m, 0)
	return len(*m)
}

// close ends the message that begins at at. One byte is set aside for its length; the message moves
// if that needs more, which few do.
func (m *message) close(at int) {
	n := uint64(len(*m) - at)
	if more := (bits.Len64(n|1)+6)/7 - 1; more > 0 {
		*m = slices.Insert(*m, at, make([]byte, more)...)
	}
	binary.PutUvarint((*m)[at-1:], n)
}
