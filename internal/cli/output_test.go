package cli

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// writeFile writes a file that has nothing to do with any input.
func writeFile(path string, content func(io.Writer) error) error {
	o, err := newOutput(path, nil)
	if err != nil {
		return err
	}
	return o.write(content)
}

// TestOutput holds that a file is whole or as it was, and that what a name leads to stays what it
// is.
func TestOutput(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := os.WriteFile(file, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	failed := errors.New("failed")
	err := writeFile(link, func(w io.Writer) error {
		_, _ = io.WriteString(w, "half")
		return failed
	})
	if got, _ := os.ReadFile(file); !errors.Is(err, failed) || string(got) != "old" {
		t.Errorf("%q, %v", got, err)
	}
	say := func(w io.Writer) error { _, err := io.WriteString(w, "new"); return err }
	if err := writeFile(link, say); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != "new" {
		t.Errorf("%q, %v", got, err)
	}
	if at, err := os.Stat(file); err != nil || at.Mode().Perm() != 0o600 {
		t.Errorf("what only its owner could read: %v, %v", at, err)
	}
	if to, err := os.Readlink(link); err != nil || to != file {
		t.Errorf("the link leads to %q, %v", to, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
		t.Errorf("%v, %v", left, err)
	}
}

// TestOutputNowhere holds that an error names the file that was asked for, and no other.
func TestOutputNowhere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none", "file")
	err := writeFile(path, func(io.Writer) error { return nil })
	if want := path + ": cannot create: "; !errors.Is(err, os.ErrNotExist) ||
		!strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), ".diptych") {
		t.Errorf("%v, want %s…", err, want)
	}
}

// TestOutputToPipe holds that a pipe is written to, not replaced.
func TestOutputToPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	got := make(chan string)
	go func() {
		b, err := os.ReadFile(pipe)
		if err != nil {
			b = []byte(err.Error())
		}
		got <- string(b)
	}()
	err := writeFile(pipe, func(w io.Writer) error { _, err := io.WriteString(w, "said"); return err })
	if s := <-got; err != nil || s != "said" {
		t.Errorf("%q, %v", s, err)
	}
}
