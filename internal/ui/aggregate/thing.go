package aggregate

import (
	"gioui.org/layout"

	"diptych/internal/command"
	scene "diptych/internal/scene/aggregate"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/things"
	"diptych/internal/ui/view"
)

// Thing implements view.View: an aggregate, the name of resources, or nothing but the whole.
func (p *Pane) Thing(c *view.Context, pointed bool) view.Thing {
	o := overviewIn(c.S.State())
	switch {
	case !pointed:
		return things.Chosen(c, p.area, nil)
	case p.view == nil || o == nil:
		return view.Thing{}
	}
	if k, label, ok := p.view.PickLabel(p.at); ok {
		n := &p.built.state.Plots[k].Picture.Source.Tree().Nodes[label.Node]
		folds := "Fold its rows into one"
		if label.Folded {
			folds = "Unfold its rows"
		}
		return view.Thing{Name: nodeName(n), Entries: around([]view.Entry{
			{Title: folds, Do: func(c *view.Context, _ layout.Context) { fold(c.S, scene.Key(n)) }},
			things.CopyText("Copy the name", nodeName(n)), {Command: Refold}})}
	}
	at, ok := p.pointed(o)
	if !ok {
		return view.Thing{Entries: around(nil)}
	}
	return at.thing(c)
}

// thing is an aggregate.
func (x spot) thing(c *view.Context) view.Thing {
	return view.Thing{Name: x.name(), Usual: kit.Plain, Text: things.Told(x.explain(c.S.State())),
		Entries: around([]view.Entry{
			{Title: "Show it alone", Do: func(c *view.Context, _ layout.Context) { zoomInto(c.S, x) }},
			{Title: "Show its calls", Do: func(c *view.Context, _ layout.Context) { showCalls(c, x) }}})}
}

// Thing implements view.Holder: a place where the sides differ.
func (l *Panel) Thing(c *view.Context, pointed bool) view.Thing {
	i, ok := l.clicks.Hovered()
	if o := overviewIn(c.S.State()); pointed && ok && o != nil && o == l.of && i < len(o.worst) {
		return o.spotOf(o.worst[i]).thing(c)
	}
	return view.Thing{}
}

// around adds what is about the whole view.
func around(own []view.Entry) []view.Entry {
	return append(own, view.Entry{Command: ZoomBack, Apart: true}, view.Entry{Command: command.ShowAll},
		view.Entry{Command: BestP}, view.Entry{Command: ShowStates})
}
