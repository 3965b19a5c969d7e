package structure

import (
	"gioui.org/io/pointer"
	"gioui.org/layout"

	scene "diptych/internal/scene/structure"
	"diptych/internal/session"
	"diptych/internal/structure"
	"diptych/internal/ui/flags"
	"diptych/internal/ui/stacks"
	"diptych/internal/ui/view"
)

// pointer takes one event of the pointer over the view.
func (p *Pane) pointer(c *view.Context, gtx layout.Context, e pointer.Event) {
	c.Dirty() // what is in focus follows the pointer
	p.Hear(c, gtx, e, stacks.Own{Click: p.click, Turn: p.turn})
	if !p.Inside {
		c.S.Brush(nil)
	}
}

// click selects the call or the code under the pointer for all views. A second click fits the call,
// or lets the code fill the pane.
func (p *Pane) click(c *view.Context, e pointer.Event) {
	again := p.clicked.Add(e) >= 2
	if f, ok := flags.At(p.flags, p.At); ok {
		f.Choose(c, again)
		return
	}
	hit, ok := p.view.Pick(p.At)
	if t := target(hit); ok && t.OK {
		c.S.Select(t)
		c.TurnToDetails()
		if again {
			c.S.Fit(t)
		}
		return
	}
	t := treeIn(c.S.State())
	switch {
	case !ok || hit.Node <= 0 || t == nil:
		deselect(c.S)
	case again:
		zoomTo(c.S, t, p.inner(t, rootOf(t, ownOf(c.S.State())), hit.Node))
	default:
		choose(c.S, t, p.meant(hit.Node))
	}
}

// meant returns the node that a click on a cell is meant for: with the treemap as input target, the
// one whose subtree is in focus.
func (p *Pane) meant(node int) int {
	if f := &p.view.Focus; f.Mode == scene.Subtree {
		return f.Subtree
	}
	return node
}

// inner returns the node that a double click on a cell zooms into: the one whose subtree is in
// focus, if the wheel has chosen it, else the cell's ancestor on the next level below the root of
// the pane.
func (p *Pane) inner(t *structure.Tree, root, node int) int {
	if f := &p.view.Focus; f.Mode == scene.Subtree && f.Height > 0 && f.Subtree != root {
		return f.Subtree
	}
	root = t.ChainEnd(root)
	for int(t.Nodes[node].Parent) != root && t.Nodes[node].Parent > 0 {
		node = int(t.Nodes[node].Parent)
	}
	return node
}

// choose selects the code of a node for all views: its calls stand out, and its functions are
// listed.
func choose(s *session.Session, t *structure.Tree, node int) {
	if node <= 0 {
		deselect(s)
		return
	}
	s.Select(session.Target{})
	s.FindIn(placeOf(t, node))
}

// deselect selects nothing.
func deselect(s *session.Session) {
	s.Select(session.Target{})
	if s.State().Search.Place != nil {
		s.Find("")
	}
}

// turn sets, with the treemap as input target, how many levels above the node under the pointer the
// focus begins.
func (p *Pane) turn(c *view.Context, notches float32) bool {
	if ownOf(c.S.State()).Input != scene.Treemap {
		return false
	}
	p.climb(c.S, -notches)
	return true
}

// climb moves the root of the focus so many levels up, in steps of whole levels, and not beyond the
// levels there are above the node under the pointer.
func (p *Pane) climb(s *session.Session, notches float32) {
	p.turned += notches
	steps := int(p.turned) // towards zero
	p.turned -= float32(steps)
	if steps == 0 {
		return
	}
	change(s, func(o *Own) {
		if f := &p.view.Focus; f.Mode == scene.Subtree {
			o.Height = min(o.Height, f.Height)
		}
		o.Height = min(max(o.Height+steps, 0), mostHeight)
	})
}

// mostHeight is more levels than any tree has.
const mostHeight = 64
