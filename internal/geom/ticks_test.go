package geom

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/quantity"
)

func TestTicks(t *testing.T) {
	const s, min, h = 1e9, 60e9, 3600e9
	tests := []struct {
		name       string
		start, end float64
		unit       string
		want       string
		base       string
	}{
		{"seconds", 3.5 * s, 19 * s, "ns", "4 s, 6 s, 8 s, 10 s, 12 s, 14 s, 16 s, 18 s", ""},
		{"part of a second", .1 * s, .6 * s, "ns",
			"100 ms, 150 ms, 200 ms, 250 ms, 300 ms, 350 ms, 400 ms, 450 ms, 500 ms, 550 ms, 600 ms", ""},
		{"from zero", 0, 4 * s, "ns",
			"0.0 s, 0.5 s, 1.0 s, 1.5 s, 2.0 s, 2.5 s, 3.0 s, 3.5 s, 4.0 s", ""},
		{"single ns", 0, 7, "ns", "0 ns, 1 ns, 2 ns, 3 ns, 4 ns, 5 ns, 6 ns, 7 ns", ""},
		{"parts of a ns", 3, 4, "ns",
			"3.0 ns, 3.1 ns, 3.2 ns, 3.3 ns, 3.4 ns, 3.5 ns, 3.6 ns, 3.7 ns, 3.8 ns, 3.9 ns, 4.0 ns", ""},
		{"deep in a long trace", 12.3456781 * s, 12.3456785 * s, "ns",
			"+100 ns, +150 ns, +200 ns, +250 ns, +300 ns, +350 ns, +400 ns, +450 ns, +500 ns", "12.345678 s"},
		{"minutes", 0, 25 * min, "ns", "0 min, 5 min, 10 min, 15 min, 20 min, 25 min", ""},
		{"hours", 2 * h, 18 * h, "ns", "2 h, 4 h, 6 h, 8 h, 10 h, 12 h, 14 h, 16 h, 18 h", ""},
		{"half minutes", 0, 4 * min, "ns",
			"0 s, 30 s, 60 s, 90 s, 120 s, 150 s, 180 s, 210 s, 240 s", ""},
		{"bytes", 0, 10 << 20, "bytes",
			"0 MiB, 1 MiB, 2 MiB, 3 MiB, 4 MiB, 5 MiB, 6 MiB, 7 MiB, 8 MiB, 9 MiB, 10 MiB", ""},
		{"digits of a power of ten", 0, 100 * s, "ns", "0 s, 10 s, 20 s, 30 s, 40 s, 50 s, 60 s, 70 s, 80 s, 90 s, 100 s", ""},
		{"few bytes", 0, 1600, "bytes",
			"0.00 KiB, 0.25 KiB, 0.50 KiB, 0.75 KiB, 1.00 KiB, 1.25 KiB, 1.50 KiB", ""},
		{"count", 0, 7, "count", "0, 1, 2, 3, 4, 5, 6, 7", ""},
		{"thousands", 0, 70000, "count", "0 k, 10 k, 20 k, 30 k, 40 k, 50 k, 60 k, 70 k", ""},
	}
	for _, c := range tests {
		sc := Ticks(Span{c.start, c.end}, 1200, 100, c.unit)
		var labels []string
		for _, k := range sc.Ticks {
			labels = append(labels, k.Label)
		}
		if got := strings.Join(labels, ", "); got != c.want || sc.Base != c.base {
			t.Errorf("%s:\n got %s (base %q)\nwant %s (base %q)",
				c.name, got, sc.Base, c.want, c.base)
		}
	}
}

