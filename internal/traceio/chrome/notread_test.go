package chrome

import (
	"context"
	"slices"
	"strings"
	"testing"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

// TestNotRead: what the model has nothing for is counted, with the first of it.
func TestNotRead(t *testing.T) {
	const call = `{"ph":"X","name":"f","ts":0,"dur":1,"pid":1},`
	for _, c := range []struct {
		text, example string
		count         uint64
	}{
		{"[" + call + `{"ph":"P","ts":3,"pid":1},{"ph":"N","ts":1,"pid":1},{"ph":"V","pid":1}]`,
			"at offset 46: an event of phase P", 3},
		{"[" + call + `{"ph":"M","name":"process_name","pid":1,"args":{"name":"p"}}]`, "", 0},
		{`{"samples":[ ],"traceEvents":[` + call + `]}`, "", 0},
		{`{"traceEvents":[` + call + `],"samples" : [ {"cpu":0,"ts":1,"name":"cycles"} ]}`,
			"at offset 75: samples without stacks", 1},
		{`{"systemTraceEvents":"","traceEvents":[` + call + `]}`, "", 0},
		{`{"systemTraceEvents":"# tracer: nop\n","traceEvents":[` + call + `]}`,
			"at offset 21: a trace of the system beside the events", 1},
	} {
		b := trace.NewBuilder("chrome")
		src := &input.Source{Stream: strings.NewReader(c.text)}
		if err := Load(context.Background(), src, input.Options{}, b); err != nil {
			t.Fatal(err)
		}
		tr, err := b.Build(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		var got trace.Diagnostic
		for _, d := range tr.Diagnostics {
			if d.Code == trace.NotRead {
				got = d
			}
		}
		if got.Count != c.count || got.Example != c.example {
			t.Errorf("%s: %d, %q; want %d, %q", c.text, got.Count, got.Example, c.count, c.example)
		}
	}
}

// TestOptions: PyTorch's profiler writes a member for each option that is on.
func TestOptions(t *testing.T) {
	for members, want := range map[string][]string{
		`"with_stack":1,"deviceProperties":[],"record_shapes":1,"x":1`: {"record_shapes", "with_stack"},
		`"deviceProperties":[],"with_stack":0`:                         {},
		`"with_stack":1`:                                               nil,
	} {
		got := mustLoad(t, `{`+members+`,"traceEvents":[]}`, blockSize).Options
		if !slices.Equal(got, want) || (got == nil) != (want == nil) {
			t.Errorf("%s: %q, want %q", members, got, want)
		}
	}
}
