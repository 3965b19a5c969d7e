// Package palette holds every colour by role, defined in Oklch: calm context, loud
// signal. Call colours have low chroma, so that states, matches and waits stand out against them.
// Colour never stands alone; the package does not know what is drawn in it.
package palette

import (
	"hash/fnv"
	"image/color"
	"math"
	"math/cmplx"

	"github.com/lucasb-eyer/go-colorful"
)

// Palette is one theme's colours by role.
type Palette struct {
	Dark bool

	Ground    color.NRGBA // behind the panes
	Pane      color.NRGBA // a pane's own ground
	Raised    color.NRGBA // controls, table heads, track headers
	Text      color.NRGBA
	Secondary color.NRGBA // text of lesser weight, tick labels
	Line      color.NRGBA // rules and borders, which nothing depends on
	Edge      color.NRGBA // of a control that would not be seen without it
	Bar       color.NRGBA // bars of a density, scroll bars

	A, B           color.NRGBA // the two sides
	AFaint, BFaint color.NRGBA // the same as translucent fills
	OnSide         color.NRGBA // text on A and B
	AText, BText   color.NRGBA // text in a side's colour, on tinted grounds too

	SubPixel  color.NRGBA // stacks in which every call is narrower than a pixel
	Selection color.NRGBA
	Hover     color.NRGBA
	Hit       color.NRGBA // a search hit
	Warn      color.NRGBA
	Error     color.NRGBA
	Shadow    color.NRGBA // translucent

	Scheme Scheme
	Tube   color.NRGBA // a match at rest
	Far    color.NRGBA // one whose calls lie far apart in time
	Past   color.NRGBA // bars whose matches lie in the other trace's past
	Future color.NRGBA // and in its future
	Lit    color.NRGBA // behind bars that hold matches of what is hovered

	call   lch
	scales *scales
}

// lch is a colour in Oklch: lightness and chroma, hue in degrees.
type lch struct{ l, c, h float64 }

func (o lch) at(alpha uint8) color.NRGBA {
	r, g, b := colorful.OkLch(o.l, o.c, o.h).Clamped().RGB255()
	return color.NRGBA{r, g, b, alpha}
}

func (o lch) opaque() color.NRGBA { return o.at(0xff) }

// Light returns the light theme.
func Light() *Palette {
	a, b := lch{.56, .15, 252}, lch{.58, .18, 41}
	p := &Palette{
		Ground:    lch{.97, .004, 100}.opaque(),
		Pane:      color.NRGBA{0xff, 0xff, 0xff, 0xff},
		Raised:    lch{.955, .004, 260}.opaque(),
		Text:      lch{.24, .01, 260}.opaque(),
		Secondary: lch{.50, .015, 260}.opaque(),
		Line:      lch{.91, .005, 260}.opaque(),
		Edge:      lch{.62, .010, 260}.opaque(),
		Bar:       lch{.89, .006, 260}.opaque(),
		A:         a.opaque(),
		B:         b.opaque(),
		AFaint:    a.at(0x1c),
		BFaint:    b.at(0x1c),
		OnSide:    color.NRGBA{0xff, 0xff, 0xff, 0xff},
		AText:     lch{.48, .15, 252}.opaque(),
		BText:     lch{.50, .16, 41}.opaque(),
		SubPixel:  lch{.895, .055, 355}.opaque(),
		Selection: lch{.30, .02, 260}.opaque(),
		Hover:     lch{.45, .02, 260}.at(0xc0),
		Hit:       lch{.86, .155, 95}.opaque(),
		Warn:      lch{.50, .11, 75}.opaque(),
		Error:     lch{.51, .20, 27}.opaque(),
		Shadow:    lch{.24, .01, 260}.at(0x30),
		Lit:       lch{.88, .045, 252}.opaque(),
		call:      lch{.87, .055, 0},
	}
	return p.WithScheme(Usual)
}

// Dark returns the dark theme, which mirrors lightness by role.
func Dark() *Palette {
	a, b := lch{.68, .13, 252}, lch{.69, .15, 41}
	p := &Palette{
		Dark:      true,
		Ground:    lch{.17, .006, 260}.opaque(),
		Pane:      lch{.22, .008, 260}.opaque(),
		Raised:    lch{.26, .010, 260}.opaque(),
		Text:      lch{.94, .005, 260}.opaque(),
		Secondary: lch{.74, .012, 260}.opaque(),
		Line:      lch{.33, .010, 260}.opaque(),
		Edge:      lch{.58, .010, 260}.opaque(),
		Bar:       lch{.40, .012, 260}.opaque(),
		A:         a.opaque(),
		B:         b.opaque(),
		AFaint:    a.at(0x18),
		BFaint:    b.at(0x18),
		OnSide:    lch{.17, .006, 260}.opaque(),
		AText:     lch{.74, .12, 252}.opaque(),
		BText:     lch{.75, .13, 41}.opaque(),
		SubPixel:  lch{.38, .065, 355}.opaque(),
		Selection: lch{.96, .01, 260}.opaque(),
		Hover:     lch{.85, .02, 260}.at(0xc0),
		Hit:       lch{.52, .11, 95}.opaque(),
		Warn:      lch{.78, .12, 80}.opaque(),
		Error:     lch{.74, .15, 25}.opaque(),
		Shadow:    color.NRGBA{0, 0, 0, 0x80},
		Lit:       lch{.34, .06, 252}.opaque(),
		call:      lch{.40, .055, 0},
	}
	return p.WithScheme(Usual)
}

