package icicle

import (
	"image/color"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/geom"
	"diptych/internal/scene"
)

func cellsOf(d *Drawing) []Cell { return slices.Collect(d.Cells) }

// TestCellsAreWhatIsPicked: every cell lies in the viewport, and in its middle it is picked. A
// neighbour of one narrower than two pixels may be in its place.
func TestCellsAreWhatIsPicked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, _ := draw(drawPlot(t, drawTrace(t)))
		cells := cellsOf(d)
		for _, c := range cells {
			if c.Rect.Empty() || c.Rect.Intersect(d.View) != c.Rect {
				t.Fatalf("%+v is not in the viewport %v", c, d.View)
			}
			if c.Rect.W() < 2 {
				continue
			}
			at := geom.Point{X: (c.Rect.X0 + c.Rect.X1) / 2, Y: (c.Rect.Y0 + c.Rect.Y1) / 2}
			p, ok := d.Pick(at)
			if !ok || p.Thread != c.Thread || p.From != c.From || p.To != c.To || p.Aggregate != c.Run {
				t.Fatalf("%+v is picked in the middle of %+v", p, c)
			}
			if d.TrackOf(c.Thread) != c.Track {
				t.Fatalf("thread %d is not track %d", c.Thread, c.Track)
			}
		}
	})
}

// TestRunsAreOneCellEach: a run that is drawn as a box a level is one cell too.
func TestRunsAreOneCellEach(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlot(t, drawTrace(t))
		p.Budget = 0
		d, _ := draw(p)
		p.Detail = Lighter
		e, _ := draw(p)
		boxes := map[[3]int]bool{}
		for _, c := range cellsOf(d) {
			boxes[[3]int{c.Thread, c.From, c.To}] = true
		}
		seen := map[[3]int]bool{}
		for _, c := range cellsOf(e) {
			key := [3]int{c.Thread, c.From, c.To}
			if seen[key] || !boxes[key] {
				t.Fatalf("%+v: seen %v, a box %v", c, seen[key], boxes[key])
			}
			seen[key] = true
		}
	})
}

// TestShapesAreWhatIsDrawn: every quad of a call or run is a shape once, in the order drawn, and
// the shapes' calls are those of the cells.
func TestShapesAreWhatIsDrawn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlot(t, drawTrace(t))
		p.Header, p.Detail = 0, Lighter
		alone := color.NRGBA{R: 1, G: 2, B: 3, A: 255}
		p.CallFill = func(_, call int) color.NRGBA { return alone }
		p.Emphasis = nil
		var l scene.Layer
		d := p.Draw(&l, nil)
		n := 0
		type key struct{ thread, from, to int }
		var shapes, cells []key
		for c, q := range d.Shapes {
			if q != &d.quads[n] || c.Rect != q.Rect {
				t.Fatalf("shape %d is not quad %d", n, n)
			}
			if (q.Fill == alone) == c.Run {
				t.Fatalf("%+v is filled %v", c, q.Fill)
			}
			n++
			r := c.Rect
			r.X1 = max(r.X1, r.X0+1)
			if k := (key{c.Thread, c.From, c.To}); !r.Intersect(d.View).Empty() &&
				!slices.Contains(shapes, k) {
				shapes = append(shapes, k)
			}
		}
		if n != len(d.quads) {
			t.Fatalf("%d shapes of %d quads", n, len(d.quads))
		}
		for c := range d.Cells {
			cells = append(cells, key{c.Thread, c.From, c.To})
			if (c.Rect == geom.Rect{}) {
				t.Fatal("a cell is nowhere")
			}
		}
		for _, k := range cells {
			if !slices.Contains(shapes, k) {
				t.Fatalf("cell %v has no shape", k)
			}
		}
	})
}

// TestFramesShareTheirLayout draws plots one after the other in one arena, some of them twice, as
// well as in an arena of their own: tracks lie in the same places.
func TestFramesShareTheirLayout(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := drawTrace(t)
		var shared Arena
		p := drawPlot(t, tr)
		for range rapid.IntRange(1, 8).Draw(t, "frames") {
			switch rapid.IntRange(0, 3).Draw(t, "change") {
			case 0: // in place, which nobody should do
				if n := len(p.Threads); n > 1 {
					p.Threads[0], p.Threads[n-1] = p.Threads[n-1], p.Threads[0]
				}
			case 1:
				p = drawPlot(t, tr)
			case 2:
				p.Levels = rapid.IntRange(0, 3).Draw(t, "levels")
			}
			height := p.Height(&shared)
			if want := p.Height(&Arena{}); height != want {
				t.Fatalf("height %v, want %v", height, want)
			}
			got := p.Draw(&scene.Layer{}, &shared)
			want := p.Draw(&scene.Layer{}, nil)
			if !slices.Equal(got.offsets, want.offsets) {
				t.Fatalf("tracks at %v, want %v", got.offsets, want.offsets)
			}
		}
	})
}
