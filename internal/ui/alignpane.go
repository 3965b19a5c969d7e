package ui

import (
	"image"
	"math"

	"gioui.org/io/event"
	"gioui.org/io/key"
	"gioui.org/io/pointer"
	"gioui.org/io/semantic"
	"gioui.org/layout"
	"gioui.org/op"
	"gioui.org/op/clip"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/scene/aligned"
	"diptych/internal/scene/icicle"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/words"
)

// alignPane shows the alignment of the current pair of threads on virtual time.
type alignPane struct {
	bar   alignBar
	view  *aligned.View
	arena aligned.Arena
	texts kit.Texts
	area  image.Rectangle

	at      geom.Point
	inside  bool
	grab    kit.Grab
	clicked kit.ClickCount
	pointed int // the pin under the pointer, as an index into pinsOf, or −1
}

func (p *alignPane) layout(a *App, gtx layout.Context, st *session.State, tools, r image.Rectangle) {
	kit.At(gtx, tools, func(gtx layout.Context) { p.bar.layout(a, gtx, st) })
	p.area = r
	if r.Empty() {
		p.view = nil
		return
	}
	p.build(a, a.S.State())
	kit.At(gtx, r, func(gtx layout.Context) {
		p.input(a, gtx)
		p.aim(a)
		if now := a.S.State(); now.Rev != st.Rev || p.inside {
			p.build(a, now)
		}
		p.texts.Draw(a.kit, gtx, p.view.Scene)
		if a.S.State().Shown() == nil {
			kit.Centred(gtx, func(gtx layout.Context) layout.Dimensions {
				return a.kit.Label(gtx, p.why(a, st), a.kit.Faint())
			})
			return
		}
		p.tooltip(a, gtx, a.S.State())
	})
}

// why says why there is nothing to see.
func (p *alignPane) why(a *App, st *session.State) string {
	switch {
	case st.Aligned != nil && st.Pair != nil && st.Current < len(st.Pair.Threads):
		if t := st.Pair.Threads[st.Current]; t.A < 0 || t.B < 0 {
			return "This thread has no partner: choose a pair of threads."
		}
	case st.Aligned == nil && len(a.S.Jobs()) == 0:
		return "The traces are not aligned."
	}
	return "Aligning…"
}

func (p *alignPane) build(a *App, st *session.State) {
	as := AlignState(st, a.kit.Pal, a.kit.Px(1))
	as.Scroll = st.Scroll[pair.A]
	as.Filter = p.bar.filter(st)
	if p.pointed >= 0 && p.pointed < len(as.Pins) {
		as.Pins[p.pointed].Loud = true
	}
	if p.inside && p.view != nil {
		t := p.view.Axis.T(p.at.X)
		as.Cursor = &t
	}
	p.view = buildAligned(as, st, p.area.Size(), true, &p.arena)
}

func (p *alignPane) scene() (*scene.Scene, image.Rectangle) {
	if p.view == nil {
		return nil, p.area
	}
	return p.view.Scene, p.area
}

// AlignState translates a session's snapshot for the view of the alignment; the headless renderer
// uses it too.
func AlignState(st *session.State, pal *palette.Palette, scale float32) *aligned.State {
	as := &aligned.State{Palette: pal, Scale: scale, Rows: st.Rows, Focus: st.Virtual}
	if st.Lighter {
		as.Detail = icicle.Lighter
	}
	v := st.Shown()
	if v == nil {
		return as
	}
	as.Prepared = v.Prepared
	for _, side := range []pair.Side{pair.A, pair.B} {
		as.Hover[side], as.Selected[side] = refsOn(side, st.Hover), refsOn(side, st.Selected)
		as.Emphasis[side] = emphasis(st, side)
	}
	as.Pairs = pairRows(st, v)
	as.Pins = alignedPins(st, v)
	return as
}

// pairRows returns a line for each pair of threads, if there are several.
func pairRows(st *session.State, v *session.Shown) []aligned.Row {
	lines := st.Aligned.Lines
	if len(lines) < 2 {
		return nil
	}
	rows := make([]aligned.Row, 0, len(lines))
	for _, l := range lines {
		rows = append(rows, aligned.Row{
			Title: words.PairName(st, st.Pair.Threads[l.Pair]), Current: l.Pair == st.Current,
			Timeline: l.Timeline, Start: float64(v.At(pair.A, l.From)), Length: float64(l.Length),
		})
	}
	return rows
}

