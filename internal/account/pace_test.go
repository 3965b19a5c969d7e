package account

import (
	"fmt"
	"math"
	"testing"

	"diptych/internal/trace"
)

// steps makes a thread of functions f0, f1, … that take the given times, one after the other.
func steps(scale float64, ns ...float64) (calls []call) {
	now := int64(0)
	for k, d := range ns {
		end := now + int64(d*scale)
		calls = append(calls, call{fn: fmt.Sprint("f", k), from: now, to: end})
		now = end
	}
	return calls
}

func TestPace(t *testing.T) {
	even := []float64{1e6, 2e6, 1.5e6, 3e6, 1e6, 2e6, 1.2e6}
	factors := func(f ...float64) []float64 {
		out := make([]float64, len(even))
		for i := range out {
			out[i] = even[i] * f[i%len(f)]
		}
		return out
	}
	for _, c := range []struct {
		name   string
		a, b   []float64
		factor float64 // 1 for none
		unit   bool
	}{
		{"all alike", even, even, 1, false},
		{"a slower machine", even, factors(1.31), 1.31, false},
		{"there is no upper limit", even, factors(7), 7, false},
		{"a faster machine", even, factors(0.5), 0.5, false},
		{"functions agree nearly", even, factors(1.5, 1.6, 1.55), 1.55, false},
		{"some are a little slower, others a little faster", even, factors(0.96, 1.04, 1.05), 1, false},
		{"functions do not agree", even, factors(1.1, 2.5, 1, 4), 1, false},
		{"one slow function that takes most of the run",
			[]float64{9e7, 1e6, 1e6, 1e6, 1e6, 1e6}, []float64{18e7, 1e6, 1e6, 1e6, 1e6, 1e6}, 1, false},
		{"too few functions", []float64{1e6, 1e6}, []float64{2e6, 2e6}, 1, false},
		{"another unit", even, factors(1000), 1000, true},
		{"another unit, the other way", factors(1000), even, 0.001, true},
		{"another unit of few functions", []float64{1e6, 1e6}, []float64{1e9, 1e9}, 1000, true},
	} {
		x := balanceOf(t, record(t, steps(1, c.a...)), record(t, steps(1, c.b...)), Options{})
		p := x.Pace()
		if math.Abs(p.Factor/c.factor-1) > 0.02 || p.Unit != c.unit || p.Low > p.High {
			t.Errorf("%s: %+v, want %v", c.name, p, c.factor)
		}
		l := NewLedger(x)
		own := l.TakePace(p)
		if rest := l.Unexplained().Delta; own.Plus(rest) != x.Delta() {
			t.Errorf("%s: %v and %v of %v", c.name, own, rest, x.Delta())
		}
		if ratio := x.Delta(); c.unit && own != ratio {
			t.Errorf("%s: a change of unit owns %v of %v", c.name, own, ratio)
		}
	}
}

// TestThePaceIsThatOfCalls holds that times are compared call by call, and only where there are
// about as many.
func TestThePaceIsThatOfCalls(t *testing.T) {
	program := func(calls int, ns int64) *trace.Trace {
		var all []call
		now := int64(0)
		for k := range 8 {
			for range calls {
				all = append(all, call{fn: fmt.Sprint("f", k), from: now, to: now + ns})
				now += ns
			}
		}
		return record(t, all)
	}
	for _, c := range []struct {
		calls int
		ns    int64
		want  float64
	}{{20, 150, 1.5}, {19, 150, 1.5}, {21, 100, 1}, {40, 50, 1}, {40, 300, 1}} {
		x := balanceOf(t, program(20, 100), program(c.calls, c.ns), Options{})
		if p := x.Pace(); math.Abs(p.Factor-c.want) > 0.01 {
			t.Errorf("%d calls of %d ns: %+v, want %v", c.calls, c.ns, p, c.want)
		}
	}
}

// TestFunctionsAgreeOnAPace holds when quartiles are close enough to each other and far enough from
// 1, either way round.
func TestFunctionsAgreeOnAPace(t *testing.T) {
	for _, c := range []struct {
		low, pace, high float64
		found           bool
	}{
		{1.17, 1.24, 1.35, true}, {1.01, 1.05, 1.06, false}, {1.03, 1.05, 1.1, true},
		{1.34, 1.86, 1.99, false}, {1.6, 1.86, 1.99, true}, {1.02, 1.1, 1.81, false},
		{0.9, 1.3, 1.4, false}, {1, 1.01, 1.01, false}, {900, 1000, 1020, true},
	} {
		for _, turn := range []float64{1, -1} {
			var ratio, weight []float64
			for _, f := range []float64{c.low / 2, c.low, c.low, c.pace, c.high, c.high, c.high * 2} {
				ratio, weight = append(ratio, math.Pow(f, turn)), append(weight, 1)
			}
			if p := PaceOf(ratio, weight); p.Found() != c.found || c.found && math.Abs(math.Log(p.Factor)-turn*math.Log(c.pace)) > 1e-9 {
				t.Errorf("%+v, turned by %v: %+v", c, turn, p)
			}
		}
	}
}

// TestThePaceTakesItsPart holds the example of TakePace.
func TestThePaceTakesItsPart(t *testing.T) {
	x := balanceOf(t, record(t, steps(1, 100, 100, 100)), record(t, steps(1, 150, 180, 30)), Options{})
	l := NewLedger(x)
	l.TakePace(Pace{Factor: 1.5})
	for fn, want := range []int64{0, 30, -80} {
		if got := Net(l.Of(uint32(fn))).WorkNs; got != want {
			t.Errorf("f%d: %d is left, want %d", fn, got, want)
		}
	}
}
