package render

import (
	"math"
	"slices"
	"testing"

	"diptych/internal/geom"
	"diptych/internal/scene"
)

// TestSlack: half a step of the coordinates and a 256th, where fewer than 4 bits count as 4.
func TestSlack(t *testing.T) {
	for bits, want := range map[int32]float32{-1: 9. / 256, 0: 9. / 256, 3: 9. / 256, 4: 9. / 256,
		5: 5. / 256, 7: 2. / 256, 8: 1.5 / 256, 16: 1./131072 + 1./256} {
		if got := slackOf(bits); got != want {
			t.Errorf("%d bits: %v, want %v", bits, got, want)
		}
	}
}

// TestCentres lists the pixels whose centres may lie between edges that are moved by the slack of 4
// bits, which is 0.035.
func TestCentres(t *testing.T) {
	o := quadOrder{slack: slackOf(4)}
	for _, c := range []struct {
		from, to float32
		want     reach
	}{
		{0, 1, reach{0, 1}},
		{.5, 1.5, reach{0, 2}},   // both edges lie on centres
		{.53, 1.47, reach{0, 2}}, // and here within the slack of them
		{.54, 1.46, reach{1, 1}}, // and here beyond
		{.6, 1.4, reach{1, 1}},   // no centre
		{-1, 1, reach{-1, 1}},    //
		{-.5, -.5, reach{-1, 0}}, // one centre, by the slack alone
		{100.2, 103, reach{100, 103}},
	} {
		if got := o.centres(c.from, c.to); got != c.want {
			t.Errorf("%v to %v: %v, want %v", c.from, c.to, got, c.want)
		}
	}
}

func quadAt(shade scene.Shade, x0, y0, x1, y1 float32) scene.Quad {
	return scene.Quad{Rect: geom.Rect{X0: x0, Y0: y0, X1: x1, Y1: y1}, Shade: shade}
}

// TestRowsOutOfRange: quads whose pixels cannot be listed are drawn where they came, and rows above
// the view count as its first.
func TestRowsOutOfRange(t *testing.T) {
	nan, far := float32(math.NaN()), float32(1<<20)
	inf := float32(math.Inf(1))
	for name, c := range map[string]struct {
		cushion, flat scene.Quad
		ahead         bool // the flat one is drawn first
	}{
		"apart":               {quadAt(scene.Cushion, 0, 0, 9, 9), quadAt(scene.Flat, 20, 0, 21, 9), true},
		"other rows":          {quadAt(scene.Cushion, 0, 0, 9, 9), quadAt(scene.Flat, 0, 9, 9, 18), true},
		"next pixel":          {quadAt(scene.Cushion, 0, 0, 9, 9), quadAt(scene.Flat, 9, 0, 10, 9), true},
		"one pixel":           {quadAt(scene.Cushion, 0, 0, 9, 9), quadAt(scene.Flat, 8, 8, 10, 10), false},
		"edge on a centre":    {quadAt(scene.Cushion, 0, 0, 9.5, 9), quadAt(scene.Flat, 9.5, 0, 10.5, 9), false},
		"widened to a pixel":  {quadAt(scene.Cushion, 0, 0, .1, 9), quadAt(scene.Flat, .4, 0, .45, 9), false},
		"both above the view": {quadAt(scene.Cushion, 0, -90, 9, -80), quadAt(scene.Flat, 0, -40, 9, -30), false},
		"above, and apart":    {quadAt(scene.Cushion, 0, -90, 9, -80), quadAt(scene.Flat, 9, -40, 18, -30), true},
		"above and first row": {quadAt(scene.Cushion, 0, -90, 9, -80), quadAt(scene.Flat, 0, 0, 9, 9), false},
		"above and next row":  {quadAt(scene.Cushion, 0, -90, 9, -80), quadAt(scene.Flat, 0, 1, 9, 9), true},
		"last row":            {quadAt(scene.Cushion, 0, mostRows-3, 9, mostRows-1), quadAt(scene.Flat, 20, 0, 21, 1), true},
		"cushion too low":     {quadAt(scene.Cushion, 0, 0, 9, mostRows), quadAt(scene.Flat, 20, 0, 21, 1), false},
		"flat too low":        {quadAt(scene.Cushion, 0, 0, 9, 9), quadAt(scene.Flat, 20, 0, 21, mostRows), false},
		"far left":            {quadAt(scene.Cushion, 0, 0, 9, 9), quadAt(scene.Flat, -far, 0, -far+1, 1), false},
		"far right":           {quadAt(scene.Cushion, 0, 0, far, 9), quadAt(scene.Flat, 0, 20, 1, 21), false},
		"far up":              {quadAt(scene.Cushion, 0, -far, 9, 9), quadAt(scene.Flat, 20, 0, 21, 1), false},
		"infinite":            {quadAt(scene.Cushion, 0, 0, 9, 9), quadAt(scene.Flat, 20, 0, inf, 1), false},
		"not a number":        {quadAt(scene.Cushion, 0, 0, 9, 9), quadAt(scene.Flat, nan, 0, 21, 1), false},
		"no number of rows":   {quadAt(scene.Cushion, 0, nan, 9, 9), quadAt(scene.Flat, 20, 0, 21, 1), false},
	} {
		o := quadOrder{slack: slackOf(4)}
		for range 2 { // what is kept from one call does not matter to the next
			got := o.byProgram([]scene.Quad{c.cushion, c.flat})
			if ahead := got[0].Shade == scene.Flat; len(got) != 2 || ahead != c.ahead {
				t.Errorf("%s: the flat quad is ahead: %v", name, ahead)
			}
		}
		if int64(len(o.rows)) > mostRows {
			t.Errorf("%s: %d rows are kept", name, len(o.rows))
		}
	}
}

// TestWaitingEndsAtOthers: quads of other programs and wide ones end the waiting, so that nothing
// is drawn ahead of what was before them.
func TestWaitingEndsAtOthers(t *testing.T) {
	cushion, flat := quadAt(scene.Cushion, 0, 0, 9, 9), quadAt(scene.Flat, 20, 0, 21, 9)
	for name, between := range map[string]scene.Quad{
		"nested":  quadAt(scene.Nested, 40, 0, 50, 9),
		"outline": quadAt(scene.Outline, 40, 0, 50, 9),
		"wide":    quadAt(scene.Outline, 0, 0, 900, 900),
	} {
		o := quadOrder{slack: slackOf(8)}
		got := o.byProgram([]scene.Quad{cushion, between, flat})
		if want := []scene.Quad{cushion, between, flat}; !slices.Equal(got, want) {
			t.Errorf("%s: %v", name, got)
		}
	}
}
