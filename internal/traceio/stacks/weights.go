package stacks

import (
	"iter"
	"math"
	"math/bits"

	"diptych/internal/trace"
)

// Weights sums up for how long samples hold, by powers of two.
type Weights struct {
	of [65]weights // those that hold for less than 2^k ns, and no less than half of that
}

type weights struct{ samples, sum, squares float64 }

// Add adds a sample that holds for so long, ns.
func (w *Weights) Add(ns float64) {
	of := &w.of[bits.Len64(uint64(ns))]
	of.samples, of.sum, of.squares = of.samples+1, of.sum+ns, of.squares+ns*ns
}

// total returns the sum of some.
func total(of []weights) (t weights) {
	for _, x := range of {
		t.samples, t.sum, t.squares = t.samples+x.samples, t.sum+x.sum, t.squares+x.squares
	}
	return t
}

// mean returns the mean of the times, each weighed by itself.
func (t weights) mean() int64 { return int64(t.squares / max(t.sum, 1)) }

// stallBits is by how many powers of two a sample holds for longer than the median, if the program
// or the sampler stood still meanwhile.
const stallBits = 2

// stall returns the first class of such samples.
func (w *Weights) stall() int {
	all, median := total(w.of[:]).samples, 0
	for n := w.of[0].samples; 2*n < all; n += w.of[median].samples {
		median++
	}
	return min(median+stallBits, len(w.of))
}

// StallsFrom returns from how long on a sample holds many times as long as most, ns; if none does,
// it is infinite.
func (w *Weights) StallsFrom() float64 {
	k := w.stall()
	if total(w.of[k:]).samples == 0 {
		return math.Inf(1)
	}
	return math.Ldexp(1, k-1)
}

// tell tells b what one sample weighs, see trace.Trace. It is the interval if samples are regular.
// While a busy system does something else, one sample holds for as long as a hundred others, and
// sums may vary by much more than their number says: 1000 samples of 1 ms and two of 100 ms weigh
// 17.5 ms each. But functions in which none of the two lies vary as if all were of 1 ms.
func (w *Weights) tell(b *trace.Builder) {
	b.SampleWeight = max(b.SampleWeight, total(w.of[:]).mean())
	b.SteadyWeight = max(b.SteadyWeight, total(w.of[:w.stall()]).mean())
}

// addAll adds the samples of running threads that hold until the next one, and tells the threads
// which of them stall.
func (w *Weights) addAll(l *Timeline) {
	for _, t := range l.threads {
		for _, ns := range l.held(t) {
			w.Add(float64(ns))
		}
	}
	from := w.StallsFrom()
	if math.IsInf(from, 1) {
		return
	}
	for _, t := range l.threads {
		for at, ns := range l.held(t) {
			if float64(ns) >= from {
				t.to.Stall(at, ns)
			}
		}
	}
}

// held yields when each sample of a running thread was taken that holds until the next one, and for
// how long it does.
func (l *Timeline) held(t *Thread) iter.Seq2[int64, int64] {
	return func(yield func(at, ns int64) bool) {
		for i := 1; i < len(t.samples); i++ {
			s, ns := t.samples[i-1], t.samples[i].at-t.samples[i-1].at
			if s.node != Root && s.shared&holds == 0 && !l.Late(ns) && !yield(s.at, ns) {
				return
			}
		}
	}
}
