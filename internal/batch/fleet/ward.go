package fleet

import (
	"context"
	"math"
)

// Ward's hierarchy joins, again and again, the two groups of points whose union has the least sum
// of squared distances to its mean beyond what both have to theirs (Ward 1963). Groups are known by
// size and mean alone, so it needs no matrix of distances, which 10,000 pairs would fill 400 MB
// with. Nearest-neighbour chains find the same joins in O(n²) (Murtagh 1983): a chain goes from a
// group to its nearest one, from there to that one's nearest, until two are each other's nearest.
// These are joined, and the chain goes on from what is left of it, since joining two groups brings
// none nearer to a third than the nearer of the two was.
//
// No maintained Go library has this; gonum has what comes before it (principal components).

// components is how many numbers a point has.
const components = 8

type point [components]float64

func (p *point) squared(q *point) (sum float64) {
	for k := range p {
		d := p[k] - q[k]
		sum += d * d
	}
	return sum
}

// group is a node of the hierarchy: a point, or two groups that were joined.
type group struct {
	left, right int32 // −1 in a point
	size        float64
	mean        point
	height      float64 // by how much joining raised the sum of squares
	squares     float64 // sum of squared distances to the mean
	first       int     // the least index of what is in it
}

// hierarchy is a list of groups: the points, and behind them the joined ones, of which the last has
// all. A group's parts are before it.
type hierarchy struct {
	groups  []group
	members [][]int // by point: what lies there, ascending
}

// newHierarchy joins points. Equal points are together from the outset.
func newHierarchy(ctx context.Context, points []point) (*hierarchy, error) {
	h := &hierarchy{}
	at := map[point]int{}
	for k, p := range points {
		g, there := at[p]
		if !there {
			g = len(h.groups)
			at[p] = g
			h.groups = append(h.groups, group{left: -1, right: -1, mean: p, first: k})
			h.members = append(h.members, nil)
		}
		h.groups[g].size++
		h.members[g] = append(h.members[g], k)
	}
	return h, h.joinAll(ctx)
}

// joinAll joins what is nearest until all is one.
func (h *hierarchy) joinAll(ctx context.Context) error {
	left := make([]int32, len(h.groups))
	for k := range left {
		left[k] = int32(k)
	}
	var chain []int32
	for len(left) > 1 {
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(chain) == 0 {
			chain = append(chain, left[0])
		}
		last, before := chain[len(chain)-1], int32(-1)
		if len(chain) > 1 {
			before = chain[len(chain)-2]
		}
		next := h.nearest(left, last, before)
		if next != before {
			chain = append(chain, next)
			continue
		}
		chain = chain[:len(chain)-2]
		left = without(left, last, before)
		left = append(left, h.join(min(last, before), max(last, before)))
	}
	return nil
}

// nearest returns the group that is nearest to one: of several the one before it in the chain, so
// that the chain ends, and else the earliest.
func (h *hierarchy) nearest(left []int32, of, before int32) int32 {
	best, least := before, math.Inf(1)
	if before >= 0 {
		least = h.distance(of, before)
	}
	for _, g := range left {
		if g == of || g == before {
			continue
		}
		if d := h.distance(of, g); d < least || d == least && best != before && g < best {
			best, least = g, d
		}
	}
	return best
}

// distance returns by how much joining two groups raises the sum of squares.
func (h *hierarchy) distance(x, y int32) float64 {
	p, q := &h.groups[x], &h.groups[y]
	return p.size * q.size / (p.size + q.size) * p.mean.squared(&q.mean)
}

func without(list []int32, x, y int32) []int32 {
	kept := list[:0]
	for _, g := range list {
		if g != x && g != y {
			kept = append(kept, g)
		}
	}
	return kept
}

func (h *hierarchy) join(x, y int32) int32 {
	height := h.distance(x, y)
	p, q := &h.groups[x], &h.groups[y]
	g := group{left: x, right: y, size: p.size + q.size, height: height,
		squares: p.squares + q.squares + height, first: min(p.first, q.first)}
	if q.first < p.first {
		g.left, g.right = y, x
	}
	for k := range g.mean {
		g.mean[k] = (p.size*p.mean[k] + q.size*q.mean[k]) / g.size
	}
	h.groups = append(h.groups, g)
	return int32(len(h.groups) - 1)
}

// below calls do for the points of a group, from left to right.
func (h *hierarchy) below(g int32, do func(point int32)) {
	open := []int32{g}
	for len(open) > 0 {
		g := open[len(open)-1]
		open = open[:len(open)-1]
		if h.groups[g].left < 0 {
			do(g)
			continue
		}
		open = append(open, h.groups[g].right, h.groups[g].left)
	}
}
