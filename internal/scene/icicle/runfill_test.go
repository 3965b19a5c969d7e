package icicle

import (
	"image/color"
	"testing"

	"pgregory.net/rapid"
)

// TestRunFill: a run is drawn in the colour that is given for its calls, whatever Detail says;
// single calls keep their own.
func TestRunFill(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlot(t, drawTrace(t))
		p.Emphasis, p.Detail = nil, Boxes
		own := color.NRGBA{1, 2, 3, 4}
		p.RunFill = func(thread, from, to int) color.NRGBA {
			if n := p.Trace.Threads[thread].Len(); from < 0 || from >= to || to > n {
				t.Fatalf("asked for the run [%d, %d) of %d calls", from, to, n)
			}
			return own
		}
		d, _ := draw(p)
		for k, it := range d.items {
			if it.from >= 0 && (d.quads[k].Fill == own) != it.run {
				t.Fatalf("%+v is drawn in %v", it, d.quads[k].Fill)
			}
		}
	})
}
