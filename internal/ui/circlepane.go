package ui

import (
	"image"

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
	"diptych/internal/scene/legend"
	"diptych/internal/scene/threads"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/words"
	"diptych/internal/wait"
)

// circlePane is one side of the view of threads, and takes its gestures.
type circlePane struct {
	side  pair.Side
	view  *threads.View
	shown *threads.State // what view shows
	of    *wait.Analysis // what hit and grip speak of
	arena threads.Arena
	texts kit.Texts
	area  image.Rectangle

	at      geom.Point // pointer, relative to area
	inside  bool
	hit     threads.Hit // what the pointer is over
	grip    grip
	clicked kit.ClickCount
	first   session.Target // what the first of two clicks selected
	named   []int          // or the lines whose label it was on
}

func (p *circlePane) layout(a *App, gtx layout.Context, r image.Rectangle) {
	if of := a.S.State().WaitsOf(p.side); of != p.of {
		p.of, p.hit, p.grip = of, nothingHit, grip{}
	}
	p.build(a, gtx)
	kit.At(gtx, r, func(gtx layout.Context) {
		before := a.S.State().Rev
		p.input(a, gtx)
		was := p.hit
		p.aim(a) // the view may have moved under the pointer
		if a.S.State().Rev != before || p.hit != was || p.grip.kind == labelGrip {
			a.threads.rearrange(gtx, a.S.State())
			p.build(a, gtx)
		}
		p.texts.Draw(a.kit, gtx, p.view.Scene)
		st := a.S.State()
		if p.shown.Prepared.On(int(p.side)) == nil {
			kit.Centred(gtx, func(gtx layout.Context) layout.Dimensions {
				return a.kit.Label(gtx, waitsMissing(a, p.side), a.kit.Faint())
			})
			return
		}
		p.noPartner(a, gtx, st)
		p.rangeMark(a, gtx, st)
		p.tooltip(a, gtx, st)
	})
}

// noPartner tells, beside the side's badge, why there is no thread in the middle.
func (p *circlePane) noPartner(a *App, gtx layout.Context, st *session.State) {
	if len(p.shown.Focus.Threads) > 0 || st.Pair == nil || st.Current >= len(st.Pair.Threads) {
		return
	}
	text := "no thread is paired with " + words.PairName(st, st.Pair.Threads[st.Current])
	kit.At(gtx, image.Rect(a.kit.Dp(40), a.kit.Dp(6), p.area.Dx()-a.kit.Dp(12), a.kit.Dp(24)), func(gtx layout.Context) {
		a.kit.Label(gtx, text, a.kit.Faint())
	})
}

// waitsMissing says why there is nothing to see.
func waitsMissing(a *App, side pair.Side) string {
	if len(a.S.Jobs()) == 0 {
		return "Who waits on whom in " + side.String() + " is not known: compare again."
	}
	return "Finding who waits on whom…"
}

func (p *circlePane) build(a *App, gtx layout.Context) {
	st, all := a.S.State(), &a.threads
	ts := all.circle.state(st, p.side, a.kit.Pal, a.kit.Px(1))
	ts.Under = all.under(p.side)
	if !all.shift.since.IsZero() {
		ts.Before = all.shift.before[p.side]
		ts.Progress = float32(gtx.Now.Sub(all.shift.since)) / float32(shifting)
	}
	if g := &p.grip; g.kind == labelGrip && g.moved {
		ts.Dragged = &threads.Drag{Place: g.hit.Place, At: p.at}
	}
	p.shown = ts
	p.view = buildCircle(ts, p.area.Size(), threadsLegend(st, a.kit.Pal), &p.arena)
}

// buildCircle builds a side with its legend below.
func buildCircle(ts *threads.State, size image.Point, entries []legend.Entry,
	a *threads.Arena) *threads.View {
	dp := max(ts.Scale, 1e-3)
	all := geom.Size{W: float32(size.X), H: float32(size.Y)}
	if ts.Prepared.On(ts.Side) == nil {
		entries = nil
	}
	entries = kit.Fitting(entries, nil, all, dp)
	v := threads.Build(ts, geom.Size{W: all.W, H: all.H - kit.LegendHeight(entries, all.W, dp)}, a)
	if len(entries) > 0 {
		kit.AddLegend(v.Scene, entries, ts.Palette, dp)
	}
	return v
}

