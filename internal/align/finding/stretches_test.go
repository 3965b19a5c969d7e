package finding

import (
	"fmt"
	"math"
	"testing"

	"diptych/internal/trace"
)

// timed returns the changes of self time that are told to be more than chance, by function.
func timed(r *Report) map[string]Certainty {
	of := map[string]Certainty{}
	for _, f := range r.Findings {
		if (f.Kind == Slower || f.Kind == Faster || f.Kind == Burst) && f.Certainty != Chance {
			of[f.Function] = f.Certainty
		}
	}
	return of
}

// phases is a program of 60 functions, ten of which are called in the middle third of it only; one of
// these, hot, is called most often.
func phases(hot int64) *call {
	root := &call{name: "main", self: 1000}
	for i := range 300 {
		round := &call{name: "round", self: 500}
		kind, functions := "cold", 48
		if i/100 == 1 {
			kind, functions = "warm", 9
			round.kids = again(8, f("hot", hot))
		}
		for k := range functions {
			round.kids = append(round.kids, f(fmt.Sprint(kind, k), int64(300*(k%7+1)+i%7)))
		}
		root.kids = append(root.kids, round)
	}
	return root
}

// TestABusyStretchSlowsAllThatRunsInIt holds that functions which run only while the machine is slow
// are not told to be slower, and one that alone is slower in the same stretch is.
func TestABusyStretchSlowsAllThatRunsInIt(t *testing.T) {
	busy := func(seed uint64) func(int64) int64 {
		clock, now := noisy(seed), int64(0)
		whole := float64(recorded(t, nil, phases(1000)).Duration)
		return func(self int64) int64 {
			at := float64(now) / whole
			if now += self; at > 0.4 && at < 0.58 {
				return 8 * clock(self) / 5
			}
			return clock(self)
		}
	}
	_, _, r := compared(t, recorded(t, noisy(1), phases(1000)), recorded(t, busy(2), phases(1000)))
	if got := timed(r); len(got) > 0 {
		t.Errorf("a busy stretch: %v", got)
	}
	_, _, r = compared(t, recorded(t, noisy(1), phases(1000)), recorded(t, noisy(2), phases(1600)))
	if got := timed(r); got["hot"] != Certain || len(got) != 1 {
		t.Errorf("a slower function: %v", got)
	}
}

// TestFunctionsFollowAPaceUnevenly holds that what a function changes by beside the pace says less
// the farther the pace is from 1, unless that is only a change of unit.
func TestFunctionsFollowAPaceUnevenly(t *testing.T) {
	build := func(seed uint64, pace, hot float64) *trace.Trace {
		clock := noisy(seed)
		root := &call{name: "main", self: 1000}
		for range 200 {
			for k := range 60 {
				self := float64(clock(int64(300*(k%9+1)))) * pace
				if k == 7 {
					self *= hot
				}
				root.kids = append(root.kids, f(fmt.Sprint("work", k), int64(self)))
			}
		}
		return recorded(t, nil, root)
	}
	for _, c := range []struct {
		pace, hot float64
		certain   bool
	}{{1, 1.25, true}, {1.6, 1.4, false}, {1.6, 3, true}, {1000, 1.25, true}} {
		_, _, r := compared(t, build(1, 1, 1), build(2, c.pace, c.hot))
		got := timed(r)
		if level, told := got["work7"]; (told && level == Certain) != c.certain || len(got) > toInt(told) {
			t.Errorf("a pace of %v, and %v times as long: %v", c.pace, c.hot, got)
		}
	}
}

// TestFewCallsDoNotHideTheSway holds that where most functions have few calls, which vary much, those
// that are known well say by what functions differ.
func TestFewCallsDoNotHideTheSway(t *testing.T) {
	var off, known []float64
	for k := range 200 {
		off, known = append(off, 0.1*math.Sin(float64(k))), append(known, 0.3)
	}
	for k := range 50 {
		off, known = append(off, 0.1*float64(k%5-2)), append(known, 0.01)
	}
	if sway := swayOf(off, known); sway != 0 {
		t.Errorf("by all functions: %v", sway)
	}
	if sway := swayOf(bestKnown(off, known)); sway < 0.1 || sway > 0.2 {
		t.Errorf("by those known best: %v", sway)
	}
	if off, _ := bestKnown(off[:10], known[:10]); off != nil {
		t.Errorf("of ten functions: %v", off)
	}
}

// TestStallsOfShortCalls holds that few of a function's many calls may be held up as those of others
// are, however many more of them are outliers; but not if they take far longer, or are a part of all.
func TestStallsOfShortCalls(t *testing.T) {
	for _, c := range []struct {
		pairs int
		ns    float64
		want  bool
	}{{30_326, 8000, true}, {30_326, 80_000, false}, {3270, 8000, false}} {
		v := &weighed{strange: [2]strange{{}, {count: 327, ns: 327 * c.ns}}}
		n := &noise{strange: [2]outliers{{}, {count: 2092, ns: 327*c.ns + 1765*5977}}}
		if got := n.areStalls(&effort{pairs: c.pairs}, v, 1); got != c.want {
			t.Errorf("327 of %d calls take %v ns longer: %v", c.pairs, c.ns, got)
		}
	}
}
