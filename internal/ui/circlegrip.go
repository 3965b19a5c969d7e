package ui

import (
	"math"

	"gioui.org/io/key"
	"gioui.org/io/pointer"

	"diptych/internal/geom"
	"diptych/internal/scene/threads"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
)

// grip is what a drag that began in a side of the view of threads does.
type grip struct {
	kind  gripKind
	hit   threads.Hit
	place int // that is moved
	press geom.Point
	view  geom.Span // what the place showed when the drag began
	fold  int       // and how many levels were folded

	pressed, moved bool
}

type gripKind uint8

const (
	noGrip    gripKind = iota
	placeGrip          // of a thread: becomes one of the next two once its direction is known
	panGrip
	foldGrip
	rangeGrip // Shift-drag: selects a range
	labelGrip // takes a thread elsewhere
	splitGrip
	zeroGrip
	barGrip
)

func (p *circlePane) press(a *App, e pointer.Event) {
	if !e.Buttons.Contain(pointer.ButtonPrimary) || p.view == nil {
		return
	}
	h, _ := p.view.Pick(p.at)
	p.hit = h
	p.grip = grip{pressed: true, hit: h, press: p.at, place: h.Place}
	g := &p.grip
	switch {
	case h.Part == threads.OnZero:
		g.kind = zeroGrip
	case h.Part == threads.OnLabel:
		g.kind = labelGrip
	case h.Part == threads.OnSplitter:
		g.kind = splitGrip
	case h.Part >= threads.OnBar && h.Part <= threads.OnRight:
		g.kind, g.view = barGrip, p.view.ViewOf(h.Place)
	default:
		p.gripPlace(e)
	}
}

// gripPlace takes hold of the thread at the pointer; between threads, of the one in the middle.
func (p *circlePane) gripPlace(e pointer.Event) {
	g := &p.grip
	at := p.view.PlaceAt(p.at)
	if at == threads.Nowhere {
		if p.view.Drawing != nil {
			g.kind, g.place, g.view = panGrip, threads.Main, p.view.ViewOf(threads.Main)
		}
		return
	}
	g.kind, g.place = placeGrip, at
	g.view, g.fold = p.view.ViewOf(at), p.view.Folded(at)
	if at == threads.Main && e.Modifiers.Contain(key.ModShift) {
		g.kind = rangeGrip
	}
}

func (p *circlePane) drag(a *App) {
	g := &p.grip
	dx, dy := p.at.X-g.press.X, p.at.Y-g.press.Y
	if p.view == nil || !g.pressed || g.place >= len(p.shown.Sections) ||
		!g.moved && kit.Abs(dx) < a.kit.Px(kit.DragThreshold) && kit.Abs(dy) < a.kit.Px(kit.DragThreshold) {
		return
	}
	g.moved = true
	if g.kind == placeGrip {
		g.kind = panGrip
		if along := math.Hypot(float64(dx), float64(dy)); math.Abs(float64(
			p.view.Outward(g.place, g.press, p.at))) > steep*along {
			g.kind = foldGrip
		}
	}
	switch g.kind {
	case panGrip:
		v := p.view
		p.show(a, g.place, g.view.Shift(v.TimeAt(g.place, g.press)-v.TimeAt(g.place, p.at)))
	case foldGrip:
		p.fold(a, g.place, p.view.FoldAfter(g.place, g.fold, p.view.Outward(g.place, g.press, p.at)))
	case rangeGrip:
		t0, t1 := p.view.Axis.T(g.press.X), p.view.Axis.T(p.at.X)
		a.S.SelectRange(p.side, geom.Span{Start: min(t0, t1), End: max(t0, t1)})
	case splitGrip:
		split := p.view.SplitAt(p.at.Y)
		a.S.SetWaitStyle(func(w *session.WaitStyle) { w.Split = split })
	case zeroGrip:
		zero := p.view.ZeroAt(p.at)
		a.S.SetWaitStyle(func(w *session.WaitStyle) { w.Zero = zero })
	case barGrip:
		p.dragBar(a)
	}
}

