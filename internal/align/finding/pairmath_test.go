package finding

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Every logarithm has the bits of math.Log: of ordinary times, of ratios at and beside the borders
// of the series, and of what is not positive, not finite or not normal.
func TestRatioLogs(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 11))
	var a, b []float64
	add := func(x, y float64) { a, b = append(a, x), append(b, y) }
	for range 50_000 {
		add(1+float64(rng.IntN(1<<rng.IntN(40))), 1+float64(rng.IntN(1<<rng.IntN(40))))
	}
	for range len(a) % 8 { // what is not normal stands in eights of its own
		add(3, 7)
	}
	for _, x := range []float64{1, 2, 0.5, math.Sqrt2, math.Sqrt2 / 2, 0x1p-1022, math.MaxFloat64,
		0, -1, 0x1p-1060, math.Inf(1), math.Inf(-1), math.NaN()} {
		for range 8 {
			add(1, x)
			add(1, math.Nextafter(x, 1))
			add(3, 7)
		}
	}
	for _, tick := range []float64{0, 1, 1000} {
		for _, pace := range []float64{1, 0.93, 1.37} {
			for n := len(a); n > len(a)-9; n-- { // the last pairs are less than eight
				logs := make([]float64, n)
				ratioLogs(logs, a[:n], b[:n], pace, tick)
				for p, got := range logs {
					x := (b[p] + tick) / (pace*a[p] + tick)
					want := math.Log(x)
					same := math.Float64bits(got) == math.Float64bits(want)
					if !same && !(math.IsNaN(got) && math.IsNaN(want)) {
						t.Fatalf("tick %g, pace %g: the logarithm of %g is %g, want %g", tick, pace, x, got, want)
					}
				}
			}
		}
	}
}

// someTimes returns self times of pairs: short and long ones, equal ones, and some of 0.
func someTimes(rng *rand.Rand, n int) (a, b []float64) {
	for range n {
		x, y := float64(rng.IntN(1<<rng.IntN(40))), float64(rng.IntN(1<<rng.IntN(40)))
		switch rng.IntN(4) {
		case 0:
			y = x
		case 1:
			x += 1e5
			y = x + float64(rng.IntN(1000)) - 500
		}
		a, b = append(a, x), append(b, y)
	}
	return a, b
}

// TestPairsEightAtOnce holds what is done to eight pairs at once against the same done to one after
// the other, bit by bit: lists of less than eight pairs are left to that.
func TestPairsEightAtOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	for n := range chunkPairs + 1 {
		a, b := someTimes(rng, n)
		for _, pace := range []float64{1, 1.25} {
			var both [2]pairResults
			both[0].compute(a, b, pace, n)
			both[1].compute(a, b, pace, 1)
			if !reflect.DeepEqual(both[0], both[1]) {
				t.Fatalf("%d pairs: %+v, one by one %+v", n, both[0], both[1])
			}
		}
	}
}

// pairResults are what the functions of pairmath.go compute.
type pairResults struct {
	split   [2][]float64
	means   []float64
	ratios  []uint64 // bits, since 0/0 is not equal to itself
	shares  []float64
	far     []float64
	classes []int64
	still   stillness
	weights pairWeights
	sums    pairSums
	around  [4]int
	inner   []float64
	before  int
}

// compute computes all of some pairs, so many at a time.
func (r *pairResults) compute(a, b []float64, pace float64, atOnce int) {
	w := &scales{pace: pace, tick: 1, median: 0.125}
	for k := range w.spreads {
		w.spreads[k] = 0.001 * float64(k+1)
	}
	for from := 0; from < len(a); from += atOnce {
		x, y := a[from:from+atOnce], b[from:from+atOnce]
		list := func() []float64 { return make([]float64, atOnce) }
		times, p, q := make([]uint64, atOnce), list(), list()
		for k := range times {
			times[k] = uint64(uint32(y[k]))<<32 | uint64(uint32(x[k]))
		}
		splitTimes(p, q, times)
		r.split[0], r.split[1] = append(r.split[0], p...), append(r.split[1], q...)
		means, ratios, shares, logs := list(), list(), list(), list()
		geometricMeans(means, x, y)
		votesOf(ratios, shares, x, y, 3)
		for _, ratio := range ratios {
			r.ratios = append(r.ratios, math.Float64bits(ratio))
		}
		r.means, r.shares = append(r.means, means...), append(r.shares, shares...)
		ratioLogs(logs, x, y, w.pace, w.tick)
		r.addWeights(w, x, y, logs, from)
		distances(logs, w.median)
		classes := make([]int64, atOnce)
		spreadClasses(classes, &r.still, logs, x, y, w.tick)
		r.far, r.classes = append(r.far, logs...), append(r.classes, classes...)
		if r.before == from { // all so far
			r.before += countBefore(r.ascending(from, atOnce), int32(w.pace*100))
		}
		inner := list()
		below, atLow, atHigh, between := countAround(logs, inner, 0.1, 2)
		r.inner = append(r.inner, inner[:between]...)
		for k, count := range []int{below, atLow, atHigh, between} {
			r.around[k] += count
		}
	}
}

// ascending returns calls as there are in a part of columns.
func (r *pairResults) ascending(from, n int) (calls []int32) {
	for k := range n {
		calls = append(calls, int32(from+k))
	}
	return calls
}

// addWeights weighs pairs, of which the first is pair from of all.
func (r *pairResults) addWeights(w *scales, a, b, logs []float64, from int) {
	var of pairWeights
	sums := w.weighPairs(&of, a, b, logs)
	n := len(a)
	copy(r.weights.change[from:], of.change[:n])
	copy(r.weights.scaled[from:], of.scaled[:n])
	copy(r.weights.shorter[from:], of.shorter[:n])
	copy(r.weights.square[from:], of.square[:n])
	copy(r.weights.own[from:], of.own[:n])
	for p := range n {
		r.weights.strange[(from+p)/64] |= of.strange[p/64] >> (p % 64) & 1 << ((from + p) % 64)
	}
	r.sums.self += sums.self
	for to := range sums.alike {
		r.sums.alike[to] += sums.alike[to]
		r.sums.most[to] = max(r.sums.most[to], sums.most[to])
	}
}

// TestTimes holds the times of an effort's pairs, taken across its parts, against those taken part by
// part: parts of few pairs, of many, of none, and times that 32 bits do not hold.
func TestTimes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var e effort
		sizes := rapid.SliceOf(rapid.SampledFrom([]int{0, 1, 3, 9, 255, 256, 257, 600})).Draw(t, "sizes")
		for _, n := range sizes {
			c := &columns{times: make([]uint64, n), calls: make([]int32, n)}
			for p := range n {
				c.set(int32(p), [2]int64{int64(len(e.parts)), int64(p)})
			}
			if n > 0 && rapid.Bool().Draw(t, "wide") {
				c.set(rapid.Int32Range(0, int32(n-1)).Draw(t, "pair"), [2]int64{1 << 33, 1})
			}
			e.parts = append(e.parts, part{of: c, to: int32(n)})
		}
		var want, got [2][]float64
		for c := range e.chunks {
			want[0], want[1] = append(want[0], c.a...), append(want[1], c.b...)
		}
		for c := range e.times {
			if len(got[0])%chunkPairs != 0 {
				t.Fatal("a chunk that is not the last is not full")
			}
			got[0], got[1] = append(got[0], c.a...), append(got[1], c.b...)
		}
		if !slices.Equal(got[0], want[0]) || !slices.Equal(got[1], want[1]) {
			t.Fatalf("other times than part by part, of parts of %v pairs", sizes)
		}
	})
}
