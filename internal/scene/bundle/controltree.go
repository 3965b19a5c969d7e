package bundle

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

// tree is the control tree of one group on one side: the group's root and the key nodes below it
// (TraceDiff, IV-B). It holds only key nodes that lead to an end of an edge, so its cost depends on
// the edges, not on the cells under its root.
type tree struct {
	side     *side
	root     int32 // node
	controls []control
	marks    []mark  // by node
	epoch    uint32  // the marks of this group bear it
	climb    []int32 // nodes on the way up, for control
	loose    []int32 // ends that are no key nodes
	index    index
}

// control is a control point. Parents come before their children; the first is the root.
type control struct {
	up     int32 // −1 for the root
	kept   int32 // slot of the nearest one up to the root that edges go by, see thin
	depth  int32 // number of control points that edges go by from here to the root
	x      float32
	level  float32
	fall   float32 // way from the deepest control point below, see space
	lo, hi float32 // range of x of what hangs here, empty if lo > hi
}

// mark says which control point a node has, or hangs under if it has none of its own.
type mark struct {
	epoch uint32
	slot  int32
}

// grow makes the tree for the edges that list names, which end at their nodes on side i.
func (t *tree) grow(s *side, root int32, i int, edges []Edge, list []int32) {
	t.begin(s, root)
	for _, e := range list {
		n := edges[e].Ends[i]
		switch {
		case !s.has(n) || t.marks[n].epoch == t.epoch:
		case s.cells[n].key && n > root:
			t.control(n)
		default:
			t.marks[n] = mark{t.epoch, t.control(s.cells[n].up)}
			t.loose = append(t.loose, n)
		}
	}
	t.hang()
	t.clamp()
	t.space()
	t.thin()
}

// The shape of a tree's way down from its root to the border of the band.
const (
	deepRoot = .5 // level of a root that lies at the border or in the band itself
	step     = .1 // share of the band that a step straight down takes, before scaling
	slope    = .5 // px down for each px sideways, before scaling
	apart    = .2 // share of the band that control points which edges go by lie apart
)

// space sets the heights of the control points. The deepest lies at the border of the band. The
// root lies in the half next to the mid-line; the higher its cell, the nearer. The vertical
// distance between a control point and its parent grows with their horizontal distance. If the rows
// of the hierarchy gave the heights instead, the widest swings, those next to the root, would be
// crowded into a few pixels.
func (t *tree) space() {
	band, root := t.side.band, &t.controls[0]
	root.level = deepRoot + (1-deepRoot)*root.level
	for i := len(t.controls) - 1; i > 0; i-- {
		c := &t.controls[i]
		up := &t.controls[c.up]
		up.fall = max(up.fall, c.fall+step*band+slope*max(c.x-up.x, up.x-c.x))
	}
	if root.fall == 0 {
		return
	}
	for i := len(t.controls) - 1; i >= 0; i-- {
		t.controls[i].level = root.level * t.controls[i].fall / root.fall
	}
}

// thin makes edges skip control points that lie close to the one before, from the root down. A
// spline turns sharply where several of its knots are in one place, as in a deep stack.
func (t *tree) thin() {
	least := apart * t.side.band
	for i := range t.controls {
		c := &t.controls[i]
		if c.kept, c.depth = int32(i), 1; c.up < 0 {
			continue
		}
		kept := t.controls[c.up].kept
		k := &t.controls[kept]
		dx, dy := c.x-k.x, converge*t.side.band*(c.level-k.level)
		if dx*dx+dy*dy < least*least {
			c.kept, c.depth = kept, k.depth
		} else {
			c.depth = k.depth + 1
		}
	}
}

// begin empties the tree and puts the root in it.
func (t *tree) begin(s *side, root int32) {
	if t.side = s; len(t.marks) != len(s.cells) || t.epoch == math.MaxUint32 {
		t.marks = resize(t.marks, len(s.cells))
		clear(t.marks)
		t.epoch = 0
	}
	t.epoch++
	t.root, t.controls, t.loose = root, t.controls[:0], t.loose[:0]
	t.add(root, -1)
}

func (t *tree) add(n, up int32) int32 {
	c, slot := &t.side.cells[n], int32(len(t.controls))
	t.controls = append(t.controls, control{up: up, x: c.x, level: max(c.level, 0),
		lo: float32(math.Inf(1)), hi: float32(math.Inf(-1))})
	t.marks[n] = mark{t.epoch, slot}
	return slot
}

