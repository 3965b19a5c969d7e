package legend

import (
	"testing"

	"diptych/internal/geom"
	"diptych/internal/palette"
	"diptych/internal/scene"
)

func TestAlignmentLabels(t *testing.T) {
	const states = "equal | different function | only in A | only in B | "
	const strips = "dissimilarity: none to all around differs | skew: A has run longer | " +
		"B has run longer"
	p := palette.Light()
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Palette: p}, states + strips},
		{Options{Palette: p, Moved: true, Boxes: true},
			states + "moved | " + strips + " | calls narrower than a pixel"},
	} {
		if got := labels(Alignment(c.o)); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestAlignmentColours: swatches have the colours of the view, what is moved the view's stripes.
func TestAlignmentColours(t *testing.T) {
	for _, p := range []*palette.Palette{palette.Light(), palette.Dark()} {
		a := p.Alignment()
		entries := Alignment(Options{Palette: p, Moved: true})
		for i, state := range []int{0, 1, 3, 2} {
			if entries[i].Swatch.Colours[0] != a.State(state) {
				t.Errorf("%q does not have the colour of state %d", entries[i].Label, state)
			}
		}
		var l scene.Layer
		Draw(&l, entries[4:5], geom.Rect{X1: 200, Y1: 20}, p, 1)
		if len(l.Quads) != 2 || l.Quads[0].Fill != a.GapB || l.Quads[1].Shade != scene.Hatch {
			t.Errorf("moved is drawn as %+v", l.Quads)
		}
	}
}
