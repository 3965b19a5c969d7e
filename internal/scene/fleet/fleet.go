// Package fleet draws a batch of pairs as a matrix: a row for each pair, time from left to right,
// and in between the few areas of an optimal partition (Ocelotl), in the colour of what differs. A
// strip beside the rows tells which cluster each belongs to, and pairs that depart from the others
// are marked, with the time in which they do.
//
// The package knows neither batches nor where the partition comes from. Its cost follows what is
// visible: see grid.go for rows that are lower than a pixel.
package fleet

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"diptych/internal/geom"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/typeface"
)

// State is what a picture shows.
type State struct {
	Grid     *Grid
	Palette  *palette.Palette
	Scale    float32 // px a dp
	Quantity int
	Zoom     float32 // how much taller rows are than they need to be for all to be in sight; ≥ 1
	Top      float64 // rows that are scrolled out above
	Hover    Spot    // what is under the pointer
	Marked   int     // a row that stands out, or −1
}

// Spot is a cell of the matrix.
type Spot struct {
	Row, Bucket int
	OK          bool
}

// View is a matrix as it is drawn.
type View struct {
	*scene.Scene
	Plot    geom.Rect // of the cells
	Height  float32   // of a row, px
	Top     float64   // rows scrolled out above
	InSight int       // rows that there is room for
	st      State
}

// Measures in dp.
const (
	axisHeight = 22
	textSize   = 11
	strip      = 7  // width of the strip of clusters
	beside     = 5  // between names, strip and cells
	most       = 22 // height of a row where there are few
	named      = 13 // height of a row that has a name
	close      = 12 // least distance of two names
	right      = 14 // room for the marks of outliers
	mostNames  = .22
	framed     = 4 // height of a row in which the time of a departure is framed
	whole      = 3 // height from which rows are drawn one by one
)

// Tallest returns the largest zoom that makes sense: with it rows are as tall as where there are
// few.
func (g *Grid) Tallest(height, scale float32) float32 {
	fit := (height - axisHeight*scale) / float32(max(len(g.Rows), 1))
	return max(most*scale/max(fit, 1e-6), 1)
}

// Build draws the matrix. S is emptied and used if it is not nil.
func Build(st *State, size geom.Size, s *scene.Scene) *View {
	if s == nil {
		s = &scene.Scene{}
	}
	s.Reset(size)
	v := &View{Scene: s, st: *st}
	v.arrange(size)
	if v.Plot.Empty() || len(st.Grid.Rows) == 0 {
		return v
	}
	v.axis()
	if v.Height >= whole*st.Scale || len(st.Grid.Rows) == 1 { // a lone row has none to join
		v.areas()
	} else {
		v.bands()
	}
	v.sides()
	v.marks()
	return v
}

// arrange finds where the cells are, and how tall a row is.
func (v *View) arrange(size geom.Size) {
	g, dp := v.st.Grid, v.st.Scale
	rows := float32(max(len(g.Rows), 1))
	v.Plot = geom.Rect{X0: v.nameRoom(size) + (strip+2*beside)*dp, Y0: axisHeight * dp,
		X1: size.W - right*dp, Y1: size.H - beside*dp}
	room := max(v.Plot.H(), 1)
	v.Height = min(room/rows*max(v.st.Zoom, 1), most*dp)
	if v.Height < room/rows { // few rows: all of them are in sight
		v.Plot.Y1 = v.Plot.Y0 + v.Height*rows
		room = v.Plot.H()
	}
	v.InSight = int(room / v.Height)
	v.Top = min(max(v.st.Top, 0), max(float64(rows)-float64(room)/float64(v.Height), 0))
}

// nameRoom returns the width of the names, px.
func (v *View) nameRoom(size geom.Size) float32 {
	wide := float32(0)
	const looked = 200 // names of ranks are alike: a few of them tell how wide all are
	step := max(len(v.st.Grid.Rows)/looked, 1)
	for k := 0; k < len(v.st.Grid.Rows); k += step {
		wide = max(wide, typeface.Width(v.st.Grid.Rows[k].Name, textSize*v.st.Scale, false))
	}
	return min(wide+(beside+8)*v.st.Scale, size.W*mostNames)
}

