package match

import (
	"cmp"
	"slices"
	"sort"

	"diptych/internal/pair"
)

// Grid is how similar some classes of A are to some of B, such as those of what a view shows. What
// it costs follows from how many these are, and not from how many there are in all. It does not
// depend on τ. One goroutine at a time may use a Grid.
//
// Its rows are found as those of all classes are (see row), but with a column for each of some
// classes only: in pre-order, a class and those below it are columns beside each other.
type Grid struct {
	graph  *Graph
	row    *row
	as     []uint32
	order  []int32  // indices into as, in pre-order
	sizes  []uint32 // |Γ| by column
	common []uint32 // |Γ∩Γ|, row after row
	held   []uint32 // identities that a column has
}

// NewGrid returns a grid that compares nothing yet.
func NewGrid(g *Graph) *Grid {
	y := &columns{Classes: g.Sides[pair.B], of: make([]interval, len(g.Pair.Names))}
	return &Grid{graph: g, row: &row{x: g.Sides[pair.A], y: y, at: none}}
}

// Graph returns what the classes are of.
func (g *Grid) Graph() *Graph { return g.graph }

// Compare compares each of some classes of A with each of some classes of B, of which the latter
// must be ascending. The rows that were there before are no longer valid.
func (g *Grid) Compare(as, bs []uint32) {
	g.setColumns(bs)
	g.as, g.order = append(g.as[:0], as...), g.order[:0]
	for i := range as {
		g.order = append(g.order, int32(i))
	}
	slices.SortFunc(g.order, func(i, j int32) int { return cmp.Compare(as[i], as[j]) })
	g.common = slices.Grow(g.common[:0], len(as)*len(bs))[:len(as)*len(bs)]
	for _, i := range g.order {
		g.row.seekClass(int(as[i]))
		g.row.writeCommon(g.commonOf(int(i)))
	}
}

// setColumns makes columns of some classes of B.
func (g *Grid) setColumns(bs []uint32) {
	y, n := g.row.y, uint32(0)
	for _, id := range g.held {
		y.of[id] = interval{}
	}
	g.held, g.sizes = g.held[:0], g.sizes[:0]
	for _, b := range bs {
		g.sizes = append(g.sizes, y.Size[b])
	}
	around(y.Classes, bs, func(class int32, _ interval) {
		for _, id := range y.added[y.from[class]:y.from[class+1]] {
			if y.of[id].to == 0 {
				g.held = append(g.held, id)
			}
			y.of[id].to++
			n++
		}
	})
	y.holders = slices.Grow(y.holders[:0], int(n))[:n]
	at := uint32(0)
	for _, id := range g.held {
		n := y.of[id].to
		y.of[id] = interval{at, at}
		at += n
	}
	around(y.Classes, bs, func(class int32, among interval) {
		for _, id := range y.added[y.from[class]:y.from[class+1]] {
			y.holders[y.of[id].to] = among
			y.of[id].to++
		}
	})
	g.row.at = none
	g.row.diff = slices.Grow(g.row.diff[:0], len(bs)+1)[:len(bs)+1]
	clear(g.row.diff)
}

// around calls visit with each class that is among some ascending ones or contains one, and with
// where those are that it contains.
func around(c *Classes, list []uint32, visit func(class int32, among interval)) {
	last := int32(none)
	for i, class := range list {
		for k := int32(class); k != none && (last < k || last >= int32(c.End[k])); k = c.Base[k] {
			below := sort.Search(len(list)-i, func(n int) bool { return list[i+n] >= c.End[k] })
			visit(k, interval{uint32(i), uint32(i + below)})
		}
		last = int32(class)
	}
}

func (g *Grid) commonOf(i int) []uint32 {
	n := len(g.sizes)
	return g.common[i*n : (i+1)*n]
}

// Row returns what the i-th of the classes of A shares with those of B.
func (g *Grid) Row(i int) GridRow {
	return GridRow{g.row.x.Size[g.as[i]], g.sizes, g.commonOf(i)}
}

// GridRow is what a class of A shares with some of B, which have indices from 0.
type GridRow struct {
	size   uint32   // |Γ|
	sizes  []uint32 // of those of B
	common []uint32
}

// Common returns |Γ∩Γ| of the row's class and the j-th of B.
func (r GridRow) Common(j int) uint32 { return r.common[j] }

// Similarity returns s of the row's class and the j-th of B, from 0 to 1.
func (r GridRow) Similarity(j int) float64 {
	return float64(r.common[j]) / float64(r.size+r.sizes[j]-r.common[j])
}

// Exceeds reports whether s > τ for the row's class and the j-th of B.
func (r GridRow) Exceeds(t Tau, j int) bool { return t.Exceeded(r.common[j], r.size, r.sizes[j]) }
