package input

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// TestGrowingFile: of a file that is still being written, alone or in a directory, what it had when
// it was opened is read; otherwise reading might never end.
func TestGrowingFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	write := func(text string) {
		t.Helper()
		f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err == nil {
			_, err = f.WriteString(text)
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	open := func(path string) *Source {
		t.Helper()
		s, err := Open(context.Background(), path, Options{}, func(*Source) bool { return false })
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		return s
	}
	large := string(make([]byte, HeadSize+1))
	write(large)
	file, folder := open(path), open(dir)
	member, err := folder.Dir.Open("f")
	if err != nil {
		t.Fatal(err)
	}
	defer member.Close()
	write("more")
	if got, err := file.ReadAll(); err != nil || len(got) != len(large) {
		t.Errorf("%d bytes of the file, %v", len(got), err)
	}
	n := 0
	for p := make([]byte, 1<<20); err == nil; {
		var k int
		k, err = member.Read(p)
		n += k
	}
	if n != len(large) {
		t.Errorf("%d bytes of the member", n)
	}
}
