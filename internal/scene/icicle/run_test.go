package icicle

import (
	"testing"

	"diptych/internal/geom"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/trace"
)

const narrowLevels = 12

// narrow is a call that calls, in its middle, a narrow stack of so many levels.
func narrow(t *testing.T) *trace.Trace {
	b := trace.NewBuilder("narrow")
	th, f := b.Thread("1", -1), b.Function(trace.Function{Name: "f"})
	th.Complete(0, 1_000_000, f)
	for k := range int64(narrowLevels) {
		th.Complete(500_000+k, 500_100-k, f)
	}
	return built(t, b)
}

// TestPickInRun: in a box that stands for a stack of narrow calls, the one on the level under the
// pointer is picked, however far the view is scrolled.
func TestPickInRun(t *testing.T) {
	p := plotOf(narrow(t))
	for _, p.Dir = range []Direction{Down, Up} {
		for _, p.Scroll = range []float32{0, 30, 95} {
			d, _ := draw(p)
			for call := 1; call <= narrowLevels; call++ {
				y0, y1 := d.rows(0, call, call+1)
				at := geom.Point{X: 800.1, Y: (y0 + y1) / 2}
				if !d.View.Contains(at) {
					continue
				}
				if got, ok := d.Pick(at); !ok || !got.Aggregate || got.Call != call {
					t.Errorf("scrolled by %v, %v: picked %+v, want call %d", p.Scroll, p.Dir, got, call)
				}
			}
		}
	}
}

// TestRunsPaleWithDepth: of a run's boxes each is nearer to the pane's colour than the one above,
// and none has it.
func TestRunsPaleWithDepth(t *testing.T) {
	p := plotOf(narrow(t))
	p.Detail = Lighter
	d, _ := draw(p)
	var boxes []scene.Quad
	for c, q := range d.Shapes {
		if c.Run {
			boxes = append(boxes, *q)
		}
	}
	if len(boxes) != narrowLevels {
		t.Fatalf("%d boxes for %d levels", len(boxes), narrowLevels)
	}
	pane := palette.Light().Pane
	away := func(q scene.Quad) int {
		return abs(int(q.Fill.R)-int(pane.R)) + abs(int(q.Fill.G)-int(pane.G)) + abs(int(q.Fill.B)-int(pane.B))
	}
	for i, q := range boxes {
		if away(q) == 0 || i > 0 && away(q) > away(boxes[i-1]) {
			t.Errorf("box %d is %v, the one above %v, the pane %v", i, q.Fill, boxes[max(i-1, 0)].Fill, pane)
		}
	}
	if away(boxes[3]) >= away(boxes[0]) {
		t.Errorf("no box is paler than %v", boxes[0].Fill)
	}
}

func abs(x int) int { return max(x, -x) }
