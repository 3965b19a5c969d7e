package input

import (
	"bytes"
	"io"
	"math/bits"
	"sync/atomic"
)

// What zstd and xz unpack refers back to what came before: by no more than a window, which the
// file states and the libraries allocate at once. A file of a hundred bytes may state any. But
// nothing refers back beyond the beginning: a window larger than the content is never needed. So a
// large one is at first taken to be smaller, and once as much has been unpacked as it holds, all is
// unpacked again with one twice as large, and what was passed on is passed over. That at most
// doubles the work. What was read so far is kept for it, for a pipe is read once.
const (
	leastWindow = 8 << 20 // what xz and zstd take unless asked for more
	windowTimes = 4       // so many times what is stored is a sane window at once
	keptMost    = 16 << 20
)

// window is how large a window may be that a library is told. Goroutines of the library use it.
type window struct {
	bytes    atomic.Int64 // a power of two, or most
	most     int64        // beyond it a file is refused
	narrowed atomic.Bool
}

// allowed returns what is taken for a window of the stated size.
func (w *window) allowed(stated int64) int64 {
	if now := w.bytes.Load(); stated > now && stated <= w.most {
		w.narrowed.Store(true)
		return now
	}
	return stated
}

// unpacker opens a packed stream, and returns how to free what that takes; nil for nothing.
type unpacker func(stored io.Reader, w *window) (io.Reader, func(), error)

// windowed is a stream that is unpacked again where its window turns out to be too small.
type windowed struct {
	window
	open  unpacker
	ahead int64 // a library meets an error at most so far beyond what it has returned

	stored io.Reader
	kept   []byte       // what was read of stored; nil once that is not needed
	size   atomic.Int64 // its length, or −1
	from   io.Reader
	free   func()
	n      int64 // bytes passed on
}

// openWindowed opens a stream of so many bytes as stored; 0 if that is not known.
func openWindowed(r io.Reader, size, most, ahead int64, open unpacker) *windowed {
	w := &windowed{stored: r, open: open, ahead: ahead}
	w.kept = make([]byte, 0, max(min(size, keptMost), 0)) // to grow takes longer than to keep
	w.most = most
	w.bytes.Store(1 << bits.Len64(uint64(max(leastWindow, windowTimes*min(size, mostSize))-1)))
	return w
}

// start unpacks from the first byte on.
func (w *windowed) start() (err error) {
	w.narrowed.Store(false)
	stored := io.MultiReader(bytes.NewReader(w.kept), keeper{w})
	w.from, w.free, err = w.open(stored, &w.window)
	return err
}

// Close frees what the stream takes.
func (w *windowed) Close() error {
	if w.free != nil {
		w.free()
	}
	w.free = nil
	return nil
}

// keeper keeps what is read.
type keeper struct{ *windowed }

func (k keeper) Read(p []byte) (int, error) {
	n, err := k.stored.Read(p)
	switch size := k.size.Load(); {
	case size < 0:
	case size+int64(n) > keptMost && !k.narrowed.Load():
		k.kept = nil // a file of that size may state any window
		k.bytes.Store(max(k.most, k.bytes.Load()))
		k.size.Store(-1)
	default:
		k.kept = append(k.kept, p[:n]...)
		k.size.Store(int64(len(k.kept)))
	}
	return n, err
}

func (w *windowed) Read(p []byte) (int, error) {
	if w.from == nil {
		if err := w.start(); err != nil {
			return 0, err
		}
	}
	for {
		n, err := w.from.Read(p)
		if err == io.EOF || !w.narrowed.Load() || !w.isFull(w.n+int64(n)) {
			w.n += int64(n)
			return n, err
		}
		if err := w.widen(); err != nil {
			return 0, err
		}
	}
}

// isFull reports whether n bytes of content, or what was read for them, justify a larger window.
func (w *windowed) isFull(n int64) bool {
	now := w.bytes.Load()
	return n+w.ahead >= now || w.size.Load()*windowTimes > now
}

// widen begins again with a window twice as large, and goes to where the stream was.
func (w *windowed) widen() error {
	w.Close()
	w.bytes.Store(2 * w.bytes.Load())
	if err := w.start(); err != nil {
		return err
	}
	_, err := io.CopyN(io.Discard, w.from, w.n)
	return err
}
