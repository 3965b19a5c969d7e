package aligned

import (
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/scene/aligned"
	"diptych/internal/session"
	"diptych/internal/ui/flags"
	"diptych/internal/ui/pins"
	"diptych/internal/ui/things"
	"diptych/internal/ui/view"
)

// Thing implements view.View: a note's flag, a pin, a call, a row of threads, or nothing but what
// goes from difference to difference.
func (p *Pane) Thing(c *view.Context, pointed bool) view.Thing {
	st := c.S.State()
	switch {
	case !pointed:
		return things.Chosen(c, p.area, p.where)
	case p.view == nil:
		return view.Thing{}
	}
	if f, ok := flags.At(p.flags, p.at); ok {
		return things.Note(c, f.Note)
	}
	if all := pins.Of(st); p.pointed >= 0 && p.pointed < len(all) {
		return all[p.pointed].Thing(c)
	}
	hit, ok := p.view.Pick(p.at)
	if ok && hit.Part == aligned.Pairs && !p.rows.folded && hit.Row < len(p.rows.shown) {
		return p.rowOf(c, hit.Row)
	}
	if t := p.target(st); t.OK {
		return things.Call(c, t)
	}
	ground := things.Ground(c, pair.A, 0)
	ground.Name, ground.Entries = "", append([]view.Entry{{Command: NextDifference},
		{Command: PrevDifference}, {Command: FirstDifference}}, ground.Entries[1:]...)
	return ground
}

// rowOf is a row of the pairs of threads.
func (p *Pane) rowOf(c *view.Context, row int) view.Thing {
	t := things.Threads(c, p.rows.shown[row].Pair)
	t.Entries = append(t.Entries, view.Entry{Command: SortPairs, Apart: true}, view.Entry{Command: FoldPairs})
	return t
}

// where returns where a call is drawn.
func (p *Pane) where(t session.Target) (r geom.Rect, ok bool) {
	if p.view == nil {
		return r, false
	}
	return p.view.CallRect(t.Side, t.Ref)
}
