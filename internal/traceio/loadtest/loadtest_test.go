package loadtest_test

import (
	"context"
	"errors"
	"io"
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
