package finding

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// TestRareCallsThatWereHeldUp holds that one call of a function that the other side lacks could be
// chance where short calls are left out and it is not many times as long as these; else it is new.
func TestRareCallsThatWereHeldUp(t *testing.T) {
	build := func(once float64) *trace.Trace {
		b := trace.NewBuilder("test")
		th, now := b.Thread("1", -1), int64(0)
		call := func(name string, ns float64) {
			th.Complete(now, now+int64(ns), b.Function(trace.Function{Name: name}))
			now += int64(ns)
		}
		for round := range 30 {
			for k := range 12 {
				call(fmt.Sprint("pass", k), 500_000*(1+.02*float64((7*round+k)%60)))
			}
		}
		if once > 0 {
			call("once", once)
		}
		return testtrace.Build(t, b)
	}
	for ns, want := range map[float64]Certainty{4_000_000: Chance, 40_000_000: Certain} {
		_, _, r := compared(t, build(0), build(ns))
		told := false
		for _, f := range r.Findings {
			if f.Function == "once" && f.Kind != Divergence {
				if told = true; f.Certainty != want {
					t.Errorf("%s (%v), want %v", f.Sentence(), f.Certainty, want)
				}
			}
		}
		if !told {
			t.Errorf("nothing is told of a call of %v ns: %+v", ns, r.Findings)
		}
	}
}

// TestAThirdCallThatWasHeldUp holds the same of a third call of a function, beside two.
func TestAThirdCallThatWasHeldUp(t *testing.T) {
	build := func(rare string, calls int) *trace.Trace {
		b := trace.NewBuilder("test")
		th, now := b.Thread("1", -1), int64(0)
		call := func(name string, ns float64) {
			th.Complete(now, now+int64(ns), b.Function(trace.Function{Name: name}))
			now += int64(ns)
		}
		for round := range 30 {
			for k := range 12 {
				call(fmt.Sprint("pass", k), 500_000*(1+.02*float64((7*round+k)%60)))
			}
			if round%10 == 0 && round/10 < calls {
				th.Begin(now, b.Function(trace.Function{Name: rare}))
				call("detail", 2_500_000)
				th.End(now)
			}
		}
		return testtrace.Build(t, b)
	}
	_, _, r := compared(t, build("SROA", 2), build("SROA", 3))
	for _, f := range r.Findings {
		if f.counts() && f.Certainty != Chance {
			t.Errorf("%v: %s", f.Certainty, f.Sentence())
		}
	}
	_, _, r = compared(t, build("Reassociate", 3), build("LoopSink", 3)) // nor is one the other
	for _, f := range r.Findings {
		if f.Kind == Renamed {
			t.Errorf("%s", f.Sentence())
		}
	}
}

// TestShortCallsThatAreLeftOut holds that numbers of calls which differ because a recorder leaves
// out short ones could be chance, and others not.
func TestShortCallsThatAreLeftOut(t *testing.T) {
	build := func(seed uint64, floor int64, more int) *trace.Trace {
		usual, r := rand.New(rand.NewPCG(7, 7)), rand.New(rand.NewPCG(seed, 7))
		b := trace.NewBuilder("test")
		th, now := b.Thread("1", -1), int64(0)
		th.Begin(0, b.Function(trace.Function{Name: "compile"}))
		call := func(name string, ns float64) {
			if ns *= math.Exp(.2 * r.NormFloat64()); int64(ns) >= floor {
				th.Complete(now, now+int64(ns), b.Function(trace.Function{Name: name}))
			}
			now += int64(ns)
		}
		for range 60 {
			for k := range 12 {
				call(fmt.Sprint("pass", k), 100_000*math.Exp(usual.NormFloat64()))
			}
		}
		for range more {
			call("pass0", 400_000)
		}
		th.End(now)
		return testtrace.Build(t, b)
	}
	for _, c := range []struct {
		floor int64
		more  int
		sure  bool
	}{{200_000, 0, false}, {200_000, 60, true}} {
		_, _, r := compared(t, build(1, c.floor, 0), build(2, c.floor, c.more))
		sure, told := false, 0
		for i := range r.Findings {
			if f := &r.Findings[i]; f.counts() {
				told, sure = told+1, sure || f.Certainty != Chance
			}
		}
		if told == 0 || sure != c.sure {
			t.Errorf("%d more: %d numbers of calls differ, for sure: %v, want %v: %+v", c.more, told, sure,
				c.sure, r.Findings)
		}
	}
	told := func(long int) *trace.Trace { // and one that is hardly longer than the floor
		b := trace.NewBuilder("test")
		b.Floor = 2000
		th := b.Thread("1", -1)
		for k := range int64(long + 1) {
			th.Complete(200_000*k, 200_000*k+3000+min(k, 1)*90_000, b.Function(trace.Function{Name: "get"}))
		}
		return testtrace.Build(t, b)
	}
	for long, want := range map[int]Certainty{7: Chance, 40: Certain} {
		_, _, r := compared(t, told(3), told(long))
		if len(r.Findings) == 0 || r.Findings[0].Certainty != want {
			t.Errorf("%d long calls, and a short one: %+v, want %v", long, r.Findings, want)
		}
	}
	lost := func(calls int) *trace.Trace { // most of the calls, on one side
		b := trace.NewBuilder("test")
		fn, th := b.Function(trace.Function{Name: "unlock"}), b.Thread("1", -1)
		for k := range int64(calls) {
			th.Complete(2000*k, 2000*k+1000, fn)
		}
		if calls < 100 {
			b.Lose([]trace.FuncID{fn}, 500, "few")
		}
		return testtrace.Build(t, b)
	}
	if _, _, r := compared(t, lost(600), lost(14)); len(r.Findings) == 0 || r.Findings[0].Certainty != Chance {
		t.Errorf("calls that the recorder lost: %+v", r.Findings)
	}
	if ns := floorOf(build(1, 200_000, 0)); ns < 200_000 || ns > 310_000 {
		t.Errorf("calls of less than %d ns are hardly longer than the shortest", ns)
	}
	if ns := floorOf(build(1, 0, 0)); ns != 0 {
		t.Errorf("where no call was left out: %d ns", ns)
	}
}
