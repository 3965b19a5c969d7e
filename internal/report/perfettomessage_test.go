package report

import (
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"pgregory.net/rapid"
)

// field is one field of a message as the wire format has it, read without knowing what it means.
type field struct {
	number int
	wire   uint64
	n      uint64 // a varint or 64 bits
	body   []byte // of a field with a length
}

var errWire = errors.New("broken message")

// fieldsOf reads a message from the definition of the wire format.
func fieldsOf(b []byte) (out []field, err error) {
	number := func() uint64 {
		n, size := binary.Uvarint(b)
		if size <= 0 {
			err, size = errWire, 0
		}
		b = b[size:]
		return n
	}
	for len(b) > 0 && err == nil {
		tag := number()
		f := field{number: int(tag >> 3), wire: tag & 7}
		switch {
		case err != nil:
		case f.wire == 0:
			f.n = number()
		case f.wire == 1 && len(b) >= 8:
			f.n, b = binary.LittleEndian.Uint64(b), b[8:]
		case f.wire == 2:
			if n := number(); n <= uint64(len(b)) {
				f.body, b = b[:n], b[n:]
			} else {
				err = errWire
			}
		default:
			err = fmt.Errorf("%w: wire type %d", errWire, f.wire)
		}
		out = append(out, f)
	}
	return out, err
}

// drawn is a message to be written: numbers, texts and messages.
type drawn struct {
	number int
	value  any // uint64, fixed, string or []drawn
}

type fixed uint64

func drawMessage(t *rapid.T, depth int) []drawn {
	out := make([]drawn, rapid.IntRange(0, 6).Draw(t, "fields"))
	for k := range out {
		out[k].number = rapid.IntRange(1, 1000).Draw(t, "number")
		switch kind := rapid.IntRange(0, 3).Draw(t, "kind"); {
		case kind == 0:
			out[k].value = rapid.Uint64().Draw(t, "value")
		case kind == 1:
			out[k].value = fixed(rapid.Uint64().Draw(t, "fixed"))
		case kind == 2 || depth == 0:
			n := rapid.SampledFrom([]int{0, 1, 126, 127, 128, 129, 16383, 16384}).Draw(t, "length")
			out[k].value = string(make([]byte, n))
		default:
			out[k].value = drawMessage(t, depth-1)
		}
	}
	return out
}

func (m *message) write(fields []drawn) {
	for _, f := range fields {
		number := protowire.Number(f.number)
		switch v := f.value.(type) {
		case uint64:
			m.uint(number, v)
		case fixed:
			m.fixed64(number, uint64(v))
		case string:
			m.text(number, v)
		case []drawn:
			at := m.open(number)
			m.write(v)
			m.close(at)
		}
	}
}

func same(t *rapid.T, want []drawn, body []byte) {
	got, err := fieldsOf(body)
	if err != nil || len(got) != len(want) {
		t.Fatalf("%d fields, %v; want %d", len(got), err, len(want))
	}
	for k, w := range want {
		g, ok := got[k], false
		switch v := w.value.(type) {
		case uint64:
			ok = g.wire == 0 && g.n == v
		case fixed:
			ok = g.wire == 1 && g.n == uint64(v)
		case string:
			ok = g.wire == 2 && string(g.body) == v
		case []drawn:
			ok = g.wire == 2
			same(t, v, g.body)
		}
		if !ok || g.number != w.number {
			t.Fatalf("field %d of wire type %d, want %v", g.number, g.wire, w)
		}
	}
}

// TestMessage holds that what is written is read back, whatever messages lie in one another and
// however long their lengths are.
func TestMessage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fields := drawMessage(t, 4)
		var m message
		m.write(fields)
		same(t, fields, m)
	})
}
