package bundle

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

// index finds the control point nearest to a place among those at or below a given one. It is the
// control tree itself, with a box around the points of each subtree and siblings in order of their
// boxes' left borders, so that what is farther away than the best found is left out unseen.
type index struct {
	tree  *tree
	boxes []box
	first []int32   // children of control c are kids[first[c]:first[c+1]]
	kids  []int32   // control points
	right []float32 // by kid: the farthest right border of its siblings up to it
	x, y  float32   // the place that is searched for, y a height
	best  float32   // squared distance of found
	found int32
}

// box is where the control points of a subtree are; y is their height.
type box struct{ x0, x1, y0, y1 float32 }

// build indexes the control points where they are before clamping.
func (n *index) build(t *tree) {
	count := len(t.controls)
	n.tree, n.boxes, n.first = t, resize(n.boxes, count), resize(n.first, count+2)
	n.kids, n.right = resize(n.kids, count-1), resize(n.right, count-1)
	clear(n.first)
	for i := range t.controls {
		c := &t.controls[i]
		y := mirrored(c.level, t.side.band)
		n.boxes[i] = box{c.x, c.x, y, y}
		n.first[c.up+2]++ // of the root's, which is nobody's child, there is one too many in front
	}
	n.first[1] = 0
	for i := count - 1; i > 0; i-- {
		b, up := n.boxes[i], &n.boxes[t.controls[i].up]
		up.x0, up.x1 = min(up.x0, b.x0), max(up.x1, b.x1)
		up.y0, up.y1 = min(up.y0, b.y0), max(up.y1, b.y1)
	}
	for i := 1; i <= count; i++ {
		n.first[i+1] += n.first[i]
	}
	for i := 1; i < count; i++ {
		at := &n.first[t.controls[i].up+1]
		n.kids[*at] = int32(i)
		*at++
	}
	n.sortKids(count)
}

// sortKids puts siblings in order. first[c+1] has moved on to the end of c's children, and first[0]
// is 0.
func (n *index) sortKids(count int) {
	for c := range count {
		from, to := n.first[c], n.first[c+1]
		kids := n.kids[from:to]
		slices.SortFunc(kids, func(a, b int32) int {
			return cmp.Compare(n.boxes[a].x0, n.boxes[b].x0)
		})
		right := float32(math.Inf(-1))
		for i, k := range kids {
			right = max(right, n.boxes[k].x1)
			n.right[int(from)+i] = right
		}
	}
}

// nearest returns the control point nearest to (x, y) among from and those below it, the topmost
// if several are.
func (n *index) nearest(from int32, x, y float32) int32 {
	n.x, n.y, n.best, n.found = x, y, float32(math.Inf(1)), from
	n.visit(from)
	return n.found
}

func (n *index) visit(c int32) {
	p := &n.tree.controls[c]
	dx, dy := p.x-n.x, mirrored(p.level, n.tree.side.band)-n.y
	if d := dx*dx + dy*dy; d < n.best {
		n.best, n.found = d, c
	}
	from, to := int(n.first[c]), int(n.first[c+1])
	split := from + sort.Search(to-from, func(i int) bool {
		return n.boxes[n.kids[from+i]].x0 > n.x
	})
	b := &n.boxes[c]
	down := square(max(b.y0-n.y, n.y-b.y1, 0)) // no kid is nearer than that in height
	for i := split - 1; i >= from && square(max(n.x-n.right[i], 0))+down < n.best; i-- {
		n.enter(n.kids[i])
	}
	for i := split; i < to && square(n.boxes[n.kids[i]].x0-n.x)+down < n.best; i++ {
		n.enter(n.kids[i])
	}
}

// enter visits c if a control point in its box may be nearer than the best.
func (n *index) enter(c int32) {
	b := &n.boxes[c]
	dx, dy := max(b.x0-n.x, n.x-b.x1, 0), max(b.y0-n.y, n.y-b.y1, 0)
	if dx*dx+dy*dy < n.best {
		n.visit(c)
	}
}

func square(x float32) float32 { return x * x }
