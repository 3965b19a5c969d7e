package structure

import (
	"diptych/internal/geom"
	"diptych/internal/scene/icicle"
	"diptych/internal/structure"
	"diptych/internal/trace"
)

// This file finds what is in focus.

// lot is what the focus has to do with a shape.
type lot uint8

const (
	outside lot = iota
	image       // the focus is mapped to it
	inside      // it is in focus
)

// path is a call in focus with its callers, its callees or both, as far as they are drawn.
type path struct {
	side        int
	thread      int32
	call, next  int32 // the call and the end of its subtree
	level       int32
	callers     bool
	callees     bool
	least, most int32 // levels drawn of it
}

// has reports whether a shape of the path's side is on the path.
func (p *path) has(th *trace.Thread, s *shape) bool {
	if s.thread != p.thread {
		return false
	}
	if s.run && p.call >= s.from && p.call < s.to {
		return p.callers && s.level <= p.level || p.callees && s.level >= p.level ||
			s.level == p.level
	}
	if p.callees && s.call >= p.call && s.call < p.next {
		return true
	}
	return p.callers && !s.run && s.from <= p.call && int(p.call) < th.Next(int(s.from))
}

// fade returns how much of its saturation a shape of the path has: it falls from 1 at the call in
// focus to 0 at the uppermost and at the deepest level drawn.
func (p *path) fade(level int32) float32 {
	switch {
	case level < p.level:
		return 1 - float32(p.level-level)/float32(max(1, p.level-p.least))
	case level > p.level:
		return 1 - float32(level-p.level)/float32(max(1, p.most-p.level))
	}
	return 1
}

// marks are what the focus is mapped to, by node and by cell. A mark is set if it is the epoch.
type marks struct {
	epoch uint32
	node  []uint32 // by node: functions in focus
	file  []uint32 // by node: the files around them
	cell  []uint32 // by index in cells.drawn
	nodes []int32  // the functions
	cells []int32  // the cells
	files int

	occasion occasion
	paths    []path   // in focus
	known    []path   // those that the marks were made for
	lots     [2][]lot // by side and shape
	items    []Hit
}

// begin forgets all marks.
func (m *marks) begin(nodes, cells int) {
	m.epoch++
	if len(m.node) != nodes || len(m.cell) != cells || m.epoch == 0 {
		m.node, m.file, m.cell = make([]uint32, nodes), make([]uint32, nodes), make([]uint32, cells)
		m.epoch = 1
	}
	m.nodes, m.cells = m.nodes[:0], m.cells[:0]
	m.files = 0
}

// focus finds what is in focus.
func (b *builder) focus() {
	f, m := &b.v.Focus, &b.a.focus
	m.paths, m.items = m.paths[:0], m.items[:0]
	*f = Focus{Node: structure.None, Subtree: structure.None}
	switch p := b.st.Pointer; {
	case p == nil:
		b.fromOutside()
	case b.st.Input == Treemap:
		if node := b.a.cells.at(*p); node >= 0 {
			b.subtree(node, b.st.Height)
		}
	default:
		b.calls(*p)
	}
	b.spread()
	if f.Subtree >= 0 {
		f.Name = b.st.Tree.FullName(f.Subtree)
	}
	if len(m.items) > 0 {
		f.Items = m.items
	}
}

// fromOutside puts in focus what is hovered in another pane.
func (b *builder) fromOutside() {
	for s := range b.st.Sides {
		d := b.v.Sides[s].Drawing
		for _, ref := range b.st.Sides[s].Hover {
			if d == nil || d.TrackOf(int(ref.Thread)) < 0 {
				continue
			}
			r, _ := d.CallRect(ref)
			b.v.Focus.Mode = Detail
			b.enter(s, icicle.Pick{Thread: int(ref.Thread),
				Call: int(ref.Call), From: int(ref.Call), To: int(ref.Call) + 1, Rect: r}, false, true)
			return
		}
	}
	if b.st.Hover > 0 && b.st.Hover < len(b.st.Tree.Nodes) {
		b.subtree(b.st.Hover, 0)
	}
}

