package explain

import (
	"fmt"
	"testing"

	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// TestWhatRunsAllClaimsLast holds that a function which differs because of what it calls does not
// own what is known of its callees.
func TestWhatRunsAllClaimsLast(t *testing.T) {
	const ms = 1_000_000
	build := func(check, compile, link int) *trace.Trace {
		b := trace.NewBuilder("test")
		th, now := b.Thread("1", -1), int64(0)
		th.SetSampled()
		th.Begin(0, b.Function(trace.Function{Name: "run"}))
		for _, part := range []struct {
			name    string
			samples int
		}{{"check", check}, {"compile", compile}, {"link", link}, {"lex", 60}, {"parse", 60}, {"check types", 60}, {"plan", 60}, {"print", 60}} {
			for k := range part.samples { // of ten functions, in turn
				th.Begin(now, b.Function(trace.Function{Name: part.name}))
				th.Complete(now, now+ms, b.Function(trace.Function{Name: fmt.Sprint(part.name, k%10)}))
				now += ms
				th.End(now)
			}
		}
		th.End(now)
		return testtrace.Build(t, b)
	}
	d := differenceOf(t, build(150, 400, 160), build(0, 300, 100))
	holdsAccount(t, d)
	for name, want := range map[string]int64{"check": -150 * ms, "run": -160 * ms} {
		f := find(t, d, name+" ")
		if f.Own.WorkNs != want {
			t.Errorf("%s owns %d ns, want %d: %s", name, f.Own.WorkNs, want, f.Text)
		}
	}
}
