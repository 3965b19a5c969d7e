package matches

import (
	"slices"

	"gioui.org/layout"

	"diptych/internal/geom"
	"diptych/internal/scene/icicle"
	"diptych/internal/scene/matches"
	"diptych/internal/session"
	"diptych/internal/trace"
	"diptych/internal/ui/flags"
	"diptych/internal/ui/pins"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
)

// tooltip explains what is under the pointer. It stands beside the shape it explains, never over
// it.
func (p *Pane) tooltip(c *view.Context, gtx layout.Context, st *session.State) {
	if !p.Inside || p.Grab.Moved || c.Quiet() {
		return
	}
	lines, shape := p.explain(st)
	if head, ok := pins.At(p.pins, p.At, c.Kit.Px(1)); ok {
		lines, shape = head.Pin.Lines(st), head.Box(c.Kit.Px(1))
	}
	if f, ok := flags.At(p.flags, p.At); ok {
		lines, shape = f.Lines(st), f.Box
	}
	if lines == nil {
		return
	}
	c.Kit.TipBox(gtx, lines, shape, p.At)
}

// explain returns what there is to say of the call or the match under the pointer, and where that
// is.
func (p *Pane) explain(st *session.State) ([]string, geom.Rect) {
	if hit, ok := p.view.Pick(p.At); ok {
		if hit.Call < 0 {
			return nil, geom.Rect{}
		}
		return append(slices.Clip(p.tip.of(st, hit)), words.BestLines(st)...), hit.Rect
	}
	if l, ok := p.view.PickLink(p.At); ok {
		near := geom.Rect{X0: p.At.X, X1: p.At.X, Y0: p.At.Y - 4, Y1: p.At.Y + 4}
		return words.LinkLines(st, &l), near
	}
	return nil, geom.Rect{}
}

// tip keeps the text for what is under the pointer: the self time of a call with a million callees
// takes too long to sum up every frame.
type tip struct {
	tr    *trace.Trace
	pick  icicle.Pick
	lines []string
}

func (t *tip) of(st *session.State, hit matches.Hit) []string {
	tr := st.Sides[hit.Side].Trace
	pick := hit.Pick
	pick.Rect = geom.Rect{} // moves while the text stays
	if t.lines == nil || t.tr != tr || t.pick != pick {
		*t = tip{tr, pick, words.TipLines(st, hit)}
	}
	return t.lines
}
