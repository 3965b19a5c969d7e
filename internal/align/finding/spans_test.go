package finding

import (
	"slices"
	"strings"
	"testing"

	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// services makes a trace of two services: get calls api so often in turn, and that asks db so often,
// each time for ns; at once, if so said.
func services(t *testing.T, calls, queries int, ns int64, atOnce bool) *trace.Trace {
	b := trace.NewBuilder("test")
	fn := func(name string) trace.FuncID { return b.Function(trace.Function{Name: name}) }
	web, api, db := b.Thread("web", -1), b.Thread("api", -1), b.Thread("db", -1)
	now := int64(0)
	web.Begin(now, fn("GET"))
	now += 500_000
	for range calls {
		call := web.Begin(now, fn("call api"))
		web.Block(call, trace.Wait)
		answer := api.Begin(now, fn("answer"))
		b.Part(call, answer, now, now)
		for k := range queries {
			from := now
			if now += ns + int64(k); atOnce {
				now = from + 100
			}
			b.Part(answer, db.Complete(from, from+ns+int64(k), fn("SELECT")), from, from)
		}
		if atOnce {
			now += ns
		}
		api.End(now)
		web.End(now)
	}
	now += 500_000
	web.End(now)
	return testtrace.Build(t, b)
}

// TestWhoeverAsksDecides holds that the number of calls is sure which wait only for the parts of
// themselves that other services do.
func TestWhoeverAsksDecides(t *testing.T) {
	_, _, r := compared(t, services(t, 1, 3, 50_000, false), services(t, 2, 3, 50_000, false))
	k := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.counts() && f.Function == "call api" })
	if k < 0 || r.Findings[k].Certainty != Certain {
		t.Errorf("%+v", r.Findings)
	}
}

// TestEachCallByFar holds that of few calls it is likely that they take longer if each of them takes
// several times as long, and chance if one does not.
func TestEachCallByFar(t *testing.T) {
	for calls, want := range map[int]Certainty{6: Likely, 3: Chance} {
		_, _, r := compared(t, services(t, 1, calls, 50_000, false), services(t, 1, calls, 250_000, false))
		k := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.Kind == Slower && f.Function == "SELECT" })
		if k < 0 || r.Findings[k].Certainty != want {
			t.Errorf("%d calls: %+v", calls, r.Findings)
		}
	}
}

// TestCallsAtOnceLieInLanes holds that what now overlaps is not said to run in more threads.
func TestCallsAtOnceLieInLanes(t *testing.T) {
	_, _, r := compared(t, services(t, 1, 6, 50_000, false), services(t, 1, 6, 60_000, true))
	if f := only(t, r, Moved); !strings.Contains(f.Text, "SELECT now runs in 6 lanes instead of 1") {
		t.Error(f.Text)
	}
}
