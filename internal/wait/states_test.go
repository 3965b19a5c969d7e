package wait

import (
	"context"
	"math"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/trace"
)

// plainState returns what a thread does in the nanosecond that begins at ns, and whether it does
// anything: the outermost call at that time that waits, does I/O or has no processor decides.
func plainState(a *Analysis, t int, ns int64) (State, bool) {
	th, called := a.Trace.Threads[t], false
	for i := range th.Len() {
		if th.Start(i) > ns || th.End(i) <= ns {
			continue
		}
		called = true
		switch {
		case isMarked(th.BlocksOf(i), trace.Wait):
			return Blocked, true
		case isMarked(th.BlocksOf(i), trace.IO):
			return InIO, true
		case a.Trace.FunctionOf(th, i).OffCPU():
			return Runnable, true
		}
	}
	if called {
		return Running, true
	}
	for w := range a.Waits.Len() {
		if int(a.Waits.Thread[w]) == t && a.Waits.Idle[w] && a.Waits.Start[w] <= ns &&
			ns < a.Waits.End[w] {
			return Blocked, true
		}
	}
	return 0, false
}

// TestStates holds the states of threads, how many are in each at a time and on average, and the
// most of each, against a look at every nanosecond.
func TestStates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := mustFind(t, someTrace(t))
		s, err := a.FindStates(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		end := a.Trace.Duration + 1
		own := make([][NumStates]int64, len(a.Trace.Threads)) // ns so far
		var all [NumStates]int64
		var most [NumStates]int
		active := 0
		for ns := range end {
			var now [NumStates]int
			for th := range own {
				state, ok := plainState(a, th, ns)
				if !ok {
					continue
				}
				if own[th][state]++; a.Counts(th) && a.Trace.Threads[th].Runs() {
					now[state]++
					all[state]++
				}
			}
			active = max(active, now[Running]+now[Runnable]+now[InIO])
			for k := range now {
				most[k] = max(most[k], now[k])
			}
			if got := s.At(ns); got != now {
				t.Fatalf("at %d ns: %v, want %v", ns, got, now)
			}
		}
		near := func(what string, got [NumStates]float64, want [NumStates]int64) {
			for k := range got {
				if math.Abs(got[k]*float64(end)-float64(want[k])) > 1e-6 {
					t.Fatalf("%s: %s %v, want %v ns of %d", what, State(k), got[k], want[k], end)
				}
			}
		}
		near("all", s.Mean(0, end), all)
		for th := range own {
			near("a thread", s.Share(th, 0, end), own[th])
		}
		var some []int
		var want [NumStates]int64
		for th := range own {
			if rapid.Bool().Draw(t, "joined") {
				some = append(some, th)
				for k, ns := range own[th] {
					want[k] += ns
				}
			}
		}
		if got := s.Join(some).Within(0, end); got != want {
			t.Fatalf("threads %v together: %v ns, want %v", some, got, want)
		}
		wanders(t, s.Join(some), end)
		if s.Most != most || s.Active != active {
			t.Fatalf("at most %v and %d, want %v and %d", s.Most, s.Active, most, active)
		}
	})
}

// wanders holds a cursor that goes to and fro against sums that are looked up afresh.
func wanders(t *rapid.T, p *Presence, end int64) {
	c := p.Cursor()
	at := rapid.Int64Range(-5, end+5)
	from := at.Draw(t, "from")
	for range rapid.IntRange(1, 20).Draw(t, "steps") {
		if rapid.Bool().Draw(t, "jumps") {
			from = at.Draw(t, "from")
		}
		to := from + rapid.Int64Range(0, 9).Draw(t, "length")
		if got, want := c.Within(from, to), p.Within(from, to); got != want {
			t.Fatalf("from %d to %d: %v ns, want %v", from, to, got, want)
		}
		from = to + rapid.Int64Range(-1, 1).Draw(t, "gap")
	}
}

// TestStatesOfManyStretches holds sums over blocks against single ones, far from the beginning of
// time, where they overflow.
func TestStatesOfManyStretches(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const far = math.MaxInt64 / 4
		var s spans
		at, ns := int64(far), make([]int64, 0, 400)
		for range rapid.IntRange(0, 200).Draw(t, "stretches") {
			at += rapid.Int64Range(1, 3).Draw(t, "gap")
			end := at + rapid.Int64Range(1, 3).Draw(t, "length")
			s.add(at, end)
			for ; at < end; at++ {
				ns = append(ns, at)
			}
		}
		p := Presence{called: s}
		p.close(false)
		s = p.called
		wanders(t, &p, 1) // which lies before all
		c := p.Cursor()
		for range rapid.IntRange(0, 9).Draw(t, "steps") {
			from := far + rapid.Int64Range(0, 500).Draw(t, "from")
			to := from + rapid.Int64Range(0, 500).Draw(t, "to")
			if got, want := c.Within(from, to), p.Within(from, to); got != want {
				t.Fatalf("[%d, %d): %v ns, want %v", from-far, to-far, got, want)
			}
		}
		from := far + rapid.Int64Range(0, 500).Draw(t, "from")
		to := from + rapid.Int64Range(0, 500).Draw(t, "to")
		want := int64(0)
		for _, at := range ns {
			if at >= from && at < to {
				want++
			}
		}
		if got := s.within(from, to); got != want {
			t.Fatalf("%d ns within [%d, %d), want %d", got, from-far, to-far, want)
		}
	})
}
