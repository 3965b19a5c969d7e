package fleet

import (
	"fmt"
	"image/color"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"diptych/internal/geom"
	"diptych/internal/scene"
)

// Layers of a scene, from below.
const (
	cellLayer = 1 + iota
	sideLayer
	markLayer
)

// divided cuts a rectangle of the matrix into random areas, of which some are left out.
func divided(r *rand.Rand, a Area, to []Area) []Area {
	rows, buckets := a.ToRow-a.FromRow, a.ToBucket-a.FromBucket
	low, high := a, a
	switch {
	case rows > 1 && r.IntN(4) > 0:
		low.ToRow = a.FromRow + 1 + r.IntN(rows-1)
		high.FromRow = low.ToRow
	case buckets > 1 && r.IntN(3) > 0:
		low.ToBucket = a.FromBucket + 1 + r.IntN(buckets-1)
		high.FromBucket = low.ToBucket
	case r.IntN(9) == 0:
		return to
	default:
		a.Means = []float64{r.Float64(), 2*r.Float64() - 1}
		return append(to, a)
	}
	return divided(r, high, divided(r, low, to))
}

// randomGrid returns a matrix of random areas, whose cells have the values of their areas.
func randomGrid(r *rand.Rand, rows int) *Grid {
	g := Grid{Buckets: 1 + r.IntN(40),
		Quantities: []Quantity{{Limit: .8, More: true}, {Signed: true, Limit: .7, More: true}}}
	for k := range rows {
		x := Row{Name: fmt.Sprint(k), Cluster: 3 * k / rows, Waits: r.IntN(2) == 0}
		if r.IntN(7) == 0 {
			x.From = r.IntN(g.Buckets)
			x.To = x.From + 1
		}
		g.Rows = append(g.Rows, x)
	}
	g.Areas = divided(r, Area{ToRow: rows, ToBucket: g.Buckets}, nil)
	made := NewGrid(g)
	made.Values = func(q, row int) []float64 {
		values := make([]float64, g.Buckets)
		for b := range values {
			values[b] = meanAt(made, q, row, b)
		}
		return values
	}
	return made
}

// meanAt returns the mean of the area that holds a cell, 0 for none: looked for among all areas.
func meanAt(g *Grid, q, row, bucket int) float64 {
	for _, a := range g.Areas {
		if row >= a.FromRow && row < a.ToRow && bucket >= a.FromBucket && bucket < a.ToBucket {
			return a.Means[q]
		}
	}
	return 0
}

// randomView builds a picture of some size, scrolled and zoomed somehow.
func randomView(r *rand.Rand) *View {
	rows := []int{1, 3, 9, 60, 333, 700}[r.IntN(6)]
	st := state(randomGrid(r, rows))
	st.Scale = []float32{1, 1.25, 2}[r.IntN(3)]
	st.Quantity = r.IntN(2)
	size := geom.Size{W: 200 + 900*r.Float32(), H: 100 + 500*r.Float32()}
	st.Zoom = 1 + r.Float32()*r.Float32()*(st.Grid.Tallest(size.H, st.Scale)-1)
	st.Top = r.Float64() * float64(rows)
	return Build(st, size, nil)
}

// eachView does something with pictures of random matrices, and a random point in their cells.
func eachView(n int, do func(r *rand.Rand, v *View, at geom.Point)) {
	for seed := range uint64(n) {
		r := rand.New(rand.NewPCG(seed, 18))
		v := randomView(r)
		for range 8 {
			do(r, v, geom.Point{X: v.Plot.X0 + r.Float32()*v.Plot.W(), Y: v.Plot.Y0 + r.Float32()*v.Plot.H()})
		}
	}
}