// Side returns the colour of side A (0) or B (1).
func (p *Palette) Side(k int) color.NRGBA { return [2]color.NRGBA{p.A, p.B}[k] }

// SideText returns the colour of text that stands for side A (0) or B (1).
func (p *Palette) SideText(k int) color.NRGBA { return [2]color.NRGBA{p.AText, p.BText}[k] }

// Faint returns the translucent fill of side A (0) or B (1) that lies over what is drawn there.
// Colours are mixed in linear light, in which a bright one on dark ground tints it far more than a
// dark one does on bright ground.
func (p *Palette) Faint(k int) color.NRGBA {
	c := [2]color.NRGBA{p.AFaint, p.BFaint}[k]
	if p.Dark {
		c.A /= 3
	}
	return c
}

// Mix returns c moved by share t of the way to d, in sRGB; c's alpha stays.
func Mix(c, d color.NRGBA, t float32) color.NRGBA {
	mix := func(x, y uint8) uint8 { return uint8(float32(x) + (float32(y)-float32(x))*t + .5) }
	return color.NRGBA{mix(c.R, d.R), mix(c.G, d.G), mix(c.B, d.B), c.A}
}

// WithAlpha returns c with its alpha replaced.
func WithAlpha(c color.NRGBA, alpha uint8) color.NRGBA {
	c.A = alpha
	return c
}

// Call returns the fill of calls into a package: its hue is a function of the name alone, so the
// same package has the same colour in both traces, in every run and in both themes.
func (p *Palette) Call(pkg string) color.NRGBA {
	o := p.call
	o.h = hue(pkg)
	return o.opaque()
}

// hue spreads names over the circle. FNV's high bits hardly differ between short names that differ
// in their last letter, hence the finishing multiply and fold (as in MurmurHash3).
func hue(name string) float64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	v := h.Sum64()
	v ^= v >> 33
	v *= 0xff51afd7ed558ccd
	v ^= v >> 33
	v *= 0xc4ceb9fe1a85ec53
	v ^= v >> 33
	return firstHue + float64(v>>11)/(1<<53)*(lastHue-firstHue)
}

// The hues that calls may have, in degrees; those between are the pink of calls too narrow to draw.
const firstHue, lastHue = 15.0, 335.0

// ramp is a scale of colours, computed once: tubes and bars look theirs up by the thousand.
type ramp [256]color.NRGBA

// at returns the colour at t, from 0 to 1; what lies outside, or is no number, is its nearer end.
func (r *ramp) at(t float32) color.NRGBA {
	if !(t > 0) {
		return r[0]
	}
	return r[int(min(t, 1)*float32(len(r)-1)+.5)]
}

// along returns the ramp that passes the stops by straight segments in Oklch. Its steps are equally
// far apart in Oklab, so that equal differences of what is shown look equal.
func along(stops ...lch) *ramp {
	const fine = 64 // samples of a step of the ramp, on average
	var r ramp
	n := fine * (len(r) - 1)
	way := make([]float64, n+1) // the length up to each sample
	last := between(stops, 0, n).lab()
	for i := 1; i <= n; i++ {
		next := between(stops, i, n).lab()
		way[i] = way[i-1] + last.distance(next)
		last = next
	}
	for k, i := 0, 0; k < len(r); k++ {
		for want := way[n] * float64(k) / float64(len(r)-1); i < n && way[i] < want; {
			i++
		}
		r[k] = between(stops, i, n).opaque()
	}
	return &r
}

// between returns the colour i/n of the way over the stops, of which each segment has an equal
// share.
func between(stops []lch, i, n int) lch {
	at := float64(i) / float64(n) * float64(len(stops)-1)
	k := min(int(at), len(stops)-2)
	return stops[k].toward(stops[k+1], at-float64(k))
}

// toward returns the colour at share t of the way from o to p, the short way round the hues. A grey
// has no hue that could be turned: from and to one the way is straight in Oklab.
func (o lch) toward(p lch, t float64) lch {
	const grey = .02 // chroma below which a hue is hardly seen
	l := o.l + (p.l-o.l)*t
	if min(o.c, p.c) >= grey {
		return lch{l, o.c + (p.c-o.c)*t, o.h + math.Remainder(p.h-o.h, 360)*t}
	}
	z := o.point()*complex(1-t, 0) + p.point()*complex(t, 0)
	return lch{l, cmplx.Abs(z), cmplx.Phase(z) * 180 / math.Pi}
}

// point returns Oklab's a and b.
func (o lch) point() complex128 { return cmplx.Rect(o.c, o.h*math.Pi/180) }

// lab is a colour in Oklab: its lightness, and a and b.
type lab struct {
	l  float64
	ab complex128
}

func (o lch) lab() lab { return lab{o.l, o.point()} }

// distance returns how far apart two colours are.
func (o lab) distance(p lab) float64 { return math.Hypot(o.l-p.l, cmplx.Abs(o.ab-p.ab)) }
