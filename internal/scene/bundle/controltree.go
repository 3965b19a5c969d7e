package bundle

import "math"

// tree is the control tree of one group on one side: the group's root and the key nodes below it
// (TraceDiff, IV-B). Only those exist that lead to an end of an edge, so a tree costs what its
// edges do, however many cells lie under its root.
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

// space puts the control points at heights between the deepest, at the border of the band, and the
// root, which is in the half next to the mid-line, the higher its cell the nearer. Between a
// control point and its parent lies the more, the farther they are apart sideways. The rows of the
// hierarchy as they are would crowd the widest swings, which are those next to the root, into a few
// pixels.
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

// thin has edges pass by control points that lie close to the one before, from the root down: a
// spline turns sharply where several of its knots are in one place, as those of a deep stack are.
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
