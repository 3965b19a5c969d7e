package ui

import (
	"gioui.org/layout"
	"gioui.org/widget"

	"diptych/internal/command"
	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
)

// changeOffer says in the status line that a recording has changed since it was loaded, and offers
// to read it again.
type changeOffer struct{ read, leave widget.Clickable }

// update takes the answer.
func (o *changeOffer) update(a *App, gtx layout.Context) {
	if o.read.Clicked(gtx) {
		a.Perform(gtx, command.ReadAgain)
	}
	if o.leave.Clicked(gtx) {
		a.S.LeaveChanges()
	}
}

// changedText names what has changed; "" if nothing has.
func changedText(st *session.State) string {
	a, b := st.Sides[pair.A].Changed, st.Sides[pair.B].Changed
	switch {
	case a && b:
		return "A and B have changed:"
	case a:
		return "A has changed:"
	case b:
		return "B has changed:"
	}
	return ""
}

// layout lays out the offer in a line, if there is something to read again.
func (o *changeOffer) layout(a *App, st *session.State) []layout.FlexChild {
	text := changedText(st)
	if text == "" || a.onBatch() {
		return nil
	}
	return []layout.FlexChild{
		layout.Rigid(func(gtx layout.Context) layout.Dimensions { return a.kit.Label(gtx, text, a.kit.Text()) }),
		kit.Space(4),
		layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return a.kit.Button(gtx, &o.read, "read again", a.Command(command.ReadAgain).Title, false)
		}),
		layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return a.kit.Button(gtx, &o.leave, "leave", "Leave what is shown as it is", false)
		}),
		kit.Space(18),
	}
}
