package finding

import (
	"slices"
	"strings"
	"testing"

	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// TestStatesOfRuntimeThreadsAreSaid holds that a sentence about a state says how much of it is in
// threads of the runtime, which the totals of the run leave out.
func TestStatesOfRuntimeThreadsAreSaid(t *testing.T) {
	build := func(own, runtime int64) *trace.Trace {
		b := trace.NewBuilder("test")
		ready := b.Function(trace.Function{Name: "runnable", Kind: trace.State})
		b.Thread("main", -1).Complete(0, 100e6, b.Function(trace.Function{Name: "main"}))
		b.Thread("worker", -1).Complete(0, own, ready)
		th := b.Thread("gc", -1)
		th.SetKind(trace.Runtime)
		th.Complete(0, runtime, ready)
		return testtrace.Build(t, b)
	}
	for _, c := range []struct {
		runtime int64
		want    string
	}{
		{30e6, "in the state runnable: +70.0 ms (+20.0 ms of it in threads of the runtime), entered 2 times;"},
		{11e6, "in the state runnable: +51.0 ms, entered 2 times;"},
	} {
		_, _, r := compared(t, build(10e6, 10e6), build(60e6, c.runtime))
		told := slices.ContainsFunc(r.Findings, func(f Finding) bool { return strings.Contains(f.Text, c.want) })
		if !told {
			t.Errorf("not told: %s: %+v", c.want, r.Findings)
		}
	}
}

// TestIdleRuntimeThreadsAreNoNews holds that a state is told of the program's threads, and not where
// only the runtime's own threads have been in it for longer.
func TestIdleRuntimeThreadsAreNoNews(t *testing.T) {
	build := func(kind trace.ThreadKind, blocked int64) *trace.Trace {
		b := trace.NewBuilder("test")
		b.Thread("main", -1).Complete(0, 100e6, b.Function(trace.Function{Name: "main"}))
		th := b.Thread("other", -1)
		th.SetKind(kind)
		th.Complete(0, blocked, b.Function(trace.Function{Name: "blocked", Kind: trace.State}))
		return testtrace.Build(t, b)
	}
	for kind, want := range map[trace.ThreadKind]bool{trace.Ordinary: true, trace.Runtime: false} {
		_, _, r := compared(t, build(kind, 10e6), build(kind, 90e6))
		told := false
		for _, f := range r.Findings {
			told = told || strings.Contains(f.Text, "in the state blocked: +80.0 ms, entered 1 time;")
		}
		if told != want {
			t.Errorf("threads of kind %v: %v, want %v: %+v", kind, told, want, r.Findings)
		}
	}
}
