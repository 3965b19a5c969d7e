package finding

import (
	"testing"

	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// served makes an event loop of so many rounds, each of which waits and looks at the clock, which
// serves so many requests, and saves its state so often.
func served(t *testing.T, rounds, requests, saves int) *trace.Trace {
	b := trace.NewBuilder("test")
	th, now := b.Thread("1", -1), int64(0)
	fn := func(name string) trace.FuncID { return b.Function(trace.Function{Name: name}) }
	do := func(name string, ns int64) { th.Complete(now, now+ns, fn(name)); now += ns }
	th.Begin(0, fn("main"))
	done := 0
	for k := range rounds {
		th.Begin(now, fn("round"))
		th.Begin(now, fn("poll"))
		th.Block(th.Begin(now, fn("wait")), trace.Wait)
		now += 10_000
		th.End(now)
		th.End(now)
		for ; done*rounds < (k+1)*requests; done++ {
			do("serve", 20_000)
		}
		if k < saves {
			do("save", 5000)
		}
		do("clock", 500)
		th.End(now)
	}
	th.End(now)
	return testtrace.Build(t, b)
}

// TestRoundsOfAnEventLoop holds that how many rounds an event loop makes for the same work, and what
// it calls in each, could be chance; not so if there is more work, or no work that says so.
func TestRoundsOfAnEventLoop(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b *trace.Trace
		want Certainty
	}{
		{"as many requests", served(t, 100, 240, 0), served(t, 150, 240, 0), Chance},
		{"more requests", served(t, 100, 240, 0), served(t, 150, 360, 0), Certain},
		{"each round serves one", served(t, 100, 100, 0), served(t, 150, 150, 0), Certain},
		{"a few saves", served(t, 100, 100, 2), served(t, 150, 150, 2), Certain},
	} {
		_, _, r := compared(t, c.a, c.b)
		told := false
		for i := range r.Findings {
			f := &r.Findings[i]
			if f.counts() && (f.Function == "round" || f.Function == "clock" || f.Function == "poll") {
				told = true
				if f.Certainty != c.want {
					t.Errorf("%s: %v: %s", c.name, f.Certainty, f.Text)
				}
			}
		}
		if !told {
			t.Errorf("%s: nothing of the rounds: %+v", c.name, r.Findings)
		}
		for id := range uint32(20) {
			if r.IsRound(id) && c.want != Chance {
				t.Errorf("%s: %s is called in each round", c.name, r.Name(id))
			}
		}
	}
}

// TestFewCallsAreNotWorthMuch holds that three calls more are not told with a change of self time
// that is worth a thousand.
func TestFewCallsAreNotWorthMuch(t *testing.T) {
	of := func(calls, self int64) *total { return &total{calls: calls, self: self} }
	for ns, want := range map[int64]bool{10_400_000: true, 20_000: false} {
		if got := beyondCalls(ns, [2]*total{of(2395, 16_400_000), of(2398, 16_400_000+ns)}); got != want {
			t.Errorf("%d ns: %v", ns, got)
		}
	}
}
