package bundle

import (
	"math"
	"slices"

	"diptych/internal/scene"
)

// plain routes edges as the definitions say, with nothing shared or ordered cleverly. The ends of an
// edge must be in the subtrees of its group's roots. It is not sure of its result where two control
// points are so nearly as far from a loose end that rounding decides between them.
func plain(o Options, sides [2][]Node, groups []Group, edges []Edge) (out [][]scene.Knot, sure bool) {
	trees := make([][2]*plainTree, len(groups))
	for g := range groups {
		for i := range trees[g] {
			trees[g][i] = newPlainTree(o, i, sides[i], groups[g].Roots[i])
		}
	}
	for _, e := range edges {
		for i, n := range e.Ends {
			trees[e.Group][i].carry(n)
		}
	}
	sure = true
	for g := range trees {
		for _, t := range trees[g] {
			t.finish()
			sure = sure && !t.tie
		}
	}
	for _, e := range edges {
		a, b := trees[e.Group][0].path(e.Ends[0]), trees[e.Group][1].path(e.Ends[1])
		sure = sure && !trees[e.Group][0].tie && !trees[e.Group][1].tie
		out = append(out, plainPath(a, b, float64(o.Strength), float64(o.Mid)))
	}
	return out, sure
}

type plainPoint struct{ x, y float64 }

type plainTree struct {
	nodes       []Node
	root        int32
	mid, out    float64
	band, outer float64
	least       float32
	order       []int32         // nodes with a control point, in order of arrival
	up          map[int32]int32 // by node with a control point
	hung        map[int32]int32 // by loose end
	x, fall     map[int32]float64
	tie         bool
}

func newPlainTree(o Options, i int, nodes []Node, root int32) *plainTree {
	t := &plainTree{nodes: nodes, root: root, mid: float64(o.Mid), out: -1,
		band: float64(o.Band) / 2, outer: float64(o.Mid - o.Top), least: o.Least,
		up: map[int32]int32{}, hung: map[int32]int32{},
		x: map[int32]float64{}, fall: map[int32]float64{}}
	if i == 1 {
		t.out, t.outer = 1, float64(o.Bottom-o.Mid)
	}
	t.carry(root)
	return t
}

func (t *plainTree) centre(n int32) plainPoint {
	r := t.nodes[n].Rect
	return plainPoint{float64(r.X0+r.X1) / 2, t.out * (float64(r.Y0+r.Y1)/2 - t.mid)}
}

func (t *plainTree) key(n int32) bool {
	r := t.nodes[n].Rect
	return !t.nodes[n].Minor && r.W() > t.least &&
		t.out*(float64(r.Y0)-t.mid) >= t.band && t.out*(float64(r.Y1)-t.mid) >= t.band
}

// level is how far out the centre of n is between the band and the outer edge.
func (t *plainTree) level(n int32) float64 {
	return min(max((t.centre(n).y-t.band)/(t.outer-t.band), 0), 1)
}

func (t *plainTree) above(n int32) int32 {
	for n = t.nodes[n].Parent; n != t.root && !t.key(n); n = t.nodes[n].Parent {
	}
	return n
}

// carry adds the control points that lead from n to the root.
func (t *plainTree) carry(n int32) {
	loose := n != t.root && !t.key(n)
	if loose {
		t.hung[n] = t.above(n)
		n = t.hung[n]
	}
	for {
		if _, ok := t.up[n]; ok {
			return
		}
		t.order = append(t.order, n)
		if n == t.root {
			t.up[n] = -1
			return
		}
		t.up[n] = t.above(n)
		n = t.up[n]
	}
}

func (t *plainTree) below(c, top int32) bool {
	for ; c >= 0; c = t.up[c] {
		if c == top {
			return true
		}
	}
	return false
}

func (t *plainTree) finish() {
	for n, top := range t.hung {
		best := math.Inf(1)
		for _, c := range t.order {
			p, q := t.centre(n), t.centre(c)
			d := math.Hypot(p.x-q.x, p.y-t.band*(1-converge*t.level(c)))
			if t.below(c, top) {
				t.tie = t.tie || math.Abs(d-best) < 1e-3
				if d < best {
					best, t.hung[n] = d, c
				}
			}
		}
	}
	t.settle(t.root)
}