// threadsLegend explains the colours of the view.
func threadsLegend(st *session.State, pal *palette.Palette) []legend.Entry {
	return legend.Threads(legend.Options{Palette: pal, ByObject: st.WaitStyle.ByObject,
		Compared: st.ComparedWaits() != nil})
}

// under returns what the pointer is over on a side. A label that is pointed at on the other one
// counts here too, for the thread across.
func (p *threadsPane) under(side pair.Side) threads.Hit {
	if s := &p.sides[side]; s.inside && s.view != nil {
		return s.hit
	}
	other := &p.sides[side.Other()]
	if h := other.hit; other.inside && other.view != nil && h.Part == threads.OnLabel &&
		h.Place >= 0 && h.Place < len(p.circle.arr.Sections[side]) {
		if th := p.circle.arr.Sections[side][h.Place].Threads; len(th) > 0 {
			return threads.Hit{Part: threads.OnLabel, Place: h.Place, Thread: th[0], Call: -1, Wait: -1}
		}
	}
	return nothingHit
}

var nothingHit = threads.Hit{Place: threads.Nowhere, Thread: -1, Call: -1, Wait: -1}

// input handles the pointer over the side.
func (p *circlePane) input(a *App, gtx layout.Context) {
	area := clip.Rect{Max: p.area.Size()}.Push(gtx.Ops)
	event.Op(gtx.Ops, p)
	semantic.LabelOp("Threads of " + p.side.String()).Add(gtx.Ops)
	p.cursor().Add(gtx.Ops)
	area.Pop()
	for e := range kit.Pointed(gtx, p) {
		p.pointer(a, gtx, e)
	}
}

func (p *circlePane) pointer(a *App, gtx layout.Context, e pointer.Event) {
	gtx.Execute(op.InvalidateCmd{})
	p.at = geom.Point{X: e.Position.X, Y: e.Position.Y}
	switch e.Kind {
	case pointer.Leave, pointer.Cancel:
		if e.Kind == pointer.Cancel {
			p.grip = grip{}
		}
		p.inside, p.hit = false, nothingHit
		a.S.SetHover(session.Target{})
		return
	case pointer.Press:
		gtx.Execute(key.FocusCmd{}) // leave text fields
		p.press(a, e)
	case pointer.Drag:
		p.drag(a)
	case pointer.Release:
		p.release(a, e)
	case pointer.Scroll:
		p.wheel(a, e)
	}
	p.inside, a.aim = true, p.side
}

// aim notes what the pointer is over.
func (p *circlePane) aim(a *App) {
	if !p.inside || p.view == nil {
		return
	}
	p.hit = nothingHit
	if !p.grip.moved {
		if h, ok := p.view.Pick(p.at); ok {
			p.hit = h
		}
	}
	a.S.SetHover(p.target(&p.hit))
}

// target returns the call that is hit: of a correspondence the wait.
func (p *circlePane) target(h *threads.Hit) session.Target {
	switch h.Part {
	case threads.OnCall, threads.OnRibbon, threads.OnRelease:
		if h.Thread >= 0 && h.Call >= 0 {
			return session.Target{Side: p.side, Ref: h.Ref(), OK: true}
		}
	}
	return session.Target{}
}

// cursor tells what a drag would do.
func (p *circlePane) cursor() pointer.Cursor {
	if p.grip.moved && (p.grip.kind == panGrip || p.grip.kind == labelGrip || p.grip.kind == barGrip) {
		return pointer.CursorGrabbing
	}
	if p.grip.kind == rangeGrip {
		return pointer.CursorCrosshair
	}
	if p.grip.kind == zeroGrip {
		return pointer.CursorAllScroll
	}
	switch p.hit.Part {
	case threads.OnSplitter:
		return pointer.CursorRowResize
	case threads.OnLeft, threads.OnRight:
		return pointer.CursorColResize
	case threads.OnZero:
		return pointer.CursorAllScroll
	case threads.OnFocus:
		return pointer.CursorGrab
	case threads.OnLabel, threads.OnFolded, threads.OnRelease:
		return pointer.CursorPointer
	}
	return pointer.CursorDefault
}
