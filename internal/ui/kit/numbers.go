package kit

import (
	"math"
	"slices"
	"strings"

	"diptych/internal/geom"
)

// SignedValue writes a difference of values, in the given unit, with its sign, which 0 has not.
func SignedValue(v int64, unit string) string {
	switch {
	case v < 0:
		return "−" + geom.FormatValue(float64(-v), unit)
	case v == 0:
		return geom.FormatValue(0, unit)
	}
	return "+" + geom.FormatValue(float64(v), unit)
}

// Joined writes the parts that are not empty one after another, with a dot between any two.
func Joined(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "  ·  ")
}

// Round returns the whole number nearest to v; a half goes up.
func Round(v float32) int { return int(math.Floor(float64(v) + .5)) }

// Abs returns the absolute value of v.
func Abs[T int | int64 | float32 | float64](v T) T { return max(v, -v) }

// Grouped writes n with thousands separated by thin spaces.
func Grouped(n int) string { return geom.FormatWhole(int64(n)) }

// Plural writes a number with its noun, which takes an s where n is not 1.
func Plural(n int, noun string) string { return geom.FormatThings(n, noun) }

// Percent writes a share in percent: 0.123 is "12 %", 0.0123 is "1.2 %".
func Percent(share float64) string { return geom.FormatShare(share) }

// Counted writes n in a few digits: 12345 is "12 345", 2.5 billion is "2.5 × 10⁹".
func Counted(n uint64) string { return geom.FormatCount(n) }
