package spans_test

import (
	"context"
	"slices"
	"testing"

	"diptych/internal/trace"
	"diptych/internal/traceio/spans"
)

func TestFunction(t *testing.T) {
	for _, c := range []struct {
		name, category string
		want           trace.Function
	}{
		{"f", "cc", trace.Function{Name: "f", Package: "cc"}},
		{"", "", trace.Function{Name: spans.Unnamed}},
		{"mark", "blink.user_timing", trace.Function{Name: "mark", Package: "blink.user_timing",
			Kind: trace.Region}},
		{"linux:task-new", "", trace.Function{Name: "linux:task-new", Kind: trace.Event}},
		{"sched:sched_switch", "", trace.Function{Name: "sched:sched_switch", Kind: trace.Event,
			Off: trace.Switched}},
	} {
		if got := spans.Function(c.name, c.category, trace.Routine); got != c.want {
			t.Errorf("%q of %q: %+v, want %+v", c.name, c.category, got, c.want)
		}
	}
	for preempted, want := range map[bool]trace.Off{true: trace.Ready, false: trace.Switched} {
		if f := spans.Schedule(preempted); f.Off != want || f.Kind != trace.Event {
			t.Errorf("pre-empted %v: %+v", preempted, f)
		}
	}
	if got := spans.PlainID("a b:c\x7f"); got != "a_b_c_" {
		t.Error(got)
	}
	if spans.PlainID("") != "-" {
		t.Error(spans.PlainID(""))
	}
}

// TestFlows has the points of one flow on calls of 1 ns at 0, 10, 20 and so on; a link is told by
// the calls at its ends.
func TestFlows(t *testing.T) {
	for name, c := range map[string]struct {
		roles   []spans.Role // in the order of time
		want    [][2]int32
		unbound uint64
	}{
		"a start with a step and two finishes": {[]spans.Role{spans.Starts, spans.Steps, spans.Finishes, spans.Finishes},
			[][2]int32{{0, 1}, {1, 2}, {1, 3}}, 0},
		"a finish and a step without a start":   {[]spans.Role{spans.Finishes, spans.Steps}, [][2]int32{{0, 0}}[:0], 2},
		"events that pass, the first starts":    {[]spans.Role{spans.Passes, spans.Passes, spans.Passes}, [][2]int32{{0, 1}, {1, 2}}, 0},
		"an end, after which the id is another": {[]spans.Role{spans.Passes, spans.Ends, spans.Passes, spans.Ends}, [][2]int32{{0, 1}, {2, 3}}, 0},
		"an end without a start":                {[]spans.Role{spans.Ends, spans.Passes}, [][2]int32{{0, 0}}[:0], 1},
	} {
		b := trace.NewBuilder("test")
		th, flows := b.Thread("1", -1), spans.NewFlows()
		for i, r := range c.roles {
			at := int64(10 * i)
			call := th.Complete(at, at+1, b.Function(trace.Function{Name: "f"}))
			flows.Add(spans.Point{Flow: flows.ID([]byte("id")), Role: r, At: at, Until: at + 1, Thread: th,
				Call: call})
		}
		flows.Link(b)
		tr, err := b.Build(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		got := [][2]int32{}
		for _, l := range tr.Links {
			got = append(got, [2]int32{l.From.Call, l.To.Call})
		}
		unbound := uint64(0)
		for _, d := range tr.Diagnostics {
			unbound += d.Count
		}
		if !slices.Equal(got, c.want) || unbound != c.unbound {
			t.Errorf("%s: links %v and %d unbound, want %v and %d", name, got, unbound, c.want, c.unbound)
		}
	}
}
