package fleet

import (
	"context"
	"math"
	"slices"

	"diptych/internal/batch"
	"diptych/internal/batch/fleet"
	"diptych/internal/escape"
	"diptych/internal/progress"
	scene "diptych/internal/scene/fleet"
)

// content is a batch that was read, with what its picture needs. It never changes.
type content struct {
	*fleet.Fleet
	grid     *scene.Grid
	rows     []int // by index into Pairs: the row of the matrix, −1 for none
	unlike   []int // Outliers, then Waiting
	manifest *batch.Manifest
	options  map[string]string // the flags that the batch was made with
}

// read reads the directory of a batch and looks at it as a whole.
func read(ctx context.Context, path string, report progress.Func) (*content, error) {
	d, err := batch.OpenDirectory(path)
	if err != nil {
		return nil, err
	}
	m, err := d.Manifest()
	if err != nil {
		return nil, err
	}
	f, err := fleet.Read(ctx, d, report)
	if err != nil {
		return nil, err
	}
	c := newContent(f)
	c.manifest, c.options = m, d.Options
	return c, ctx.Err()
}

func newContent(f *fleet.Fleet) *content {
	c := &content{Fleet: f, rows: make([]int, len(f.Pairs))}
	for k := range c.rows {
		c.rows[k] = none
	}
	g := scene.Grid{Buckets: batch.Buckets, Clusters: len(f.Clusters)}
	waits := map[int]bool{}
	for _, k := range f.Waiting {
		waits[k] = true
	}
	c.unlike = slices.Concat(f.Outliers, f.Waiting)
	for row, k := range f.Matrix.Pairs {
		c.rows[k] = row
		p := &f.Pairs[k]
		r := scene.Row{Name: escape.Line(p.Pair), Cluster: p.Cluster, Waits: waits[k]}
		if o := p.Outlier; o != nil {
			r.From, r.To = o.When.FromBucket, o.When.ToBucket+1
		}
		g.Rows = append(g.Rows, r)
	}
	for k := range f.Partition.Areas {
		a := &f.Partition.Areas[k]
		g.Areas = append(g.Areas, scene.Area{FromRow: a.FromRow, ToRow: a.ToRow,
			FromBucket: a.FromBucket, ToBucket: a.ToBucket, Means: a.Mean[:]})
	}
	for q := range fleet.Quantities {
		g.Quantities = append(g.Quantities, scene.Quantity{Name: quantityTitles[q],
			Signed: q != fleet.Dissimilarity, Limit: limitOf(f.Partition.Areas, q)})
	}
	g.Values = func(q, row int) []float64 { return f.Matrix.Row(fleet.Quantity(q), row) }
	c.grid = scene.NewGrid(g)
	return c
}

// first returns what the colours tell at first: how unlike the calls are, unless next to none are.
func (c *content) first() fleet.Quantity {
	const few = .02
	best := fleet.Dissimilarity
	for q := range fleet.Quantities {
		limit := c.grid.Quantities[q].Limit
		if limit > c.grid.Quantities[best].Limit && c.grid.Quantities[best].Limit < few {
			best = q
		}
	}
	return best
}

// leastLimit is the value that has the strongest colour in a batch in which less than that differs.
const leastLimit = .01

// limitOf returns the largest absolute value of a quantity in any area.
func limitOf(areas []fleet.Area, q fleet.Quantity) float64 {
	limit := leastLimit
	for k := range areas {
		limit = max(limit, math.Abs(areas[k].Mean[q]))
	}
	return limit
}

// none stands for no row.
const none = -1

// paths returns the files of a pair.
func (c *content) paths(k int) [2]string { return c.manifest.Resolve(c.manifest.Pairs[k]) }
