package stacks

import (
	"math"

	"diptych/internal/plural"
	"diptych/internal/quantity"
	"diptych/internal/trace"
)

// Rounded is a profile of values that may have fractions. Whole values are added as they are.
// Fractions are rounded so that each sum of the first of them is right to one half: of three values
// of 0.4, the second becomes 1 and the others 0. Where values are so small that samples vanish,
// that is told.
type Rounded struct {
	p     *Profile
	exact float64 // the sum of the fractions so far
	whole int64   // what was added for them
	lost  uint64  // values other than 0 that became 0
}

// NewRounded returns a profile that adds to p.
func NewRounded(p *Profile) *Rounded { return &Rounded{p: p} }

// Add adds a sample.
func (r *Rounded) Add(n Node, value float64) {
	if !(math.Abs(value) <= trace.Limit) { // also what is no number
		r.p.b.Diagnose(trace.BadRecord, 1, "sample of %s exceeds the axis",
			quantity.Format(value, r.p.unit))
		return
	}
	if value < 0 {
		r.p.Add(n, int64(math.Floor(value)), "")
		return
	}
	whole, fraction := math.Modf(value)
	r.exact += fraction
	v := int64(math.Round(r.exact)) - r.whole
	r.whole += v
	if v += int64(whole); v == 0 && value != 0 {
		r.lost++
	}
	r.p.Add(n, v, "")
}

// AddWhole adds a sample of a whole value. A float64 cannot tell all large ones apart.
func (r *Rounded) AddWhole(n Node, value int64) { r.p.Add(n, value, "") }

// Write lays the profile out, see Profile.Write.
func (r *Rounded) Write(to *trace.ThreadBuilder) {
	if r.lost > 0 {
		r.p.b.Diagnose(trace.BadRecord, r.lost, "%s of less than one %s, rounded to 0",
			plural.Of(r.lost, "sample"), r.p.unit)
	}
	r.p.Write(to)
}
