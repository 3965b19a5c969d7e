package input

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFormatErrorSaysWhere holds the text of errors, which users see as one line.
func TestFormatErrorSaysWhere(t *testing.T) {
	cause := errors.New("zlib: invalid checksum")
	for _, tt := range []struct {
		err  FormatError
		want string
	}{
		{FormatError{File: "a.json", Offset: 17, Reason: "bad number"}, "a.json:17: bad number"},
		{FormatError{File: "a.json", Offset: 0, Reason: "empty file"}, "a.json:0: empty file"},
		{FormatError{File: "dir", Offset: -1, Reason: "no info file"}, "dir: no info file"},
		{FormatError{File: "a.gz", Offset: 9, Reason: "cannot unpack", Err: cause},
			"a.gz:9: cannot unpack: zlib: invalid checksum"},
	} {
		if got := tt.err.Error(); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

// TestFailKeepsItsCause: callers may ask what the cause was, and which file it was in, also when the
// error was wrapped again.
func TestFailKeepsItsCause(t *testing.T) {
	read := int64(0)
	s := &Source{Path: "a.json.gz", Unpacked: func() int64 { return read }}
	read = 4096
	err := fmt.Errorf("loading: %w", s.Fail("file ends early", io.ErrUnexpectedEOF))
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%v has lost its cause", err)
	}
	var f *FormatError
	if !errors.As(err, &f) || f.File != "a.json.gz" || f.Offset != 4096 {
		t.Errorf("%v is about %+v", err, f)
	}
	if got := s.Fail("no events", nil); errors.Unwrap(got) != nil {
		t.Errorf("%v has a cause", got)
	}
}

// TestFailWithoutStream: a directory has no offsets.
func TestFailWithoutStream(t *testing.T) {
	err := (&Source{Path: "trace.data"}).Fail("no task list", nil)
	if err.Error() != "trace.data: no task list" {
		t.Errorf("%v", err)
	}
}

// TestSizeOfDirectories has files at several levels. Where there are very many, those deep down do not
// count.
func TestSizeOfDirectories(t *testing.T) {
	dir := t.TempDir()
	deep := filepath.Join(dir, "a", "b", "c", "d")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(name string) {
		if err := os.WriteFile(name, make([]byte, 100), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	size := func() int64 {
		s, err := Open(context.Background(), dir, Options{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		return s.Size
	}
	write(filepath.Join(deep, "f"))
	write(filepath.Join(dir, "f"))
	if n := size(); n != 200 {
		t.Errorf("%d bytes", n)
	}
	for i := range fewEntries {
		if err := os.Mkdir(filepath.Join(dir, fmt.Sprint("0", i)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if n := size(); n != 100 {
		t.Errorf("%d bytes beside many directories", n)
	}
}

// TestDirectoryThatCannotBeRead: it is not taken for an empty one.
func TestDirectoryThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o700)
	if _, err := os.ReadDir(dir); err == nil {
		t.Skip("this user may read everything")
	}
	if _, err := Open(t.Context(), dir, Options{}, nil); err == nil || !strings.Contains(err.Error(), "permission denied") {
		t.Error(err)
	}
}
