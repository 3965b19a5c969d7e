package synth

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestDiceStayInRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := newDice(rapid.Uint64().Draw(t, "seed"), rapid.Uint64().Draw(t, "stream"))
		n := rapid.IntRange(1, 1<<31-1).Draw(t, "n")
		for range 20 {
			if v := d.below(n); v < 0 || v >= n {
				t.Fatalf("below(%d) is %d", n, v)
			}
		}
	})
}

// TestStreamsAreIndependent: a stream gives the same numbers again, and those of another purpose
// are others, so that more edits do not change the program.
func TestStreamsAreIndependent(t *testing.T) {
	streams := []uint64{streamProgram, streamNames, streamPlan, streamRenames, streamShards,
		streamThread, streamThread + 1, streamEdits, streamHold, streamStage}
	first := map[uint64]uint64{}
	for _, s := range streams {
		x, again := newDice(7, s).Uint64(), newDice(7, s).Uint64()
		if x != again {
			t.Errorf("stream %d begins with %d, then with %d", s, x, again)
		}
		if other, ok := first[x]; ok {
			t.Errorf("streams %d and %d begin alike", other, s)
		}
		first[x] = s
	}
}

// TestChancesComeTrue holds the frequencies of the three kinds of decisions to five standard
// deviations. The seed is fixed, so the test gives the same result each time.
func TestChancesComeTrue(t *testing.T) {
	const tries = 50_000
	d := newDice(1, 2)
	for _, tt := range []struct {
		name string
		p    float64
		once func() bool
	}{
		{"below", 3. / 7, func() bool { return d.below(7) < 3 }},
		{"chance", 40. / 256, func() bool { return d.chance(40) }},
		{"never", 0, func() bool { return d.chance(0) }},
		{"always", 1, func() bool { return d.chance(256) }},
		{"hits", .003, func() bool { return d.hits(share(.003)) }},
		{"hits never", 0, func() bool { return d.hits(share(0)) }},
		{"hits always", 1, func() bool { return d.hits(share(1)) }},
	} {
		n := 0
		for range tries {
			n += oneIf(tt.once())
		}
		deviation := math.Sqrt(tries * tt.p * (1 - tt.p))
		if math.Abs(float64(n)-tries*tt.p) > 5*deviation {
			t.Errorf("%s: true %d times of %d, expected %.0f ± %.0f", tt.name, n, tries,
				tries*tt.p, deviation)
		}
	}
}

// TestExp2IsWithinAPercent holds the parabola against the function it stands for.
func TestExp2IsWithinAPercent(t *testing.T) {
	for x := 8 * 256; x < 31*256; x++ { // below, whole numbers are coarser than a percent
		want := math.Exp2(float64(x) / 256)
		if got := float64(exp2(x)); math.Abs(got/want-1) > .01 {
			t.Fatalf("2^(%d/256) is %g, not %g", x, want, got)
		}
	}
	for x := range 31*256 - 1 {
		if exp2(x) > exp2(x+1) {
			t.Fatalf("falls from %d to %d at %d", exp2(x), exp2(x+1), x)
		}
	}
	for x, want := range map[int]uint32{-5000: 1, -1: 1, 0: 1, 256: 2, 20 * 256: 1 << 20,
		40 * 256: exp2(31*256 - 1)} {
		if got := exp2(x); got != want {
			t.Errorf("exp2(%d) is %d, want %d", x, got, want)
		}
	}
}

// TestSelfTimesAreLogNormal: half of them lie below the median, and two thirds within one standard
// deviation of it, as a normal distribution of the logarithm has it.
func TestSelfTimesAreLogNormal(t *testing.T) {
	const median, sigma, n = 12 * 256, spread, 20_000
	d := newDice(3, 4)
	var logs []float64
	for range n {
		logs = append(logs, 256*math.Log2(float64(d.logNormal(median, sigma))))
	}
	slices.Sort(logs)
	if m := logs[n/2]; math.Abs(m-median) > sigma/20. {
		t.Errorf("the median is 2^(%.0f/256), want %d", m, median)
	}
	for _, q := range []struct{ at, deviations float64 }{{.1587, -1}, {.8413, 1}, {.0228, -2}, {.9772, 2}} {
		got := (logs[int(q.at*n)] - median) / sigma
		if math.Abs(got-q.deviations) > .12 {
			t.Errorf("quantile %g lies %.2f deviations from the median, want %g", q.at, got, q.deviations)
		}
	}
}

func TestZipfDrawsByRank(t *testing.T) {
	const n, tries = 50, 60_000
	z, d := newZipf(n), newDice(5, 6)
	var counts [n]float64
	for range tries {
		counts[z.draw(d)]++
	}
	sum := 0.
	for rank := range n {
		sum += 1 / float64(rank+1)
	}
	for rank, got := range counts {
		p := 1 / float64(rank+1) / sum
		want, deviation := p*tries, math.Sqrt(p*tries)
		if math.Abs(got-want) > 5*deviation {
			t.Errorf("rank %d is drawn %g times, want %.0f ± %.0f", rank, got, want, deviation)
		}
	}
	if one := newZipf(1); one.draw(d) != 0 {
		t.Error("of one only the first can be drawn")
	}
}
