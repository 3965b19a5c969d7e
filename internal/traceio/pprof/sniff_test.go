package pprof

import (
	"encoding/binary"
	"testing"

	"diptych/internal/traceio/input"
)

func concat(order binary.AppendByteOrder, size int, ws ...uint64) (b []byte) {
	for _, w := range ws {
		if size == 4 {
			b = order.AppendUint32(b, uint32(w))
		} else {
			b = order.AppendUint64(b, w)
		}
	}
	return b
}

func TestSniff(t *testing.T) {
	for _, c := range []struct {
		name string
		head []byte
		want bool
	}{
		{"empty", nil, false},
		{"JSON", []byte(`{"traceEvents":[]}`), false},
		{"Go trace", []byte("go 1.26 trace\x00\x00\x00"), false},
		{"text", []byte("\ngoroutine profile: none"), false},
		{"cpu 64 bit", concat(binary.LittleEndian, 8, 0, 3, 0, 10000, 0), true},
		{"cpu 32 bit", concat(binary.BigEndian, 4, 0, 3, 1, 10000, 0), true},
		{"zeros", make([]byte, 100), false},
		{"heap", []byte("heap profile:  10: 20 [ 30: 40] @ heapprofile\n"), true},
		{"goroutines", []byte("goroutine profile: total 4\n"), true},
		{"contention", []byte("--- contention:\ncycles/second=1\n"), true},
		{"threads", []byte("--- threadz 1 ---\n"), true},
		// Field 1 with the numbers 1 and 2, field 2 cut off.
		{"profile", []byte("\x0a\x04\x08\x01\x10\x02\x12\x10\x0a"), true},
		{"period first", []byte("\x5a\x04\x08\x01\x10\x02\x60\x01\x0a\x02\x08\x01"), true},
		{"zeros behind it", []byte("\x5a\x04\x08\x01\x10\x02\x60\x01\x0a\x02\x08\x01\x00\x00\x00"), true},
		{"sample type without type", []byte("\x0a\x00\x0a\x00"), false},
		// A Perfetto trace: field 1 is a packet, here with a timestamp (8) and a string.
		{"perfetto", []byte("\x0a\x06\x40\x01\x0a\x02ab"), false},
		{"perfetto, numbers only", []byte("\x0a\x04\x40\x01\x50\x02"), false},
		{"a field beyond the schema", []byte("\x0a\x02\x08\x01\xfa\x01\x00"), false},
		{"overlong number",
			[]byte("\x0a\x02\x08\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"), false},
	} {
		if got := Sniff(&input.Source{Head: c.head}); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestCut(t *testing.T) {
	cpu := concat(binary.LittleEndian, 8, 0, 3, 0, 10000, 0, 7, 2, 0x10, 0x20, 0, 1, 0)
	text := []byte("goroutine profile: total 2\n2 @ 0x1 0x2\n")
	for name, data := range map[string][]byte{"words": cpu, "text": text} {
		if cut(data) {
			t.Errorf("%s: intact, yet said to be cut", name)
		}
		if !cut(data[:len(data)-1]) {
			t.Errorf("%s: a cut is not noticed", name)
		}
	}
	tr, err := tryLoad(cpu[:len(cpu)-24], "samples")
	if err != nil || tr.Duration != 7 || len(tr.Diagnostics) != 2 { // and code without a symbol
		t.Errorf("%v, %v", tr, err)
	}
}
