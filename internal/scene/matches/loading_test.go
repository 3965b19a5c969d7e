package matches

import (
	"strings"
	"testing"

	"diptych/internal/geom"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/testtrace"
)

// TestLoading holds that a side that is loading is drawn where it will be, that the time which has
// not been read is hatched, and that there is nothing to point at.
func TestLoading(t *testing.T) {
	tr := testtrace.Script(t, "f", 10., "g", 30.)
	side := Side{Trace: tr, Tracks: []int{0}, Focus: geom.Span{End: 160e6}}
	st := &State{Sides: [2]Side{side, side}, Palette: palette.Light(), Scale: 1}
	size := geom.Size{W: 860, H: 400}
	whole := Build(st, size, nil).Sides
	for k := range st.Sides {
		st.Sides[k].Loading = &Loading{Read: 40e6, Note: "25 % read"}
	}
	v := Build(st, size, nil)
	notes, hatched := 0, 0
	for i := range v.Scene.Layers {
		for _, text := range v.Scene.Layers[i].Texts {
			if strings.Contains(text.Text, "25 % read") {
				notes++
			}
		}
		for _, q := range v.Scene.Layers[i].Quads {
			if q.Shade != scene.Hatch {
				continue
			}
			hatched++
			h := whole[0].Icicle
			if q.Rect.Y0 > 200 {
				h = whole[1].Icicle
			}
			if want := h.W() * 3 / 4; q.Rect.W() < want-1 || q.Rect.W() > want+1 || q.Rect.X1 != h.X1 {
				t.Errorf("%v is hatched of %v", q.Rect, h)
			}
		}
	}
	if notes != 2 || hatched != 2 {
		t.Errorf("%d notes and %d hatched areas", notes, hatched)
	}
	for x := float32(5); x < size.W; x += 10 {
		for y := float32(5); y < size.H; y += 10 {
			if hit, ok := v.Pick(geom.Point{X: x, Y: y}); ok || v.Sides.At(geom.Point{X: x, Y: y}) >= 0 {
				t.Fatalf("at %v, %v there is %+v to point at", x, y, hit)
			}
		}
	}
}
