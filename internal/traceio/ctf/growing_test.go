package ctf

import (
	"slices"
	"strings"
	"testing"

	"diptych/internal/trace"
	"diptych/internal/traceio/loadtest"
)

// mapsLater is a trace of n calls of two threads in packets of 1000, which tells where their
// executable lies after a quarter of them.
func mapsLater(n int) (r *recorded, file []byte) {
	r = &recorded{}
	for i := range n {
		if i%1000 == 999 {
			file = append(file, r.next()...)
		}
		at, tid := uint64(1000+10*i), uint64(7+i%2)
		if i == n/4 {
			r.event(at-1, 7, 7, "a", dump+"bin_info", 0x1000, 0x10000, "/opt/app", 1)
		}
		r.event(at, tid, 7, "a", cyg+"func_entry", 0x1000+i%300, 1)
		r.event(at+5, tid, 7, "a", cyg+"func_exit", 0x1000+i%300, 1)
	}
	return r, append(file, r.packet()...)
}

// TestGrowing holds that calls are shown long before the end, and only such as the trace has; with
// the names that they will have, as soon as it is told where files lie.
func TestGrowing(t *testing.T) {
	r, file := mapsLater(100_000)
	seen, tr := loadtest.Loader(Load).Growing(t, r.folder(file))
	early := seen[len(seen)/2]
	if len(seen) < 20 || early.Calls < tr.Calls()/8 || early.Lead < 0 || early.Trace.Calls() < 1000 {
		t.Errorf("in the middle of %d looks there are %d calls, of which %d are shown", len(seen),
			early.Calls, early.Trace.Calls())
	}
	ofFile := func(fn trace.Function) bool { return strings.HasPrefix(fn.Name, "app(+") }
	renamed := false
	for k, g := range seen {
		named := slices.ContainsFunc(g.Trace.Functions, ofFile)
		if renamed = renamed || named; renamed != named {
			t.Fatalf("look %d has other names than the one before", k)
		}
		if named {
			loadtest.InTrace(t, g.Trace, tr)
		}
	}
	if last := seen[len(seen)-1].Trace; !renamed || len(last.Threads) != 2 || last.Threads[0].Name != "a" {
		t.Errorf("at the end %d threads are shown, renamed: %t", len(last.Threads), renamed)
	}
}
