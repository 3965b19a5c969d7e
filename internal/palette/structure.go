package palette

import (
	"image/color"
	"sync"
)

// Structure is the colours of code and of the calls over it (ViewFusion). What is not
// coloured by a measure is grey, so that the treemap stays calm beneath the calls.
type Structure struct {
	Cell      color.NRGBA // a cell that is not coloured
	Call      color.NRGBA // a call that is not coloured, over Underlay
	Underlay  color.NRGBA // translucent, beneath calls that are not in focus
	FocusCell color.NRGBA // in focus, while what is outside is coloured
	FocusCall color.NRGBA
	Dash      color.NRGBA // the border of what is in focus and grey
	Blank     color.NRGBA // in focus, without data
	Absent    color.NRGBA // outside, without data
	Border    color.NRGBA // between the cells of the top level

	pkg      lch // but for the hue
	pale     lch // of packages beyond the first, likewise
	tones    *[packageHues]tone
	heat     *ramp
	less     *ramp // from no change
	more     *ramp
	coloured uint8 // alpha of coloured calls over Underlay
}

// tone is a colour but for its hue.
type tone struct{ l, c float64 }

// packageHues is how many hues packages have among them, each at two lightnesses.
const packageHues = 12

// Packages returns the colours of packages by their names, which should be ordered by importance.
// A package has about the hue of Palette.Call, unless a more important one has taken it; then it
// has one that is free. The first twelve have different hues, the first 24 different colours. With
// red-green blindness hues alone look alike, so there each of the twelve has its own lightness.
func (s *Structure) Packages(names []string) []color.NRGBA {
	var taken [2 * packageHues]int
	out := make([]color.NRGBA, len(names))
	for i, name := range names {
		own := int(packageHues * (hue(name) - firstHue) / (lastHue - firstHue))
		best := own
		for k := range taken {
			// Five hues at a time lead through all, and far away from the one that is taken.
			at := (own+5*k)%packageHues + k/packageHues*packageHues
			if taken[at] < taken[best] {
				best = at
			}
		}
		taken[best]++
		o := [2]lch{s.pkg, s.pale}[best/packageHues]
		if s.tones != nil && best < packageHues {
			o.l, o.c = s.tones[best].l, s.tones[best].c
		}
		o.h = firstHue + (lastHue-firstHue)*(float64(best%packageHues)+.5)/packageHues
		out[i] = o.opaque()
	}
	return out
}

// Heat returns the colour of a measure from 0 (low) to 1 (high).
func (s *Structure) Heat(t float32) color.NRGBA { return s.heat.at(t) }

// Change returns the colour of a change from −1 (less in B) over 0 (none) to 1 (more in B).
func (s *Structure) Change(t float32) color.NRGBA {
	if t < 0 {
		return s.less.at(-t)
	}
	return s.more.at(t)
}

// FadedLeast is the share of its chroma that a colour keeps at the far end of the focus.
const FadedLeast = .045 / .13

// Fade returns c with its saturation lowered: at 1 it has all of it, at 0 the share FadedLeast.
func Fade(c color.NRGBA, t float32) color.NRGBA {
	luma := (2*uint32(c.R) + 5*uint32(c.G) + uint32(c.B)) / 8
	grey := color.NRGBA{uint8(luma), uint8(luma), uint8(luma), c.A}
	return Mix(c, grey, (1-FadedLeast)*(1-min(max(t, 0), 1)))
}

// Over returns the one translucent colour that looks like c over Underlay, with c as translucent as
// calls outside the focus are.
func (s *Structure) Over(c color.NRGBA) color.NRGBA {
	top, under := float32(s.coloured)/255, float32(s.Underlay.A)/255
	alpha := 1 - (1-top)*(1-under)
	out := Mix(s.Underlay, c, top/alpha)
	out.A = uint8(alpha*255 + .5)
	return out
}

