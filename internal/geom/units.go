package geom

import (
	"slices"
	"strconv"
	"strings"

	"diptych/internal/plural"
	"diptych/internal/quantity"
)

// IsUnit reports whether a word is a unit of time or of memory, or a share's %.
func IsUnit(word string) bool {
	named := func(u quantity.Unit) bool { return u.Name == word }
	return word == "%" || slices.ContainsFunc(quantity.Time, named) || slices.ContainsFunc(quantity.Bytes, named)
}

// unitFor returns the unit for tick labels that reach up to a value: the largest that the value
// fills, minutes and hours only where the step is a fair part of them.
func unitFor(unit string, reach, step float64) quantity.Unit {
	units := quantity.Units(unit)
	u := units[0]
	for _, v := range units[1:] {
		clock := unit == "ns" && v.Size >= quantity.Minute
		if reach < v.Size*(1-1e-9) || clock && !fair(reach, step, v.Size) {
			break
		}
		u = v
	}
	return u
}

// fair reports whether values in steps read better in minutes (or hours) than in the unit below.
func fair(reach, step, size float64) bool {
	return reach >= 10*size && step >= size/2 || reach >= 2*size && step >= size
}

// FormatValue writes v, which is measured in unit, with three significant digits: see
// quantity.Format.
func FormatValue(v float64, unit string) string { return quantity.Format(v, unit) }

// mostExtra is how many digits more than three two values are written with at most.
const mostExtra = 9

// FormatTwo writes two values as FormatValue does, but with as many digits as make different ones
// differ: 122.4 ms and 122.1 ms rather than 122 ms twice.
func FormatTwo(v, w float64, unit string) (string, string) {
	for extra := 0; ; extra++ {
		a, b := quantity.Precise(v, unit, extra), quantity.Precise(w, unit, extra)
		if a != b || v == w || extra == mostExtra {
			return a, b
		}
	}
}

// FormatSpan writes from where to where something goes: "122.1 ms to 122.4 ms". Ends that differ
// are not written alike, however far from 0 they are.
func FormatSpan(from, to float64, unit string) string {
	a, b := FormatTwo(from, to, unit)
	return a + " to " + b
}

// FormatCount writes a number of things exactly, with thin spaces between thousands; from a billion
// on as a power of ten.
func FormatCount(n uint64) string {
	if n >= 1e9 {
		digits, exp, _ := strings.Cut(strconv.FormatFloat(float64(n), 'e', 1, 64), "e+")
		return digits + " × 10" + superscript.Replace(strings.TrimPrefix(exp, "0"))
	}
	return FormatWhole(int64(n))
}

// FormatThings writes a number of things with their noun, see plural.Of.
func FormatThings(n int, one string) string {
	return FormatWhole(int64(n)) + " " + plural.Noun(n, one)
}

// FormatWhole writes a whole number exactly, with thin spaces between thousands.
func FormatWhole(n int64) string {
	s, first := strconv.FormatInt(n, 10), 0
	if n < 0 {
		first = 1
	}
	for k := len(s) - 3; k > first; k -= 3 {
		s = s[:k] + "\u2009" + s[k:]
	}
	return s
}

var superscript = strings.NewReplacer("0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵",
	"6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹")

// Words for amounts of a unit in sentences. What takes more time is slower; what allocates more
// bytes is not, so profiles have words of their own.

func isTime(unit string) bool { return unit == "ns" || unit == "" }

// SelfNoun names what a call has without its callees: "self time", or "self cost" where the unit is
// not one of time.
func SelfNoun(unit string) string {
	if isTime(unit) {
		return "self time"
	}
	return "self cost"
}

// Comparatives say of a side that it has less or more of a unit than the other: it is faster or
// slower, but only where the unit is one of time.
func Comparatives(unit string) (less, more string) {
	if isTime(unit) {
		return "faster", "slower"
	}
	return "less", "more"
}
