package dock

import (
	"context"
	"fmt"

	"gioui.org/layout"
	"gioui.org/widget"

	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
)

// advice is a line that says that another pairing of the threads would be better, with a button
// that takes it. While a matrix is shown it is about that one, else about all processes.
type advice struct{ take widget.Clickable }

// foundAdvice is what would be better over all processes.
var foundAdvice = session.Result[*pair.Pair, pair.Advice]{
	Slot: "advice", Label: "Comparing threads",
	Key: func(st *session.State) (*pair.Pair, bool) {
		return st.Pair, st.Pair != nil && st.Both() && st.Tab == Threads
	},
	Find: func(ctx context.Context, p *pair.Pair, report progress.Func) (pair.Advice, error) {
		return p.Advise(ctx, report)
	},
}

// advised returns what would be better; its Pairs are empty if nothing is, as far as is known.
func advised(st *session.State) pair.Advice {
	if !st.Alike.Shown {
		a, _ := foundAdvice.Of(st)
		return a
	}
	if m, ok := foundMatrix.Of(st); ok {
		return m.Advice()
	}
	return pair.Advice{}
}

// hear takes the better pairing if that is asked for.
func (a *advice) hear(c *view.Context, gtx C, st *session.State) {
	if a.take.Clicked(gtx) {
		c.S.RepairAll(advised(st).Pairs)
	}
}

func (a *advice) layout(c *view.Context, gtx C, st *session.State) D {
	text := adviceWords(advised(st))
	if text == "" {
		return D{}
	}
	ink := kit.Style{Size: kit.Small, Color: c.Kit.Pal.Warn, Lines: 3}
	return layout.Inset{Top: 2, Bottom: 4, Right: 8}.Layout(gtx, func(gtx C) D {
		return layout.Flex{Alignment: layout.Middle}.Layout(gtx, wide(c, text, ink),
			layout.Rigid(func(gtx C) D {
				return c.Kit.Button(gtx, &a.take, "pair them", "Take the better pairing", false)
			}))
	})
}

// adviceWords says what a better pairing gains; "" if there is none.
func adviceWords(a pair.Advice) string {
	n := len(a.Pairs)
	if n == 0 {
		return ""
	}
	text := "A better pairing exists: " + kit.Plural(n, "other pair")
	if a.Best-a.Now < .005 {
		return text + ", as alike and in order of creation."
	}
	return fmt.Sprintf("%s; similarities add up to %.2f instead of %.2f.", text, a.Best, a.Now)
}