// TestTicksAreDistinct: at any zoom labels differ and are short, and ticks keep their distance.
func TestTicksAreDistinct(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.SampledFrom([]string{"ns", "bytes", "count"}).Draw(t, "unit")
		start := rapid.Float64Range(0, 1e14).Draw(t, "start")
		length := decimalStep(rapid.Float64Range(1, 1e14).Draw(t, "length"))
		length *= rapid.Float64Range(.3, 3).Draw(t, "k")
		s := Span{start, start + max(length, 2)}
		sc := Ticks(s, 1600, 100, unit)
		seen := map[string]bool{}
		for i, k := range sc.Ticks {
			if seen[k.Label] {
				t.Fatalf("label %q twice", k.Label)
			}
			seen[k.Label] = true
			if n := len([]rune(k.Label)); n > 13 {
				t.Fatalf("label %q is long", k.Label)
			}
			if !s.Contains(k.At) {
				t.Fatalf("tick %g outside %v", k.At, s)
			}
			if i > 0 && (k.At-sc.Ticks[i-1].At)/s.Len()*1600 < 90 {
				t.Fatalf("ticks %g and %g too near in %v", sc.Ticks[i-1].At, k.At, s)
			}
		}
	})
}

// TestTicksFarFromZero: what a view shows may lie so far from 0 that a float64 does not tell its
// ends from what lies between, as where one event of a recording has no time and all others have
// those of a wall clock.
func TestTicksFarFromZero(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.SampledFrom([]string{"ns", "bytes", "count"}).Draw(t, "unit")
		start := rapid.Float64Range(1e15, math.MaxInt64).Draw(t, "start")
		s := Span{start, start + math.Exp2(rapid.Float64Range(0, 40).Draw(t, "length"))}
		sc := Ticks(s, 1600, 100, unit)
		if len(sc.Ticks) > 17 {
			t.Fatalf("%d ticks", len(sc.Ticks))
		}
		for i, k := range sc.Ticks {
			if !s.Contains(k.At) || i > 0 && (k.At <= sc.Ticks[i-1].At || k.Label == sc.Ticks[i-1].Label) {
				t.Fatalf("tick %d of %+v", i, sc)
			}
		}
	})
}

func TestNoTicksWithoutRoom(t *testing.T) {
	for _, s := range []Span{{}, {5, 5}, {9, 1}} {
		if sc := Ticks(s, 100, 50, "ns"); len(sc.Ticks) != 0 {
			t.Errorf("%v: %v", s, sc.Ticks)
		}
	}
	if sc := Ticks(Span{0, 10}, 0, 50, "ns"); len(sc.Ticks) != 0 {
		t.Errorf("no width: %v", sc.Ticks)
	}
}

// TestTwoValuesDiffer holds that different values are written with as many digits as they need.
func TestTwoValuesDiffer(t *testing.T) {
	for _, c := range []struct {
		v, w       float64
		unit, a, b string
	}{
		{122.4e6, 150e6, "ns", "122 ms", "150 ms"},
		{122.4e6, 122.1e6, "ns", "122.4 ms", "122.1 ms"},
		{122400001, 122400000, "ns", "122.400001 ms", "122.400000 ms"},
		{5, 5, "ns", "5 ns", "5 ns"},
		{122.4e6, 122.4e6, "ns", "122 ms", "122 ms"},
		{999.96e3, 1e6, "ns", "0.99996 ms", "1.00000 ms"},
		{1 << 20, 1<<20 + 1<<10, "bytes", "1.000 MiB", "1.001 MiB"},
	} {
		if a, b := FormatTwo(c.v, c.w, c.unit); a != c.a || b != c.b {
			t.Errorf("%v and %v: %q and %q, want %q and %q", c.v, c.w, a, b, c.a, c.b)
		}
	}
}

func TestRoundSteps(t *testing.T) {
	var steps []float64
	for least := 1.0; least < 1e15; least = roundStep(least*1.01, "ns") {
		steps = append(steps, least)
	}
	if !slices.IsSorted(steps) || len(steps) > 60 {
		t.Errorf("steps %v", steps)
	}
}

