//go:build unix

package input

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/iotest"
)

// TestRegular reads files to their ends: of the size that was told, grown since, cut since, empty.
func TestRegular(t *testing.T) {
	content := []byte("0123456789abcdef")
	for _, told := range []int64{0, 10, int64(len(content)), 20} {
		path := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := openRegular(path, told)
		if err != nil {
			t.Fatal(err)
		}
		if err := iotest.TestReader(f, content); err != nil {
			t.Errorf("a file of %d bytes that was said to have %d: %v", len(content), told, err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		if err := f.Close(); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("closed a second time: %v", err)
		}
		if _, err := f.Read(make([]byte, 1)); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("read once it was closed: %v", err)
		}
	}
}

// TestRegularEndsWithItsLastBytes holds a whole file in one read to one system call.
func TestRegularEndsWithItsLastBytes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("0123"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := openRegular(path, 4)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if n, err := f.Read(make([]byte, 10)); n != 4 || err != io.EOF {
		t.Errorf("%d bytes and %v, want 4 and the end", n, err)
	}
}