// subtree puts the subtree in focus that begins so many levels above a node, at most below the node
// that fills the pane.
func (b *builder) subtree(node, height int) {
	f := &b.v.Focus
	f.Mode, f.Node, f.Subtree = Subtree, node, node
	for f.Height < height {
		up := int(b.a.cells.outer(int32(f.Subtree)))
		if up <= 0 || up == b.root() {
			break
		}
		f.Subtree = up
		f.Height++
	}
}

// calls puts in focus the call at p, or the nearest ones.
func (b *builder) calls(p geom.Point) {
	f := &b.v.Focus
	for s := range b.v.Sides {
		if d := b.v.Sides[s].Drawing; d != nil {
			if hit, ok := d.Pick(p); ok && hit.Call >= 0 {
				f.Mode = Detail
				b.enter(s, hit, false, true)
				return
			}
		}
	}
	side, nearest := b.nearest(p)
	if nearest < 0 {
		return
	}
	left, right := b.beside(side, p)
	if left >= 0 && right >= 0 {
		f.Mode = Approach
		b.enter(side, b.pickOf(side, left), true, true)
		b.enter(side, b.pickOf(side, right), true, true)
		return
	}
	f.Mode = Overview
	b.enter(side, b.pickOf(side, nearest), true, false)
}

// enter puts a call in focus, with its callers, its callees, or both.
func (b *builder) enter(side int, hit icicle.Pick, callers, callees bool) {
	m, x := &b.a.focus, &b.a.stacks[side]
	th := x.key.trace.Threads[hit.Thread]
	node := int(x.nodeOf(hit.Thread, hit.Call))
	if len(m.items) == 0 {
		b.v.Focus.Node, b.v.Focus.Subtree = node, node
	}
	m.items = append(m.items, Hit{side, hit, node})
	level := int32(th.Depth(hit.Call))
	m.paths = append(m.paths, path{side: side, thread: int32(hit.Thread), call: int32(hit.Call),
		next: int32(th.Next(hit.Call)), level: level, callers: callers, callees: callees,
		least: level, most: level})
}

// pickOf returns a shape as what lies under the pointer.
func (b *builder) pickOf(side, i int) icicle.Pick {
	x := &b.a.stacks[side]
	s := &x.shapes[i]
	return icicle.Pick{Thread: int(s.thread),
		Call: int(s.call), Aggregate: s.run, From: int(s.from), To: int(s.to), Rect: s.quad.Rect}
}

// shown returns the part of a shape that is visible: at least a pixel wide.
func (x *stacks) shown(s *shape) geom.Rect {
	r := s.quad.Rect
	r.X1 = max(r.X1, r.X0+1)
	return r.Intersect(x.drawing.View)
}

// nearest returns the shape with the least Euclidean distance from p, and its side; the index is −1
// if nothing is drawn.
func (b *builder) nearest(p geom.Point) (side, index int) {
	index = -1
	least := float32(0)
	for s := range b.v.Sides {
		x := &b.a.stacks[s]
		if b.v.Sides[s].Drawing == nil {
			continue
		}
		for i := range x.shapes {
			r := x.shown(&x.shapes[i])
			if r.Empty() {
				continue
			}
			if d := distance(p, r); index < 0 || d < least {
				side, index, least = s, i, d
			}
		}
	}
	return side, index
}

// distance returns the square of the distance from p to r.
func distance(p geom.Point, r geom.Rect) float32 {
	dx := max(r.X0-p.X, p.X-r.X1, 0)
	dy := max(r.Y0-p.Y, p.Y-r.Y1, 0)
	return dx*dx + dy*dy
}

// beside returns the nearest shapes of a side to the left and to the right of p, at its height; −1
// for none.
func (b *builder) beside(side int, p geom.Point) (left, right int) {
	left, right = -1, -1
	x := &b.a.stacks[side]
	var l, r float32
	for i := range x.shapes {
		at := x.shown(&x.shapes[i])
		if at.Empty() || p.Y < at.Y0 || p.Y >= at.Y1 {
			continue
		}
		if at.X1 <= p.X && (left < 0 || at.X1 > l) {
			left, l = i, at.X1
		}
		if at.X0 > p.X && (right < 0 || at.X0 < r) {
			right, r = i, at.X0
		}
	}
	return left, right
}
