package aggregate

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"sync"
	"testing"

	"diptych/internal/testtrace"
)

func curveOf(t *testing.T, of ...*Quality) *Curve {
	t.Helper()
	c, err := NewCurve(context.Background(), of...)
	if err != nil {
		t.Fatal(err)
	}
	if err := complete(context.Background(), c); err != nil {
		t.Fatal(err)
	}
	return c
}

// complete takes all steps that are left.
func complete(ctx context.Context, c *Curve) error {
	for {
		more, err := c.Step(ctx)
		if err != nil || !more {
			return err
		}
	}
}

// nearestKnown returns the point that is nearest to gain 1 and loss 0, of those that are known.
func nearestKnown(c *Curve) Point {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.place(c.nearest())
}

// knownAt returns what is known to be optimal for p without a search.
func knownAt(c *Curve, p float64) (Point, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	x, ok := c.at(p)
	return x.weighed(p), ok && !x.lacks()
}

// TestCurveIsComplete holds that no p has an optimum that is better than the curve's point for it,
// and that each point is what Best finds for its P.
func TestCurveIsComplete(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range testtrace.Sized(25, 200) {
		q := measured(t, randomTable(r, 1+r.IntN(8), 2+r.IntN(8), 1+r.IntN(3)), Sum)
		points := curveOf(t, q).Points()
		if points[0].From != 0 || points[len(points)-1].To != 1 {
			t.Fatalf("from %g to %g", points[0].From, points[len(points)-1].To)
		}
		at := 0
		for i := range 200 {
			p := float64(i) / 199
			for points[at].To < p {
				at++
			}
			atBest(t, q, p, points[at])
		}
		for _, x := range points {
			atBest(t, q, x.P, x)
			atBest(t, q, x.From, x)
			atBest(t, q, x.To, x)
		}
	}
}

// atBest holds that a point is optimal for p.
func atBest(t *testing.T, q *Quality, p float64, x Point) {
	t.Helper()
	best := bestOf(t, q, p)
	want, got := p*best.Gain-(1-p)*best.Loss, p*x.Gain-(1-p)*x.Loss
	if math.Abs(want-got) > 1e-9 {
		t.Fatalf("p %g: the curve has %g, best is %g", p, got, want)
	}
}