// steep is from which share of its way on a drag folds rather than pans.
const steep = .8

// dragBar moves or resizes what a place shows; beside that it draws a new stretch.
func (p *circlePane) dragBar(a *App) {
	g := &p.grip
	if g.hit.Bar >= len(p.view.Bars) {
		return
	}
	axis, f := p.view.Bars[g.hit.Bar].Axis, g.view
	dt := axis.T(p.at.X) - axis.T(g.press.X)
	switch g.hit.Part {
	case threads.OnFocus:
		f = f.Shift(dt)
	case threads.OnLeft:
		f.Start = max(axis.Span.Start, min(f.Start+dt, f.End-axis.NsPerPx()))
	case threads.OnRight:
		f.End = min(axis.Span.End, max(f.End+dt, f.Start+axis.NsPerPx()))
	default:
		t0, t1 := axis.T(g.press.X), axis.T(p.at.X)
		f = geom.Span{Start: max(min(t0, t1), axis.Span.Start), End: min(max(t0, t1), axis.Span.End)}
	}
	p.show(a, g.place, f)
}

// show lets a place show a stretch of time.
func (p *circlePane) show(a *App, place int, span geom.Span) {
	if th := p.thread(place); th >= 0 {
		a.S.ViewThread(p.side, th, span)
	} else if place == threads.Main {
		a.S.SetFocus(p.side, span)
	}
}

// fold folds so many levels of a place.
func (p *circlePane) fold(a *App, place, levels int) {
	if th := p.thread(place); th >= 0 {
		a.S.FoldThread(p.side, th, levels)
	}
}

// thread returns the thread whose stacks a place shows, or −1.
func (p *circlePane) thread(place int) int {
	s := &p.shown.Focus
	if place != threads.Main {
		if place < 0 || place >= len(p.shown.Sections) {
			return -1
		}
		s = &p.shown.Sections[place]
	}
	if len(s.Threads) == 0 {
		return -1
	}
	return s.Threads[0]
}

func (p *circlePane) release(a *App, e pointer.Event) {
	p.drag(a) // the last way may come with the release alone
	g := p.grip
	p.grip = grip{}
	switch {
	case p.view == nil || !g.pressed:
	case g.moved && g.kind == labelGrip:
		p.drop(a, &g)
	case !g.moved:
		p.click(a, e, &g)
	}
}

// drop exchanges the thread that was dragged with the one it is let go over.
func (p *circlePane) drop(a *App, g *grip) {
	to := p.view.PlaceAt(p.at)
	if h, ok := p.view.Pick(p.at); ok && to == threads.Nowhere && h.Part == threads.OnLabel {
		to = h.Place
	}
	from, onto := a.threads.circle.lines(g.hit.Place), a.threads.circle.lines(to)
	if len(from) > 0 && len(onto) > 0 {
		a.S.SwapLines(from[0], onto[0])
	}
}

// click does what a click does where the press was; a second one at once does more.
func (p *circlePane) click(a *App, e pointer.Event, g *grip) {
	if again := p.clicked.Add(e) >= 2; again && p.again(a) {
		return
	}
	p.first, p.named = session.Target{}, nil
	switch h := &g.hit; h.Part {
	case threads.OnLabel:
		p.named = a.threads.circle.lines(h.Place)
		p.widen(a, h.Place, !p.isWide(a, h.Place))
	case threads.OnCall, threads.OnRibbon, threads.OnRelease:
		p.first = p.target(h)
		a.S.Select(p.first)
		a.dock.turnToDetails()
		if h.Part == threads.OnCall && h.Place >= 0 {
			p.widen(a, h.Place, true)
		}
	case threads.OnSection:
		if h.Place >= 0 && h.Thread >= 0 {
			p.widen(a, h.Place, !p.isWide(a, h.Place))
		} else {
			a.S.Select(session.Target{})
		}
	case threads.OnBar:
		if h.Place >= len(p.shown.Sections) {
			return
		}
		f := p.view.ViewOf(h.Place)
		p.show(a, h.Place, f.Shift(h.At-f.Mid()))
	case threads.OnFolded:
		a.S.ShowIdle(!a.S.State().Circle().Idle)
	case threads.OnFocus, threads.OnLeft, threads.OnRight, threads.OnSplitter, threads.OnZero:
	default:
		a.S.Select(session.Target{})
	}
}

