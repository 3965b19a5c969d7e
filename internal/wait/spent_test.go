package wait

import (
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/trace"
	"diptych/internal/traceio/text/texttest"
)

// plainSpent is dur_x as the comment of spent defines it.
func plainSpent(th *trace.Thread, i int, kind trace.BlockKind) int64 {
	for _, b := range th.BlocksOf(i) {
		if b.Kind == kind {
			return th.Dur(i)
		}
	}
	sum := int64(0)
	th.Children(i, func(c int) bool {
		sum += plainSpent(th, c, kind)
		return true
	})
	return sum
}

// plainActivity is the colour of dur ns of which w were spent waiting and o in input and output.
func plainActivity(w, o, dur int64) (Activity, float64) {
	switch {
	case w == 0 && o == 0:
		return Busy, 0
	case o > 0 && float64(w)/float64(o) < 0.5:
		return Operating, float64(o) / float64(dur)
	}
	return Waiting, float64(w) / float64(dur)
}

// TestSpent holds dur_w, dur_r and dur_o and what follows from them against their definitions.
func TestSpent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := someTrace(t)
		a := mustFind(t, tr)
		for n, th := range tr.Threads {
			for i := range th.Len() {
				for k := trace.Wait; k <= trace.IO; k++ {
					if got, want := a.Spent(n, i, k), plainSpent(th, i, k); got != want {
						t.Fatalf("thread %d call %d: %s %d, want %d", n, i, k, got, want)
					}
				}
				w, o := plainSpent(th, i, trace.Wait), plainSpent(th, i, trace.IO)
				want, k := plainActivity(w, o, th.Dur(i))
				if got, g := a.Activity(n, i); got != want || g != k || g < 0 || g > 1 {
					t.Fatalf("thread %d call %d: %v %v, want %v %v", n, i, got, g, want, k)
				}
			}
		}
	})
}

// TestActivityIn holds a run of siblings against its calls: its time in waits is theirs.
func TestActivityIn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := someTrace(t)
		a := mustFind(t, tr)
		for n, th := range tr.Threads {
			for from := 0; from < th.Len(); from++ {
				var w, o int64
				for i := from; i < th.Len() && th.Parent(i) == th.Parent(from); i = th.Next(i) {
					w += plainSpent(th, i, trace.Wait)
					o += plainSpent(th, i, trace.IO)
					want, k := plainActivity(w, o, th.End(i)-th.Start(from))
					if got, g := a.ActivityIn(n, from, th.Next(i)); got != want || g != k {
						t.Fatalf("thread %d calls [%d, %d): %v %v, want %v %v", n, from,
							th.Next(i), got, g, want, k)
					}
				}
			}
		}
	})
}

// TestActivity holds the colour of calls on its borders.
func TestActivity(t *testing.T) {
	a := mustFind(t, texttest.Parse(t, `
thread a
  0+100 nothing
  100+100 half
    100+10 lock wait=m
    110+20 write io=f
  200+100 less
    200+9 lock wait=m
    210+20 write io=f
  300+100 waits
    300+25 lock wait=m
  400+100 operates
    400+75 write io=f
  500+0 lock wait=m`))
	for call, want := range map[int]struct {
		what Activity
		k    float64
	}{0: {Busy, 0}, 1: {Waiting, .1}, 2: {Waiting, 1}, 3: {Operating, 1}, 4: {Operating, .2},
		7: {Waiting, .25}, 9: {Operating, .75}, 11: {Busy, 0}} {
		if what, k := a.Activity(0, call); what != want.what || k != want.k {
			t.Errorf("call %d: %v %v, want %v", call, what, k, want)
		}
	}
}
