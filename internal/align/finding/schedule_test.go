package finding

import (
	"slices"
	"testing"

	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// TestWaitsAtTheRoot holds that a trace may consist of calls that nothing calls, as one of SimGrid
// does: two threads compute, and in B also wait at a barrier after each step.
func TestWaitsAtTheRoot(t *testing.T) {
	flat := func(barrier bool) *trace.Trace {
		b := trace.NewBuilder("test")
		for k := range 2 {
			th, now := b.Thread([]string{"rank-0", "rank-1"}[k], -1), int64(0)
			step := func(name string, ns int64, wait bool) {
				ref := th.Begin(now, b.Function(trace.Function{Name: name}))
				if wait {
					th.Block(ref, trace.Wait)
				}
				now += ns
				th.End(now)
			}
			for range 20 {
				step("compute", 3000, false)
				if barrier {
					step("MPI_Barrier", 400, true)
				}
			}
		}
		return testtrace.Build(t, b)
	}
	for _, turned := range []bool{false, true} {
		a, b, want := flat(false), flat(true), New
		if turned {
			a, b, want = b, a, Missing
		}
		_, _, r := compared(t, a, b)
		k := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.Function == "MPI_Barrier" })
		if k < 0 || r.Findings[k].Kind != want || r.Findings[k].Certainty != Certain {
			t.Errorf("turned %v: %+v", turned, r.Findings)
		}
	}
}
