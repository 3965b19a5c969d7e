package otf2

import (
	"testing"

	"diptych/internal/testtrace"
	"diptych/internal/traceio/loadtest"
)

// TestGrowing holds that calls are shown long before the end, of all locations that have been read,
// and only such as the trace has.
func TestGrowing(t *testing.T) {
	seen, tr := loadtest.Loader(Load).Growing(t, manyCalls(testtrace.Sized(40_000, 100_000)))
	early := seen[len(seen)/2]
	if len(seen) < 20 || early.Calls < tr.Calls()/8 || early.Lead < 0 || early.Trace.Calls() < 1000 {
		t.Errorf("in the middle of %d looks there are %d calls, of which %d are shown", len(seen),
			early.Calls, early.Trace.Calls())
	}
	for _, g := range seen {
		loadtest.InTrace(t, g.Trace, tr)
	}
	if last := seen[len(seen)-1].Trace; len(last.Threads) != 2 {
		t.Errorf("at the end %d threads are shown", len(last.Threads))
	}
}