// buildAligned builds the view with its legend below. Where there is little room the legend leaves
// out what a bar above the view explains.
func buildAligned(as *aligned.State, st *session.State, size image.Point, bar bool,
	a *aligned.Arena) *aligned.View {
	dp := max(as.Scale, 1e-3)
	all := geom.Size{W: float32(size.X), H: float32(size.Y)}
	entries := kit.Fitting(alignLegend(st, as.Palette), nil, all, dp)
	if bar && len(entries) == 0 && len(as.Pairs) == 0 {
		entries = kit.Fitting(besidesStates(alignLegend(st, as.Palette)), nil, all, dp)
	}
	v := aligned.Build(as, geom.Size{W: all.W, H: all.H - kit.LegendHeight(entries, all.W, dp)}, a)
	if len(entries) > 0 {
		kit.AddLegend(v.Scene, entries, as.Palette, dp)
	}
	return v
}

func (p *alignPane) input(a *App, gtx layout.Context) {
	area := clip.Rect{Max: p.area.Size()}.Push(gtx.Ops)
	event.Op(gtx.Ops, p)
	semantic.LabelOp("Alignment of the traces").Add(gtx.Ops)
	if p.grab.Moved {
		pointer.CursorGrabbing.Add(gtx.Ops)
	}
	area.Pop()
	for e := range kit.Pointed(gtx, p) {
		if p.view != nil {
			p.pointer(a, gtx, e)
		}
	}
}

func (p *alignPane) pointer(a *App, gtx layout.Context, e pointer.Event) {
	p.at = geom.Point{X: e.Position.X, Y: e.Position.Y}
	p.inside = e.Kind != pointer.Leave && e.Kind != pointer.Cancel
	switch e.Kind {
	case pointer.Leave, pointer.Cancel:
		p.grab = kit.Grab{}
		a.S.SetHover(session.Target{})
	case pointer.Press:
		gtx.Execute(key.FocusCmd{})
		p.bar.anchors.drop.Close()
		st := a.S.State()
		p.grab = kit.Grab{Kind: kit.Panning, Press: p.at, Focus: st.Virtual, Scroll: st.Scroll[pair.A]}
	case pointer.Drag:
		p.drag(a)
	case pointer.Release:
		p.drag(a)
		if g := p.grab; g.Kind != kit.NoGrab && !g.Moved {
			p.click(a, e)
		}
		p.grab = kit.Grab{}
	case pointer.Scroll:
		p.wheel(a, e)
	}
	gtx.Execute(op.InvalidateCmd{})
}

// drag pans along virtual time and through the stack levels.
func (p *alignPane) drag(a *App) {
	g := &p.grab
	dx, dy := p.at.X-g.Press.X, p.at.Y-g.Press.Y
	if g.Kind == kit.NoGrab || !g.Moved && kit.Abs(dx) < a.kit.Px(kit.DragThreshold) && kit.Abs(dy) < a.kit.Px(kit.DragThreshold) {
		return
	}
	g.Moved = true
	width := p.view.Axis.X1 - p.view.Axis.X0
	a.S.SetVirtual(g.Focus.Shift(-float64(dx) * g.Focus.Len() / float64(max(width, 1))))
	a.S.Scroll(pair.A, min(max(g.Scroll-dy, 0), p.view.MaxScroll))
}

// wheel zooms at the pointer; with Ctrl it makes rows taller or lower, with Shift it pans.
func (p *alignPane) wheel(a *App, e pointer.Event) {
	st := a.S.State()
	notches := float64(e.Scroll.Y / a.kit.Px(kit.Notch))
	switch {
	case e.Modifiers.Contain(key.ModShift) || e.Scroll.X != 0 && e.Scroll.Y == 0:
		a.S.SetVirtual(st.Virtual.Shift(float64(e.Scroll.X+e.Scroll.Y) * 3 * p.view.Axis.NsPerPx()))
	case e.Modifiers.Contain(key.ModCtrl):
		a.S.ScaleRows(float32(math.Pow(kit.WheelZoom, notches)))
	default:
		a.S.ZoomVirtual(p.view.Axis.T(p.at.X), math.Pow(1/kit.WheelZoom, notches))
	}
}

// aim notes which call the pointer is over.
func (p *alignPane) aim(a *App) {
	p.pointed = -1
	if !p.inside || p.view == nil || p.grab.Moved {
		return
	}
	st := a.S.State()
	if k, side, ok := p.view.PickPin(p.at); ok && k < len(pinsOf(st)) {
		p.pointed = k
		pin := pinsOf(st)[k]
		a.S.SetHover(pin.ends()[side])
		return
	}
	a.S.SetHover(p.target(st))
}

