package palette

import (
	"fmt"
	"image/color"
	"testing"
)

// TestStructureContrast: names are readable on all that they may lie on.
func TestStructureContrast(t *testing.T) {
	eachScheme(t, func(t *testing.T, p *Palette) {
		s := p.Structure()
		check := func(what string, on color.NRGBA, least float64) {
			if k := Contrast(p.Text, on); k < least {
				t.Errorf("text on %s has a contrast of %.2f, not %g", what, k, least)
			}
		}
		for _, c := range s.Packages(packageNames(300)) {
			check("a package", c, 4.5)
		}
		for what, c := range map[string]color.NRGBA{"a cell": s.Cell, "a call": s.Call,
			"a cell without data": s.Absent} {
			check(what, c, 7)
		}
		check("a grey cell in focus", s.FocusCell, 3)
		for i := range 21 {
			at := float32(i) / 20
			check(fmt.Sprintf("heat %g", at), s.Heat(at), 3)
			check(fmt.Sprintf("a change of %g", 2*at-1), s.Change(2*at-1), 3)
		}
	})
}

// packageNames are names of n packages.
func packageNames(n int) (names []string) {
	for i := range n {
		names = append(names, fmt.Sprintf("pkg%d", i))
	}
	return names
}

// TestPackagesDiffer: the important packages have colours that can be told apart, and the most
// important one has the hue that its calls have in other views.
func TestPackagesDiffer(t *testing.T) {
	eachScheme(t, func(t *testing.T, p *Palette) {
		names := packageNames(24)
		all := p.Structure().Packages(names)
		for i, c := range all {
			for k, d := range all[:i] {
				least := .02
				if i < packageHues {
					least = .04
				}
				if by := sights["usual"].apart(c, d); by < least {
					t.Errorf("%s and %s are %v and %v, %.3f apart", names[k], names[i], d, c, by)
				}
				for _, sees := range []string{"deuteranopia", "protanopia"} {
					if by := sights[sees].apart(c, d); p.Scheme == ColourBlind && i < packageHues && by < .05 {
						t.Errorf("with %s, %s and %s are %.3f apart", sees, names[k], names[i], by)
					}
				}
			}
		}
		if by := sights["usual"].apart(all[0], p.Structure().Packages(names[:1])[0]); by != 0 {
			t.Error("a less important package changes the colour of a more important one")
		}
	})
}

// TestStructureScales: no change is the same from both sides, and what is no number has a colour.
func TestStructureScales(t *testing.T) {
	eachScheme(t, func(t *testing.T, p *Palette) {
		s := p.Structure()
		if s.less[0] != s.more[0] || s.Change(0) != s.more[0] || s.Change(-3) != s.less[255] {
			t.Error("a change of zero has two colours, or a large one is not at its end")
		}
		for _, sees := range []string{"usual", "deuteranopia", "protanopia"} {
			if p.Scheme == ColourBlind && sights[sees].apart(s.Change(-1), s.Change(1)) < .1 {
				t.Errorf("with %s less and more look alike", sees)
			}
		}
	})
	if o := (lch{.965, .006, 95}); Light().Structure().Change(0) != o.opaque() {
		t.Error("no change has not the colour that it should")
	}
}

// TestFade: a colour keeps all of its saturation at 1, and about a third at 0; grey stays grey.
func TestFade(t *testing.T) {
	c := Light().Structure().Packages([]string{"net/http"})[0]
	if Fade(c, 1) != c || Fade(c, 9) != c || Fade(c, -1) != Fade(c, 0) {
		t.Error("what is beyond the ends is not at them")
	}
	spread := func(c color.NRGBA) int {
		return int(max(c.R, c.G, c.B)) - int(min(c.R, c.G, c.B))
	}
	if s, whole := float64(spread(Fade(c, 0))), float64(spread(c)); s < .3*whole || s > .4*whole {
		t.Errorf("%v of %v are left", s, whole)
	}
	grey := color.NRGBA{90, 90, 90, 255}
	if Fade(grey, 0) != grey {
		t.Errorf("grey fades to %v", Fade(grey, 0))
	}
}

// TestOver: one translucent colour looks as the colour does over the underlay, in front of anything.
func TestOver(t *testing.T) {
	s := Light().Structure()
	blend := func(under, over color.NRGBA) color.NRGBA { return Mix(under, over, float32(over.A)/255) }
	c := s.Packages([]string{"net/http"})[0]
	for _, ground := range []color.NRGBA{{0, 0, 0, 255}, {200, 30, 90, 255}, {255, 255, 255, 255}} {
		want := blend(blend(ground, s.Underlay), WithAlpha(c, s.coloured))
		got := blend(ground, s.Over(c))
		for i, d := range []int{int(got.R) - int(want.R), int(got.G) - int(want.G),
			int(got.B) - int(want.B)} {
			if max(d, -d) > 2 {
				t.Errorf("channel %d over %v: %v, not %v", i, ground, got, want)
			}
		}
	}
}
