package icicle

import (
	"testing"

	"diptych/internal/geom"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/trace"
	"diptych/internal/traceio/text/texttest"
)

// TestOutlineLeavesTheLabelFree: the borders of a selected call leave as much of its row free as
// letters of its label are high, in the lowest rows that bear labels as in the usual ones.
func TestOutlineLeavesTheLabelFree(t *testing.T) {
	const letters = 8 // dp, of a label of 11 dp, without what goes below the line
	tr := texttest.Parse(t, "thread 1\n  0+100 run\n    10+80 walk\n      20+60 rest\n")
	for _, row := range []float32{13, 15, 16, 19} {
		for _, scale := range []float32{1, 2} {
			p := Plot{Trace: tr, Threads: []int{0}, Palette: palette.Light(), Row: row * scale,
				TextSize: 11 * scale, View: geom.Rect{X1: 300, Y1: 200},
				Axis: geom.Axis{Span: geom.Span{End: 100}, X1: 300}}
			d, _ := draw(p)
			var l scene.Layer
			ref := trace.CallRef{Call: 1}
			d.Outline(&l, ref, 2*scale, Selected)
			r, _ := d.CallRect(ref)
			mid := (r.Y0 + r.Y1) / 2
			if len(l.Quads) == 0 {
				t.Fatalf("rows of %g dp: a selected call has no outline", row)
			}
			for _, q := range l.Quads {
				free := q.Rect.Inset(q.Line)
				if free.Y0 > mid-letters*scale/2 || free.Y1 < mid+letters*scale/2 {
					t.Errorf("rows of %g dp at scale %g: a border leaves %g dp to the label", row, scale, free.H()/scale)
				}
			}
		}
	}
}
