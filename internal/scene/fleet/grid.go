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
	Name   string
	Signed bool    // below 0 stands for A, above for B; otherwise it is in [0, Limit]
	Limit  float64 // the largest absolute value that has a colour of its own, above 0
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
	Clusters   int
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
			for b := a.FromBucket; b < a.ToBucket; b++ {
				g.of[row*g.Buckets+b] = int32(k)
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
	below, rows := func(i int) int8 { return g.step(q, i) }, len(g.Rows)
	for rows > 1 {
		half := (rows + 1) / 2
		level := make([]int8, half*g.Buckets)
		for row := range rows {
			for b := range g.Buckets {
				at := &level[row/2*g.Buckets+b]
				*at = louder(*at, below(row*g.Buckets+b))
			}
		}
		levels = append(levels, level)
		below, rows = func(i int) int8 { return level[i] }, half
	}
	return levels
}

// step returns the colour of a cell as a number of steps from 0.
func (g *Grid) step(q, cell int) int8 {
	k := g.of[cell]
	if k == none {
		return 0
	}
	return stepOf(g.Areas[k].Means[q] / g.Quantities[q].Limit)
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
	if max(x, -x) >= max(y, -y) {
		return x
	}
	return y
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