// TestPickedCellIsUnderThePointer: the cell that is picked is at the point, and no row that lies
// within the same pixel is further from 0.
func TestPickedCellIsUnderThePointer(t *testing.T) {
	eachView(150, func(_ *rand.Rand, v *View, at geom.Point) {
		g, slack := v.st.Grid, float32(.02)
		s, cell := v.Pick(at)
		if !s.OK || !cell {
			t.Fatalf("nothing is picked at %v of %v", at, v.Plot)
		}
		if v.x(s.Bucket) > at.X+slack || v.x(s.Bucket+1) < at.X-slack {
			t.Fatalf("bucket %d of %v at %v", s.Bucket, v.Plot, at)
		}
		if v.y(s.Row) > at.Y+1+slack || v.y(s.Row+1) < at.Y-slack {
			t.Fatalf("row %d, %v px tall, from %v at %v", s.Row, v.Height, v.y(s.Row), at)
		}
		value := func(row int) float64 { return math.Abs(meanAt(g, v.st.Quantity, row, s.Bucket)) }
		for row := range g.Rows {
			if v.y(row) > at.Y+slack && v.y(row+1) < at.Y+1-slack && value(row) > value(s.Row) {
				t.Fatalf("row %d is picked, though %d is as near and further from 0", s.Row, row)
			}
		}
	})
}

// drawnAt returns the last cell that is drawn over a point.
func drawnAt(v *View, at geom.Point) (r geom.Rect, c color.NRGBA, ok bool) {
	for _, q := range v.Layers[cellLayer].Quads {
		if at.X >= q.Rect.X0 && at.X < q.Rect.X1 && at.Y >= q.Rect.Y0 && at.Y < q.Rect.Y1 {
			r, c, ok = q.Rect, q.Fill, true
		}
	}
	return r, c, ok
}

// bandOf returns the rows that are drawn as one with a row: as many as it takes for 3 dp, a power
// of two.
func bandOf(v *View, row int) (from, to int) {
	each := 1
	for n := len(v.st.Grid.Rows); n > 1 && float32(each)*v.Height < 3*v.st.Scale && each < n; {
		each *= 2
	}
	return row / each * each, min((row/each+1)*each, len(v.st.Grid.Rows))
}

// TestPickedCellIsDrawn: the colour at a point is that of the cell which is picked there, or where
// rows are drawn together, of the one among them that is furthest from 0.
func TestPickedCellIsDrawn(t *testing.T) {
	seen := [2]int{}
	eachView(150, func(_ *rand.Rand, v *View, at geom.Point) {
		s, _ := v.Pick(at)
		from, to := bandOf(v, s.Row)
		r := v.Rect(from, to, s.Bucket, s.Bucket+1).Inset(.1)
		if at.X < r.X0 || at.X >= r.X1 || at.Y < r.Y0 || at.Y >= r.Y1 {
			return // at the edge of a cell, which is rounded to either side
		}
		_, got, drawn := drawnAt(v, at)
		g, q := v.st.Grid, &v.st.Grid.Quantities[v.st.Quantity]
		if to-from == 1 {
			a := g.Area(s)
			if !drawn { // the gap between areas, or no area
				return
			}
			seen[0]++
			share := min(max(a.Means[v.st.Quantity]/q.Limit, -1), 1)
			if want := Ink(v.st.Palette, q, float32(share)); got != want {
				t.Fatalf("%v is picked, which is %v; %v is drawn", s, want, got)
			}
			return
		}
		loudest := 0.
		for row := from; row < to; row++ {
			share := min(max(meanAt(g, v.st.Quantity, row, s.Bucket)/q.Limit, -1), 1)
			if x := math.Round(share * 127); math.Abs(x) > math.Abs(loudest) {
				loudest = x
			}
		}
		seen[1]++
		if want := Ink(v.st.Palette, q, float32(loudest)/127); !drawn || got != want {
			t.Fatalf("rows %d to %d of bucket %d are %v, want %v", from, to, s.Bucket, got, want)
		}
	})
	if min(seen[0], seen[1]) < 100 {
		t.Errorf("only %d cells were compared, %d of rows that are drawn together", seen[0], seen[1])
	}
}

