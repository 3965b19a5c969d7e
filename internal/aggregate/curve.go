package aggregate

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"
)

// Point is a place on the quality curves: what is optimal from From to To. P lies between them, so
// that Best finds the same partition for it again. The first point has P = 0, the last P = 1.
type Point struct {
	P, From, To float64
	Gain, Loss  float64
	Aggregates  int
	// Partitions are those of each source. Best and Nearest tell their aggregates; of other points
	// a curve keeps only as many as it has room for.
	Partitions []*Partition
}

// lacks reports whether the aggregates were not kept.
func (x *Point) lacks() bool { return x.Aggregates > 0 && len(x.Partitions[0].Aggregates) == 0 }

// known is a point of the curve. A search found it, or what is as good, for each of the bounds low
// and high of p, so it is optimal for all p between them: the criterion is linear in p, so a
// partition that is better somewhere between would be better at one of the bounds.
type known struct {
	Point
	low, high float64
}

// Curve finds the points of the quality curves of one source, or of several under the same p, by
// parametric search: between two neighbouring optima there is another if and only if one is better
// than both where they are equally good. Gain and loss of several sources are the means of theirs.
// Each run of the search is kept, and is a point of the final curve. But a curve of 10,000 threads
// has a hundred points of 200,000 aggregates each, and few of them are ever looked at: once there
// is no room for more, only gain, loss and number of the aggregates are kept, and a point's
// aggregates are found again when they are asked for.
//
// Several goroutines may use a curve at the same time. Searches run outside its lock; if two want
// the same p, one searches and the other waits for it.
type Curve struct {
	of []*Quality

	mu     sync.Mutex
	points []known // by p
	runs   map[float64]*search
	room   int   // for so many more aggregates
	again  Point // the last one whose aggregates were found again
}

// roomOfCurve is how many aggregates a curve keeps: 24 MB.
const roomOfCurve = 1 << 20

// search is a run of Best, which may still be under way. Its result is there once done is closed.
type search struct {
	done  chan struct{}
	point Point
	err   error
}

// NewCurve makes the curve of the sources with what is optimal for p = 0 and p = 1.
func NewCurve(ctx context.Context, of ...*Quality) (*Curve, error) {
	return newCurve(ctx, roomOfCurve, of...)
}

