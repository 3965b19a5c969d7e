package palette

import (
	"image/color"
	"math"
	"testing"
)

// TestAlignmentColours: states are told apart in every theme, with the scheme for it by
// colour-blind eyes too, and each stands out from the pane; what differs does more than what is
// equal.
func TestAlignmentColours(t *testing.T) {
	eachScheme(t, func(t *testing.T, p *Palette) {
		a := p.Alignment()
		for name, s := range sights {
			if name != "usual" && p.Scheme != ColourBlind {
				continue
			}
			for i := range 4 {
				for j := range i {
					if d := s.apart(a.State(i), a.State(j)); d < .12 {
						t.Errorf("%s: states %d and %d are %.3f apart", name, i, j, d)
					}
				}
				if d := s.apart(a.State(i), p.Pane); d < .07 {
					t.Errorf("%s: state %d is %.3f from the pane", name, i, d)
				}
			}
			if d := math.Abs(s.lightness(a.GapA) - s.lightness(a.GapB)); d < .15 {
				t.Errorf("%s: the gaps are %.3f apart in lightness", name, d)
			}
			if d := s.apart(a.SkewA, a.SkewB); d < .1 {
				t.Errorf("%s: the skews are %.3f apart", name, d)
			}
			for _, k := range []float32{.5, 1} {
				if d := s.apart(a.Heat(0), a.Heat(k)); d < .1 {
					t.Errorf("%s: cold and %g are %.3f apart", name, k, d)
				}
			}
		}
	})
}

// TestColourBlindHeat: with the scheme for colour-blind eyes the scale runs one way in lightness.
func TestColourBlindHeat(t *testing.T) {
	for _, base := range []*Palette{Light(), Dark()} {
		a := base.WithScheme(ColourBlind).Alignment()
		for name, s := range sights {
			last, up := s.lightness(a.Heat(0)), base.Dark
			for k := 1; k <= 8; k++ {
				l := s.lightness(a.Heat(float32(k) / 8))
				if (l > last) != up {
					t.Errorf("%s, dark %t: lightness turns at %d/8", name, base.Dark, k)
				}
				last = l
			}
		}
	}
}

// TestSkewScale: its middle is nearly the pane, its ends are the sides' line colours.
func TestSkewScale(t *testing.T) {
	eachScheme(t, func(t *testing.T, p *Palette) {
		a := p.Alignment()
		for v, want := range map[float32]color.NRGBA{-2: a.SkewB, 1: a.SkewA} {
			if got := a.Skew(v); got != want {
				t.Errorf("%g is %v, not %v", v, got, want)
			}
		}
		if d := sights["usual"].apart(a.Skew(0), p.Pane); d > .1 {
			t.Errorf("no skew is %.3f from the pane", d)
		}
	})
}
