package input

import (
	"errors"
	"io"
	"sync"
)

// windowSize is how much of a file is in memory at a time.
const windowSize = 256 << 10

// mostEmptyReads is how often in a row a reader may return nothing.
const mostEmptyReads = 100

// Window is a sliding view of a file of binary records: its bytes from the first that is not yet
// consumed on. The memory of windows is used again, for a recording may have thousands of files.
type Window struct {
	r      io.Reader
	buf    []byte
	pos    int // of the first byte that is not yet consumed
	end    int
	offset int64 // of buf[0] in the file
	err    error // what reading ended with, io.EOF included
}

var windows = sync.Pool{New: func() any { return new([windowSize]byte) }}

// NewWindow begins at the start of r. Close it to give its memory back.
func NewWindow(r io.Reader) *Window {
	return &Window{r: r, buf: windows.Get().(*[windowSize]byte)[:]}
}

// Close gives the window's memory back. What Rest returned is then no longer valid.
func (w *Window) Close() {
	windows.Put((*[windowSize]byte)(w.buf))
	w.buf, w.pos, w.end = nil, 0, 0
}

// Rest returns the bytes at hand. They are valid until the next call of Ensure, Skip or Close.
func (w *Window) Rest() []byte { return w.buf[w.pos:w.end] }

// At returns the file offset of the next byte.
func (w *Window) At() int64 { return w.offset + int64(w.pos) }

// Advance consumes n of the bytes at hand, or all if there are fewer.
func (w *Window) Advance(n int) { w.pos = min(w.pos+n, w.end) }

// MostEnsured is how many bytes Ensure can make available at most.
const MostEnsured = windowSize / 2

// Ensure makes at least n bytes available, n at most MostEnsured, and reports whether there
// are that many.
func (w *Window) Ensure(n int) bool {
	if w.end-w.pos >= n || w.err != nil { // at the end of a file nothing need be moved
		return w.end-w.pos >= n
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

// Skip passes over n bytes, or to the end of the file.
func (w *Window) Skip(n int64) {
	for n > 0 && w.Ensure(1) {
		k := min(n, int64(w.end-w.pos))
		w.pos += int(k)
		n -= k
	}
}

// Failure returns the error that reading ended with, unless that is the end of the file.
func (w *Window) Failure() error {
	if w.err == nil || errors.Is(w.err, io.EOF) {
		return nil
	}
	return w.err
}
