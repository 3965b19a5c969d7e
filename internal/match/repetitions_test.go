package match

import (
	"context"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/pair"
)

// TestRepeats checks the runs in windows against the runs by definition that lie in them.
func TestRepeats(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, scope, rho := someComparison(t)
		w := someWindow(t)
		g, _ := mustMatch(t, p, scope, DefaultTau)
		for _, side := range []pair.Side{pair.A, pair.B} {
			calls := plainCalls(p, side, scope)
			want := repetitions(calls, big.NewRat(int64(rho.num), int64(rho.den)))
			r, err := g.Sides[side].Repeats(context.Background(), rho)
			if err != nil || r.Len() != len(want) {
				t.Fatalf("ρ = %v: %d runs, %v; want %d", rho, r.Len(), err, len(want))
			}
			if got := runsIn(r, Everything); !slices.Equal(got, want) {
				t.Fatalf("ρ = %v: %v, want %v", rho, got, want)
			}
			want = slices.DeleteFunc(want, func(run [2]int) bool {
				first, last := calls[run[0]], calls[run[1]]
				th := p.Trace(side).Threads[first.thread]
				start, end := th.Start(first.call), th.End(last.call)
				return w.From > w.To || start > w.To || end < w.From || end-start < w.Least
			})
			if got := runsIn(r, w); !slices.Equal(got, want) {
				t.Fatalf("ρ = %v, %v: %v, want %v", rho, w, got, want)
			}
		}
	})
}

// TestManyRepeats checks that whole blocks of runs are skipped only if all their runs are too
// short.
func TestManyRepeats(t *testing.T) {
	g := simulated(t, 20_000)
	c := g.Sides[pair.A]
	r, err := c.Repeats(context.Background(), DefaultRho)
	if err != nil || r.Len() < 4*block {
		t.Fatal(r.Len(), err)
	}
	all := runsIn(r, Everything)
	if len(all) != r.Len() {
		t.Fatal(len(all), r.Len())
	}
	for _, least := range []int64{0, 1_000, 10_000, 100_000, 1_000_000} {
		want, got := 0, 0
		for _, run := range all {
			_, last := c.At(run[1])
			thread, first := c.At(run[0])
			if th := c.Threads[thread]; th.End(last)-th.Start(first) >= least {
				want++
			}
		}
		w := Everything
		w.Least = least
		r.In(w, func(first, last int) bool {
			got++
			return got < want/2 || least > 1_000
		})
		if least <= 1_000 {
			want /= 2
		}
		if got != want {
			t.Errorf("at least %d ns: %d runs, want %d", least, got, want)
		}
	}
}

// runsIn returns the first and last calls of the runs in a window.
func runsIn(r *Repeats, w Window) (out [][2]int) {
	r.In(w, func(first, last int) bool {
		out = append(out, [2]int{first, last})
		return true
	})
	return out
}

// repetitions finds the runs from the definition.
func repetitions(calls []plainCall, rho *big.Rat) (out [][2]int) {
	siblings := func(parent, thread int) {
		var list []int
		for i, c := range calls {
			if c.parent == parent && c.thread == thread {
				list = append(list, i)
			}
		}
		for len(list) > 0 {
			n := 1
			for n < len(list) && similarity(calls[list[0]], calls[list[n]]).Cmp(rho) >= 0 {
				n++
			}
			if n > 1 {
				out = append(out, [2]int{list[0], list[n-1]})
			}
			list = list[n:]
		}
	}
	for i, c := range calls {
		if c.call == 0 {
			siblings(none, c.thread)
		}
		siblings(i, c.thread)
	}
	return out
}
