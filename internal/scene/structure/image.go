package structure

import (
	"slices"
	"sort"

	"diptych/internal/structure"
)

// This file finds which shapes and cells are in focus, and which the focus is mapped to.

// occasion is what the marks depend on. While the pointer moves within a call they stay the same.
type occasion struct {
	laidOut int
	drawn   [2]int // by side; −1 if nothing is drawn
	mode    Mode
	subtree int
}

// spread finds what the focus is mapped to, unless that is known from the last frame.
func (b *builder) spread() {
	m, f := &b.a.focus, &b.v.Focus
	now := occasion{b.a.cells.laidOut, b.drawn(), f.Mode, f.Subtree}
	if m.occasion == now && slices.EqualFunc(m.paths, m.known, samePath) {
		copy(m.paths, m.known)
	} else {
		m.begin(len(b.st.Tree.Nodes), len(b.a.cells.drawn))
		for s := range b.v.Sides {
			b.sort(s)
		}
		b.mark()
		m.occasion, m.known = now, append(m.known[:0], m.paths...)
	}
	f.Functions, f.Files = len(m.nodes), m.files
	if f.Mode == Subtree {
		f.Functions = int(b.st.Tree.Nodes[f.Subtree].Functions)
		f.Files = b.a.spare.pkgs.filesIn(f.Subtree)
	}
}

func samePath(p, q path) bool {
	p.least, p.most, q.least, q.most = 0, 0, 0, 0
	return p == q
}

// drawn returns how often each side was drawn anew, or −1.
func (b *builder) drawn() (n [2]int) {
	for s := range n {
		if n[s] = b.a.stacks[s].drawn; b.v.Sides[s].Drawing == nil {
			n[s] = -1
		}
	}
	return n
}

// sort tells for each shape of a side what the focus has to do with it.
func (b *builder) sort(side int) {
	m, x := &b.a.focus, &b.a.stacks[side]
	lots := m.lots[side][:0]
	if b.v.Sides[side].Drawing == nil {
		m.lots[side] = lots
		return
	}
	sub := b.v.Focus.Mode == Subtree
	for i := range x.shapes {
		s, l := &x.shapes[i], outside
		switch {
		case sub && x.touches(s, b.st.Tree, b.v.Focus.Subtree):
			l = image
		case b.onPath(side, s):
			l = inside
		}
		lots = append(lots, l)
	}
	m.lots[side] = lots
}

// onPath reports whether a shape is on one of the paths in focus, and notes its level.
func (b *builder) onPath(side int, s *shape) bool {
	found := false
	for k := range b.a.focus.paths {
		p := &b.a.focus.paths[k]
		if p.side == side && p.has(b.st.Sides[side].Trace.Threads[s.thread], s) {
			p.least, p.most = min(p.least, s.level), max(p.most, s.level)
			found = true
		}
	}
	return found
}

// touches reports whether a function of a shape is in a subtree.
func (x *stacks) touches(s *shape, t *structure.Tree, root int) bool {
	from, size := uint32(root), uint32(t.Nodes[root].Size)
	if uint32(s.node)-from < size {
		return true
	}
	for _, n := range x.samples[s.s0:s.s1] {
		if uint32(n)-from < size {
			return true
		}
	}
	return false
}

// mark marks the functions in focus, the cells they are in, and the calls of the other side.
func (b *builder) mark() {
	if b.v.Focus.Mode == Subtree {
		b.markSubtree()
		return
	}
	for s := range b.a.focus.lots {
		x := &b.a.stacks[s]
		for i, l := range b.a.focus.lots[s] {
			if l != inside {
				continue
			}
			b.markNode(x.shapes[i].node)
			for _, n := range x.samples[x.shapes[i].s0:x.shapes[i].s1] {
				b.markNode(n)
			}
		}
	}
	b.markOtherSide()
}

// markOtherSide finds the calls of the side without focus whose functions are in focus.
func (b *builder) markOtherSide() {
	m := &b.a.focus
	if len(m.paths) == 0 {
		return
	}
	other := 1 - m.paths[0].side
	for i := range m.lots[other] {
		if n := b.a.stacks[other].shapes[i].node; n >= 0 && m.node[n] == m.epoch {
			m.lots[other][i] = image
		}
	}
}

func (b *builder) markNode(n int32) {
	m, c := &b.a.focus, &b.a.cells
	if n < 0 || m.node[n] == m.epoch {
		return
	}
	m.node[n] = m.epoch
	m.nodes = append(m.nodes, n)
	if file := b.a.spare.pkgs.file[n]; m.file[file] != m.epoch {
		m.file[file] = m.epoch
		m.files++
	}
	if k := c.by[n]; k != notBeneath && m.cell[k] != m.epoch {
		m.cell[k] = m.epoch
		m.cells = append(m.cells, k)
	}
}

// markSubtree marks the cells of the subtree in focus.
func (b *builder) markSubtree() {
	m := &b.a.focus
	from, to := b.a.cells.span(b.v.Focus.Subtree)
	for k := from; k < to; k++ {
		m.cell[k] = m.epoch
		m.cells = append(m.cells, int32(k))
	}
}

// span returns the cells of a subtree as indices of drawn, from and up to. A subtree that is too
// small to be drawn has the cell around it; one that is not shown has none.
func (c *cells) span(root int) (from, to int) {
	if k := c.by[root]; k != notBeneath {
		return int(k), int(k) + 1
	}
	end := root + int(c.key.tree.Nodes[root].Size)
	search := func(node int) int {
		return sort.Search(len(c.drawn), func(k int) bool { return int(c.drawn[k]) >= node })
	}
	return search(root), search(end)
}
