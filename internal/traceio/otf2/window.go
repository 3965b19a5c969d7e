package otf2

import (
	"errors"
	"io"
	"sync"
)

// windowSize is how much of a file is in memory at a time.
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

// buffers are used again: a recording may have thousands of locations.
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
	for empty := 0; w.end < n && w.err == nil; {
		var k int
		k, w.err = w.r.Read(w.buf[w.end:])
		w.end += k
		if empty++; k > 0 {
			empty = 0
		} else if empty == mostEmptyReads && w.err == nil {
			w.err = io.ErrNoProgress
		}
	}
	return w.end >= n
}

// mostEmptyReads is how often in a row a reader may return nothing.
const mostEmptyReads = 100

// skip passes over n bytes, or to the end of the file.
func (w *window) skip(n int64) {
	for n > 0 && w.ensure(1) {
		k := min(n, int64(w.end-w.pos))
		w.pos += int(k)
		n -= k
	}
}

// failure returns the error that reading ended with, unless that is the end of the file.
func (w *window) failure() error {
	if w.err == nil || errors.Is(w.err, io.EOF) {
		return nil
	}
	return w.err
}
