package uftrace

import (
	"encoding/binary"
	"errors"
	"io"
	"sync"
)

// windowSize is how much of a task's file is in memory at a time.
const windowSize = 256 << 10

// window is a sliding view of a file: what is not yet consumed begins at pos.
type window struct {
	r      io.Reader
	buf    []byte
	pos    int
	end    int
	offset int64 // of buf[0] in the file
	err    error // what reading ended with, io.EOF included
}

// buffers are used again: a recording may have thousands of tasks.
var buffers = sync.Pool{New: func() any { return new([windowSize]byte) }}

// newWindow begins at the start of r. Close it to give its memory back.
func newWindow(r io.Reader) *window {
	return &window{r: r, buf: buffers.Get().(*[windowSize]byte)[:]}
}

func (w *window) close() {
	buffers.Put((*[windowSize]byte)(w.buf))
	w.buf, w.pos, w.end = nil, 0, 0
}

// rest returns the bytes at hand.
func (w *window) rest() []byte { return w.buf[w.pos:w.end] }

// at returns the file offset of the next byte.
func (w *window) at() int64 { return w.offset + int64(w.pos) }

// ensure makes at least n bytes available, n at most half of the window, and reports whether there
// are that many.
func (w *window) ensure(n int) bool {
	if w.end-w.pos >= n {
		return true
	}
	copy(w.buf, w.buf[w.pos:w.end])
	w.offset += int64(w.pos)
	w.pos, w.end = 0, w.end-w.pos
	for w.end < n && w.err == nil {
		var k int
		k, w.err = w.r.Read(w.buf[w.end:])
		w.end += k
	}
	return w.end >= n
}

// failure returns the error that reading ended with, unless that is the end of the file.
func (w *window) failure() error {
	if w.err == nil || errors.Is(w.err, io.EOF) {
		return nil
	}
	return w.err
}

// Records are two 64-bit words: the time in ns, and from the lowest bit type (2), more (1), magic
// (3), depth (10) and address (48).
const recordSize = 16

// Record types.
const (
	entryRecord = iota
	exitRecord
	lostRecord
	eventRecord
)

const recordMagic = 5

// words decodes records of either byte order. On a big-endian machine the compiler lays the bit
// fields out from the highest bit.
type words struct {
	order   binary.ByteOrder
	little  bool
	highest bool
}

func newWords(order binary.ByteOrder, first []byte) words {
	w := words{order: order, little: order == binary.LittleEndian}
	if !w.little && len(first) >= recordSize {
		second := order.Uint64(first[8:])
		w.highest = second>>3&7 != recordMagic && second>>58&7 == recordMagic
	}
	return w
}

// record is one record, its fields still packed as above.
type record struct {
	at     uint64
	packed uint64
}

func (r record) kind() int    { return int(r.packed & 3) }
func (r record) more() bool   { return r.packed&4 != 0 }
func (r record) sound() bool  { return r.packed>>3&7 == recordMagic }
func (r record) depth() int   { return int(r.packed >> 6 & 0x3ff) }
func (r record) addr() uint64 { return r.packed >> 16 }

func (w *words) decode(b []byte) record {
	if w.little {
		return record{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])}
	}
	at, p := w.order.Uint64(b), w.order.Uint64(b[8:])
	if w.highest {
		p = p>>62 | p>>61&1<<2 | p>>58&7<<3 | p>>48&0x3ff<<6 | p<<16
	}
	return record{at, p}
}
