// Package quantity writes values with their units, with three significant digits. It is the only
// formatter of quantities; geom builds ticks, spans and sentences on it. It lies below the model:
// so what loaders say of a file is written as the views write it.
package quantity

import (
	"math"
	"strconv"
	"strings"
)

// Units of time, ns.
const (
	Second = 1e9
	Minute = 60 * Second
	Hour   = 60 * Minute
)

// Unit is a unit's written name and how many base units it holds.
type Unit struct {
	Name string
	Size float64
}

// Units by what they measure, smallest first.
var (
	Time = []Unit{
		{"ns", 1}, {"µs", 1e3}, {"ms", 1e6}, {"s", Second}, {"min", Minute}, {"h", Hour},
	}
	Bytes = []Unit{
		{"B", 1}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	}
	SI = []Unit{{"", 1}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}}
)

// Units returns those in which values are written that are measured in unit.
func Units(unit string) []Unit {
	switch unit {
	case "ns":
		return Time
	case "bytes":
		return Bytes
	}
	return SI
}

// Format writes v, which is measured in unit, with three significant digits: times in ns to h,
// bytes in binary units, everything else with k, M, G before the unit's name ("count" has none).
// Whole numbers of the smallest unit are exact and have no decimals. No function knows the unit by
// itself, so no caller can take bytes for times.
func Format(v float64, unit string) string { return Precise(v, unit, 0) }

// Precise writes v as Format does, with so many digits more than three.
func Precise(v float64, unit string, extra int) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "–"
	}
	negative := v < 0
	v = math.Abs(v)
	units, k := Units(unit), 0
	for k+1 < len(units) && rounds(v/units[k].Size) >= units[k+1].Size/units[k].Size {
		k++
	}
	name := units[k].Name
	if unit != "ns" && unit != "bytes" && unit != "count" && unit != "" {
		name = strings.TrimSpace(name + " " + unit)
	}
	text := withDigits(v/units[k].Size, extra)
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

// rounds returns what three significant digits write as a number.
func rounds(v float64) float64 {
	f, err := strconv.ParseFloat(withDigits(v, 0), 64)
	if err != nil {
		return v
	}
	return f
}

// withDigits writes v with so many digits more than three; above a thousand with all before the
// point.
func withDigits(v float64, extra int) string {
	prec := 0
	for limit := 99.95; prec < 2 && v < limit; limit /= 10 {
		prec++
	}
	return strconv.FormatFloat(v, 'f', prec+extra, 64)
}