func TestFormatCount(t *testing.T) {
	for n, want := range map[uint64]string{
		0: "0", 999: "999", 1000: "1\u2009000", 52_006_100: "52\u2009006\u2009100",
		999_999_999: "999\u2009999\u2009999", 1e9: "1.0 × 10⁹", 9_999_999_999: "1.0 × 10¹⁰",
		99_490_000_000: "9.9 × 10¹⁰", 1<<64 - 1: "1.8 × 10¹⁹",
	} {
		if got := FormatCount(n); got != want {
			t.Errorf("FormatCount(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestFormatWhole(t *testing.T) {
	for n, want := range map[int64]string{0: "0", -1: "-1", -999: "-999", 1000: "1\u2009000",
		-1234567: "-1\u2009234\u2009567", math.MinInt64: "-9\u2009223\u2009372\u2009036\u2009854\u2009775\u2009808"} {
		if got := FormatWhole(n); got != want {
			t.Errorf("FormatWhole(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestDigits(t *testing.T) {
	for v, want := range map[float64]int{0: 1, .5: 1, 9.9: 1, 10: 2, 99: 2, 100: 3, 999: 3, 1000: 4, 1e6: 7, 1e15: 16} {
		if got := digits(v); got != want {
			t.Errorf("%g has %d digits, want %d", v, got, want)
		}
	}
}

// TestDecimalStep: the result is 1, 2 or 5 times a power of ten, not below what is asked for, and
// the next smaller such step is.
func TestDecimalStep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		least := math.Pow(10, rapid.Float64Range(-6, 15).Draw(t, "log10"))
		step := decimalStep(least)
		if step < least*(1-1e-6) || step > least*2.5001 {
			t.Fatalf("the step for %g is %g", least, step)
		}
		mantissa := step / math.Pow(10, math.Floor(math.Log10(step)+1e-9))
		if !slices.ContainsFunc([]float64{1, 2, 5, 10}, func(m float64) bool {
			return math.Abs(mantissa-m) < 1e-6
		}) {
			t.Fatalf("the step for %g is %g", least, step)
		}
	})
}

// TestWordsOfUnits: only what takes time is faster or slower.
func TestWordsOfUnits(t *testing.T) {
	for unit, want := range map[string]string{"ns": "self time, faster or slower",
		"": "self time, faster or slower", "bytes": "self cost, less or more",
		"samples": "self cost, less or more"} {
		less, more := Comparatives(unit)
		if got := SelfNoun(unit) + ", " + less + " or " + more; got != want {
			t.Errorf("%q: %s, want %s", unit, got, want)
		}
	}
}

// TestUnitsOfTicks: minutes and hours serve only where steps are a fair part of them.
func TestUnitsOfTicks(t *testing.T) {
	for _, tt := range []struct {
		reach, step float64
		want        string
	}{
		{900, 100, "ns"},
		{999, 100, "ns"},
		{1000, 100, "µs"},
		{59 * quantity.Second, 10 * quantity.Second, "s"},
		{100 * quantity.Second, 10 * quantity.Second, "s"},
		{3 * quantity.Minute, quantity.Minute, "min"},
		{12 * quantity.Minute, 30 * quantity.Second, "min"},
		{12 * quantity.Minute, 15 * quantity.Second, "s"},
		{90 * quantity.Minute, 15 * quantity.Minute, "min"},
		{3 * quantity.Hour, quantity.Hour, "h"},
		{12 * quantity.Hour, 30 * quantity.Minute, "h"},
		{12 * quantity.Hour, 15 * quantity.Minute, "min"},
	} {
		if got := unitFor("ns", tt.reach, tt.step).Name; got != tt.want {
			t.Errorf("up to %s in steps of %s: %s, want %s", FormatValue(tt.reach, "ns"),
				FormatValue(tt.step, "ns"), got, tt.want)
		}
	}
}

func TestRoundDown(t *testing.T) {
	for most, want := range map[float64]float64{1: 1, 1.9: 1, 2: 2, 4.9: 2, 5: 5, 99: 50, .3: .2, 0: 0, -1: 0} {
		if got := RoundDown(most); math.Abs(got-want) > 1e-12 {
			t.Errorf("RoundDown(%g) = %g, want %g", most, got, want)
		}
	}
}
