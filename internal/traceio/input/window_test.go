package input

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

// TestWindowIsTheFile: what a window shows, however it is moved, is what the file has there.
func TestWindowIsTheFile(t *testing.T) {
	file := make([]byte, 3*windowSize)
	for i := range file {
		file[i] = byte(i * 7 >> 3)
	}
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(0, len(file)).Draw(t, "size")
		w := NewWindow(bytes.NewReader(file[:size]))
		defer w.Close()
		for at := 0; at < size; {
			n := rapid.IntRange(1, windowSize/2).Draw(t, "n")
			if enough := w.Ensure(n); enough != (size-at >= n) {
				t.Fatalf("%d bytes at %d of %d: %v", n, at, size, enough)
			}
			if got := w.Rest(); w.At() != int64(at) || !bytes.Equal(got, file[at:at+len(got)]) {
				t.Fatalf("other bytes at %d, which says %d", at, w.At())
			}
			if rapid.Bool().Draw(t, "skip") {
				n *= 3
				w.Skip(int64(n))
			} else {
				n = min(n, len(w.Rest()))
				w.Advance(n)
			}
			at = min(at+n, size)
		}
		if w.Ensure(1) || w.Failure() != nil {
			t.Fatalf("after the end: %q, %v", w.Rest(), w.Failure())
		}
	})
}

// TestWindowTellsFailures: bytes before an error are shown, and a reader that gives nothing is one.
func TestWindowTellsFailures(t *testing.T) {
	for name, c := range map[string]struct {
		r    io.Reader
		want error
	}{
		"error":   {iotest.TimeoutReader(iotest.OneByteReader(bytes.NewReader([]byte("abcd")))), iotest.ErrTimeout},
		"nothing": {io.MultiReader(bytes.NewReader([]byte("a")), silent{}), io.ErrNoProgress},
	} {
		w := NewWindow(c.r)
		if w.Ensure(5) || string(w.Rest()) != "a" || !errors.Is(w.Failure(), c.want) {
			t.Errorf("%s: %q, %v", name, w.Rest(), w.Failure())
		}
		w.Close()
	}
}

// silent is a reader that returns nothing, and no error.
type silent struct{}

func (silent) Read([]byte) (int, error) { return 0, nil }
