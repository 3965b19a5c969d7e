package structure

import (
	"slices"

	"diptych/internal/geom"
)

// This file lays the tree out as a strip treemap (Bederson, Shneiderman and Wattenberg: "Ordered
// and Quantum Treemaps", 2002). The children of a node come in the order of γ, the busiest first,
// and fill horizontal strips from left to right: a strip takes the next child as long as that does
// not make the average aspect ratio of its cells worse. Then the strips are stacked. The first one
// is at the bottom of the cell, next to where the icicle is emptiest; for a pair it is on the side
// of the middle, between the two icicles.
//
// Cost: n·log n for n children, however many of them share a strip.

// Area says what the areas of cells stand for.
type Area uint8

const (
	EqualArea Area = iota // each leaf has the same area
	LinesArea             // lines of source code; those of a file are shared by its functions alike
	CallsArea             // calls of both sides
	SelfArea              // self time of both sides
)

// AreaNames are the names of areas, as settings spell them.
var AreaNames = [...]string{"equal", "lines", "calls", "self"}

func (a Area) String() string { return AreaNames[a] }

// ParseArea reads the name of an area.
func ParseArea(name string) (Area, bool) {
	i := slices.Index(AreaNames[:], name)
	return Area(max(i, 0)), i >= 0
}

// Layout says where and how a treemap is laid out.
type Layout struct {
	Root   int // of the subtree that fills the rectangle; 0 for all
	Rect   geom.Rect
	Area   Area
	Middle bool // the busiest cells in the middle band, for a pair, rather than at the bottom
}

// Rects lays out the subtree of a node as a strip treemap and returns a rectangle for each of the
// tree's nodes. Nodes outside the subtree, and nodes without area, have empty rectangles. Children
// tile their parent: there are no borders. The same tree and layout give the same rectangles.
func (t *Tree) Rects(l Layout) []geom.Rect {
	rects := make([]geom.Rect, len(t.Nodes))
	x := strips{weight: t.weights(l.Root, l.Area), both: l.Middle,
		middle: (l.Rect.Y0 + l.Rect.Y1) / 2}
	if x.weight[l.Root] <= 0 || l.Rect.Empty() {
		return rects
	}
	rects[l.Root] = l.Rect
	end := l.Root + int(t.Nodes[l.Root].Size)
	for i := l.Root; i < end; i++ { // parents come before their children
		if !t.Nodes[i].IsLeaf() && !rects[i].Empty() {
			x.fill(t.Busiest(i), rects[i], rects)
		}
	}
	return rects
}

// Weights returns what the areas of nodes are proportional to, by node.
func (t *Tree) Weights(area Area) []float64 { return t.weights(0, area) }

// weights returns those of a subtree.
func (t *Tree) weights(root int, area Area) []float64 {
	w := make([]float64, len(t.Nodes))
	for i := root + int(t.Nodes[root].Size) - 1; i >= root; i-- {
		if t.Nodes[i].IsLeaf() {
			w[i] = t.leafWeight(i, area)
		}
		if i > root {
			w[t.Nodes[i].Parent] += w[i]
		}
	}
	return w
}

func (t *Tree) leafWeight(i int, area Area) float64 {
	n := &t.Nodes[i]
	switch area {
	case LinesArea:
		if n.Kind != Function {
			return float64(max(n.Lines, 0))
		}
		file := &t.Nodes[t.FileOf(i)]
		return float64(max(file.Lines, 0)) / float64(file.Functions)
	case CallsArea:
		return float64(t.both(ByCalls, i))
	case SelfArea:
		return float64(t.both(BySelf, i))
	}
	return 1
}

// strips lays out the children of one node after the other.
type strips struct {
	weight []float64
	middle float32 // the line that the busiest cells of a pair are next to
	both   bool

	kids   []int32   // with area
	area   []float64 // theirs, in square pixels
	ends   []int     // of the strips, as indices of kids
	height []float64
	strip  strip
}

// fill lays out the children of a cell.
func (x *strips) fill(kids []int32, r geom.Rect, rects []geom.Rect) {
	x.kids, x.area = x.kids[:0], x.area[:0]
	total := 0.0
	for _, c := range kids {
		if x.weight[c] > 0 {
			x.kids = append(x.kids, c)
			total += x.weight[c]
		}
	}
	if len(x.kids) == 0 {
		return
	}
	scale := float64(r.W()) * float64(r.H()) / total
	for _, c := range x.kids {
		x.area = append(x.area, x.weight[c]*scale)
	}
	x.cut(float64(r.W()))
	switch {
	case x.both && x.middle >= r.Y1-r.H()/4: // the cell is above the middle
		x.stack(r, rects, up)
	case x.both && x.middle <= r.Y0+r.H()/4:
		x.stack(r, rects, down)
	case x.both:
		x.stack(r, rects, outwards)
	default:
		x.stack(r, rects, up)
	}
}

