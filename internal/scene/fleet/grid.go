package fleet

import (
	"math"
	"slices"
)

// Area is a rectangle of the matrix that is drawn in one colour: rows [FromRow, ToRow), buckets
// [FromBucket, ToBucket), and what it tells of each quantity.
type Area struct {
	FromRow, ToRow       int
	FromBucket, ToBucket int
	Means                []float64 // by quantity
}

// Quantity is something that the matrix can show.
type Quantity struct {
	Signed bool    // below 0 stands for A, above for B; otherwise it is at least 0
	Limit  float64 // the largest absolute value that has a colour of its own, above 0
	More   bool    // there are larger ones
}

// Row is a pair of traces.
type Row struct {
	Name    string
	Cluster int
	From    int // buckets [From, To) in which it departs from the others
	To      int // From if it does not
	// Waits says that it departs by its waits alone, so that it is hardly the cause.
	Waits bool
}

// Departs reports whether the pair is unlike the others.
func (r *Row) Departs() bool { return r.To > r.From }

// Grid is a matrix of rows × buckets as it is drawn, made once by a job. It never changes.
type Grid struct {
	Quantities []Quantity
	Rows       []Row
	Buckets    int
	Areas      []Area
	Values     func(quantity, row int) []float64 // of each bucket: what an area is the mean of

	of     []int32    // by row·Buckets + bucket: the area, or −1
	levels [][][]int8 // by quantity and level: 2, 4, 8 … rows as one; see NewGrid
}

// steps is how many colours a quantity has on either side of 0.
const steps = 127

// none stands for no area.
const none = -1

// NewGrid prepares a matrix for being drawn, at a cost of rows × buckets. Where rows are lower than
// a few pixels, two, four or more of them are drawn as one, which shows the value that is furthest
// from 0: a single pair among thousands that departs from the others stays visible.
func NewGrid(g Grid) *Grid {
	g.of = slices.Repeat([]int32{none}, len(g.Rows)*g.Buckets)
	for k := range g.Areas {
		a := &g.Areas[k]
		for row := a.FromRow; row < a.ToRow; row++ {
			cells := g.of[row*g.Buckets:][a.FromBucket:a.ToBucket]
			for b := range cells {
				cells[b] = int32(k)
			}
		}
	}
	for q := range g.Quantities {
		g.levels = append(g.levels, g.pyramid(q))
	}
	return &g
}

// pyramid returns the levels of a quantity.
func (g *Grid) pyramid(q int) (levels [][]int8) {
	ofArea := make([]int8, len(g.Areas)+1) // by area + 1, as the first is of none
	for k := range g.Areas {
		ofArea[k+1] = stepOf(g.Areas[k].Means[q] / g.Quantities[q].Limit)
	}
	below := make([]int8, len(g.of))
	for cell, k := range g.of {
		below[cell] = ofArea[k+1]
	}
	for len(below) > g.Buckets {
		below = halved(below, g.Buckets)
		levels = append(levels, below)
	}
	return levels
}

// halved joins each two rows of a matrix.
func halved(rows []int8, buckets int) []int8 {
	n := len(rows) / buckets
	out := make([]int8, (n+1)/2*buckets)
	for row := range n {
		to := out[row/2*buckets:][:buckets]
		for b, v := range rows[row*buckets:][:buckets] {
			to[b] = louder(to[b], v)
		}
	}
	return out
}

// stepOf rounds a share in [−1, 1] to steps.
func stepOf(share float64) int8 {
	if math.IsNaN(share) {
		return 0
	}
	return int8(math.Round(min(max(share, -1), 1) * steps))
}

// louder returns the one that is further from 0.
func louder(x, y int8) int8 {
	if max(x, -x) < max(y, -y) {
		return y
	}
	return x
}

// area returns the area of a cell, nil for none.
func (g *Grid) area(row, bucket int) *Area {
	if k := g.of[row*g.Buckets+bucket]; k != none {
		return &g.Areas[k]
	}
	return nil
}

// Area returns the area that holds a spot, nil for none.
func (g *Grid) Area(s Spot) *Area {
	if s.Row < 0 || s.Row >= len(g.Rows) || s.Bucket < 0 || s.Bucket >= g.Buckets {
		return nil
	}
	return g.area(s.Row, s.Bucket)
}
