package report

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"diptych/internal/align"
	"diptych/internal/progress"
)

// TestWritersTellWhatFails gives every writer too little room, by one byte and by more: it returns
// the error.
func TestWritersTellWhatFails(t *testing.T) {
	ctx, results := context.Background(), movedAligned(t)
	a, err := NewAlign(ctx, results)
	if err != nil {
		t.Fatal(err)
	}
	d := diffOf(t, results[0].Pair.A, results[0].Pair.B)
	writers := map[string]func(io.Writer) error{
		"dump":     func(w io.Writer) error { return WriteDump(ctx, w, results) },
		"align":    func(w io.Writer) error { return WriteAlign(ctx, w, a, nil) },
		"walk":     func(w io.Writer) error { return WriteAlign(ctx, w, a, results) },
		"text":     func(w io.Writer) error { return d.WriteText(w, 0) },
		"markdown": func(w io.Writer) error { return d.WriteMarkdown(w, 0) },
		"github":   func(w io.Writer) error { return d.WriteGitHub(w, 0) },
		"junit":    func(w io.Writer) error { return d.WriteJUnit(w, 0, nil) },
	}
	for name, write := range exports(results) {
		writers[name] = func(w io.Writer) error { return write(ctx, w, nil) }
	}
	for name, write := range writers {
		var whole bytes.Buffer
		if err := write(&whole); err != nil || whole.Len() == 0 {
			t.Fatalf("%s: %d bytes, %v", name, whole.Len(), err)
		}
		for _, left := range []int{0, 1, whole.Len() / 3, whole.Len() - 1} {
			if err := write(&breaking{left}); !errors.Is(err, errFull) {
				t.Errorf("%s with room for %d of %d bytes: %v", name, left, whole.Len(), err)
			}
		}
		if err := write(&breaking{whole.Len()}); err != nil {
			t.Errorf("%s with enough room: %v", name, err)
		}
	}
}

// exports are all ways to export results.
func exports(results []*align.Result) map[string]func(context.Context, io.Writer, progress.Func) error {
	type writer = func(context.Context, io.Writer, progress.Func) error
	all := map[string]writer{
		"perfetto": func(ctx context.Context, w io.Writer, tell progress.Func) error {
			return WritePerfetto(ctx, w, results, tell)
		},
		"chrome": func(ctx context.Context, w io.Writer, tell progress.Func) error {
			return WriteChrome(ctx, w, results, false, tell)
		},
		"bare chrome": func(ctx context.Context, w io.Writer, tell progress.Func) error {
			return WriteChrome(ctx, w, results, true, tell)
		},
	}
	for side, name := range sideNames {
		all["speedscope "+name] = func(ctx context.Context, w io.Writer, tell progress.Func) error {
			return WriteSpeedscope(ctx, w, results, Sides(side), tell)
		}
		all["folded "+name] = func(ctx context.Context, w io.Writer, tell progress.Func) error {
			_, err := WriteFolded(ctx, w, results, Sides(side), tell)
			return err
		}
		all["pprof "+name] = func(ctx context.Context, w io.Writer, tell progress.Func) error {
			_, err := WritePprof(ctx, w, results, Sides(side), tell)
			return err
		}
	}
	for _, table := range Tables {
		all["csv "+table.Name] = func(ctx context.Context, w io.Writer, tell progress.Func) error {
			return table.WriteCSV(ctx, w, results, tell)
		}
		all["parquet "+table.Name] = func(ctx context.Context, w io.Writer, tell progress.Func) error {
			return table.WriteParquet(ctx, w, results, tell)
		}
	}
	return all
}

// TestExportsEnd holds that exports end with an error when they cannot write and when their context
// is done, before they begin or amid their work, and that they tell how far they are.
func TestExportsEnd(t *testing.T) {
	results := exampleAligned(t)
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for name, write := range exports(results) {
		if err := write(context.Background(), &breaking{0}, nil); !errors.Is(err, errFull) {
			t.Errorf("%s without room: %v", name, err)
		}
		if err := write(cancelled, io.Discard, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		if strings.HasSuffix(name, "functions") {
			continue // its work is one step
		}
		done, total := int64(-1), int64(0)
		if err := write(context.Background(), io.Discard, func(d, n int64) { done, total = d, n }); err != nil ||
			done != total || total == 0 {
			t.Errorf("%s: %d of %d done, %v", name, done, total, err)
		}
		amid, stop := context.WithCancel(context.Background())
		err := write(amid, io.Discard, func(int64, int64) { stop() })
		if stop(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s, cancelled amid its work: %v", name, err)
		}
	}
}
