package quantity

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestFormat(t *testing.T) {
	tests := []struct {
		v    float64
		unit string
		want string
	}{
		{0, "ns", "0 ns"},
		{1, "ns", "1 ns"},
		{999, "ns", "999 ns"},
		{1000, "ns", "1.00 µs"},
		{1234, "ns", "1.23 µs"},
		{312_400, "ns", "312 µs"},
		{999_950, "ns", "1.00 ms"},
		{1.82e9, "ns", "1.82 s"},
		{-45.67e6, "ns", "−45.7 ms"},
		{59.99e9, "ns", "1.00 min"},
		{90e9, "ns", "1.50 min"},
		{7200e9, "ns", "2.00 h"},
		{1023, "bytes", "1023 B"},
		{1536, "bytes", "1.50 KiB"},
		{5 << 20, "bytes", "5.00 MiB"},
		{42, "count", "42"},
		{18311, "count", "18.3 k"},
		{2_500_000, "samples", "2.50 M samples"},
		{7, "samples", "7 samples"},
		{7, "", "7"},
		{99.949, "ns", "99.9 ns"},
		{99.95, "ns", "100 ns"},
		{9.994, "count", "9.99"},
		{9.996, "count", "10.0"},
		{999.4, "count", "999"},
		{999.5, "count", "1.00 k"},
		{2e15, "count", "2000 T"},
		{.5, "ns", "0.50 ns"},
		{-.5, "ns", "−0.50 ns"},
		{-.001, "ns", "0.00 ns"},
	}
	for _, c := range tests {
		if got := Format(c.v, c.unit); got != c.want {
			t.Errorf("Format(%g, %q) = %q, want %q", c.v, c.unit, got, c.want)
		}
	}
}

// TestValuesHaveThreeDigits: reading a written value back gives the value to half of its third
// digit, with the sign written before it.
func TestValuesHaveThreeDigits(t *testing.T) {
	sizes := map[string]float64{}
	for _, units := range [][]Unit{Time, Bytes, SI} {
		for _, u := range units {
			sizes[u.Name] = u.Size
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.SampledFrom([]string{"ns", "bytes", "count"}).Draw(t, "unit")
		v := math.Round(math.Pow(10, rapid.Float64Range(0, 14).Draw(t, "log10")))
		text := Format(v, unit)
		number, name, _ := strings.Cut(text, " ")
		back, err := strconv.ParseFloat(number, 64)
		if err != nil {
			t.Fatalf("%g is written %q: %v", v, text, err)
		}
		if off := math.Abs(back*sizes[name]/v - 1); off > .0051 {
			t.Fatalf("%g is written %q, which is off by %g", v, text, off)
		}
		if minus := Format(-v, unit); minus != "−"+text {
			t.Fatalf("%g is written %q, and its opposite %q", v, text, minus)
		}
	})
}

func TestValuesThatAreNone(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for _, unit := range []string{"ns", "bytes", "samples"} {
			if got := Format(v, unit); got != "–" {
				t.Errorf("Format(%g, %q) = %q", v, unit, got)
			}
		}
	}
}

// TestPrecise: further digits, which whole numbers of the smallest unit do not need.
func TestPrecise(t *testing.T) {
	for _, c := range []struct {
		v     float64
		unit  string
		extra int
		want  string
	}{
		{122_400_001, "ns", 0, "122 ms"}, {122_400_001, "ns", 1, "122.4 ms"},
		{122_400_001, "ns", 6, "122.400001 ms"}, {1.25e3, "ns", 1, "1.250 µs"}, {7, "ns", 3, "7 ns"},
		{-7.5, "ns", 1, "−7.500 ns"}, {1 << 20, "bytes", 2, "1.0000 MiB"},
	} {
		if got := Precise(c.v, c.unit, c.extra); got != c.want {
			t.Errorf("Precise(%g, %q, %d) = %q, want %q", c.v, c.unit, c.extra, got, c.want)
		}
	}
}
