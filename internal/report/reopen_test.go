package report

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/traceio/input"
	perfettoio "diptych/internal/traceio/perfetto"
)

// reopened exports results for Perfetto and loads the file.
func reopened(t fataler, results []*align.Result) *trace.Trace {
	t.Helper()
	var file bytes.Buffer
	if err := WritePerfetto(context.Background(), &file, results, nil); err != nil {
		t.Fatal(err)
	}
	src := &input.Source{Path: "test", Stream: &file}
	b := trace.NewBuilder("perfetto")
	if err := perfettoio.Load(context.Background(), src, input.Options{}, b); err != nil {
		t.Fatal(err)
	}
	return built(t, b)
}

// TestPerfettoReopens holds that Diptych reads all calls of its own export.
func TestPerfettoReopens(t *testing.T) {
	testtrace.Checks(t, 40)
	rapid.Check(t, func(t *rapid.T) {
		results := drawAligned(t, int64(rapid.IntRange(0, 1).Draw(t, "least")))
		if len(results) == 0 {
			return // an export of nothing is an empty file, which is no trace
		}
		tr := reopened(t, results)
		if len(tr.Diagnostics) > 0 {
			t.Fatalf("diagnostics %v", tr.Diagnostics)
		}
		calls := 0
		for k, r := range results {
			v, err := r.Virtual(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			uuid := uint64(k*(tracksOfPair+1) + 2)
			for i, want := range [][]readSlice{sideSlices(v, pair.A), sideSlices(v, pair.B), statusSlices(v)} {
				sameCalls(t, tr, fmt.Sprintf("track-%d", uuid+uint64(i)), title(r)+" / "+trackNames[i], want)
				calls += len(want)
			}
		}
		if tr.Calls() != calls {
			t.Fatalf("%d calls, want %d", tr.Calls(), calls)
		}
	})
}

// sameCalls holds a thread of a trace against the slices that it was written from. Names with bytes
// that are no UTF-8 were escaped when the trace was built, so they are escaped again.
func sameCalls(t fataler, tr *trace.Trace, id, name string, want []readSlice) {
	t.Helper()
	at := tr.ThreadByID(id)
	if at < 0 {
		if len(want) > 0 {
			t.Fatalf("there is no %s", id)
		}
		return
	}
	th, name := tr.Threads[at], trace.Escape(name)
	if th.Len() != len(want) || th.Name != name {
		t.Fatalf("%s: %d calls of %q, want %d of %q", id, th.Len(), th.Name, len(want), name)
	}
	for i, w := range want {
		got := readSlice{name: tr.FunctionOf(th, i).Name, start: th.Start(i) + tr.Origin,
			end: th.End(i) + tr.Origin, depth: int(th.Depth(i))}
		if got.name != trace.Escape(w.name) || got.start != w.start || got.end != w.end || got.depth != w.depth {
			t.Fatalf("%s: call %d is %v, want %v", id, i, got, w)
		}
	}
}
