package threads

import (
	"math"

	"gioui.org/io/key"
	"gioui.org/io/pointer"

	"diptych/internal/geom"
	"diptych/internal/scene/threads"
	"diptych/internal/session"
	"diptych/internal/ui/flags"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
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

func (p *half) press(c *view.Context, e pointer.Event) {
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
func (p *half) gripPlace(e pointer.Event) {
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

func (p *half) drag(c *view.Context) {
	g := &p.grip
	dx, dy := p.at.X-g.press.X, p.at.Y-g.press.Y
	if p.view == nil || !g.pressed || g.place >= len(p.shown.Sections) ||
		!g.moved && kit.Abs(dx) < c.Kit.Px(kit.DragThreshold) && kit.Abs(dy) < c.Kit.Px(kit.DragThreshold) {
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
		p.show(c, g.place, g.view.Shift(v.TimeAt(g.place, g.press)-v.TimeAt(g.place, p.at)))
	case foldGrip:
		p.fold(c, g.place, p.view.FoldAfter(g.place, g.fold, p.view.Outward(g.place, g.press, p.at)))
	case rangeGrip:
		t0, t1 := p.view.Axis.T(g.press.X), p.view.Axis.T(p.at.X)
		c.S.SelectRange(p.side, geom.Span{Start: min(t0, t1), End: max(t0, t1)})
	case splitGrip:
		split := p.view.SplitAt(p.at.Y)
		c.S.SetWaitStyle(func(w *session.WaitStyle) { w.Split = split })
	case zeroGrip:
		zero := p.view.ZeroAt(p.at)
		c.S.SetWaitStyle(func(w *session.WaitStyle) { w.Zero = zero })
	case barGrip:
		p.dragBar(c)
	}
}

// steep is from which share of its way on a drag folds rather than pans.
const steep = .8

// dragBar moves or resizes what a place shows; beside that it draws a new stretch.
func (p *half) dragBar(c *view.Context) {
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
	p.show(c, g.place, f)
}

// show lets a place show a stretch of time.
func (p *half) show(c *view.Context, place int, span geom.Span) {
	if th := p.thread(place); th >= 0 {
		c.S.ViewThread(p.side, th, span)
	} else if place == threads.Main {
		c.S.SetFocus(p.side, span)
	}
}

// fold folds so many levels of a place.
func (p *half) fold(c *view.Context, place, levels int) {
	if th := p.thread(place); th >= 0 {
		c.S.FoldThread(p.side, th, levels)
	}
}

// thread returns the thread whose stacks a place shows, or −1.
func (p *half) thread(place int) int {
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

func (p *half) release(c *view.Context, e pointer.Event) {
	p.drag(c) // the last way may come with the release alone
	g := p.grip
	p.grip = grip{}
	switch {
	case p.view == nil || !g.pressed:
	case g.moved && g.kind == labelGrip:
		p.drop(c, &g)
	case !g.moved:
		p.click(c, e, &g)
	}
}

// drop exchanges the thread that was dragged with the one it is let go over.
func (p *half) drop(c *view.Context, g *grip) {
	to := p.view.PlaceAt(p.at)
	if h, ok := p.view.Pick(p.at); ok && to == threads.Nowhere && h.Part == threads.OnLabel {
		to = h.Place
	}
	from, onto := p.pane.circle.lines(g.hit.Place), p.pane.circle.lines(to)
	if len(from) > 0 && len(onto) > 0 {
		c.S.SwapLines(from[0], onto[0])
	}
}

// click does what a click does where the press was; a second one at once does more.
func (p *half) click(c *view.Context, e pointer.Event, g *grip) {
	again := p.clicked.Add(e) >= 2
	if f, ok := flags.At(p.flags, p.at); ok {
		f.Choose(c, again)
		return
	}
	if again && p.again(c) {
		return
	}
	p.first, p.named = session.Target{}, nil
	switch h := &g.hit; h.Part {
	case threads.OnLabel:
		p.named = p.pane.circle.lines(h.Place)
		p.widen(c, h.Place, !p.isWide(c, h.Place))
	case threads.OnCall, threads.OnRibbon, threads.OnRelease:
		p.first = p.target(h)
		c.S.Select(p.first)
		c.TurnToDetails()
		if h.Part == threads.OnCall && h.Place >= 0 {
			p.widen(c, h.Place, true)
		}
	case threads.OnSection:
		if h.Place >= 0 && h.Thread >= 0 {
			p.widen(c, h.Place, !p.isWide(c, h.Place))
		} else {
			c.S.Select(session.Target{})
		}
	case threads.OnPath:
		k := h.Segment
		if k == c.S.State().Stretch(p.side) {
			k--
		}
		c.S.ShowStretch(p.side, k)
	case threads.OnBar:
		if h.Place >= len(p.shown.Sections) {
			return
		}
		f := p.view.ViewOf(h.Place)
		p.show(c, h.Place, f.Shift(h.At-f.Mid()))
	case threads.OnFolded:
		c.S.ShowIdle(!c.S.State().Circle().Idle)
	case threads.OnFocus, threads.OnLeft, threads.OnRight, threads.OnSplitter, threads.OnZero:
	default:
		c.S.Select(session.Target{})
	}
}

// again does what the second of two clicks does to what the first one was on, which may have moved
// from under the pointer since: it shows all of a call, and hides threads.
func (p *half) again(c *view.Context) bool {
	switch {
	case p.first.OK:
		p.showCall(c, p.first)
	case len(p.named) > 0:
		for _, k := range p.named {
			c.S.WidenLine(k, false)
		}
		c.S.HideLines(p.named...)
		p.named = nil
	default:
		return false
	}
	return true
}

func (p *half) isWide(c *view.Context, place int) bool {
	lines := p.pane.circle.lines(place)
	return len(lines) > 0 && c.S.State().Circle().Wide[lines[0]]
}

// widen widens a thread's section, or spreads those that are folded into one.
func (p *half) widen(c *view.Context, place int, wide bool) {
	lines := p.pane.circle.lines(place)
	switch {
	case len(lines) == 0:
	case len(lines) > 1:
		c.S.SpreadRole(p.pane.circle.of.prepared.RoleOf(lines[0]))
	default:
		c.S.WidenLine(lines[0], wide)
	}
}

// wheel zooms the place at the pointer; with Ctrl it folds levels, with Shift it pans.
func (p *half) wheel(c *view.Context, e pointer.Event) {
	if p.view == nil {
		return
	}
	at := p.placeUnder()
	notches := float64(e.Scroll.Y / c.Kit.Px(kit.Notch))
	switch {
	case e.Modifiers.Contain(key.ModShift) || e.Scroll.X != 0 && e.Scroll.Y == 0:
		f := p.view.ViewOf(at)
		p.show(c, at, f.Shift(float64(e.Scroll.X+e.Scroll.Y)*3*f.Len()/float64(max(p.area.Dx(), 1))))
	case e.Modifiers.Contain(key.ModCtrl):
		if p.thread(at) >= 0 && (at != threads.Main || p.view.Drawing != nil) {
			p.fold(c, at, p.view.FoldAfter(at, p.view.Folded(at), -float32(notches)*p.row(at)))
		}
	default:
		p.zoom(c, at, math.Pow(1/kit.WheelZoom, notches))
	}
}

// row returns the height of a stack level of a place, px.
func (p *half) row(place int) float32 {
	if place == threads.Main {
		return p.view.Row
	}
	return p.view.RingRow
}

// placeUnder returns the place that the pointer is over: the focus thread's where there is no
// other.
func (p *half) placeUnder() int {
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
func (p *half) zoom(c *view.Context, place int, factor float64) {
	f := p.view.ViewOf(place)
	at := p.view.TimeAt(place, p.at)
	if p.hit.Part >= threads.OnBar && p.hit.Part <= threads.OnRight {
		at = p.hit.At
	}
	if !f.Contains(at) {
		at = f.Mid()
	}
	whole := c.S.State().Sides[p.side].Whole()
	factor = min(max(factor, session.ShortestFocus(f)/f.Len()), max(whole.Len()/f.Len(), 1))
	p.show(c, place, f.ZoomAt(at, factor))
}