// Structure returns the colours of code in p's theme and scheme, computed once for each.
func (p *Palette) Structure() *Structure {
	switch {
	case p.Scheme == ColourBlind && p.Dark:
		return structureDarkBlind()
	case p.Scheme == ColourBlind:
		return structureLightBlind()
	case p.Dark:
		return structureDark()
	}
	return structureLight()
}

// lightStructure returns the light theme with the given scales.
func lightStructure(heat []lch, less, more lch) *Structure {
	zero := lch{.965, .006, 95}
	white := color.NRGBA{0xff, 0xff, 0xff, 0xff}
	return &Structure{
		Cell: lch{.945, .003, 260}.opaque(), Call: lch{.95, .002, 260}.opaque(),
		Underlay: WithAlpha(white, 158), FocusCell: lch{.79, .006, 260}.opaque(),
		FocusCall: lch{.85, .006, 260}.opaque(), Dash: lch{.40, .01, 260}.opaque(),
		Blank: white, Absent: lch{.90, .035, 250}.opaque(), Border: white,
		pkg: lch{.81, .125, 0}, pale: lch{.89, .07, 0}, heat: along(heat...), less: along(zero, less),
		more: along(zero, more), coloured: 150,
	}
}

// darkStructure returns the dark theme, which mirrors lightness, with the given scales.
func darkStructure(heat []lch, less, more lch) *Structure {
	zero := lch{.34, .006, 95}
	ground := lch{.22, .008, 260}.opaque()
	return &Structure{
		Cell: lch{.36, .004, 260}.opaque(), Call: lch{.33, .004, 260}.opaque(),
		Underlay: WithAlpha(ground, 158), FocusCell: lch{.60, .006, 260}.opaque(),
		FocusCall: lch{.55, .006, 260}.opaque(), Dash: lch{.85, .01, 260}.opaque(),
		Blank: lch{.70, .003, 260}.opaque(), Absent: lch{.36, .045, 250}.opaque(), Border: ground,
		pkg: lch{.49, .11, 0}, pale: lch{.40, .065, 0}, heat: along(heat...), less: along(zero, less),
		more: along(zero, more), coloured: 150,
	}
}

var structureLight = sync.OnceValue(func() *Structure {
	return lightStructure([]lch{{.74, .14, 150}, {.90, .15, 100}, {.66, .19, 28}},
		lch{.58, .15, 150}, lch{.60, .20, 27})
})

var structureDark = sync.OnceValue(func() *Structure {
	return darkStructure([]lch{{.48, .11, 150}, {.62, .12, 98}, {.55, .17, 28}},
		lch{.56, .14, 150}, lch{.57, .19, 27})
})

// The schemes for red-green blindness: measures rise evenly in lightness towards the pane's
// opposite, and changes go to blue and to orange. Tones of packages are those, found by trial,
// whose least distance in Oklab, to all three kinds of eyes, is largest: .066 in the light theme,
// where equal tones have .005 and names need light cells, and .060 in the dark one.

var structureLightBlind = sync.OnceValue(func() *Structure {
	s := lightStructure([]lch{{.93, .10, 98}, {.76, .10, 170}, {.57, .12, 265}},
		lch{.58, .15, 258}, lch{.66, .15, 50})
	s.tones = &[packageHues]tone{{.73, .100}, {.73, .142}, {.81, .123}, {.90, .149}, {.83, .087},
		{.91, .142}, {.86, .033}, {.79, .030}, {.81, .099}, {.74, .062}, {.73, .150}, {.94, .047}}
	return s
})

var structureDarkBlind = sync.OnceValue(func() *Structure {
	s := darkStructure([]lch{{.38, .12, 280}, {.50, .085, 190}, {.62, .12, 98}},
		lch{.58, .14, 255}, lch{.60, .14, 55})
	s.tones = &[packageHues]tone{{.32, .121}, {.39, .030}, {.48, .041}, {.50, .108}, {.42, .121},
		{.30, .037}, {.50, .080}, {.44, .043}, {.34, .043}, {.45, .149}, {.30, .139}, {.40, .137}}
	return s
})
