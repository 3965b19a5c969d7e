//go:build unix

package input

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/iotest"
)

// TestRegular reads a file to its end, and no more once it is closed.
func TestRegular(t *testing.T) {
	content := []byte("0123456789abcdef")
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := openRegular(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := iotest.TestReader(f, content); err != nil {
		t.Error(err)
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