// rows returns the rows that are in sight: from the first until before the last.
func (v *View) rows() (from, to int) {
	from = int(v.Top)
	return from, min(int(math.Ceil(v.Top+float64(v.Plot.H()/v.Height))), len(v.st.Grid.Rows))
}

// y returns the upper edge of a row.
func (v *View) y(row int) float32 {
	return v.Plot.Y0 + float32((float64(row)-v.Top)*float64(v.Height))
}

// x returns the left edge of a bucket.
func (v *View) x(bucket int) float32 {
	return v.Plot.X0 + v.Plot.W()*float32(bucket)/float32(v.st.Grid.Buckets)
}

// Rect returns where some rows and buckets are, as far as they are in sight.
func (v *View) Rect(fromRow, toRow, fromBucket, toBucket int) geom.Rect {
	r := geom.Rect{X0: v.x(fromBucket), X1: v.x(toBucket), Y0: v.y(fromRow), Y1: v.y(toRow)}
	return r.Intersect(v.Plot)
}

// Pick returns the cell at a point, beside the cells too: the nearest bucket of that row. Of
// several rows at one pixel it is the one that is furthest from 0.
func (v *View) Pick(p geom.Point) (Spot, bool) {
	g := v.st.Grid
	if p.Y < v.Plot.Y0 || p.Y >= v.Plot.Y1 || len(g.Rows) == 0 || v.Plot.Empty() {
		return Spot{}, false
	}
	bucket := int((p.X - v.Plot.X0) / v.Plot.W() * float32(g.Buckets))
	s := Spot{Bucket: min(max(bucket, 0), g.Buckets-1), OK: true}
	first := v.Top + float64((p.Y-v.Plot.Y0)/v.Height)
	end := max(int(v.Top+float64((p.Y+1-v.Plot.Y0)/v.Height)), int(first)+1)
	s.Row = min(int(first), len(g.Rows)-1)
	loudest := -1.
	for row := s.Row; row < min(end, len(g.Rows)); row++ {
		if x := math.Abs(g.Values(v.st.Quantity, row)[s.Bucket]); x > loudest {
			s.Row, loudest = row, x
		}
	}
	return s, p.X >= v.Plot.X0 && p.X < v.Plot.X1
}

// Ink returns the colour of a share in [−1, 1] of a quantity's limit.
func Ink(pal *palette.Palette, q *Quantity, share float32) color.NRGBA {
	if q.Signed {
		return pal.Alignment().Skew(-share) // which is above 0 where A has run longer
	}
	return pal.Alignment().Heat(share)
}

// areas draws the areas of which a row is in sight.
func (v *View) areas() {
	g, l := v.st.Grid, v.Scene.Layer(v.Plot)
	q := &g.Quantities[v.st.Quantity]
	from, to := v.rows()
	for row := from; row < to; row++ {
		for b := 0; b < g.Buckets; {
			a := g.area(row, b)
			if a == nil {
				b++
				continue
			}
			if row == max(a.FromRow, from) {
				share := float32(a.Means[v.st.Quantity] / q.Limit)
				l.Fill(v.spaced(v.Rect(a.FromRow, a.ToRow, a.FromBucket, a.ToBucket)),
					Ink(v.st.Palette, q, min(max(share, -1), 1)))
			}
			b = a.ToBucket
		}
	}
}

// spaced leaves a gap between neighbours that are large enough for one.
func (v *View) spaced(r geom.Rect) geom.Rect {
	if r.W() > 4*v.st.Scale {
		r.X1 -= v.st.Scale
	}
	if r.H() > 4*v.st.Scale {
		r.Y1 -= v.st.Scale
	}
	return r
}