// cut cuts the children into strips, and finds the heights of these.
func (x *strips) cut(width float64) {
	x.ends, x.height = x.ends[:0], x.height[:0]
	for from := 0; from < len(x.area); {
		x.strip.begin()
		to, sum := from+1, x.area[from]
		for best := x.strip.add(x.area[from], sum/width); to < len(x.area); to++ {
			more := sum + x.area[to]
			a := x.strip.add(x.area[to], more/width)
			if a > best {
				break
			}
			best, sum = a, more
		}
		x.ends, x.height = append(x.ends, to), append(x.height, sum/width)
		from = to
	}
}

// strip keeps the aspect ratios of the cells in a strip while it grows. A cell of area a in a strip
// of height h is a/h wide, so its ratio is a/h² if it is wide and h²/a if it is tall. The more
// cells a strip has the higher it is, so that each cell goes from wide to tall once.
type strip struct {
	wide    []float64 // areas, as a heap: the smallest first
	area    float64   // sum of these
	inverse float64   // sum of 1 / area of the tall cells
	cells   int
}

func (s *strip) begin() { *s = strip{wide: s.wide[:0]} }

// add adds a cell, which makes the strip as high as is given, and returns the average aspect ratio.
func (s *strip) add(area, height float64) float64 {
	s.cells++
	s.push(area)
	h := height * height
	for len(s.wide) > 0 && s.wide[0] <= h {
		s.inverse += 1 / s.pop()
	}
	if len(s.wide) == 0 {
		s.area = 0 // without what rounding left
	}
	return (s.area/h + s.inverse*h) / float64(s.cells)
}

func (s *strip) push(area float64) {
	s.area += area
	s.wide = append(s.wide, area)
	for i := len(s.wide) - 1; i > 0 && s.wide[(i-1)/2] > s.wide[i]; i = (i - 1) / 2 {
		s.wide[(i-1)/2], s.wide[i] = s.wide[i], s.wide[(i-1)/2]
	}
}

// pop removes the smallest area.
func (s *strip) pop() float64 {
	n := len(s.wide) - 1
	least := s.wide[0]
	s.area -= least
	s.wide[0] = s.wide[n]
	s.wide = s.wide[:n]
	for i := 0; 2*i+1 < n; {
		k := 2*i + 1
		if k+1 < n && s.wide[k+1] < s.wide[k] {
			k++
		}
		if s.wide[i] <= s.wide[k] {
			break
		}
		s.wide[i], s.wide[k] = s.wide[k], s.wide[i]
		i = k
	}
	return least
}

// order is how strips are stacked: the first one at the bottom, at the top, or in the middle.
type order uint8

const (
	up order = iota
	down
	outwards
)

// stack gives the strips their places.
func (x *strips) stack(r geom.Rect, rects []geom.Rect, o order) {
	y, rows := float64(r.Y0), x.rows(o)
	for i, k := range rows {
		row := geom.Rect{X0: r.X0, Y0: float32(y), X1: r.X1, Y1: r.Y1}
		if y += x.height[k]; i+1 < len(rows) {
			row.Y1 = float32(y)
		}
		x.row(k, row, rects)
	}
}

// rows returns the strips from top to bottom. Outwards, the first is in the middle, and each other
// one goes to the side that is lower so far.
func (x *strips) rows(o order) []int {
	var above, below []int // the nearest to the first strip first
	high, low := 0.0, 0.0
	for k, h := range x.height {
		switch {
		case k == 0:
		case o == up || o == outwards && high <= low:
			above = append(above, k)
			high += h
		default:
			below = append(below, k)
			low += h
		}
	}
	slices.Reverse(above)
	return append(append(above, 0), below...)
}

// row gives the cells of a strip their places, from left to right.
func (x *strips) row(k int, r geom.Rect, rects []geom.Rect) {
	from := 0
	if k > 0 {
		from = x.ends[k-1]
	}
	at := float64(r.X0)
	for i := from; i < x.ends[k]; i++ {
		cell := r
		cell.X0 = float32(at)
		at += x.area[i] / x.height[k]
		if i+1 < x.ends[k] {
			cell.X1 = float32(at)
		}
		rects[x.kids[i]] = cell
	}
}
