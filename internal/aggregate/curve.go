package aggregate

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// Point is a place on the quality curves: what is optimal from From to To. P lies between them, so
// that Best finds the same partition for it again. The first point has P = 0, the last P = 1.
type Point struct {
	P, From, To float64
	Gain, Loss  float64
	Aggregates  int
	Partitions  []*Partition // of each source
}

// Curve finds the points of the quality curves of one source, or of several under the same p, by
// parametric search: between two neighbouring optima there is another if and only if one is better
// than both where they are equally good. Gain and loss of several sources are the means of theirs.
// Each run of the search is kept, and is a point of the final curve.
type Curve struct {
	of     []*Quality
	points []Point // by p; from the first on, P is where the search found it
	open   []bool  // whether there may be an optimum between a point and the next
	runs   map[float64]Point
}

// NewCurve makes the curve of the sources with what is optimal for p = 0 and p = 1.
func NewCurve(ctx context.Context, of ...*Quality) (*Curve, error) {
	c := &Curve{of: of, runs: map[float64]Point{}}
	for _, p := range []float64{0, 1} {
		x, err := c.Best(ctx, p)
		if err != nil {
			return nil, err
		}
		c.points = append(c.points, x)
	}
	c.open = []bool{true, false}
	if same(&c.points[0], &c.points[1]) {
		c.points, c.open = c.points[:1], c.open[:1]
	}
	return c, nil
}

// Best returns what is optimal for p, from an earlier run if there was one.
func (c *Curve) Best(ctx context.Context, p float64) (Point, error) {
	if x, ok := c.runs[p]; ok {
		return x, nil
	}
	x := Point{P: p}
	for _, q := range c.of {
		best, err := q.Best(ctx, p)
		if err != nil {
			return x, err
		}
		x.Gain += best.Gain / float64(len(c.of))
		x.Loss += best.Loss / float64(len(c.of))
		x.Aggregates += len(best.Aggregates)
		x.Partitions = append(x.Partitions, best)
	}
	c.runs[p] = x
	return x, nil
}

// better is by how much a third optimum must be better than two that are equally good: less is
// rounding.
const better = 1e-10

// same reports whether two points are as good for each p.
func same(x, y *Point) bool {
	return math.Abs(x.Gain-y.Gain) <= better && math.Abs(x.Loss-y.Loss) <= better
}

// meet returns the p for which two neighbours are equally good.
func meet(x, y *Point) float64 {
	loss, gain := y.Loss-x.Loss, y.Gain-x.Gain
	return min(max(loss/(loss+gain), x.P), y.P)
}

// Step looks for an optimum in the widest gap of the curve, by gain and loss. It returns false when
// the curve is complete.
func (c *Curve) Step(ctx context.Context) (bool, error) {
	i := c.widest()
	if i < 0 {
		return false, nil
	}
	x, y := &c.points[i], &c.points[i+1]
	p := meet(x, y)
	z, err := c.Best(ctx, p)
	if err != nil {
		return false, err
	}
	value := func(x *Point) float64 { return p*x.Gain - (1-p)*x.Loss }
	if same(x, &z) || same(y, &z) || value(&z) <= max(value(x), value(y))+better {
		c.open[i] = false
		return true, nil
	}
	c.points = slices.Insert(c.points, i+1, z)
	c.open = slices.Insert(c.open, i+1, true)
	return true, nil
}

func (c *Curve) widest() int {
	found, most := -1, 0.0
	for i := range c.points[:len(c.points)-1] {
		x, y := &c.points[i], &c.points[i+1]
		if wide := y.Gain - x.Gain + y.Loss - x.Loss; c.open[i] && (found < 0 || wide > most) {
			found, most = i, wide
		}
	}
	return found
}

// Complete takes all steps that are left.
func (c *Curve) Complete(ctx context.Context) error {
	for {
		more, err := c.Step(ctx)
		if err != nil || !more {
			return err
		}
	}
}

// Whole says that no optimum is missing.
func (c *Curve) Whole() bool { return c.widest() < 0 }

// Points returns the curve as far as it is known, by p.
func (c *Curve) Points() []Point {
	list := slices.Clone(c.points)
	for i := range list {
		list[i].To = 1
		if i > 0 {
			list[i].From = meet(&c.points[i-1], &c.points[i])
			list[i-1].To = list[i].From
		}
	}
	for i := range list {
		if i > 0 && i < len(list)-1 {
			list[i].P = (list[i].From + list[i].To) / 2
		}
	}
	return list
}

// Opt returns P_OPT: the point nearest to gain 1 and loss 0.
func (c *Curve) Opt() Point {
	far := func(x Point) float64 { return (x.Gain-1)*(x.Gain-1) + x.Loss*x.Loss }
	return slices.MinFunc(c.Points(), func(x, y Point) int { return cmp.Compare(far(x), far(y)) })
}
