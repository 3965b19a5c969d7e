package finding

import (
	"strings"
	"testing"

	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

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
