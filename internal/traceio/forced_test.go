package traceio_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/input/inputtest"
)

func loadAs(path, format string) error {
	_, err := traceio.Load(context.Background(), path, input.Options{Format: format})
	return err
}

// TestForcedOnItself: a recording that is read as what it is becomes what it is without being asked.
func TestForcedOnItself(t *testing.T) {
	inTestdata(t)
	for format, path := range smallest(t) {
		want, err := load(path)
		if err != nil {
			t.Fatal(err)
		}
		o := input.Options{Format: format}
		tr, err := traceio.Load(context.Background(), path, o)
		if err != nil || tr.Format != format || asText(t, tr) != asText(t, want) {
			t.Errorf("%s: %v", format, err)
		}
	}
}

// TestForcedOnOthers has every loader read the recordings of every other, texts, directories and
// archives: each load ends in a sound trace or in an error of one line.
func TestForcedOnOthers(t *testing.T) {
	inTestdata(t)
	paths := smallest(t)
	paths["a directory"] = t.TempDir()
	paths["a text"] = put(t, "a", []byte("some text\nand more of it\n"))
	paths["one byte"] = put(t, "a", []byte("x"))
	paths["zeros"] = put(t, "a", make([]byte, 1000))
	paths["an archive"] = put(t, "a", inputtest.Zip(t, files3("a", "text", "b", "[]")...))
	for _, f := range traceio.Formats() {
		for what, path := range paths {
			o := input.Options{Format: f.Name}
			tr, err := traceio.Load(context.Background(), path, o)
			switch {
			case err == nil:
				checkTrace(t, tr, what+" as "+f.Name)
			case errors.Is(err, input.ErrUnknownFormat) && what != f.Name || strings.Contains(err.Error(), "\n") ||
				!strings.HasPrefix(err.Error(), path):
				t.Errorf("%s as %s: %v", what, f.Name, err)
			}
		}
	}
}

// TestForcedErrors: names that are wrong, and sources that a format cannot have.
func TestForcedErrors(t *testing.T) {
	inTestdata(t)
	text := put(t, "a.txt", []byte("text"))
	for _, c := range []struct{ path, format, want string }{
		{text, "crome", `there is no format "crome"; the formats are ` + strings.Join(traceio.FormatNames(), ", ")},
		{text, "uftrace", "a.txt: this is a file, and cannot be read as uftrace (uftrace data directories)"},
		{family, "gotrace", "no goroutine can be read"},
		{t.TempDir(), "chrome", ": this is a directory or an archive without"},
		{text, "gotrace", "a.txt"},
	} {
		if err := loadAs(c.path, c.format); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s as %s: %v", c.path, c.format, err)
		}
	}
}

// TestForcedInAnArchive: of an archive's files, the one that the loader knows is read, else the first.
func TestForcedInAnArchive(t *testing.T) {
	path := put(t, "a.zip", inputtest.Zip(t, files3("README", "text", "a.json", string(oneCall("f")))...))
	if err := loadAs(path, "chrome"); err != nil {
		t.Error(err)
	}
	if err := loadAs(path, "gotrace"); err == nil || !strings.Contains(err.Error(), "a.zip/README") {
		t.Error(err)
	}
}
