package overview

import (
	"diptych/internal/pair"
	"diptych/internal/ui/flags"
	"diptych/internal/ui/things"
	"diptych/internal/ui/view"
)

// Thing implements view.View: a note's flag, or a time.
func (o *Pane) Thing(c *view.Context, pointed bool) view.Thing {
	if !pointed || o.view == nil {
		return view.Thing{}
	}
	if f, ok := flags.At(o.flags, o.at); ok {
		return things.Note(c, f.Note)
	}
	if o.side < 0 {
		return things.Ground(c, c.Aim(), c.S.State().Sides[c.Aim()].Focus.Mid())
	}
	return things.Ground(c, pair.Side(o.side), o.view.Sides[o.side].Axis.T(o.at.X))
}
