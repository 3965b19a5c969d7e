package palette

import (
	"image/color"
	"testing"
)

// TestNamesAreLegibleOnCells: on cells of any measure or change, in both themes, one of the two inks
// can be read.
func TestNamesAreLegibleOnCells(t *testing.T) {
	for name, p := range map[string]*Palette{"light": Light(), "dark": Dark()} {
		s := p.Structure()
		for k := range 101 {
			at := float32(k) / 100
			for what, fill := range map[string]color.NRGBA{"measure": s.Heat(at), "less": s.Change(-at), "more": s.Change(at)} {
				ink := Legible(p.Text, p.OnSide, fill)
				if c := Contrast(ink, fill); c < 3.4 || c < Contrast(p.Text, fill) {
					t.Errorf("%s: on %s %.2f the name has a contrast of %.2f", name, what, at, c)
				}
			}
		}
	}
	if got := Legible(color.NRGBA{A: 0xff}, color.NRGBA{0xff, 0xff, 0xff, 0xff}, color.NRGBA{0xc0, 0xc0, 0xc0, 0xff}); got.R != 0 {
		t.Errorf("what can be read becomes %v", got)
	}
}
