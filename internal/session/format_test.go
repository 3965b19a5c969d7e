package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

// TestFormatsAreKept: what the traces of a session are read as is saved, follows the sides when they
// are swapped, and a file that cannot be read so is not shown.
func TestFormatsAreKept(t *testing.T) {
	s := New(func() {})
	path := filepath.Join("../../testdata/chrome/edge/object-form.json.zst")
	s.Open(pair.A, path, input.Options{Format: "chrome"})
	s.Open(pair.B, path, input.Options{})
	s.Settle(context.Background())
	s.Swap()
	s.Settle(context.Background())
	f, err := s.Saved(input.Options{})
	if err != nil || f.Traces.A.Format != "" || f.Traces.B.Format != "chrome" {
		t.Fatalf("%+v, %v", f, err)
	}
	again := New(func() {})
	o, err := again.Resume(f, input.Options{})
	again.Settle(context.Background())
	st := again.State()
	if err != nil || o.Format != "" || st.Sides[pair.B].Format != "chrome" ||
		st.Sides[pair.A].Trace == nil || st.Sides[pair.B].Trace == nil {
		t.Errorf("%v, %q, %+v", err, o.Format, st.Sides)
	}
	f.Traces.B.Format = "gotrace"
	again = New(func() {})
	if _, err = again.Resume(f, input.Options{}); err != nil {
		t.Fatal(err)
	}
	again.Settle(context.Background())
	st = again.State()
	if err := st.Sides[pair.B].Err; err == nil || !strings.Contains(err.Error(), "goroutine") {
		t.Errorf("%v", err)
	}
	runs := &Runs{Load: [2]input.Options{{Format: "a"}, {Format: "b"}}}
	if m := runs.mirrored(); m.Load[pair.A].Format != "b" || m.Load[pair.B].Format != "a" {
		t.Error(m.Load)
	}
}

// TestTheSameIsAsked holds that sides which were not told otherwise show requests for the same
// thing, as commands do, and that a swapped side remembers whether it was told.
func TestTheSameIsAsked(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, health, search int) string {
		span := `{"traceId":"%032x","spanId":"00000000000000%02x","name":"%s","startTimeUnixNano":"1000","endTimeUnixNano":"%d"}`
		text := `{"resourceSpans":[{"scopeSpans":[{"spans":[` + fmt.Sprintf(span, 1, 1, "health", health) + "," +
			fmt.Sprintf(span, 2, 2, "search", search) + `]}]}]}`
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	a, b := write("a.json", 2000, 9000), write("b.json", 60_000, 8000)
	s := New(func() {})
	shown := func(want ...string) {
		t.Helper()
		s.Settle(context.Background())
		for side, operation := range want {
			if got := s.State().Sides[side].Trace.ShownRequest().Operation; got != operation {
				t.Errorf("%v shows %s, want %s", pair.Side(side), got, operation)
			}
		}
	}
	s.Open(pair.A, a, input.Options{})
	s.Open(pair.B, b, input.Options{})
	shown("health", "health")
	s.Open(pair.A, a, input.Options{Trace: fmt.Sprintf("%032x", 2)})
	shown("search", "search")
	s.Swap()
	s.Open(pair.A, b, input.Options{Trace: fmt.Sprintf("%032x", 1)})
	shown("health", "search")
}

// TestPipesAreNotSaved: what can be read once, or has a name that JSON cannot hold, cannot be a part of
// a session.
func TestPipesAreNotSaved(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	testtrace.Pipe(t, fifo)
	for path, want := range map[string]string{
		fifo:           "A came from the pipe " + fifo + ", which cannot be read again: write it to a file first",
		"/run\xff":     "A came from /run\xff, which no session can name, as its path is no UTF-8: rename it first",
		"/dev/fd/999":  "A came from /dev/fd/999, which is another file for every process: open that file by its name",
		input.Standard: "A came from standard input, which cannot be read again: write it to a file first",
	} {
		s := New(func() {})
		s.Put(pair.A, path, &trace.Trace{})
		if _, err := s.Saved(input.Options{}); err == nil || err.Error() != want {
			t.Errorf("%v", err)
		}
	}
}

// TestUselessSampleType: a sample type that no trace on either side has is told, and only then.
func TestUselessSampleType(t *testing.T) {
	chrome := filepath.Join("../../testdata/chrome/edge/object-form.json.zst")
	profile := filepath.Join("../../testdata/pprof/pipeline-chan.heap.pprof")
	for _, c := range []struct {
		b    string
		says bool
	}{{chrome, true}, {profile, false}} {
		s := New(func() {})
		s.Open(pair.A, chrome, input.Options{SampleType: "alloc_space"})
		s.Open(pair.B, c.b, input.Options{SampleType: "alloc_space"})
		s.Settle(context.Background())
		if said, _ := s.Notice(); strings.Contains(said, "--sample-type alloc_space") != c.says {
			t.Errorf("%s: %q", c.b, said)
		}
	}
}
