package aggregate

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// far is the square of the distance of a point to gain 1 and loss 0.
func far(x *Point) float64 { return (x.Gain-1)*(x.Gain-1) + x.Loss*x.Loss }

func (c *Curve) nearest() int {
	best := slices.MinFunc(c.points, func(x, y known) int {
		return cmp.Compare(far(&x.Point), far(&y.Point))
	})
	return slices.IndexFunc(c.points, func(x known) bool { return x.low == best.low })
}

// Nearest returns P_OPT, the point of the complete curve that is nearest to gain 1 and loss 0,
// with as few searches as branch and bound allows. In the plane of gain and loss, x and y be
// neighbours of the known curve. No optimum is better than x under the p for which x was found,
// nor than y under that of y. So all optima between x and y are in the triangle of x, y and the
// point where these two lines meet. A gap whose triangle is farther than the best known point is
// never searched.
func (c *Curve) Nearest(ctx context.Context) (Point, error) {
	for {
		more, err := c.step(ctx, c.promising)
		if err != nil {
			return Point{}, err
		}
		if !more {
			c.mu.Lock()
			i := c.nearest()
			x, found := c.place(i), c.points[i].Point
			c.mu.Unlock()
			found, err = c.complete(ctx, found)
			x.Partitions = found.Partitions
			return x, err
		}
	}
}

// promising returns the open gap whose triangle is nearest, -1 if none is nearer than the best
// point.
func (c *Curve) promising() int {
	const rounding = 1e-12
	found, least := -1, far(&c.points[c.nearest()].Point)-rounding
	for i := range c.points[:len(c.points)-1] {
		if !c.open(i) {
			continue
		}
		if d := c.bound(i); d < least {
			found, least = i, d
		}
	}
	return found
}

// bound returns the square of the distance of a gap's triangle to gain 1 and loss 0.
func (c *Curve) bound(i int) float64 {
	x, y := &c.points[i], &c.points[i+1]
	third := Point{Gain: y.Gain, Loss: x.Loss} // farther out than where any two lines meet
	const apart = 1e-6                         // the lines meet too flat to say where
	if d := y.low - x.high; d > apart {
		a, b := x.value(x.high), y.value(y.low)
		third.Gain = min(third.Gain, (b*(1-x.high)-a*(1-y.low))/d)
		third.Loss = max(third.Loss, (b*x.high-a*y.low)/d)
	}
	corners := [3]*Point{&x.Point, &y.Point, &third}
	least, left, right := math.Inf(1), 0, 0
	for k, from := range corners {
		to := corners[(k+1)%3]
		least = min(least, farFrom(from, to))
		switch cross := (to.Gain-from.Gain)*-from.Loss - (to.Loss-from.Loss)*(1-from.Gain); {
		case cross > 0:
			left++
		case cross < 0:
			right++
		}
	}
	if left == 3 || right == 3 {
		return 0 // it is inside
	}
	return least
}

// farFrom returns the square of the distance of the line from x to y to gain 1 and loss 0.
func farFrom(x, y *Point) float64 {
	gain, loss := y.Gain-x.Gain, y.Loss-x.Loss
	length := gain*gain + loss*loss
	at := 0.0
	if length > 0 {
		at = min(max(((1-x.Gain)*gain-x.Loss*loss)/length, 0), 1)
	}
	return far(&Point{Gain: x.Gain + at*gain, Loss: x.Loss + at*loss})
}
