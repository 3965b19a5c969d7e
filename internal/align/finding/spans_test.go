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

// TestCallsAtOnceLieInLanes holds that what now overlaps is not said to run in more threads, and
// that the lanes themselves could be chance.
func TestCallsAtOnceLieInLanes(t *testing.T) {
	one, six := services(t, 1, 6, 50_000, false), services(t, 1, 6, 60_000, true)
	for want, sides := range map[string][2]*trace.Trace{
		"SELECT now runs up to 6 calls at a time instead of 1: 6 calls":  {one, six},
		"SELECT now runs one call at a time instead of up to 6: 6 calls": {six, one},
	} {
		_, _, r := compared(t, sides[0], sides[1])
		if f := only(t, r, Moved); !strings.Contains(f.Text, want) || f.Certainty != Certain {
			t.Errorf("%v: %s, want %s", f.Certainty, f.Text, want)
		}
		if f := only(t, r, Threads); f.Certainty != Chance {
			t.Error(f.Sentence())
		}
	}
}

// TestLanesAreLeftToTheSchedule holds that it could be chance how many lanes calls need that overlap
// on both sides.
func TestLanesAreLeftToTheSchedule(t *testing.T) {
	build := func(spans ...[2]int64) *trace.Trace {
		b := trace.NewBuilder("test")
		fn := func(name string) trace.FuncID { return b.Function(trace.Function{Name: name}) }
		b.Thread("web", -1).Complete(0, 900_000, fn("page"))
		db := b.Thread("db", -1)
		for _, x := range spans {
			db.Complete(x[0]*1000, x[1]*1000, fn("SELECT"))
		}
		return testtrace.Build(t, b)
	}
	for _, turned := range []bool{false, true} {
		a := build([2]int64{0, 400}, [2]int64{1, 401}, [2]int64{2, 402}, [2]int64{3, 403})
		b := build([2]int64{0, 100}, [2]int64{1, 401}, [2]int64{2, 402}, [2]int64{110, 500})
		if turned {
			a, b = b, a
		}
		_, _, r := compared(t, a, b)
		for _, f := range r.Findings {
			if (f.Kind == Moved || f.Kind == Threads) && f.Certainty != Chance {
				t.Errorf("%v: %s", f.Certainty, f.Sentence())
			}
		}
		if len(r.Findings) == 0 {
			t.Error("nothing is told")
		}
	}
}

// TestParallelism holds how many calls run at a time.
func TestParallelism(t *testing.T) {
	calls := func(spans ...int64) (at []openAt) {
		for k := 0; k < len(spans); k += 2 {
			at = append(at, openAt{spans[k], 1}, openAt{spans[k+1], -1})
		}
		return at
	}
	for _, c := range []struct {
		at   []openAt
		want parallelism
	}{
		{nil, parallelism{}}, {calls(5, 15, 15, 25), parallelism{1, 1}}, {calls(0, 10, 0, 10), parallelism{2, 2}},
		{calls(0, 100, 99, 200), parallelism{1.005, 1}}, {calls(0, 100, 40, 60, 50, 60), parallelism{1.3, 3}},
	} {
		if got := openCalls(c.at); got != c.want {
			t.Errorf("%v: %+v, want %+v", c.at, got, c.want)
		}
	}
}