// TestPickBesideTheCells: names and marks pick the row at the outermost bucket, but no cell; above
// and below the rows there is nothing.
func TestPickBesideTheCells(t *testing.T) {
	v := Build(state(grid(20, 5)), geom.Size{W: 800, H: 700}, nil)
	p, middle := v.Plot, v.y(5)+v.Height/2
	for name, c := range map[string]struct {
		at   geom.Point
		want Spot
		cell bool
	}{
		"name":        {geom.Point{X: 3, Y: middle}, Spot{5, 0, true}, false},
		"first cell":  {geom.Point{X: p.X0, Y: middle}, Spot{5, 0, true}, true},
		"last cell":   {geom.Point{X: p.X1 - .5, Y: middle}, Spot{5, 199, true}, true},
		"mark":        {geom.Point{X: p.X1 + 2, Y: middle}, Spot{5, 199, true}, false},
		"first row":   {geom.Point{X: p.X0 + 1, Y: p.Y0}, Spot{0, 0, true}, true},
		"last row":    {geom.Point{X: p.X0 + 1, Y: p.Y1 - .1}, Spot{19, 0, true}, true},
		"axis":        {geom.Point{X: p.X0 + 1, Y: p.Y0 - .1}, Spot{}, false},
		"below":       {geom.Point{X: p.X0 + 1, Y: p.Y1}, Spot{}, false},
		"outside":     {geom.Point{X: -50, Y: -50}, Spot{}, false},
		"left beyond": {geom.Point{X: -1e6, Y: middle}, Spot{5, 0, true}, false},
	} {
		if got, cell := v.Pick(c.at); got != c.want || cell != c.cell {
			t.Errorf("%s: %+v, %v; want %+v, %v", name, got, cell, c.want, c.cell)
		}
	}
	for _, s := range []Spot{{-1, 3, true}, {20, 3, true}, {3, -1, true}, {3, 200, true}} {
		if a := v.st.Grid.Area(s); a != nil {
			t.Errorf("%v is in %v", s, *a)
		}
	}
}

// TestSmallestPictures: however small the window, no height of it is too small to be drawn.
func TestSmallestPictures(t *testing.T) {
	for _, rows := range []int{1, 2, 3, 40} {
		g := grid(rows, 0)
		for h := range 60 {
			v := Build(state(g), geom.Size{W: 300, H: float32(h)}, nil)
			if !v.Plot.Empty() && len(v.Layers[cellLayer].Quads) == 0 {
				t.Errorf("nothing is drawn of %d rows in %d px", rows, h)
			}
		}
	}
}

// TestValuesThatAreNoNumbers: what damaged tables may hold is drawn somehow, low and tall.
func TestValuesThatAreNoNumbers(t *testing.T) {
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300, -1e300} {
		for _, rows := range []int{4, 2000} {
			g := *grid(rows, 2)
			for k := range g.Areas {
				g.Areas[k].Means = []float64{x, x}
			}
			g.Values = func(int, int) []float64 {
				return append(make([]float64, 100), append([]float64{x}, make([]float64, 99)...)...)
			}
			for q := range g.Quantities {
				st := state(NewGrid(g))
				st.Quantity = q
				v := Build(st, geom.Size{W: 700, H: 400}, nil)
				at := geom.Point{X: v.x(100) + 1, Y: v.Plot.Y0 + 1}
				if s, ok := v.Pick(at); !ok || s.Bucket != 100 {
					t.Errorf("%v in %d rows: picked %v", x, rows, s)
				}
			}
		}
	}
}

// TestNamesHaveRoom: names stand at least 12 dp apart, each beside its row and not cut off, and a row that departs
// from the others goes without its name only if another one of them stands there.
func TestNamesHaveRoom(t *testing.T) {
	eachView(60, func(_ *rand.Rand, v *View, _ geom.Point) {
		middle := map[string]float32{}
		for _, x := range v.Layers[sideLayer].Texts {
			at := (x.Rect.Y0 + x.Rect.Y1) / 2
			for other, y := range middle {
				if abs(y-at) < 12*v.st.Scale-.01 {
					t.Fatalf("%s stands at %v, %s at %v", x.Text, at, other, y)
				}
			}
			if half := min(13*v.st.Scale, v.Plot.H())/2 - .01; at-half < v.Plot.Y0 || at+half > v.Plot.Y1 {
				t.Fatalf("%s is cut off", x.Text)
			}
			middle[x.Text] = at
		}
		from, to := v.rows()
		for row, x := range v.st.Grid.Rows {
			at, here := middle[x.Name]
			if here && (row < from || row >= to || abs(at-v.y(row)-v.Height/2) > 6.51*v.st.Scale) {
				t.Fatalf("the name of row %d stands at %v", row, at)
			}
			if inside := row >= from && row+1 < to && v.Height >= 2*v.st.Scale; inside && !here && x.Departs() {
				if !crowded(v, row, middle) {
					t.Fatalf("row %d of %d to %d has no name", row, from, to)
				}
			}
		}
	})
}