// again does what the second of two clicks does to what the first one was on, which may have moved
// from under the pointer since: it shows all of a call, and hides threads.
func (p *circlePane) again(a *App) bool {
	switch {
	case p.first.OK:
		p.showCall(a, p.first)
	case len(p.named) > 0:
		for _, k := range p.named {
			a.S.WidenLine(k, false)
		}
		a.S.HideLines(p.named...)
		p.named = nil
	default:
		return false
	}
	return true
}

func (p *circlePane) isWide(a *App, place int) bool {
	lines := a.threads.circle.lines(place)
	return len(lines) > 0 && a.S.State().Circle().Wide[lines[0]]
}

// widen widens a thread's section, or spreads those that are folded into one.
func (p *circlePane) widen(a *App, place int, wide bool) {
	lines := a.threads.circle.lines(place)
	switch {
	case len(lines) == 0:
	case len(lines) > 1:
		a.S.SpreadRole(a.threads.circle.of.prepared.RoleOf(lines[0]), true)
	default:
		a.S.WidenLine(lines[0], wide)
	}
}

// showCall shows a call over the whole width of its place.
func (p *circlePane) showCall(a *App, t session.Target) {
	st := a.S.State()
	th, i := st.Call(t)
	span := geom.Span{Start: float64(th.Start[i]), End: float64(th.End[i])}
	margin := max(span.Len()*.1, 10)
	a.S.ViewThread(p.side, int(t.Ref.Thread),
		geom.Span{Start: span.Start - margin, End: span.End + margin})
}

// wheel zooms the place at the pointer; with Ctrl it folds levels, with Shift it pans.
func (p *circlePane) wheel(a *App, e pointer.Event) {
	if p.view == nil {
		return
	}
	at := p.placeUnder()
	notches := float64(e.Scroll.Y / a.kit.Px(kit.Notch))
	switch {
	case e.Modifiers.Contain(key.ModShift) || e.Scroll.X != 0 && e.Scroll.Y == 0:
		f := p.view.ViewOf(at)
		p.show(a, at, f.Shift(float64(e.Scroll.X+e.Scroll.Y)*3*f.Len()/float64(max(p.area.Dx(), 1))))
	case e.Modifiers.Contain(key.ModCtrl):
		if p.thread(at) >= 0 && (at != threads.Main || p.view.Drawing != nil) {
			row := p.view.Row
			if at != threads.Main {
				row = p.view.RingRow
			}
			p.fold(a, at, p.view.FoldAfter(at, p.view.Folded(at), -float32(notches)*row))
		}
	default:
		p.zoom(a, at, math.Pow(1/kit.WheelZoom, notches))
	}
}

// placeUnder returns the place that the pointer is over: the focus thread's where there is no other.
func (p *circlePane) placeUnder() int {
	if p.hit.Part == threads.OnLabel || p.hit.Part >= threads.OnBar && p.hit.Part <= threads.OnRight {
		if p.hit.Place < len(p.shown.Sections) {
			return p.hit.Place
		}
	}
	if at := p.view.PlaceAt(p.at); at != threads.Nowhere {
		return at
	}
	return threads.Main
}

// zoom scales what a place shows around the pointer.
func (p *circlePane) zoom(a *App, place int, factor float64) {
	f := p.view.ViewOf(place)
	at := p.view.TimeAt(place, p.at)
	if p.hit.Part >= threads.OnBar && p.hit.Part <= threads.OnRight {
		at = p.hit.At
	}
	if !f.Contains(at) {
		at = f.Mid()
	}
	whole := a.S.State().Sides[p.side].Whole()
	factor = min(max(factor, 20/f.Len()), max(whole.Len()/f.Len(), 1))
	p.show(a, place, f.ZoomAt(at, factor))
}
