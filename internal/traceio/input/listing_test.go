package input

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestListing holds that a directory is not looked at again where somebody has: what is written
// meanwhile is not there, while without a listing it is. Files behind links count for List alone.
func TestListing(t *testing.T) {
	dir, other := t.TempDir(), filepath.Join(t.TempDir(), "other")
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(dir, "one"), "1")
	write(other, "4444")
	if err := os.Symlink(other, filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	l, err := List(t.Context(), dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	if l.Size() != 5 {
		t.Errorf("%d bytes are listed, want 5", l.Size())
	}
	write(filepath.Join(dir, "two"), "22")
	for _, x := range []struct {
		listing       *Listing
		size, entries int
	}{{l, 1, 2}, {nil, 3, 3}, {&Listing{path: other}, 3, 3}} {
		s, err := Open(t.Context(), dir, Options{Listing: x.listing}, nil)
		if err != nil {
			t.Fatal(err)
		}
		entries, err := fs.ReadDir(s.Dir, ".")
		if err != nil || int(s.Size) != x.size || len(entries) != x.entries {
			t.Errorf("%d bytes in %d entries, %v; want %d in %d", s.Size, len(entries), err, x.size,
				x.entries)
		}
	}
	if l, err := List(t.Context(), other, 0); err != nil || l.Size() != 4 {
		t.Errorf("%v, %v: want 4 bytes", l, err)
	}
	if _, err := List(t.Context(), filepath.Join(dir, "missing"), 0); err == nil {
		t.Error("what is missing is listed")
	}
}

// TestNamesOnDisk: a file of a directory is read whatever bytes its name has.
func TestNamesOnDisk(t *testing.T) {
	dir, name := t.TempDir(), "caf\xe9_0"
	if err := os.WriteFile(filepath.Join(dir, name), []byte("text"), 0o600); err != nil {
		t.Skip(err) // of a file system that wants UTF-8
	}
	s, err := Open(t.Context(), dir, Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := fs.ReadFile(s.Dir, name); err != nil || string(got) != "text" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := fs.ReadFile(s.Dir, "../"+filepath.Base(dir)+"/"+name); err == nil {
		t.Error("a path that leaves the directory is opened")
	}
}
