package scene_test

import (
	"image/color"
	"math"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/geom"
	"diptych/internal/scene"
)

// TestLineIsStraight: a line is a ribbon between its points, evenly paced, that contains what is
// near it and nothing else.
func TestLineIsStraight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		coordinate := rapid.Float32Range(0, 100)
		point := func(label string) geom.Point {
			return geom.Point{X: coordinate.Draw(t, label), Y: coordinate.Draw(t, label)}
		}
		p, q, x := point("p"), point("q"), point("x")
		width := rapid.Float32Range(.5, 8).Draw(t, "width")
		var l scene.Layer
		ink := color.NRGBA{1, 2, 3, 4}
		l.Line(p, q, ink, width)
		if len(l.Ribbons) != 1 || l.Ribbons[0].Ink != ink || l.Ribbons[0].Line != width {
			t.Fatalf("%+v", l)
		}
		r := &l.Ribbons[0]
		for i := range 11 {
			s := float32(i) / 10
			want := geom.Point{X: p.X + s*(q.X-p.X), Y: p.Y + s*(q.Y-p.Y)}
			for edge := range 2 {
				if got := r.At(edge, s); away(got, want) > 1e-3 {
					t.Fatalf("at %g: %v, not %v", s, got, want)
				}
			}
			if !r.Contains(want, 1.5) {
				t.Fatalf("%v is not on the line from %v to %v", want, p, q)
			}
		}
		off := nearOutline(x, []geom.Point{p, q})
		if most := float64(max(width/2, 1.5)); r.Contains(x, 1.5) && off > most+.01 {
			t.Fatalf("%v is %g off the line", x, off)
		}
	})
}

func away(p, q geom.Point) float64 { return math.Hypot(float64(p.X-q.X), float64(p.Y-q.Y)) }

// TestLayersAreEmptyAgain: after a Reset a layer has nothing of what it had, and its storage.
func TestLayersAreEmptyAgain(t *testing.T) {
	s := scene.Scene{}
	l := s.Layer(geom.Rect{})
	l.Line(geom.Point{}, geom.Point{X: 9}, color.NRGBA{}, 1)
	l.Fill(geom.Rect{X1: 1, Y1: 1}, color.NRGBA{})
	l.Border(geom.Rect{X1: 1, Y1: 1}, color.NRGBA{}, 2)
	l.Write(scene.Text{Text: "x"})
	if s.Count() != 4 || l.Quads[1].Shade != scene.Outline || l.Quads[1].Line != 2 {
		t.Fatalf("%d shapes: %+v", s.Count(), l)
	}
	s.Reset(geom.Size{W: 5, H: 6})
	if l = s.Layer(geom.Rect{X1: 3}); s.Count() != 0 || cap(l.Ribbons) == 0 || l.Clip.X1 != 3 {
		t.Errorf("%d shapes: %+v", s.Count(), l)
	}
}