// bands draws rows that are lower than a few pixels, as many of them together as make a band of
// that height.
func (v *View) bands() {
	g, l := v.st.Grid, v.Scene.Layer(v.Plot)
	levels := g.levels[v.st.Quantity]
	k, each := 0, 2
	for k+1 < len(levels) && float32(each)*v.Height < whole*v.st.Scale {
		k, each = k+1, each*2
	}
	q := &g.Quantities[v.st.Quantity]
	from, to := v.rows()
	for band := from / each; band*each < to; band++ {
		cells := levels[k][band*g.Buckets:][:g.Buckets]
		for b := 0; b < g.Buckets; {
			end := b + 1
			for end < g.Buckets && cells[end] == cells[b] {
				end++
			}
			last := min((band+1)*each, len(g.Rows))
			l.Fill(v.Rect(band*each, last, b, end), Ink(v.st.Palette, q, float32(cells[b])/steps))
			b = end
		}
	}
}

// tickShares are where the axis has a tick, as shares of the run.
var tickShares = []float32{0, .25, .5, .75, 1}

// axis writes shares of the run above the cells: no two pairs need to last equally long.
func (v *View) axis() {
	l, dp, pal := v.Scene.Layer(geom.Rect{}), v.st.Scale, v.st.Palette
	size := textSize * dp
	for _, at := range tickShares {
		x := v.Plot.X0 + at*v.Plot.W()
		text := fmt.Sprintf("%.0f %%", at*100)
		w := typeface.Width(text, size, false) + 2
		r := geom.Rect{X0: x + 4*dp, Y0: 0, Y1: v.Plot.Y0 - 2*dp}
		if r.X0+w > v.Plot.X1 {
			r.X0 = x - 4*dp - w
		}
		r.X1 = r.X0 + w
		l.Write(scene.Text{Rect: r, Text: text, Fill: pal.Secondary, Size: size})
		l.Fill(geom.Rect{X0: min(x, v.Plot.X1-dp), X1: min(x, v.Plot.X1-dp) + dp,
			Y0: v.Plot.Y0 - 8*dp, Y1: v.Plot.Y0 - dp}, pal.Secondary)
	}
}

// ClusterInk returns the colour of a cluster.
func ClusterInk(pal *palette.Palette, cluster int) color.NRGBA {
	return pal.Waits().Thread(palette.ThreadHue(cluster))
}

// sides draws the strip of clusters and the names beside the rows, as many as there is room for.
func (v *View) sides() {
	g, dp, pal := v.st.Grid, v.st.Scale, v.st.Palette
	left := geom.Rect{Y0: v.Plot.Y0, Y1: v.Plot.Y1, X1: v.Plot.X0}
	l := v.Scene.Layer(left)
	from, to := v.rows()
	bar := geom.Rect{X0: v.Plot.X0 - (strip+beside)*dp, X1: v.Plot.X0 - beside*dp}
	for row := from; row < to; {
		end := row + 1
		for end < to && g.Rows[end].Cluster == g.Rows[row].Cluster {
			end++
		}
		bar.Y0, bar.Y1 = max(v.y(row), left.Y0), min(v.y(end), left.Y1)
		if bar.H() > 6*dp {
			bar.Y1 -= dp
		}
		l.Fill(bar, ClusterInk(pal, g.Rows[row].Cluster))
		row = end
	}
	v.names(l, bar.X0-beside*dp)
}

// names writes the names of rows, which end at x: first of those that depart from the others, then
// of as many more as there is room for.
func (v *View) names(l *scene.Layer, x float32) {
	g, dp := v.st.Grid, v.st.Scale
	from, to := v.rows()
	step := max(int(math.Ceil(float64(named*dp/v.Height))), 1)
	var taken []float32 // where there are names, from top to bottom
	for row := from; row < to; row++ {
		y, fits := v.nameAt(row)
		n := len(taken)
		if fits && g.Rows[row].Departs() && (n == 0 || y-taken[n-1] >= close*dp) {
			taken = append(taken, y)
			v.name(l, row, x)
		}
	}
	last := float32(math.Inf(-1))
	for row := (from + step - 1) / step * step; row < to; row += step {
		y, fits := v.nameAt(row)
		k, _ := slices.BinarySearch(taken, y)
		after, before := k == len(taken) || taken[k]-y >= close*dp, k == 0 || y-taken[k-1] >= close*dp
		if !g.Rows[row].Departs() && fits && before && after && y-last >= close*dp {
			last = y
			v.name(l, row, x)
		}
	}
}

