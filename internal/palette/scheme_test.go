package palette

import (
	"fmt"
	"image/color"
	"math"
	"testing"

	"github.com/lucasb-eyer/go-colorful"
)

// sight is what an eye sees, as a matrix over linear RGB: full deuteranopia and protanopia
// (Machado, Oliveira and Fernandes, 2009, severity 1).
type sight [3][3]float64

var sights = map[string]sight{
	"usual": {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"deuteranopia": {
		{.367322, .860646, -.227968}, {.280085, .672501, .047413}, {-.011820, .042940, .968881},
	},
	"protanopia": {
		{.152286, 1.052583, -.204868}, {.114503, .786281, .099216}, {-.003882, -.048116, 1.051998},
	},
}

func (s sight) see(c color.NRGBA) colorful.Color {
	k, _ := colorful.MakeColor(c)
	r, g, b := k.LinearRgb()
	var out [3]float64
	for i, row := range s {
		out[i] = min(max(row[0]*r+row[1]*g+row[2]*b, 0), 1)
	}
	return colorful.LinearRgb(out[0], out[1], out[2])
}

// lightness is Oklab's as seen.
func (s sight) lightness(c color.NRGBA) float64 {
	l, _, _ := s.see(c).OkLab()
	return l
}

// apart is the distance in Oklab as seen.
func (s sight) apart(c, d color.NRGBA) float64 {
	l, a, b := s.see(c).OkLab()
	m, e, f := s.see(d).OkLab()
	return math.Hypot(l-m, math.Hypot(a-e, b-f))
}

func eachScheme(t *testing.T, check func(t *testing.T, p *Palette)) {
	for _, p := range []*Palette{Light(), Dark()} {
		for _, s := range []Scheme{Usual, ColourBlind} {
			t.Run(fmt.Sprintf("dark=%t/scheme=%d", p.Dark, s), func(t *testing.T) {
				check(t, p.WithScheme(s))
			})
		}
	}
}

// TestPathsAreShowable: no colour on the way lies outside sRGB, where clamping would bend a scale.
func TestPathsAreShowable(t *testing.T) {
	const n = 1000
	for name, stops := range map[string][]lch{
		"rainbow, light": rainbow(.66, .80), "rainbow, dark": rainbow(.70, .84),
		"viridis, light": viridis(.30, .80), "viridis, dark": viridis(.42, .92),
	} {
		for i := range n + 1 {
			if o := between(stops, i, n); !colorful.OkLch(o.l, o.c, o.h).IsValid() {
				t.Fatalf("%s: %v cannot be shown", name, o)
			}
		}
	}
}

// TestScalesAreWhole: no scale leaps, and its ends are the roles' colours.
func TestScalesAreWhole(t *testing.T) {
	eachScheme(t, func(t *testing.T, p *Palette) {
		for name, r := range map[string]*ramp{
			"shift": p.scales.shift, "past": p.scales.past, "future": p.scales.future,
			"rainbow": p.scales.rainbow,
		} {
			for i := 1; i < len(r); i++ {
				if d := sights["usual"].apart(r[i-1], r[i]); d > .02 {
					t.Errorf("%s leaps by %.3f at %d", name, d, i)
				}
			}
		}
		if p.Shift(0) != p.Tube || p.Shift(1) != p.Far || p.Turn(-1) != p.Past ||
			p.Turn(1) != p.Future || p.scales.past[0] != p.scales.future[0] {
			t.Error("the ends of the scales are not the roles' colours")
		}
	})
	if p, o := Light(), (lch{.86, .006, 250}); p.Tube != o.opaque() {
		t.Errorf("a tube at rest is %v", p.Tube)
	}
}

// TestScalesTakeAnything: what a division by zero may give does not end the program.
func TestScalesTakeAnything(t *testing.T) {
	p := Light()
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, v := range []float32{-inf, inf, nan, -2, 2} {
		p.Shift(v)
		p.Turn(v)
		p.Rainbow(v)
	}
	if p.Shift(nan) != p.Tube || p.Turn(nan) != p.Turn(0) || p.Shift(9) != p.Far {
		t.Error("what is no number is not at rest, or what is far not at the end")
	}
}

// TestEqualStepsLookEqual: a scale's colours are evenly spaced in Oklab, but for rounding.
func TestEqualStepsLookEqual(t *testing.T) {
	const stride = 16
	for _, r := range []*ramp{
		along(lch{.86, .006, 250}, lch{.58, .20, 27}),
		along(viridis(.30, .80)...),
		along(lch{.6, .1, 300}, lch{.6, .1, 60}), // through hue 0
	} {
		mean := 0.0
		var steps []float64
		for i := stride; i < len(r); i += stride {
			d := sights["usual"].apart(r[i-stride], r[i])
			mean, steps = mean+d, append(steps, d)
		}
		mean /= float64(len(steps))
		for i, d := range steps {
			if d < .8*mean || d > 1.2*mean {
				t.Errorf("step %d is %.4f, the mean %.4f", i, d, mean)
			}
		}
	}
}

// TestMeasuresStandOut: the ends of scales and aligned bars against the pane and against what lies
// behind bars.
func TestMeasuresStandOut(t *testing.T) {
	eachScheme(t, func(t *testing.T, p *Palette) {
		check := func(what string, ink, on color.NRGBA, least float64) {
			if k := Contrast(ink, on); k < least {
				t.Errorf("%s has a contrast of %.2f, not %g", what, k, least)
			}
		}
		check("far", p.Far, p.Pane, 3)
		check("past", p.Past, p.Pane, 2.5)
		check("future", p.Future, p.Pane, 2.5)
		check("aligned", p.Turn(0), p.Pane, 1.6)
		check("a tube at rest", p.Tube, p.Pane, 1.4)
		check("past on blue", p.Past, p.Lit, 2)
		check("future on blue", p.Future, p.Lit, 1.8)
		for i, c := range p.scales.rainbow {
			check(fmt.Sprintf("rainbow %d", i), c, p.Pane, 1.8)
		}
	})
}

// TestColourBlindScheme: with either kind of red-green blindness the ends and the middle of each
// scale stay apart, by lightness too, the ends are not taken for a side's colour, and the rainbow
// is ordered by lightness alone.
func TestColourBlindScheme(t *testing.T) {
	for _, base := range []*Palette{Light(), Dark()} {
		p := base.WithScheme(ColourBlind)
		for name, s := range sights {
			check := func(what string, c, d color.NRGBA, distance, lightness float64) {
				t.Helper()
				dl := math.Abs(s.lightness(c) - s.lightness(d))
				if k := s.apart(c, d); k < distance || dl < lightness {
					t.Errorf("%s, dark %t: %s are %.3f apart, %.3f in lightness, not %g and %g",
						name, p.Dark, what, k, dl, distance, lightness)
				}
			}
			aligned := p.Turn(0)
			check("past and future", p.Past, p.Future, .30, .20)
			check("past and aligned", p.Past, aligned, .19, .10)
			check("future and aligned", p.Future, aligned, .16, .10)
			check("same time and far", p.Tube, p.Far, .30, .30)
			check("same time and half way", p.Tube, p.Shift(.5), .14, .14)
			check("past and A", p.Past, p.A, .09, 0)
			check("future and B", p.Future, p.B, .09, 0)
			check("past and B", p.Past, p.B, .20, 0)
			check("future and A", p.Future, p.A, .20, 0)
			const stride = 8
			for i := stride; i < len(p.scales.rainbow); i += stride {
				c, d := p.scales.rainbow[i-stride], p.scales.rainbow[i]
				if s.lightness(d) <= s.lightness(c) {
					t.Errorf("%s, dark %t: the rainbow does not brighten at %d", name, p.Dark, i)
				}
			}
		}
	}
}

func BenchmarkShift(b *testing.B) {
	p := Light()
	for i := range b.N {
		p.Shift(float32(i&255) / 255)
	}
}
