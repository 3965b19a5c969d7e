package structure

import (
	"gioui.org/layout"

	"diptych/internal/geom"
	"diptych/internal/session"
	"diptych/internal/structure"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/things"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
)

// Thing implements view.View: a call, a piece of code, or a time.
func (p *Pane) Thing(c *view.Context, pointed bool) view.Thing {
	st := c.S.State()
	t := treeIn(st)
	if !pointed {
		if t != nil && !st.Selected.OK && selected(t, st) > 0 {
			return codeThing(st, t, selected(t, st))
		}
		return things.Chosen(c, p.area, p.where)
	}
	if p.view == nil {
		return view.Thing{}
	}
	hit, ok := p.view.Pick(p.At)
	if call := target(hit); ok && call.OK {
		return withSource(things.Call(c, call))
	}
	if ok && t != nil && hit.Node > 0 {
		return codeThing(st, t, p.meant(hit.Node))
	}
	return withSource(p.Ground(c))
}

// where returns where a call is drawn.
func (p *Pane) where(t session.Target) (r geom.Rect, ok bool) {
	if p.view == nil || p.view.Sides[t.Side].Drawing == nil {
		return r, false
	}
	return p.view.Sides[t.Side].Drawing.CallRect(t.Ref)
}

// codeThing is a node of the code: a package, a file or a function.
func codeThing(st *session.State, t *structure.Tree, node int) view.Thing {
	name := t.FullName(node)
	return withSource(view.Thing{Name: name, Usual: kit.Plain,
		Choose: func(c *view.Context) { choose(c.S, t, node) },
		Text:   things.Told(nodeLines(t, node, words.UnitOf(st))),
		Entries: []view.Entry{
			{Title: "Let it fill the pane", Command: ZoomInto,
				Do: func(c *view.Context, _ layout.Context) { zoomTo(c.S, t, branch(t, node)) }},
			{Command: ZoomOut},
			{Title: "List its functions",
				Do: func(c *view.Context, _ layout.Context) { c.ShowTab(view.Functions) }},
			things.CopyText("Copy its name", name),
		}})
}

// withSource adds what leads to the source code.
func withSource(t view.Thing) view.Thing {
	t.Entries = append(t.Entries, view.Entry{Title: "Choose the folder of the source code…",
		Command: ChooseSource, Apart: true}, view.Entry{Command: DropSource})
	return t
}
