package ui

import (
	"image"

	"gioui.org/font"
	"gioui.org/layout"
	"gioui.org/op"

	"diptych/internal/geom"
	"diptych/internal/scene/icicle"
	"diptych/internal/scene/matches"
	"diptych/internal/session"
	"diptych/internal/trace"
)

// tooltip explains what is under the pointer. It stands beside the shape it explains, never over
// it.
func (m *mainPane) tooltip(a *App, gtx layout.Context, st *session.State) {
	if !m.inside || m.grab.moved || a.overlay.page != noPage {
		return
	}
	lines, shape := m.explain(st)
	if pin, ok := pinAt(m.pins, m.at, a.px(1)); ok {
		lines, shape = pinLines(st, &pin.pin), pin.box(a.px(1))
	}
	if lines == nil {
		return
	}
	a.tipBox(gtx, lines, shape, m.at)
}

// tipBox shows lines beside a shape, near the pointer.
func (a *App) tipBox(gtx layout.Context, lines []string, shape geom.Rect, p geom.Point) {
	a.tipPlaced(gtx, lines, func(size image.Point) image.Point {
		return besides(shape, p, size, gtx.Constraints.Max, gtx.Dp(10))
	})
}

// tipPlaced shows lines where place puts a box of their size.
func (a *App) tipPlaced(gtx layout.Context, lines []string, place func(image.Point) image.Point) {
	macro := op.Record(gtx.Ops)
	free := gtx
	free.Constraints = layout.Constraints{Max: image.Pt(min(gtx.Dp(420), gtx.Constraints.Max.X), gtx.Constraints.Max.Y)}
	d := layout.Inset{Left: 10, Right: 10, Top: 7, Bottom: 7}.Layout(free,
		func(gtx layout.Context) layout.Dimensions { return a.tipText(gtx, lines) })
	call := macro.Stop()
	defer op.Offset(place(d.Size)).Push(gtx.Ops).Pop()
	box := image.Rectangle{Max: d.Size}
	fillRound(gtx, box.Add(image.Pt(0, gtx.Dp(2))).Inset(-gtx.Dp(1)), gtx.Dp(6), a.look.pal.Shadow)
	fillRound(gtx, box, gtx.Dp(5), a.look.pal.Pane)
	strokeRound(gtx, box, gtx.Dp(5), a.px(1), a.look.pal.Line)
	call.Add(gtx.Ops)
}

// explain returns what there is to say of the call or the match under the pointer, and where that
// is.
func (m *mainPane) explain(st *session.State) ([]string, geom.Rect) {
	if hit, ok := m.view.Pick(m.at); ok {
		if hit.Call < 0 {
			return nil, geom.Rect{}
		}
		return m.tip.of(st, hit), hit.Rect
	}
	if l, ok := m.view.PickLink(m.at); ok {
		near := geom.Rect{X0: m.at.X, X1: m.at.X, Y0: m.at.Y - 4, Y1: m.at.Y + 4}
		return linkLines(st, &l), near
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
		*t = tip{tr, pick, tipLines(st, hit)}
	}
	return t.lines
}

func (a *App) tipText(gtx layout.Context, lines []string) layout.Dimensions {
	var rows []layout.FlexChild
	for i, s := range lines {
		ink := style{size: small, color: a.look.pal.Secondary}
		if i == 0 {
			ink = style{size: normal, color: a.look.pal.Text, weight: font.Medium, lines: 3}
		}
		rows = append(rows, layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return a.look.label(gtx, s, ink)
		}))
	}
	return layout.Flex{Axis: layout.Vertical}.Layout(gtx, rows...)
}

// besides places a box of the given size below the shape, else above it, near the pointer, within
// the pane.
func besides(shape geom.Rect, p geom.Point, size, pane image.Point, gap int) image.Point {
	x := min(max(0, int(p.X)+gap), max(0, pane.X-size.X))
	below, above := int(shape.Y1)+gap, int(shape.Y0)-gap-size.Y
	switch {
	case below+size.Y <= pane.Y:
		return image.Pt(x, below)
	case above >= 0:
		return image.Pt(x, above)
	}
	// The shape fills the pane's height: stand beside the pointer instead.
	if x = int(p.X) + 2*gap; x+size.X > pane.X {
		x = int(p.X) - 2*gap - size.X
	}
	return image.Pt(max(0, x), max(0, min(int(p.Y)+gap, pane.Y-size.Y)))
}

// tipLines is what the tooltip says of a call or of a run of narrow ones.
func tipLines(st *session.State, hit matches.Hit) []string {
	tr := st.Sides[hit.Side].Trace
	th, unit := tr.Threads[hit.Thread], string(tr.Unit)
	value := func(ns int64) string { return geom.FormatValue(float64(ns), unit) }
	i := hit.Call
	fn := tr.FunctionOf(th, i)
	lines := []string{fn.Name, value(th.Dur(i)) + ", self " + value(th.Self(i)) +
		", at " + value(th.Start[i])}
	if fn.Package != "" {
		lines = append(lines, fn.Package)
	}
	for _, b := range th.BlocksOf(i) {
		lines = append(lines, blocking(tr, b))
	}
	if args := th.Args(i); args != "" {
		lines = append(lines, args)
	}
	if hit.Aggregate && hit.To-hit.From > 1 {
		lines = append(lines, grouped(hit.To-hit.From)+" calls here are too narrow to draw; zoom in")
	}
	return lines
}
