package fleet

import (
	"fmt"
	"image/color"
	"slices"
	"testing"

	"diptych/internal/geom"
	"diptych/internal/palette"
	"diptych/internal/scene"
)

// grid returns a matrix of so many rows in which one row has a value of its own in buckets 80 to 119.
func grid(rows, loud int) *Grid {
	g := Grid{Buckets: 200,
		Quantities: []Quantity{{Limit: 1}, {Signed: true, Limit: .5}}}
	for k := range rows {
		r := Row{Name: fmt.Sprintf("rank %d", k), Cluster: 2 * k / rows}
		if k == loud {
			r.From, r.To = 80, 120
		}
		g.Rows = append(g.Rows, r)
	}
	add := func(r0, r1, b0, b1 int, v float64) {
		if r1 > r0 {
			g.Areas = append(g.Areas, Area{r0, r1, b0, b1, []float64{v, -v / 2}})
		}
	}
	add(0, loud, 0, 200, .1)
	add(loud, loud+1, 0, 80, .1)
	add(loud, loud+1, 80, 120, 1)
	add(loud, loud+1, 120, 200, .1)
	add(loud+1, rows, 0, 200, .1)
	quiet, one := slices.Repeat([]float64{.1}, g.Buckets), slices.Repeat([]float64{.1}, g.Buckets)
	for b := 80; b < 120; b++ {
		one[b] = 1
	}
	g.Values = func(_, row int) []float64 {
		if row == loud {
			return one
		}
		return quiet
	}
	return NewGrid(g)
}

func state(g *Grid) *State {
	return &State{Grid: g, Palette: palette.Light(), Scale: 1, Zoom: 1, Marked: none}
}

// cellAt returns the colour of the cell that is drawn at a point, as the last of those over it.
func cellAt(v *View, p geom.Point) (c color.NRGBA, ok bool) {
	for _, q := range v.Layers[1].Quads {
		if r := q.Rect; p.X >= r.X0 && p.X < r.X1+1 && p.Y >= r.Y0 && p.Y < r.Y1+1 {
			c, ok = q.Fill, true
		}
	}
	return c, ok
}

// TestALoneRowStaysVisible: however low the rows are, the one that is unlike the others has its
// colour, and picking there finds it.
func TestALoneRowStaysVisible(t *testing.T) {
	for _, rows := range []int{1, 2, 7, 64, 1000, 5000} {
		loud := rows * 2 / 3
		st := state(grid(rows, loud))
		v := Build(st, geom.Size{W: 1000, H: 600}, nil)
		q := &st.Grid.Quantities[0]
		at := geom.Point{X: v.x(100), Y: v.y(loud) + v.Height/2}
		if got, ok := cellAt(v, at); !ok || got != Ink(st.Palette, q, 1) {
			t.Errorf("%d rows: the row has the colour %v", rows, got)
		}
		if s, ok := v.Pick(geom.Point{X: at.X, Y: at.Y}); !ok || s.Row != loud || s.Bucket != 100 {
			t.Errorf("%d rows: picked %v instead of row %d", rows, s, loud)
		}
	}
}

// TestCostFollowsWhatIsVisible: as many primitives are drawn of 10,000 rows as of some hundreds.
func TestCostFollowsWhatIsVisible(t *testing.T) {
	size := geom.Size{W: 1000, H: 600}
	few := Build(state(grid(300, 7)), size, nil).Count()
	grid := grid(10_000, 7)
	many := Build(state(grid), size, nil).Count()
	if many > 4*few {
		t.Errorf("%d primitives for 10,000 rows, %d for 300", many, few)
	}
	st := state(grid)
	st.Zoom, st.Top = 1e6, 4321.5
	v := Build(st, size, nil)
	if n := v.Count(); v.Height != most || n > 400 {
		t.Errorf("%d primitives where rows are %v px tall", n, v.Height)
	}
	if s, ok := v.Pick(geom.Point{X: 500, Y: v.Plot.Y0 + 1}); !ok || s.Row != 4321 {
		t.Errorf("picked %v below the axis", s)
	}
}

// TestAreasFillTheMatrix: each cell is drawn in the colour of its area, and none twice.
func TestAreasFillTheMatrix(t *testing.T) {
	g := grid(20, 5)
	st := state(g)
	st.Quantity = 1
	v := Build(st, geom.Size{W: 800, H: 500}, nil)
	if n := len(v.Layers[1].Quads); n != len(g.Areas) {
		t.Errorf("%d rectangles for %d areas", n, len(g.Areas))
	}
	for row := range g.Rows {
		for b := 0; b < g.Buckets; b += 7 {
			share := float32(g.area(row, b).Means[1] / .5)
			got, _ := cellAt(v, geom.Point{X: v.x(b) + .5, Y: v.y(row) + 2})
			if want := Ink(st.Palette, &g.Quantities[1], share); got != want {
				t.Fatalf("row %d, bucket %d: %v, want %v", row, b, got, want)
			}
		}
	}
}

// TestTopIsKeptInSight: scrolling ends with the last row at the lower edge.
func TestTopIsKeptInSight(t *testing.T) {
	st := state(grid(100, 3))
	st.Zoom, st.Top = 3, 1e9
	v := Build(st, geom.Size{W: 800, H: 600}, nil)
	if end := v.y(100); abs(end-v.Plot.Y1) > 1 {
		t.Errorf("the last row ends at %v, the cells at %v", end, v.Plot.Y1)
	}
	for _, size := range []geom.Size{{}, {W: 10, H: 10}, {W: 300, H: 25}} {
		Build(st, size, nil)
	}
	if v := Build(state(NewGrid(Grid{Buckets: 200, Quantities: []Quantity{{Limit: 1}}})),
		geom.Size{W: 800, H: 600}, nil); v.Count() != 0 {
		t.Error("an empty batch is drawn")
	}
}

func abs(x float32) float32 { return max(x, -x) }

func BenchmarkBuild(b *testing.B) {
	for _, rows := range []int{64, 10_000} {
		b.Run(fmt.Sprint(rows), func(b *testing.B) {
			st, s := state(grid(rows, rows/2)), &scene.Scene{}
			b.ReportAllocs()
			for b.Loop() {
				Build(st, geom.Size{W: 1900, H: 1200}, s)
			}
		})
	}
}

func BenchmarkNewGrid(b *testing.B) {
	g := *grid(10_000, 77)
	for b.Loop() {
		NewGrid(g)
	}
}