// nameAt returns where the middle of a row's name is: beside the row, but whole within the height
// of the cells. A name that is moved by more than half of its height for that would stand beside
// another row.
func (v *View) nameAt(row int) (y float32, fits bool) {
	middle, half := v.y(row)+v.Height/2, min(named*v.st.Scale, v.Plot.H())/2
	y = min(max(middle, v.Plot.Y0+half), v.Plot.Y1-half)
	return y, max(y-middle, middle-y) <= named*v.st.Scale/2
}

// name writes the name of a row, which ends at x.
func (v *View) name(l *scene.Layer, row int, end float32) {
	dp := v.st.Scale
	y, _ := v.nameAt(row)
	r := geom.Rect{X0: 6 * dp, X1: end, Y0: y - named*dp/2, Y1: y + named*dp/2}
	x := &v.st.Grid.Rows[row]
	ink, size := v.st.Palette.Secondary, textSize*dp
	if x.Departs() {
		ink = v.st.Palette.Text
	}
	l.Write(scene.Text{Rect: r, Text: typeface.Clip(x.Name, r.W(), size), Fill: ink, Size: size,
		Align: scene.AlignRight, Bold: x.Departs() && !x.Waits})
}

// marks frames the time of departures, marks their rows at the right, and outlines what is pointed
// at.
func (v *View) marks() {
	g, dp, pal := v.st.Grid, v.st.Scale, v.st.Palette
	l := v.Scene.Layer(geom.Rect{X0: v.Plot.X0 - 2*dp, Y0: v.Plot.Y0 - 2*dp,
		X1: v.Plot.X1 + right*dp, Y1: v.Plot.Y1 + 2*dp})
	from, to := v.rows()
	for row := from; row < to; row++ {
		x := &g.Rows[row]
		if !x.Departs() {
			continue
		}
		if v.Height >= framed*dp && !x.Waits {
			l.Border(v.spaced(v.Rect(row, row+1, x.From, x.To)), pal.Text, dp)
		}
		v.dot(l, row)
	}
	v.outline(l)
}

// dot marks a row at the right: with a ring if it only waits unlike the others.
func (v *View) dot(l *scene.Layer, row int) {
	dp, pal := v.st.Scale, v.st.Palette
	at, side := v.y(row)+v.Height/2, min(max(v.Height*.6, 2*dp), 7*dp)
	r := geom.Rect{X0: v.Plot.X1 + beside*dp, Y0: at - side/2, Y1: at + side/2}
	r.X1 = r.X0 + side
	l.Quads = append(l.Quads, scene.Quad{Rect: r, Fill: pal.Error, Radius: side / 2, U1: 1})
	if hole := r.Inset(1.5 * dp); v.st.Grid.Rows[row].Waits && !hole.Empty() {
		l.Quads = append(l.Quads, scene.Quad{Rect: hole, Fill: pal.Pane, Radius: hole.W() / 2, U1: 1})
	}
}

// outline marks a row that is pointed at in a list, and the area and the row under the pointer.
func (v *View) outline(l *scene.Layer) {
	g, dp, pal := v.st.Grid, v.st.Scale, v.st.Palette
	row := func(k int) geom.Rect {
		r := v.Rect(k, k+1, 0, g.Buckets)
		if r.H() < 3*dp { // a row that is lower than a few pixels would not be seen
			r.Y0, r.Y1 = r.Y0-dp, r.Y1+dp
		}
		return r
	}
	if from, to := v.rows(); v.st.Marked >= from && v.st.Marked < to {
		l.Border(row(v.st.Marked), pal.Selection, 2*dp)
	}
	s := v.st.Hover
	if !s.OK {
		return
	}
	if a := g.Area(s); a != nil { // beside the cells there is none
		l.Border(v.Rect(a.FromRow, a.ToRow, a.FromBucket, a.ToBucket), pal.Hover, 1.5*dp)
	}
	l.Quads = append(l.Quads, scene.Quad{Rect: row(s.Row), Fill: pal.Hover, Shade: scene.Dashed,
		Line: dp, U1: 1})
}
