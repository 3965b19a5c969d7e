package palette

import (
	"image/color"
	"sync"
)

// Scheme chooses the colours that carry a measure of a match.
type Scheme uint8

const (
	// Usual is grey to red, red to green through grey, and the rainbow.
	Usual Scheme = iota
	// ColourBlind tells apart by lightness, and by hues that red-green blindness keeps apart.
	ColourBlind
)

// scales are the colours of measures in one theme and scheme.
type scales struct {
	shift        *ramp // how far apart in time
	past, future *ramp // from aligned
	rainbow      *ramp // from early to late
}

// WithScheme returns p with the colours of matches of a scheme. The scales are computed once for
// each theme and scheme.
func (p *Palette) WithScheme(s Scheme) *Palette {
	q := *p
	q.Scheme = s
	switch {
	case s == ColourBlind && p.Dark:
		q.scales = darkBlind()
	case s == ColourBlind:
		q.scales = lightBlind()
	case p.Dark:
		q.scales = darkUsual()
	default:
		q.scales = lightUsual()
	}
	q.Tube, q.Far = q.scales.shift.at(0), q.scales.shift.at(1)
	q.Past, q.Future = q.scales.past.at(1), q.scales.future.at(1)
	return &q
}

var lightUsual = sync.OnceValue(func() *scales {
	aligned := lch{.78, .010, 260}
	return &scales{
		shift:   along(lch{.86, .006, 250}, lch{.58, .20, 27}),
		past:    along(aligned, lch{.62, .18, 27}),
		future:  along(aligned, lch{.64, .16, 147}),
		rainbow: along(rainbow(.66, .80)...),
	}
})

var darkUsual = sync.OnceValue(func() *scales {
	aligned := lch{.50, .012, 260}
	return &scales{
		shift:   along(lch{.45, .010, 250}, lch{.62, .20, 27}),
		past:    along(aligned, lch{.62, .19, 27}),
		future:  along(aligned, lch{.68, .17, 147}),
		rainbow: along(rainbow(.70, .84)...),
	}
})

// rainbow passes blue, cyan, green, yellow and red at nearly even lightness: at an even one yellow
// would be brown, so it may be as light as bright. Chroma is what sRGB has at each hue.
func rainbow(even, bright float64) []lch {
	return []lch{
		{even - .06, .16, 258}, {even + .01, .125, 235}, {even + .05, .115, 210},
		{even + .06, .115, 180}, {even + .06, .165, 148}, {even + .10, .17, 120},
		{bright, .155, 95}, {even + .06, .15, 65}, {even - .04, .19, 30},
	}
}

var lightBlind = sync.OnceValue(func() *scales {
	aligned := lch{.84, .008, 260}
	return &scales{
		shift:   along(lch{.88, .006, 250}, lch{.42, .16, 27}),
		past:    along(aligned, lch{.40, .17, 315}),
		future:  along(aligned, lch{.69, .16, 138}),
		rainbow: along(viridis(.30, .80)...),
	}
})

var darkBlind = sync.OnceValue(func() *scales {
	aligned := lch{.40, .010, 260}
	return &scales{
		shift:   along(lch{.42, .010, 250}, lch{.82, .10, 40}),
		past:    along(aligned, lch{.57, .20, 318}),
		future:  along(aligned, lch{.84, .17, 130}),
		rainbow: along(viridis(.42, .92)...),
	}
})

// viridis passes the hues of Smith and van der Walt's map, violet to yellow, from lightness dim to
// bright.
func viridis(dim, bright float64) []lch {
	step := (bright - dim) / 4
	return []lch{
		{dim, .12, 305}, {dim + step, .09, 255}, {dim + 2*step, .08, 195},
		{dim + 3*step, .14, 150}, {bright, .165, 105},
	}
}

// Shift returns the colour of a match whose calls start t apart: 0 is the same time, 1 far.
func (p *Palette) Shift(t float32) color.NRGBA { return p.scales.shift.at(t) }

// Aside returns the colour of a match that is not among those looked at: nearer to the pane's.
func (p *Palette) Aside() color.NRGBA { return Mix(p.Tube, p.Pane, .6) }

// Turn returns the colour of a bar whose matches lie in the other trace's past (−1), at the same
// time (0) or in its future (+1).
func (p *Palette) Turn(v float32) color.NRGBA {
	if v < 0 {
		return p.scales.past.at(-v)
	}
	return p.scales.future.at(v)
}

// Rainbow returns the colour of a share of time from 0 (early) to 1 (late).
func (p *Palette) Rainbow(t float32) color.NRGBA { return p.scales.rainbow.at(t) }
