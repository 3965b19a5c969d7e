package ui

import (
	"strconv"

	"gioui.org/layout"
	"gioui.org/unit"

	"diptych/internal/geom"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/words"
)

// chosenCall returns what is known of the matches of the selected call at the present τ, or nil.
func chosenCall(st *session.State) *session.Chosen {
	if st.Found == nil || st.Found.Chosen == nil {
		return nil
	}
	c := st.Found.Chosen
	if c.Of != st.Selected || c.Tau != st.Tau {
		return nil
	}
	return c
}

// readMatches gathers what the call matches.
func (d *details) readMatches(st *session.State) {
	if d.chosen == nil {
		return
	}
	sums := d.chosen.Sums
	if sums.Matches == 0 {
		d.say("Matches", "nothing in "+d.of.Side.Other().String())
		return
	}
	d.say("Matches", kit.Counted(sums.Matches)+", sum of similarity "+strconv.FormatFloat(sums.Weight, 'g', 4, 64))
	switch shift := geom.FormatValue(kit.Abs(sums.Shift), words.UnitOf(st)); {
	case sums.Shift > 0:
		d.say("On average", shift+" later in "+d.of.Side.Other().String())
	case sums.Shift < 0:
		d.say("On average", shift+" earlier in "+d.of.Side.Other().String())
	}
}

// match is the line of the best match; clicking it goes there.
func (d *details) match(a *App, gtx layout.Context, st *session.State) layout.Dimensions {
	best := d.chosen.Best
	if d.best.Clicked(gtx) {
		a.S.Select(best)
		a.S.Reveal(best)
	}
	tr := st.Sides[best.Side].Trace
	th, i := st.Call(best)
	name := tr.FunctionOf(th, i).Name
	return a.kit.Pressable(gtx, &d.best, "Go to the best match", false, func(gtx layout.Context) layout.Dimensions {
		return layout.Inset{Top: 3, Bottom: 3, Right: 8}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
			return layout.Flex{Alignment: layout.Middle}.Layout(gtx,
				layout.Rigid(func(gtx layout.Context) layout.Dimensions {
					gtx.Constraints.Min.X = gtx.Dp(70)
					return a.kit.Label(gtx, "Best match", a.kit.Faint())
				}),
				layout.Rigid(func(gtx layout.Context) layout.Dimensions { return a.kit.Badge(gtx, best.Side) }),
				kit.Space(6),
				kit.Wide(func(gtx layout.Context) layout.Dimensions { return a.kit.Label(gtx, name, a.kit.Text()) }),
				a.kit.Cell(unit.Dp(46), kit.Percent(d.chosen.S), kit.Right(a.kit.Faint())))
		})
	})
}
