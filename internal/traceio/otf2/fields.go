package otf2

import (
	"bytes"
	"encoding/binary"
	"math"
)

// undefined stands for a reference to nothing, and for a number that is not known.
const undefined = math.MaxUint32

// fields reads the values of a record's body one after the other. Past the end all are 0, and bad
// is set.
type fields struct {
	rest  []byte
	order binary.ByteOrder
	bad   bool
}

// more reports whether there is a further value: later versions of the format append values to
// records.
func (f *fields) more() bool { return len(f.rest) > 0 && !f.bad }

// take returns the next n bytes.
func (f *fields) take(n int) []byte {
	if len(f.rest) < n {
		f.bad, f.rest = true, nil
		return nil
	}
	b := f.rest[:n]
	f.rest = f.rest[n:]
	return b
}

func (f *fields) u8() byte {
	if b := f.take(1); b != nil {
		return b[0]
	}
	return 0
}

// full64 reads a number that is not packed.
func (f *fields) full64() uint64 {
	if b := f.take(8); b != nil {
		return f.order.Uint64(b)
	}
	return 0
}

func (f *fields) full32() uint32 {
	if b := f.take(4); b != nil {
		return f.order.Uint32(b)
	}
	return 0
}

func (f *fields) full16() uint16 {
	if b := f.take(2); b != nil {
		return f.order.Uint16(b)
	}
	return 0
}

// packed reads a packed number of at most so many bytes.
func (f *fields) packed(most int) (v uint64) {
	n := int(f.u8())
	switch {
	case n == undefinedTag:
		return math.MaxUint64 >> (64 - 8*most)
	case n > most:
		f.bad, f.rest = true, nil
		return 0
	}
	b := f.take(n)
	if f.order == binary.ByteOrder(binary.BigEndian) {
		for _, c := range b {
			v = v<<8 | uint64(c)
		}
		return v
	}
	for i, c := range b {
		v |= uint64(c) << (8 * i)
	}
	return v
}

func (f *fields) u32() uint32 { return uint32(f.packed(4)) }
func (f *fields) u64() uint64 { return f.packed(8) }
func (f *fields) i64() int64  { return int64(f.packed(8)) }

// text reads a text, which ends with a byte 0.
func (f *fields) text() string {
	n := bytes.IndexByte(f.rest, 0)
	if n < 0 {
		f.bad, f.rest = true, nil
		return ""
	}
	return string(f.take(n + 1)[:n])
}
