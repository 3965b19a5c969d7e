package fleet

import (
	"cmp"
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
	unlike   []int // Outliers, then Waiting, then Changed
	manifest *batch.Manifest
	settings batch.Settings // how the pairs were compared
	trouble  error          // what of that cannot be had any more
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
	c.manifest = m
	c.settings, c.trouble = d.Settings()
	return c, ctx.Err()
}

func newContent(f *fleet.Fleet) *content {
	c := &content{Fleet: f, rows: make([]int, len(f.Pairs))}
	for k := range c.rows {
		c.rows[k] = none
	}
	g := scene.Grid{Buckets: batch.Buckets}
	waits := map[int]bool{}
	for _, k := range f.Waiting {
		waits[k] = true
	}
	c.unlike = slices.Concat(f.Outliers, f.Waiting, f.Changed)
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
		limit, more := limitOf(f.Partition.Areas, q)
		g.Quantities = append(g.Quantities, scene.Quantity{Signed: q != fleet.Dissimilarity,
			Limit: limit, More: more})
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

// leastLimit is the value that has the strongest colour where all are smaller.
const leastLimit = .01

// limitOf returns the value of a quantity that has the strongest colour: what a five-hundredth of
// the matrix reaches, so that a tiny area does not make all others pale, but at least a third of
// the largest, so that an outlier among thousands of equal pairs does not make their noise loud. It
// reports whether there are larger values.
func limitOf(areas []fleet.Area, q fleet.Quantity) (limit float64, more bool) {
	const share, least = 1. / 500, 1. / 3
	sorted := slices.Clone(areas)
	value := func(a *fleet.Area) float64 { return math.Abs(a.Mean[q]) }
	slices.SortFunc(sorted, func(x, y fleet.Area) int { return cmp.Compare(value(&y), value(&x)) })
	cells := func(a *fleet.Area) int { return (a.ToRow - a.FromRow) * (a.ToBucket - a.FromBucket) }
	all, seen := 0, 0
	for k := range sorted {
		all += cells(&sorted[k])
	}
	if all == 0 {
		return leastLimit, false
	}
	most := value(&sorted[0])
	for k := range sorted {
		limit = value(&sorted[k])
		if seen += cells(&sorted[k]); float64(seen) >= share*float64(all) {
			break
		}
	}
	limit = max(limit, most*least, leastLimit)
	return limit, most > limit
}

// none stands for no row.
const none = -1

// paths returns the files of a pair.
func (c *content) paths(k int) [2]string { return c.manifest.Resolve(c.manifest.Pairs[k]) }