func newCurve(ctx context.Context, room int, of ...*Quality) (*Curve, error) {
	c := &Curve{of: of, runs: map[float64]*search{}, room: room}
	for _, p := range []float64{0, 1} {
		if _, err := c.find(ctx, p); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// at returns a point that is known to be optimal for p, as a search found it, for this p or
// another.
func (c *Curve) at(p float64) (Point, bool) {
	if run := c.runs[p]; run != nil {
		select {
		case <-run.done:
			return run.point, run.err == nil
		default:
		}
	}
	for i := range c.points {
		if from, to := c.sure(i); from <= p && p <= to {
			return c.points[i].Point, true
		}
	}
	return Point{}, false
}

// weighed returns the point with another p for which it is optimal.
func (x Point) weighed(p float64) Point {
	if x.P == p {
		return x
	}
	x.P, x.Partitions = p, slices.Clone(x.Partitions)
	for i, part := range x.Partitions {
		same := *part
		same.P = p
		x.Partitions[i] = &same
	}
	return x
}

// Best returns what is optimal for p, without a search if it is known and kept.
func (c *Curve) Best(ctx context.Context, p float64) (Point, error) {
	x, err := c.find(ctx, p)
	if err == nil {
		x, err = c.complete(ctx, x)
	}
	return x.weighed(p), err
}

// complete returns a point that a search found with its aggregates.
func (c *Curve) complete(ctx context.Context, x Point) (Point, error) {
	if !x.lacks() {
		return x, nil
	}
	c.mu.Lock()
	again := c.again
	c.mu.Unlock()
	if again.Partitions != nil && again.P == x.P {
		return again, nil
	}
	again, err := BestOf(ctx, x.P, c.of...)
	if err == nil {
		c.mu.Lock()
		c.again = again
		c.mu.Unlock()
	}
	return again, err
}

// find returns a point that is optimal for p, as a search found it. It may lack its aggregates.
func (c *Curve) find(ctx context.Context, p float64) (Point, error) {
	for {
		c.mu.Lock()
		if x, ok := c.at(p); ok {
			c.mu.Unlock()
			return x, nil
		}
		run, mine := c.runs[p], false
		if run == nil {
			run, mine = &search{done: make(chan struct{})}, true
			c.runs[p] = run
		}
		c.mu.Unlock()
		if mine {
			return c.search(ctx, p, run)
		}
		select {
		case <-run.done: // if it failed, it is gone from runs: search again
		case <-ctx.Done():
			return Point{}, ctx.Err()
		}
	}
}

func (c *Curve) search(ctx context.Context, p float64, run *search) (Point, error) {
	run.point, run.err = optimum(ctx, p, c.of, c.keeps)
	c.mu.Lock()
	defer c.mu.Unlock()
	if close(run.done); run.err != nil {
		delete(c.runs, p)
	} else {
		c.observe(run.point)
	}
	return run.point, run.err
}

// keeps takes the room for so many aggregates, if there is as much.
func (c *Curve) keeps(n int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n > c.room {
		return false
	}
	c.room -= n
	return true
}

// BestOf returns what is optimal for p, of several sources, without a curve.
func BestOf(ctx context.Context, p float64, of ...*Quality) (Point, error) {
	return optimum(ctx, p, of, func(int) bool { return true })
}

// optimum is BestOf, but keeps the aggregates of all sources if keep says so of their number.
func optimum(ctx context.Context, p float64, of []*Quality, keep func(n int) bool) (Point, error) {
	x := Point{P: p}
	var found []*recovery
	defer func() {
		for i, r := range found {
			of[i].recoveries.Put(r)
		}
	}()
	for _, q := range of {
		r := q.recoveries.Get().(*recovery)
		r.q = q // which may be a part of the one that it served before
		found = append(found, r)
		best, n, err := q.best(ctx, p, r)
		if err != nil {
			return x, err
		}
		x.Gain += best.Gain / float64(len(of))
		x.Loss += best.Loss / float64(len(of))
		x.Aggregates += n
		x.Partitions = append(x.Partitions, best)
	}
	if keep(x.Aggregates) {
		for i, r := range found {
			x.Partitions[i].Aggregates = r.aggregates()
		}
	}
	return x, nil
}

// better is by how much a third optimum must be better than two that are equally good: less is
// rounding.
const better = 1e-10

// value is the criterion.
func (x *Point) value(p float64) float64 { return p*x.Gain - (1-p)*x.Loss }

// same reports whether two points are as good for each p.
func same(x, y *Point) bool {
	return math.Abs(x.Gain-y.Gain) <= better && math.Abs(x.Loss-y.Loss) <= better
}

// observe takes what a search found into the curve: as a new point, or as a wider range of p for
// the points that are as good there.
func (c *Curve) observe(z Point) {
	p := z.P
	i, _ := slices.BinarySearchFunc(c.points, p, func(x known, p float64) int {
		return cmp.Compare(x.high, p)
	})
	if i < len(c.points) && c.points[i].low <= p {
		return // known by now
	}
	var asGood bool
	if i < len(c.points) && c.points[i].matches(&z) {
		c.points[i].low, asGood = p, true
	}
	if i > 0 && c.points[i-1].matches(&z) {
		c.points[i-1].high, asGood = p, true
	}
	if asGood && i > 0 && i < len(c.points) && p == c.meet(i-1) {
		c.points[i-1].high, c.points[i].low = p, p // not open for the sake of rounding
	}
	if !asGood {
		c.points = slices.Insert(c.points, i, known{z, p, p})
	}
}

// matches reports whether a point is as good as what was found for z.P. For p = 1 loss counts for
// nothing, and the curve has to end with the partition that was found.
func (k *known) matches(z *Point) bool {
	return same(&k.Point, z) || z.P < 1 && k.value(z.P) >= z.value(z.P)-better
}

// meet returns the p for which a point and the next are equally good.
func (c *Curve) meet(i int) float64 {
	x, y := &c.points[i], &c.points[i+1]
	loss, gain := y.Loss-x.Loss, y.Gain-x.Gain
	return min(max(loss/(loss+gain), x.high), y.low)
}

// open reports whether there may be an optimum between a point and the next. There is none if one
// of the two was found where they are equally good.
func (c *Curve) open(i int) bool {
	p := c.meet(i)
	return c.points[i].high < p && p < c.points[i+1].low
}

// sure returns for which p a point is known to be optimal: up to where it meets its neighbours, if
// there is nothing between.
func (c *Curve) sure(i int) (from, to float64) {
	from, to = c.points[i].low, c.points[i].high
	if i > 0 && !c.open(i-1) {
		from = c.meet(i - 1)
	}
	if i+1 < len(c.points) && !c.open(i) {
		to = c.meet(i)
	}
	return from, to
}

// Step looks for an optimum in the widest gap of the curve, by gain and loss. It returns false when
// the curve is complete.
func (c *Curve) Step(ctx context.Context) (bool, error) { return c.step(ctx, c.widest) }

// step searches in the gap after the point that choose returns, if it is not negative.
func (c *Curve) step(ctx context.Context, choose func() int) (bool, error) {
	c.mu.Lock()
	i, p := choose(), 0.0
	if i >= 0 {
		p = c.meet(i)
	}
	c.mu.Unlock()
	if i < 0 {
		return false, nil
	}
	_, err := c.find(ctx, p)
	return err == nil, err
}

func (c *Curve) widest() int {
	found := -1
	for i := range c.points[:len(c.points)-1] {
		if c.open(i) && (found < 0 || c.width(i) > c.width(found)) {
			found = i
		}
	}
	return found
}

// width returns by how much gain and loss together change from a point to the next.
func (c *Curve) width(i int) float64 {
	x, y := &c.points[i], &c.points[i+1]
	return y.Gain - x.Gain + y.Loss - x.Loss
}

// Missing returns by how much gain and loss together change where an optimum may be missing, in the
// widest such gap; 0 if the curve is complete.
func (c *Curve) Missing() float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := c.widest(); i >= 0 {
		return c.width(i)
	}
	return 0
}

// Whole says that no optimum is missing.
func (c *Curve) Whole() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.widest() < 0
}

// Points returns the curve as far as it is known, by p. Where an optimum may be missing between two
// points, one's To and the other's From are where they are equally good; P is always in the range
// for which the point is known to be optimal.
func (c *Curve) Points() []Point {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := make([]Point, len(c.points))
	for i := range list {
		list[i] = c.place(i)
	}
	return list
}

// place returns a point with its range.
func (c *Curve) place(i int) Point {
	x, last := c.points[i].Point, len(c.points)-1
	from, to := c.sure(i)
	switch x.From, x.To = 0, 1; {
	case i == 0:
		x.P = 0
	case i == last:
		x.P = 1
	default:
		x.P = (from + to) / 2
	}
	if i > 0 {
		x.From = c.meet(i - 1)
	}
	if i < last {
		x.To = c.meet(i)
	}
	return x
}
