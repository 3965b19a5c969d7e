package loadtest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/loadtest"
)

var errEmpty = errors.New("the file is empty")

// TestLoaderGetsTheFile: a loader sees the same bytes whether they are given or opened.
func TestLoaderGetsTheFile(t *testing.T) {
	seen := ""
	loader := loadtest.Loader(func(_ context.Context, src *input.Source, _ input.Options, b *trace.Builder) error {
		th := b.Thread("1", b.Process("1"))
		th.Begin(0, b.Function(trace.Function{Name: "f"}))
		th.End(1)
		data, err := io.ReadAll(src.Stream)
		if seen += src.Path + " " + string(data); err == nil && len(data) == 0 {
			err = errEmpty
		}
		return err
	})
	tr, err := loader.Bytes("name", []byte("text"), input.Options{})
	if err != nil || tr == nil || seen != "name text" {
		t.Errorf("%q, %v", seen, err)
	}
	if tr, err := loader.Bytes("name", nil, input.Options{}); tr != nil || !errors.Is(err, errEmpty) {
		t.Errorf("an empty file: %v", err)
	}
	seen = ""
	loader.Opened(t, []byte("text"))()
	if len(seen) < 5 || seen[len(seen)-5:] != " text" {
		t.Errorf("opened: %q", seen)
	}
}

func TestRecordingsAreUnpacked(t *testing.T) {
	all := loadtest.Recordings(t, "../../../testdata/cpuprofile/*.*")
	for name, data := range all {
		if len(data) == 0 || data[0] != '{' {
			t.Errorf("%s begins with %.10q", name, data)
		}
	}
}

// refusal is a test that only notes why it fails.
type refusal struct{ why string }

func (r *refusal) Helper()          {}
func (r *refusal) Fatal(why ...any) { r.why += fmt.Sprint(why...) }

// TestSound: what is sound is a whole trace or a typed error of one line.
func TestSound(t *testing.T) {
	made := func(spoil func(tr *trace.Trace)) *trace.Trace {
		b := trace.NewBuilder("test")
		th := b.Thread("1", -1)
		th.Complete(0, 10, b.Function(trace.Function{Name: "f"}))
		b.Diagnose(trace.BadRecord, 1, "x")
		tr, err := b.Build(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		spoil(tr)
		return tr
	}
	none := func(*trace.Trace) {}
	typed := &input.FormatError{File: "f", Reason: "no trace"}
	for _, c := range []struct {
		tr   *trace.Trace
		err  error
		want string
	}{
		{made(none), nil, ""},
		{nil, typed, ""},
		{nil, fmt.Errorf("f: %w", input.ErrLimit), ""},
		{nil, io.ErrUnexpectedEOF, "unexpected EOF"},
		{made(none), typed, "a trace: true"},
		{nil, fmt.Errorf("two\nlines: %w", typed), `two\nlines`},
		{made(func(tr *trace.Trace) { tr.Duration = 9 }), nil, "0 to 10 of 9"},
		{made(func(tr *trace.Trace) { tr.Diagnostics[0].Example = "a\nb" }), nil, `a`},
		{made(func(tr *trace.Trace) { tr.Threads[0].Fn[0] = 7 }), nil, "not a trace"},
	} {
		var r refusal
		loadtest.Sound(&r, c.tr, c.err)
		if !strings.Contains(r.why, c.want) || (r.why == "") != (c.want == "") {
			t.Errorf("%v: refused for %q, want %q", c.err, r.why, c.want)
		}
	}
}
