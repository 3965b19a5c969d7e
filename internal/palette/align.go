package palette

import (
	"image/color"
	"sync"
)

// Alignment holds the colours of the states of aligned calls (Weber et al.). Most of a picture is
// equal, so that colour is pale; the two blues of gaps differ in lightness, to be told apart
// without their hue.
type Alignment struct {
	Equal, Different color.NRGBA
	GapA, GapB       color.NRGBA // only in B, only in A
	SkewA, SkewB     color.NRGBA // the line where A, or B, has run longer so far

	heat       *ramp
	aRan, bRan *ramp // from no skew
}

// State returns the colour of a state by its number: equal, different, gap A, gap B.
func (a *Alignment) State(k int) color.NRGBA {
	return [4]color.NRGBA{a.Equal, a.Different, a.GapA, a.GapB}[k&3]
}

// Heat returns the colour of a dissimilarity from 0 (cold) to 1 (hot).
func (a *Alignment) Heat(t float32) color.NRGBA { return a.heat.at(t) }

// Skew returns the colour of a skew as a share of the largest: −1 where B has run longer, +1 where
// A has.
func (a *Alignment) Skew(t float32) color.NRGBA {
	if t < 0 {
		return a.bRan.at(-t)
	}
	return a.aRan.at(t)
}

// Alignment returns the colours of alignments in p's theme and scheme, computed once for each.
func (p *Palette) Alignment() *Alignment {
	switch {
	case p.Scheme == ColourBlind && p.Dark:
		return alignedDarkBlind()
	case p.Scheme == ColourBlind:
		return alignedLightBlind()
	case p.Dark:
		return alignedDark()
	}
	return alignedLight()
}

// alignment computes the roles that follow from the others.
func alignment(equal, different, gapA, gapB, none, a, b lch, heat ...lch) *Alignment {
	return &Alignment{
		Equal: equal.opaque(), Different: different.opaque(),
		GapA: gapA.opaque(), GapB: gapB.opaque(), SkewA: a.opaque(), SkewB: b.opaque(),
		heat: along(heat...), aRan: along(none, a), bRan: along(none, b),
	}
}

var alignedLight = sync.OnceValue(func() *Alignment {
	return alignment(lch{.93, .085, 98}, lch{.61, .20, 27}, lch{.79, .085, 232}, lch{.54, .125, 260},
		lch{.955, .004, 260}, lch{.56, .15, 252}, lch{.58, .18, 41},
		lch{.90, .035, 235}, lch{.91, .07, 160}, lch{.89, .13, 98}, lch{.74, .16, 60},
		lch{.57, .20, 27})
})

var alignedDark = sync.OnceValue(func() *Alignment {
	return alignment(lch{.56, .080, 98}, lch{.62, .20, 27}, lch{.74, .10, 235}, lch{.52, .15, 262},
		lch{.29, .010, 260}, lch{.68, .13, 252}, lch{.69, .15, 41},
		lch{.33, .045, 240}, lch{.46, .06, 170}, lch{.60, .10, 98}, lch{.67, .15, 60},
		lch{.64, .20, 27})
})

// The schemes for red-green blindness rise or fall in lightness from one end to the other.

var alignedLightBlind = sync.OnceValue(func() *Alignment {
	return alignment(lch{.95, .085, 98}, lch{.50, .17, 35}, lch{.80, .085, 235}, lch{.37, .15, 262},
		lch{.955, .004, 260}, lch{.56, .15, 252}, lch{.58, .18, 41},
		lch{.93, .03, 240}, lch{.87, .10, 95}, lch{.68, .14, 60}, lch{.40, .13, 30})
})

var alignedDarkBlind = sync.OnceValue(func() *Alignment {
	return alignment(lch{.52, .075, 98}, lch{.72, .15, 40}, lch{.84, .075, 230}, lch{.56, .15, 262},
		lch{.29, .010, 260}, lch{.68, .13, 252}, lch{.69, .15, 41},
		lch{.32, .05, 250}, lch{.50, .10, 40}, lch{.70, .14, 65}, lch{.90, .12, 98})
})

// RunBand is the colour of how far other runs are from those that are shown.
func (p *Palette) RunBand() color.NRGBA { return Mix(p.Pane, p.Secondary, .22) }