// settle computes x and fall of control point c after those of what hangs under it.
func (t *plainTree) settle(c int32) {
	lo, hi := math.Inf(1), math.Inf(-1)
	for n, under := range t.hung {
		if under == c {
			lo, hi = min(lo, t.centre(n).x), max(hi, t.centre(n).x)
		}
	}
	for _, kid := range t.order {
		if t.up[kid] == c {
			t.settle(kid)
			lo, hi = min(lo, t.x[kid]), max(hi, t.x[kid])
		}
	}
	t.x[c] = t.centre(c).x
	if lo <= hi {
		t.x[c] = min(max(t.x[c], lo), hi)
	}
	for _, kid := range t.order {
		if t.up[kid] == c {
			t.fall[c] = max(t.fall[c],
				t.fall[kid]+step*t.band+slope*math.Abs(t.x[kid]-t.x[c]))
		}
	}
}

// path returns the centre of n and its control points up to the root.
func (t *plainTree) path(n int32) []plainPoint {
	p := t.centre(n)
	out := []plainPoint{{p.x, t.mid + t.out*p.y}}
	band := max(min(t.band, .9*p.y), 0)
	c, loose := t.hung[n]
	if !loose {
		c = n
	}
	for _, c := range t.passed(c) {
		out = append(out, plainPoint{t.x[c], t.mid + t.out*band*(1-converge*t.height(c))})
	}
	return out
}

// height is the level of a control point once they are spaced.
func (t *plainTree) height(c int32) float64 {
	level := deepRoot + (1-deepRoot)*t.level(t.root)
	if t.fall[t.root] > 0 {
		level *= t.fall[c] / t.fall[t.root]
	}
	return level
}

// passed lists the control points from c to the root that are not too close to one nearer to the
// root.
func (t *plainTree) passed(c int32) (out []int32) {
	var chain []int32
	for ; c >= 0; c = t.up[c] {
		chain = append(chain, c)
	}
	for _, c := range slices.Backward(chain) {
		if len(out) > 0 {
			last, least := out[len(out)-1], apart*t.band
			d := math.Hypot(t.x[c]-t.x[last], converge*t.band*(t.height(c)-t.height(last)))
			t.tie = t.tie || math.Abs(d-least) < 1e-3
			if d < least {
				continue
			}
		}
		out = append(out, c)
	}
	slices.Reverse(out)
	return out
}

// plainPath joins A's part and B's, each from its cell to the crossing.
func plainPath(a, b []plainPoint, strength, mid float64) []scene.Knot {
	p, q := a[0], b[0]
	between := func(x, a, b float64) float64 { return min(max(x, min(a, b)), max(a, b)) }
	crossing := between((a[len(a)-1].x+b[len(b)-1].x)/2, p.x, q.x)
	for _, part := range [][]plainPoint{a, b} {
		for i, x := len(part)-1, crossing; i > 0; i-- {
			x = between(part[i].x, part[0].x, x)
			part[i].x = x
		}
	}
	n := len(a) + len(b)
	share := func(i int) float64 { return float64(i) / float64(n-1) }
	halves := p.y < mid && mid < q.y
	if halves {
		across := (mid - p.y) / (q.y - p.y)
		share = func(i int) float64 {
			if i < len(a) {
				return across * float64(i) / (float64(len(a)) - .5)
			}
			return 1 - (1-across)*float64(n-1-i)/(float64(len(b))-.5)
		}
	}
	slices.Reverse(b)
	path, length := append(a, b...), 0.0
	knots := make([]scene.Knot, n)
	for i := range path {
		t, k := share(i), &path[i]
		line := plainPoint{p.x + t*(q.x-p.x), p.y + t*(q.y-p.y)}
		k.x = strength*k.x + (1-strength)*line.x
		k.y = strength*k.y + (1-strength)*line.y
		if !halves {
			k.y = line.y
		}
		if i > 0 {
			length += math.Hypot(k.x-path[i-1].x, k.y-path[i-1].y)
		}
		knots[i] = scene.Knot{X: float32(k.x), Y: float32(k.y), At: float32(length)}
	}
	for i := range knots {
		knots[i].At /= float32(length)
	}
	return knots
}
