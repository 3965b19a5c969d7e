package geom

import (
	"math"
	"strconv"
	"strings"

	"diptych/internal/quantity"
)

// Tick is one labelled position of an axis.
type Tick struct {
	At    float64
	Label string
}

// Scale is an axis' ticks. Where the view is so deep that labels would repeat most of their digits,
// they count from Origin, and Base is how to write it; else Base is empty and Origin 0.
type Scale struct {
	Ticks  []Tick
	Step   float64
	Origin float64
	Base   string
}

// maxDigits is how many digits a tick label may have before it is written relative to a base.
const maxDigits = 6

// fineness is the least step of an axis, as a share of the values on it: a float64 counts steps as
// long as these are fewer than 2⁵³, and beyond that a sum of a value and a step may be the value.
const fineness = 0x1p-51

// Ticks returns ticks at round values in s, at least minPx apart on an axis px wide. Steps are 1, 2
// or 5 times a power of ten; of minutes and hours their usual parts, of bytes powers of two. Labels
// are distinct.
func Ticks(s Span, px, minPx float32, unit string) Scale {
	if !(s.Len() > 0) || px <= 0 || minPx <= 0 || math.IsInf(s.Len(), 0) {
		return Scale{}
	}
	reach := max(math.Abs(s.Start), math.Abs(s.End))
	sc := Scale{Step: roundStep(max(s.Len()*float64(minPx/px), reach*fineness), unit)}
	u := unitFor(unit, reach, sc.Step)
	if digits(reach/u.Size)+decimals(sc.Step/u.Size) > maxDigits {
		sc.rebase(s, u, unit)
		u = unitFor(unit, s.End-sc.Origin, sc.Step)
	}
	prec := decimals(sc.Step / u.Size)
	for k := math.Ceil(s.Start / sc.Step); k*sc.Step <= s.End; k++ {
		at := max(k*sc.Step, s.Start) // rounding may put the first one before it
		label := strconv.FormatFloat((at-sc.Origin)/u.Size, 'f', prec, 64)
		if sc.Base != "" {
			label = "+" + label
		}
		if u.Name != "" {
			label += " " + u.Name
		}
		sc.Ticks = append(sc.Ticks, Tick{at, label})
	}
	return sc
}

// rebase sets the origin to the last round value at or before s: a power of ten of steps that holds
// all of s.
func (c *Scale) rebase(s Span, u quantity.Unit, unit string) {
	grain := c.Step * 10
	for grain < s.Len() {
		grain *= 10
	}
	c.Origin = math.Floor(s.Start/grain) * grain
	c.Base = strconv.FormatFloat(c.Origin/u.Size, 'f', decimals(grain/u.Size), 64)
	if strings.Contains(c.Base, ".") {
		c.Base = strings.TrimRight(strings.TrimRight(c.Base, "0"), ".")
	}
	if u.Name != "" {
		c.Base += " " + u.Name
	}
}

// clockSteps are the usual parts of minutes and hours.
var clockSteps = []float64{
	15 * quantity.Second, 30 * quantity.Second, quantity.Minute, 2 * quantity.Minute,
	5 * quantity.Minute, 10 * quantity.Minute, 15 * quantity.Minute, 30 * quantity.Minute,
	quantity.Hour, 2 * quantity.Hour, 3 * quantity.Hour, 6 * quantity.Hour, 12 * quantity.Hour,
}

// roundStep returns the smallest usual step that is not below least.
func roundStep(least float64, unit string) float64 {
	if unit == "bytes" {
		return math.Exp2(math.Ceil(math.Log2(max(least, 1))))
	}
	if unit == "ns" && least > 10*quantity.Second {
		for _, step := range clockSteps {
			if step >= least {
				return step
			}
		}
		return quantity.Hour * decimalStep(least/quantity.Hour)
	}
	step := decimalStep(least)
	if unit == "ns" {
		return step
	}
	return max(step, 1)
}

// decimalStep returns the smallest of 1, 2, 5, 10, 20… and 0.5, 0.2, 0.1… that is not below least.
func decimalStep(least float64) float64 {
	exp := math.Floor(math.Log10(least))
	base := pow10(int(exp))
	for _, m := range []float64{1, 2, 5, 10} {
		if m*base >= least*(1-1e-9) {
			return m * base
		}
	}
	return 10 * base
}

// pow10 returns 10^n exactly where a float64 can.
func pow10(n int) float64 {
	if n < 0 {
		return 1 / math.Pow10(-n)
	}
	return math.Pow10(n)
}

// digits returns the number of digits before the decimal point.
func digits(v float64) int {
	if v < 10 {
		return 1
	}
	return int(math.Floor(math.Log10(v)+1e-9)) + 1
}

// decimals returns how many decimals it takes to tell multiples of step apart.
func decimals(step float64) int {
	for n := range 12 {
		scaled := step * pow10(n)
		if scaled >= 0.999 && math.Abs(scaled-math.Round(scaled)) < 1e-6*scaled {
			return n
		}
	}
	return 12
}

// RoundDown returns the largest of 1, 2, 5, 10, 20… and 0.5, 0.2, 0.1… that is not above most.
func RoundDown(most float64) float64 {
	if !(most > 0) || math.IsInf(most, 0) {
		return 0
	}
	base := pow10(int(math.Floor(math.Log10(most))))
	for _, m := range []float64{5, 2} {
		if m*base <= most*(1+1e-9) {
			return m * base
		}
	}
	return base
}
