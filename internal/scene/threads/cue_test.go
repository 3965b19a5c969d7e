package threads

import (
	"testing"

	"diptych/internal/geom"
	"diptych/internal/scene"
)

// TestScaleCue: while the other side is at another scale, a bar above the stacks stands for a time
// that the other side's bar stands for, too.
func TestScaleCue(t *testing.T) {
	st := whole(t, office(t), 0, Options{})
	wide := func(own, across geom.Span) (bars []float32) {
		st.View, st.Focus.View, st.Across = own, geom.Span{}, across
		v := Build(&st, geom.Size{W: 900, H: 700}, nil)
		for _, l := range v.Scene.Layers {
			for _, q := range l.Quads {
				if q.Fill == st.Palette.Side(st.Side) && q.Shade == scene.Flat && q.Rect.H() == 2 &&
					q.Rect.X1 == v.Axis.X1 {
					bars = append(bars, q.Rect.W())
				}
			}
		}
		return bars
	}
	whole := st.View
	quarter := geom.Span{Start: whole.Start, End: whole.Start + whole.Len()/4}
	if bars := wide(whole, whole); len(bars) > 0 {
		t.Errorf("at one scale there are bars of %v px", bars)
	}
	own, across := wide(quarter, whole), wide(whole, quarter)
	if len(own) != 1 || len(across) != 1 || own[0] < 3.9*across[0] || own[0] > 4.1*across[0] {
		t.Errorf("at four times the scale the bars are %v and %v px", own, across)
	}
}
