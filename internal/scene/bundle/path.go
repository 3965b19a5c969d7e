package bundle

import (
	"math"
	"slices"

	"diptych/internal/scene"
)

// straight lays an edge from cell to cell.
func straight(a *Arena, _ Options, ends [2]int32, knots []scene.Knot) []scene.Knot {
	last := a.sides[1].end(ends[1])
	last.At = 1
	return append(knots, a.sides[0].end(ends[0]), last)
}

// bundled lays an edge along its group's control trees: up A's to its root, across, down B's.
func bundled(a *Arena, o Options, ends [2]int32, knots []scene.Knot) []scene.Knot {
	up, down := a.trees[0].steps(ends[0]), a.trees[1].steps(ends[1])
	first, n := len(knots), 2+up+down
	knots = slices.Grow(knots, n)[:first+n]
	path := knots[first:]
	a.trees[0].lay(ends[0], path, 0, 1)
	a.trees[1].lay(ends[1], path, n-1, -1)
	settleKnots(path, up+1)
	straighten(path, up+1, o)
	measure(path)
	return knots
}

// settleKnots moves the first n knots, A's, and the others, B's, into the range of the path's ends,
// so that x never turns back: from the crossing outwards, each knot lies between the one before it
// and the end it leads to. Knots near the crossing come first, since most edges share them.
//
// TraceDiff has no such rule. Without it, an edge that could go straight down at the left swings to
// the group's root in the middle and back. The more similar two traces are, the more such edges
// there are.
func settleKnots(path []scene.Knot, n int) {
	last := len(path) - 1
	p, q := path[0].X, path[last].X
	crossing := median(p, (path[n-1].X+path[n].X)/2, q)
	x := crossing
	for i := n - 1; i > 0; i-- {
		x = median(p, path[i].X, x)
		path[i].X = x
	}
	x = crossing
	for i := n; i < last; i++ {
		x = median(x, path[i].X, q)
		path[i].X = x
	}
}

// original lays an edge as Holten does, along the centres of all cells above its ends.
func original(a *Arena, o Options, ends [2]int32, knots []scene.Knot) []scene.Knot {
	first := len(knots)
	knots = a.sides[0].ascend(ends[0], knots)
	second := len(knots)
	knots = a.sides[1].ascend(ends[1], knots)
	slices.Reverse(knots[second:])
	path := knots[first:]
	p, q, last := path[0], path[len(path)-1], len(path)-1
	for i := 1; i < last; i++ {
		draw(&path[i], p, q, float32(i)/float32(last), o.Strength)
	}
	measure(path)
	return knots
}

// end returns the centre of cell n.
func (s *side) end(n int32) scene.Knot {
	c := &s.cells[n]
	return scene.Knot{X: c.x, Y: s.mid + s.out*c.height}
}

// ascend appends the centre of cell n and the control points of all cells above it.
func (s *side) ascend(n int32, knots []scene.Knot) []scene.Knot {
	knots = append(knots, s.end(n))
	for n = s.cells[n].parent; n >= 0; n = s.cells[n].parent {
		c := &s.cells[n]
		knots = append(knots, scene.Knot{X: c.x, Y: s.mid + s.out*mirrored(c.level, s.band)})
	}
	return knots
}

// steps is the number of control points on the way from cell n to the root.
func (t *tree) steps(n int32) int { return int(t.controls[t.marks[n].slot].depth) }

// lay writes the centre of cell n and the control points from there to the root to path[at],
// path[at+step] and so on. That of the cell itself is among them, if it is a key node: it makes the
// edge leave straight downwards. A cell that reaches into the band has what is left of it below.
func (t *tree) lay(n int32, path []scene.Knot, at, step int) {
	const room = .9 // of the cell's height, so that there is a way down to the first control point
	s := t.side
	path[at] = s.end(n)
	band := max(min(s.band, room*s.cells[n].height), 0)
	for slot := t.marks[n].slot; slot >= 0; slot = t.controls[slot].up {
		slot = t.controls[slot].kept
		c := &t.controls[slot]
		at += step
		path[at] = scene.Knot{X: c.x, Y: s.mid + s.out*mirrored(c.level, band)}
	}
}

// straighten draws the knots towards the straight line between the ends. The first n are A's.
//
// TraceDiff puts knot i at share i/(n−1) of the line. That would pull the root of A over the
// mid-line where A's half of the path has more knots than B's, so here each half has its own part
// of the line, down to the mid-line and from there: the same where both halves are alike. Where a
// cell lies beyond the mid-line there are no halves, and y runs evenly from end to end.
func straighten(path []scene.Knot, n int, o Options) {
	last := len(path) - 1
	p, q := path[0], path[last]
	if !(p.Y < o.Mid && o.Mid < q.Y) {
		for i := 1; i < last; i++ {
			share := float32(i) / float32(last)
			draw(&path[i], p, q, share, o.Strength)
			path[i].Y = p.Y + share*(q.Y-p.Y)
		}
		return
	}
	across := (o.Mid - p.Y) / (q.Y - p.Y)
	perA, perB := across/(float32(n)-.5), (1-across)/(float32(len(path)-n)-.5)
	for i := 1; i < n; i++ {
		draw(&path[i], p, q, float32(i)*perA, o.Strength)
	}
	for i := n; i < last; i++ {
		draw(&path[i], p, q, 1-float32(last-i)*perB, o.Strength)
	}
}

// draw leaves strength of k and takes the rest from the point at the given share of the line pq:
// P' = β·P + (1−β)·(p + share·(q−p)).
func draw(k *scene.Knot, p, q scene.Knot, share, strength float32) {
	k.X = strength*k.X + (1-strength)*(p.X+share*(q.X-p.X))
	k.Y = strength*k.Y + (1-strength)*(p.Y+share*(q.Y-p.Y))
}

// measure fills in At.
func measure(path []scene.Knot) {
	length, last := float32(0), len(path)-1
	path[0].At = 0
	for i := 1; i <= last; i++ {
		dx, dy := path[i].X-path[i-1].X, path[i].Y-path[i-1].Y
		length += float32(math.Sqrt(float64(dx*dx + dy*dy)))
		path[i].At = length
	}
	share := 1 / length
	for i := 1; i < last; i++ {
		if length > 0 {
			path[i].At = min(path[i].At*share, 1)
		} else {
			path[i].At = float32(i) / float32(last)
		}
	}
	path[last].At = 1
}

func median(a, b, c float32) float32 {
	if a > b {
		a, b = b, a
	}
	switch {
	case c < a:
		return a
	case c > b:
		return b
	}
	return c
}
