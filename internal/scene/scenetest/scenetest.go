// Package scenetest holds the tests' checks of what any view's scene must keep: that it stays
// within its rectangle, since other panes lie beside it, and that no text lies over another. It
// knows no view; only tests import it.
package scenetest

import (
	"cmp"
	"math"
	"slices"

	"diptych/internal/geom"
	"diptych/internal/scene"
	"diptych/internal/typeface"
)

// T is what a test and a case of a property have in common.
type T interface {
	Helper()
	Fatalf(format string, args ...any)
}

// slack is how far shapes may stand out, px: half a border that is centred on an edge.
const slack = 1.5

// Fits fails unless all that a scene shows lies within its size, and texts that are not clipped
// have the room they take and do not lie over one another. A clipped layer may hold more than is
// shown, but not numbers that a renderer cannot take.
func Fits(t T, s *scene.Scene) {
	t.Helper()
	whole := geom.Rect{X1: s.Size.W, Y1: s.Size.H}
	var texts []scene.Text
	for i := range s.Layers {
		l := &s.Layers[i]
		clipped := l.Clip != geom.Rect{}
		if clipped && !l.Clip.Empty() && !within(l.Clip, whole) {
			t.Fatalf("layer %d is clipped to %v in a scene of %v", i, l.Clip, s.Size)
		}
		for _, q := range l.Quads {
			checkQuad(t, q, whole, clipped)
		}
		for _, x := range l.Texts {
			if x.Turn == 0 && (x.Rect.X0 < -slack || x.Rect.X1 > whole.X1+slack) {
				t.Fatalf("text %q at %v leaves a scene of %v", x.Text, x.Rect, s.Size)
			}
			if !clipped && x.Turn == 0 {
				if !within(x.Rect, whole) || !within(ink(x), x.Rect) {
					t.Fatalf("text %q at %v leaves it, or a scene of %v", x.Text, x.Rect, s.Size)
				}
				texts = append(texts, x)
			}
		}
	}
	apart(t, texts)
}

func checkQuad(t T, q scene.Quad, whole geom.Rect, clipped bool) {
	t.Helper()
	r := q.Rect
	for _, f := range []float32{r.X0, r.X1, r.Y0, r.Y1, q.U0, q.U1} {
		if math.IsNaN(float64(f)) || math.Abs(float64(f)) > 1e6 {
			t.Fatalf("quad %+v", q)
		}
	}
	if !clipped && q.Fill.A > 0 && !r.Empty() && !within(r, whole) {
		t.Fatalf("quad %+v leaves a scene of %v", q, whole)
	}
}

func within(r, s geom.Rect) bool {
	return r.X0 >= s.X0-slack && r.X1 <= s.X1+slack && r.Y0 >= s.Y0-slack && r.Y1 <= s.Y1+slack
}

// ink returns about where the letters of a text are.
func ink(x scene.Text) geom.Rect {
	r, w := x.Rect, typeface.Width(x.Text, x.Size, x.Bold)
	switch x.Align {
	case scene.AlignCentre:
		mid := (r.X0 + r.X1) / 2
		r.X0, r.X1 = mid-w/2, mid+w/2
	case scene.AlignRight:
		r.X0 = r.X1 - w
	default:
		r.X1 = r.X0 + w
	}
	mid := (r.Y0 + r.Y1) / 2
	r.Y0, r.Y1 = mid-x.Size*.35, mid+x.Size*.35
	return r
}

// apart fails if two texts lie over each other.
func apart(t T, texts []scene.Text) {
	t.Helper()
	slices.SortFunc(texts, func(x, y scene.Text) int { return cmp.Compare(ink(x).X0, ink(y).X0) })
	for i, x := range texts {
		for _, y := range texts[i+1:] {
			if ink(y).X0 >= ink(x).X1 {
				break
			}
			if !ink(x).Intersect(ink(y)).Empty() {
				t.Fatalf("%q at %v lies over %q at %v", x.Text, x.Rect, y.Text, y.Rect)
			}
		}
	}
}
