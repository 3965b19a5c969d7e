package aggregate

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"diptych/internal/testtrace"
)

func curveOf(t *testing.T, of ...*Quality) *Curve {
	t.Helper()
	c, err := NewCurve(context.Background(), of...)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Complete(context.Background()); err != nil {
		t.Fatal(err)
	}
	return c
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
		if far(x) < far(c.Opt()) {
			t.Errorf("%+v is nearer than %+v", x, c.Opt())
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