// crowded reports whether another row that departs has its name above a row, too near to it, or
// had it if that were in sight.
func crowded(v *View, row int, named map[string]float32) bool {
	at, fits := v.nameAt(row)
	if !fits {
		return true
	}
	for k := row - 1; k >= 0 && at-v.y(k) < 20*v.st.Scale; k-- {
		x := &v.st.Grid.Rows[k]
		if _, here := named[x.Name]; x.Departs() && (here || v.y(k) < v.Plot.Y0) {
			return true
		}
	}
	return false
}

// seen returns the quads of a layer of which something is within its clip.
func seen(l *scene.Layer) (quads []scene.Quad) {
	for _, q := range l.Quads {
		if r := q.Rect.Intersect(l.Clip); r.W() > 0 && r.H() > 0 {
			quads = append(quads, q)
		}
	}
	return quads
}

// TestMarksOfRows: a row that departs has a dot, one that only waits a ring, and a frame where it
// departs by more than waits, if it is tall enough.
func TestMarksOfRows(t *testing.T) {
	for name, c := range map[string]struct {
		rows  int
		waits bool
		want  string // a dot, a hole in it, a frame
	}{
		"tall": {20, false, "frame dot"}, "tall, waits": {20, true, "dot hole"},
		"low": {400, false, "dot"}, "low, waits": {400, true, "dot"},
	} {
		g := grid(c.rows, 3)
		g.Rows[3].Waits = c.waits
		st := state(g)
		v := Build(st, geom.Size{W: 800, H: 600}, nil)
		var got []string
		for _, q := range v.Layers[markLayer].Quads {
			switch {
			case q.Shade == scene.Outline && q.Rect == v.spaced(v.Rect(3, 4, 80, 120)):
				got = append(got, "frame")
			case q.Fill == st.Palette.Error && q.Rect.X0 > v.Plot.X1:
				got = append(got, "dot")
			case q.Fill == st.Palette.Pane:
				got = append(got, "hole")
			}
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s: %q, want %q", name, text, c.want)
		}
	}
}

// TestOnlyRowsInSightAreOutlined: what is pointed at in a list is outlined where it is, and nowhere
// if it is scrolled out, however near.
func TestOnlyRowsInSightAreOutlined(t *testing.T) {
	for _, zoom := range []float32{1, 2, 40} {
		g := grid(300, 150)
		g.Rows[150].To = 0 // no other marks
		for marked := -2; marked < 303; marked++ {
			st := state(g)
			st.Zoom, st.Top, st.Marked = zoom, 100, marked
			v := Build(st, geom.Size{W: 800, H: 600}, nil)
			from, to := v.rows()
			quads := seen(&v.Layers[markLayer])
			if inSight := marked >= from && marked < to; inSight != (len(quads) == 1) || len(quads) > 1 {
				t.Fatalf("row %d of %d to %d: %v", marked, from, to, quads)
			}
			if len(quads) == 1 && quads[0].Rect.H() <= 0 {
				t.Fatalf("row %d: %v", marked, quads[0].Rect)
			}
		}
	}
}

// TestHoverOutlinesAreaAndRow: both are shown where the pointer has picked them.
func TestHoverOutlinesAreaAndRow(t *testing.T) {
	st := state(grid(20, 5))
	st.Hover = Spot{5, 100, true}
	v := Build(st, geom.Size{W: 800, H: 600}, nil)
	var got []geom.Rect
	for _, q := range v.Layers[markLayer].Quads {
		if q.Fill == st.Palette.Hover {
			got = append(got, q.Rect)
		}
	}
	want := []geom.Rect{v.Rect(5, 6, 80, 120), v.Rect(5, 6, 0, 200)}
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("%v, want %v", got, want)
	}
}
