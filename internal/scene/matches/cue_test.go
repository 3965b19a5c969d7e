package matches

import (
	"testing"

	"diptych/internal/geom"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/scene/scenetest"
	"diptych/internal/traceio/text/texttest"
)

// TestScaleCue: where the sides are at different scales, a bar on each stands for the same time.
func TestScaleCue(t *testing.T) {
	st := &State{Palette: palette.Light()}
	tr := texttest.Parse(t, "thread 1 name=main\n  0+40000000 run\n")
	for k := range st.Sides {
		st.Sides[k] = Side{Trace: tr, Tracks: []int{0}}
	}
	size := geom.Size{W: 1000, H: 500}
	for _, length := range [2]float64{10e6, 40e6} {
		st.Sides[A].Focus, st.Sides[B].Focus = geom.Span{End: 10e6}, geom.Span{End: length}
		v := Build(st, size, nil)
		var wide []float32
		for k := range v.Sides {
			fill := st.Palette.Side(k)
			for _, l := range v.Scene.Layers {
				for _, q := range l.Quads {
					if q.Fill == fill && q.Shade == scene.Flat && q.Rect.H() == 2 && q.Rect.X1 == v.Sides[k].Axis.X1 &&
						q.Rect.W() < 91 {
						wide = append(wide, q.Rect.W())
					}
				}
			}
		}
		switch {
		case length == 10e6 && len(wide) > 0:
			t.Errorf("at one scale there are bars of %v px", wide)
		case length == 40e6 && (len(wide) != 2 || wide[0] < 3.9*wide[1] || wide[0] > 4.1*wide[1]):
			t.Errorf("at a quarter of the scale the bars are %v px", wide)
		}
	}
	for k := range st.Sides { // labels that count from a base, which is written before them
		st.Sides[k].Focus = geom.Span{Start: 12_345_678, End: 12_345_778}
	}
	scenetest.Fits(t, Build(st, size, nil).Scene)
}
