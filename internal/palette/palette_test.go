package palette

import (
	"fmt"
	"image/color"
	"testing"
)

func TestContrast(t *testing.T) {
	for name, p := range map[string]*Palette{"light": Light(), "dark": Dark()} {
		check := func(what string, ink, on color.NRGBA, least float64) {
			if k := Contrast(ink, on); k < least {
				t.Errorf("%s: %s has a contrast of %.2f, not %g", name, what, k, least)
			}
		}
		for i := range 500 {
			c := p.Call(fmt.Sprintf("pkg%d", i))
			check("text on a call", p.Text, c, 4.5)
			dim := Mix(c, color.NRGBA{A: 0xff}, .25)
			check("text on a call's darkened border", p.Text, dim, 4.5)
		}
		check("text", p.Text, p.Pane, 7)
		check("text on the ground", p.Text, p.Ground, 7)
		check("text on a search hit", p.Text, p.Hit, 4.5)
		check("the letter on A", p.OnSide, p.A, 4.5)
		check("the letter on B", p.OnSide, p.B, 4.5)
		check("A against the pane", p.A, p.Pane, 3)
		check("B against the pane", p.B, p.Pane, 3)
		check("an error", p.Error, p.Pane, 4.5)
		check("the selection", p.Selection, p.SubPixel, 3)
	}
}

// TestContrastOnEveryGround: WCAG 2.2 asks 4.5 of text (1.4.3) and 3 of what shows where a control
// is (1.4.11), on each ground that the window has.
func TestContrastOnEveryGround(t *testing.T) {
	for name, p := range map[string]*Palette{"light": Light(), "dark": Dark()} {
		tinted := func(tint color.NRGBA, on color.NRGBA) color.NRGBA {
			c := Mix(on, tint, float32(tint.A)/255)
			c.A = 0xff
			return c
		}
		grounds := map[string]color.NRGBA{"the pane": p.Pane, "the ground": p.Ground,
			"a control": p.Raised, "what is chosen": tinted(p.AFaint, p.Pane),
			"what is chosen on side B": tinted(p.BFaint, p.Pane)}
		texts := map[string]color.NRGBA{"text": p.Text, "secondary text": p.Secondary,
			"text of A": p.AText, "text of B": p.BText, "a warning": p.Warn, "an error": p.Error}
		marks := map[string]color.NRGBA{"an edge": p.Edge, "the mark of A": p.A, "the mark of B": p.B,
			"the selection": p.Selection, "the pointer's mark": p.Hover}
		for on, ground := range grounds {
			for what, ink := range texts {
				if k := Contrast(ink, ground); k < 4.5 {
					t.Errorf("%s: %s on %s has a contrast of %.2f", name, what, on, k)
				}
			}
			for what, ink := range marks {
				if k := Contrast(tinted(ink, ground), ground); k < 3 {
					t.Errorf("%s: %s on %s has a contrast of %.2f", name, what, on, k)
				}
			}
		}
	}
}

// TestCallColours: stable, the same hue in both themes, and spread over the circle even for names
// that differ in one letter.
func TestCallColours(t *testing.T) {
	one, other := Light(), Light()
	if one.Call("go/types") != other.Call("go/types") {
		t.Error("a package has two colours")
	}
	const sectors, names = 12, 1200
	var counts [sectors]int
	for i := range names {
		h := hue(fmt.Sprintf("pkg%d", i))
		if h < firstHue || h >= lastHue {
			t.Fatalf("hue %v is that of narrow calls", h)
		}
		counts[int((h-firstHue)/(lastHue-firstHue)*sectors)]++
	}
	for k, n := range counts {
		if n < names/sectors*6/10 || n > names/sectors*14/10 {
			t.Errorf("sector %d holds %d of %d hues", k, n, names)
		}
	}
}

func TestMix(t *testing.T) {
	a, b := color.NRGBA{10, 20, 30, 40}, color.NRGBA{110, 220, 130, 255}
	if got := Mix(a, b, 0); got != a {
		t.Errorf("Mix(0) = %v", got)
	}
	if got := Mix(a, b, 1); got != (color.NRGBA{110, 220, 130, 40}) {
		t.Errorf("Mix(1) = %v", got)
	}
}

// TestFaintFillsStayFaint: on the screen, where light is mixed, the fill over what a focus or a range
// shows is seen in both themes and hides nothing.
func TestFaintFillsStayFaint(t *testing.T) {
	for name, p := range map[string]*Palette{"light": Light(), "dark": Dark()} {
		for side := range 2 {
			fill := p.Faint(side)
			over := Luminance(p.Pane) + float64(fill.A)/255*(Luminance(fill)-Luminance(p.Pane))
			k := (over + .05) / (Luminance(p.Pane) + .05)
			if k = max(k, 1/k); k < 1.05 || k > 1.25 {
				t.Errorf("%s: the fill of side %d has a contrast of %.2f", name, side, k)
			}
		}
	}
}