// control returns the control point of key node n, which may be −1 for none, and adds it and those
// above it where they are missing. Ancestors of one node are in the order of their indices, so what
// is not after the root is not below it, and what is not below it hangs directly under it.
func (t *tree) control(n int32) int32 {
	t.climb = t.climb[:0]
	for n > t.root && t.marks[n].epoch != t.epoch {
		t.climb = append(t.climb, n)
		n = t.side.cells[n].up
	}
	slot := int32(0)
	if n > t.root {
		slot = t.marks[n].slot
	}
	for i := len(t.climb) - 1; i >= 0; i-- {
		slot = t.add(t.climb[i], slot)
	}
	return slot
}

// hang moves each loose end from the key node above it to the nearest of those below that one.
func (t *tree) hang() {
	if len(t.loose) == 0 {
		return
	}
	t.index.build(t)
	for _, n := range t.loose {
		slot := t.index.nearest(t.marks[n].slot, t.side.cells[n].x, t.side.cells[n].height)
		t.marks[n].slot = slot
		t.controls[slot].reach(t.side.cells[n].x)
	}
}

// clamp moves each control point into the range of what hangs under it, from the leaves up. A
// bundle then has no reason to swing out to the middle of a wide cell and back (TraceDiff, IV-B).
func (t *tree) clamp() {
	for i := len(t.controls) - 1; i >= 0; i-- {
		c := &t.controls[i]
		if c.lo <= c.hi {
			c.x = min(max(c.x, c.lo), c.hi)
		}
		if c.up >= 0 {
			t.controls[c.up].reach(c.x)
		}
	}
}

// reach extends the range of what hangs under c to x.
func (c *control) reach(x float32) { c.lo, c.hi = min(c.lo, x), max(c.hi, x) }

// side is one hierarchy in the terms of the layout. Heights are measured from the mid-line towards
// the side's own outer edge, so the same code serves both sides.
type side struct {
	cells []cell
	mid   float32 // y of the mid-line, px
	out   float32 // direction of y towards the outer edge: −1 for A, 1 for B
	band  float32 // height of this side's half of the band, px
}

// cell is a node that edges may end at and control points stand for.
type cell struct {
	x      float32 // centre, px
	height float32 // of the centre above the mid-line, px; negative on the other side's ground
	level  float32 // of the centre between the band, 0, and the outer edge, 1; below 0 in the band
	up     int32   // nearest key node above, −1 for none
	parent int32
	key    bool
}

// set computes the cells of side i. A key node is wider than o.Least and lies outside the band
// (TraceDiff, IV-B).
func (s *side) set(nodes []Node, o Options, i int) {
	s.cells = resize(s.cells, len(nodes))
	s.mid, s.band = o.Mid, max(o.Band/2, 0)
	s.out = -1
	edge := o.Mid - o.Top
	if i == 1 {
		s.out, edge = 1, o.Bottom-o.Mid
	}
	perPx := float32(0) // levels
	if edge > s.band {
		perPx = 1 / (edge - s.band)
	}
	for k, n := range nodes {
		r := n.Rect
		c := cell{x: (r.X0 + r.X1) / 2, height: s.out * ((r.Y0+r.Y1)/2 - o.Mid), up: -1, parent: -1}
		c.level = min((c.height-s.band)*perPx, 1)
		inner := c.height - r.H()/2
		c.key = !n.Minor && r.W() > o.Least && inner >= s.band
		if p := n.Parent; p >= 0 && p < int32(k) {
			c.parent, c.up = p, p
			if !s.cells[p].key {
				c.up = s.cells[p].up
			}
		}
		s.cells[k] = c
	}
}

func (s *side) has(node int32) bool { return node >= 0 && int(node) < len(s.cells) }

// converge is how far towards the mid-line the outer edge is mirrored. The rest is a gap in which
// bundles cross from the one root to the other; without it they would do so on the spot.
const converge = .9

// mirrored is the height of a control point at the given level. The hierarchy is mirrored at the
// border of the band into the band, as Holten and van Wijk do to compare hierarchies: what is deep
// lies at the border and roots near the mid-line, so edges run downhill all the way.
func mirrored(level, band float32) float32 { return band * (1 - converge*level) }

// index finds the control point nearest to a place among those at or below a given one. It is the
// control tree itself, with a box around the points of each subtree and siblings in order of their
// boxes' left borders, so points farther away than the best found are skipped without being looked
// at.
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