// TestCurveGrows holds that gain, loss and p never fall along the curve, after each step.
func TestCurveGrows(t *testing.T) {
	q := measured(t, randomTable(rand.New(rand.NewPCG(2, 2)), 8, 12, 3), Sum)
	c, err := NewCurve(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	for more := true; more; {
		for i, list := 1, c.Points(); i < len(list); i++ {
			x, y := list[i-1], list[i]
			if x.P > y.P || x.Gain > y.Gain+better || x.Loss > y.Loss+better || x.To != y.From {
				t.Fatalf("%+v before %+v", x, y)
			}
		}
		if more, err = c.Step(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	runs := len(c.runs)
	if _, err := c.Best(context.Background(), 1); err != nil || len(c.runs) != runs {
		t.Error("a run is not kept", err)
	}
}

func TestOptIsNearest(t *testing.T) {
	q := measured(t, randomTable(rand.New(rand.NewPCG(3, 3)), 8, 12, 3), Sum)
	c := curveOf(t, q)
	far := func(x Point) float64 { return math.Hypot(x.Gain-1, x.Loss) }
	for _, x := range c.Points() {
		if far(x) < far(nearestKnown(c)) {
			t.Errorf("%+v is nearer than %+v", x, nearestKnown(c))
		}
	}
}

// TestCurveOfTwo holds that two sources under one p have the means of gain and loss.
func TestCurveOfTwo(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	x, y := measured(t, randomTable(r, 5, 8, 2), Sum), measured(t, randomTable(r, 7, 8, 2), Sum)
	for _, p := range curveOf(t, x, y).Points() {
		a, b := bestOf(t, x, p.P), bestOf(t, y, p.P)
		if !near(p.Gain, (a.Gain+b.Gain)/2) || !near(p.Loss, (a.Loss+b.Loss)/2) ||
			p.Aggregates != len(a.Aggregates)+len(b.Aggregates) {
			t.Errorf("%+v: %+v %+v", p, a, b)
		}
	}
}

// TestAt holds that what At knows without a search is what a search finds.
func TestAt(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	ctx := context.Background()
	for range testtrace.Sized(30, 200) {
		q := measured(t, randomTable(r, 1+r.IntN(8), 2+r.IntN(9), 1+r.IntN(3)), Sum)
		c, err := NewCurve(ctx, q)
		if err != nil {
			t.Fatal(err)
		}
		for range r.IntN(30) {
			if r.IntN(2) == 0 {
				c.Best(ctx, r.Float64())
			} else if _, err := c.Step(ctx); err != nil {
				t.Fatal(err)
			}
		}
		for range 50 {
			p := r.Float64()
			x, ok := knownAt(c, p)
			if !ok {
				continue
			}
			want := bestOf(t, q, p)
			if x.P != p || x.Partitions[0].P != p || !near(x.Gain, want.Gain) ||
				!near(x.Loss, want.Loss) || x.Aggregates != len(want.Aggregates) {
				t.Fatalf("p %g: %+v, want %+v", p, x, want)
			}
		}
		if err := complete(ctx, c); err != nil {
			t.Fatal(err)
		}
		for range 50 {
			if _, ok := knownAt(c, r.Float64()); !ok {
				t.Fatal("a p of a complete curve is not known")
			}
		}
	}
}

// TestCurvesKeepFewAggregates holds that a curve keeps no more aggregates than it has room for, and
// that those of all other points are found again.
func TestCurvesKeepFewAggregates(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	ctx := context.Background()
	for range testtrace.Sized(20, 100) {
		x, y := measured(t, randomTable(r, 6, 9, 2), Sum), measured(t, randomTable(r, 4, 9, 2), Sum)
		whole := curveOf(t, x, y)
		room := r.IntN(40)
		c, err := newCurve(ctx, room, x, y)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Nearest(ctx); err != nil {
			t.Fatal(err)
		}
		if err := complete(ctx, c); err != nil {
			t.Fatal(err)
		}
		kept := 0
		for _, p := range c.points {
			for _, part := range p.Partitions {
				kept += len(part.Aggregates)
			}
		}
		if kept > room {
			t.Fatalf("%d aggregates are kept, there is room for %d", kept, room)
		}
		for _, p := range whole.Points() {
			want, _ := whole.Best(ctx, p.P)
			for range 2 { // what was found again is known
				if got, err := c.Best(ctx, p.P); err != nil || !reflect.DeepEqual(got, want) {
					t.Fatalf("p %g: %+v, want %+v: %v", p.P, got, want, err)
				}
			}
		}
		got, err := c.Nearest(ctx)
		if want, _ := whole.Nearest(ctx); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%+v, want %+v: %v", got, want, err)
		}
	}
}

// TestNearestIsThatOfTheCompleteCurve holds P_OPT, and that it takes fewer searches. Gains of
// the operator Mean may be above 1, beyond the point that is aimed at.
func TestNearestIsThatOfTheCompleteCurve(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	ctx := context.Background()
	few, all := 0, 0
	for range testtrace.Sized(40, 500) {
		op := Operator(r.IntN(2))
		of := []*Quality{measured(t, randomTable(r, 1+r.IntN(9), 2+r.IntN(12), 1+r.IntN(3)), op)}
		if r.IntN(3) == 0 {
			of = append(of, measured(t, randomTable(r, 1+r.IntN(9), 2+r.IntN(12), 2), op))
		}
		c, err := NewCurve(ctx, of...)
		if err != nil {
			t.Fatal(err)
		}
		c.Best(ctx, r.Float64())
		got, err := c.Nearest(ctx)
		if err != nil {
			t.Fatal(err)
		}
		few += len(c.runs)
		whole := curveOf(t, of...)
		all += len(whole.runs)
		if want := nearestKnown(whole); !near(far(&got), far(&want)) {
			t.Fatalf("%+v, want %+v", got, want)
		}
		if x, _ := c.Best(ctx, got.P); !same(&x, &got) {
			t.Fatalf("p %g gives %+v, not %+v", got.P, x, got)
		}
	}
	if t.Logf("%d searches, %d for complete curves", few, all); few*9 > all*2 {
		t.Error("too many searches")
	}
}

// TestCurveOfManyGoroutines holds that goroutines that search at the same time find one curve, and
// that none searches twice for the same p.
func TestCurveOfManyGoroutines(t *testing.T) {
	q := measured(t, randomTable(rand.New(rand.NewPCG(7, 7)), 12, 14, 3), Sum)
	want := curveOf(t, q).Points()
	ctx := context.Background()
	c, err := NewCurve(ctx, q)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 6 {
		all.Go(func() {
			r := rand.New(rand.NewPCG(1, uint64(i)))
			for !c.Whole() {
				c.Best(ctx, r.Float64())
				knownAt(c, r.Float64())
				c.Points()
				if i == 0 {
					c.Nearest(ctx)
				}
				c.Step(ctx)
			}
		})
	}
	all.Wait()
	got := c.Points()
	if len(got) != len(want) {
		t.Fatalf("%d points, want %d", len(got), len(want))
	}
	for i := range got {
		if !same(&got[i], &want[i]) {
			t.Errorf("point %d: %+v, want %+v", i, got[i], want[i])
		}
	}
}

// TestCancelledSearchIsForgotten holds that a search that was cancelled is made anew.
func TestCancelledSearchIsForgotten(t *testing.T) {
	q := measured(t, randomTable(rand.New(rand.NewPCG(8, 8)), 8, 9, 2), Sum)
	c, err := NewCurve(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := c.Best(ctx, .4); err == nil {
		t.Error("the search does not end")
	}
	if x, err := c.Best(context.Background(), .4); err != nil || x.Aggregates == 0 {
		t.Error(x, err)
	}
}