// target returns the call under the pointer: of the status, that of A if there is one.
func (p *alignPane) target(st *session.State) session.Target {
	hit, ok := p.view.Pick(p.at)
	v := st.Shown()
	if !ok || !hit.OnCall || v == nil {
		return session.Target{}
	}
	sides := []pair.Side{pair.A, pair.B}
	if hit.Part == aligned.SideB {
		sides = []pair.Side{pair.B, pair.A}
	}
	for _, side := range sides {
		if ref, ok := v.Prepared.Ref(hit.Node, side); ok {
			return session.Target{Side: side, Ref: ref, OK: true}
		}
	}
	return session.Target{}
}

// click selects what is under the pointer, or shows the threads whose line it is; a second click
// fits it.
func (p *alignPane) click(a *App, e pointer.Event) {
	st := a.S.State()
	if k, side, ok := p.view.PickPin(p.at); ok && k < len(pinsOf(st)) {
		a.choosePin(&pinsOf(st)[k], side)
		return
	}
	if hit, ok := p.view.Pick(p.at); ok && hit.Part == aligned.Pairs {
		if lines := st.Aligned.Lines; hit.Row < len(lines) {
			a.S.ShowPair(lines[hit.Row].Pair)
		}
		return
	}
	t := p.target(st)
	a.S.Select(t)
	a.dock.turnToDetails()
	if p.clicked.Add(e) >= 2 && t.OK {
		hit, _ := p.view.Pick(p.at)
		p.show(a, hit.Node, .1)
	}
}

// show makes a node visible with a margin on either side, as a share of its length.
func (p *alignPane) show(a *App, n aligned.Node, margin float64) {
	length := max(float64(n.End-n.Start), 1)
	a.S.SetVirtual(geom.Span{Start: float64(n.Start) - margin*length, End: float64(n.End) + margin*length})
}

// step goes to the difference after (or before) the middle of what is shown, or to the first of all.
func (p *alignPane) step(a *App, by int) {
	st := a.S.State()
	v := st.Shown()
	if v == nil {
		return
	}
	at := int64(st.Virtual.Mid())
	if n, ok := p.selected(st); ok {
		at = n.Start
	}
	filter := p.bar.filter(st)
	var n aligned.Node
	var ok bool
	switch {
	case by > 0:
		n, ok = v.Prepared.Next(at, filter)
	case by < 0:
		n, ok = v.Prepared.Previous(at, filter)
	default:
		n, ok = v.Prepared.First()
	}
	if !ok {
		return
	}
	for _, side := range []pair.Side{pair.B, pair.A} {
		if ref, has := v.Prepared.Ref(n, side); has {
			a.S.Select(session.Target{Side: side, Ref: ref, OK: true})
		}
	}
	if s := st.Virtual; float64(n.Start) < s.Start || float64(n.End) > s.End ||
		float64(n.End-n.Start) < s.Len()/200 {
		p.show(a, n, 4)
	}
}

// selected returns the node of the selected call.
func (p *alignPane) selected(st *session.State) (aligned.Node, bool) {
	v, t := st.Shown(), st.Selected
	if v == nil || !t.OK || int(t.Ref.Thread) != v.Indices[t.Side] {
		return aligned.Node{}, false
	}
	return v.Prepared.Node(v.Prepared.NodeOf(t.Side, int(t.Ref.Call))), true
}

// tooltip says what is under the pointer on both sides.
func (p *alignPane) tooltip(a *App, gtx layout.Context, st *session.State) {
	if !p.inside || p.grab.Moved || a.overlay.page != noPage {
		return
	}
	if pins := pinsOf(st); p.pointed >= 0 && p.pointed < len(pins) {
		near := geom.Rect{X0: p.at.X, X1: p.at.X, Y0: p.at.Y - 6, Y1: p.at.Y + 6}
		a.kit.TipBox(gtx, pinLines(st, &pins[p.pointed]), near, p.at)
		return
	}
	hit, ok := p.view.Pick(p.at)
	v := st.Shown()
	if !ok || v == nil {
		return
	}
	if !hit.OnCall {
		if lines, strip := words.StripLines(st, p.view, pairRows(st, v), &hit); lines != nil {
			a.kit.TipBox(gtx, lines, strip, p.at)
		}
		return
	}
	a.kit.TipBox(gtx, words.AlignLines(st, v, &hit), hit.Pick.Rect, p.at)
}
