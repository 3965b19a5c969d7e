package geom

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"diptych/internal/plural"
)

const (
	second = 1e9
	minute = 60 * second
	hour   = 60 * minute
)

// unitSize is a unit's written name and how many base units it holds.
type unitSize struct {
	name string
	size float64
}

// Units by what they measure, smallest first.
var (
	timeUnits = []unitSize{
		{"ns", 1}, {"µs", 1e3}, {"ms", 1e6}, {"s", second}, {"min", minute}, {"h", hour},
	}
	byteUnits = []unitSize{
		{"B", 1}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	}
	siUnits = []unitSize{{"", 1}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}}
)

func unitsOf(unit string) []unitSize {
	switch unit {
	case "ns":
		return timeUnits
	case "bytes":
		return byteUnits
	}
	return siUnits
}

// IsUnit reports whether a word is a unit of time or of memory, or a share's %.
func IsUnit(word string) bool {
	named := func(u unitSize) bool { return u.name == word }
	return word == "%" || slices.ContainsFunc(timeUnits, named) || slices.ContainsFunc(byteUnits, named)
}

// unitFor returns the unit for tick labels that reach up to a value: the largest that the value
// fills, minutes and hours only where the step is a fair part of them.
func unitFor(unit string, reach, step float64) unitSize {
	units := unitsOf(unit)
	u := units[0]
	for _, v := range units[1:] {
		clock := unit == "ns" && v.size >= minute
		if reach < v.size*(1-1e-9) || clock && !fair(reach, step, v.size) {
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

// FormatValue writes v, which is measured in unit, with three significant digits: times in ns to h,
// bytes in binary units, everything else with k, M, G before the unit's name ("count" has none).
// Whole numbers of the smallest unit are exact and have no decimals. It is the only formatter of
// quantities: there is none that knows the unit by itself, so no caller can take bytes for times.
func FormatValue(v float64, unit string) string { return formatDigits(v, unit, 0) }

// mostExtra is how many digits more than three two values are written with at most.
const mostExtra = 9

// FormatTwo writes two values as FormatValue does, but with as many digits as make different ones
// differ: 122.4 ms and 122.1 ms rather than 122 ms twice.
func FormatTwo(v, w float64, unit string) (string, string) {
	for extra := 0; ; extra++ {
		a, b := formatDigits(v, unit, extra), formatDigits(w, unit, extra)
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

// formatDigits writes v with so many digits more than three.
func formatDigits(v float64, unit string, extra int) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "–"
	}
	negative := v < 0
	v = math.Abs(v)
	units, k := unitsOf(unit), 0
	for k+1 < len(units) && rounds(v/units[k].size) >= units[k+1].size/units[k].size {
		k++
	}
	name := units[k].name
	if unit != "ns" && unit != "bytes" && unit != "count" && unit != "" {
		name = strings.TrimSpace(name + " " + unit)
	}
	text := withDigits(v/units[k].size, extra)
	if k == 0 && v == math.Trunc(v) {
		text = strconv.FormatFloat(v, 'f', -1, 64)
	}
	if negative && strings.Trim(text, "0.") != "" { // nothing is less than 0 if it rounds to 0
		text = "−" + text
	}
	if name != "" {
		text += " " + name
	}
	return text
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

// rounds returns what three writes as a number.
func rounds(v float64) float64 {
	f, err := strconv.ParseFloat(three(v), 64)
	if err != nil {
		return v
	}
	return f
}

// three writes v with three significant digits; above a thousand with all before the point.
func three(v float64) string { return withDigits(v, 0) }

// withDigits writes v with so many digits more than three after the point.
func withDigits(v float64, extra int) string {
	prec := 0
	for limit := 99.95; prec < 2 && v < limit; limit /= 10 {
		prec++
	}
	return strconv.FormatFloat(v, 'f', prec+extra, 64)
}

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
