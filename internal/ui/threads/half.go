package threads

import (
	"image"
	"math"

	"gioui.org/io/event"
	"gioui.org/io/key"
	"gioui.org/io/pointer"
	"gioui.org/io/semantic"
	"gioui.org/layout"
	"gioui.org/op/clip"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/palette"
	"diptych/internal/scene/legend"
	"diptych/internal/scene/threads"
	"diptych/internal/session"
	"diptych/internal/ui/flags"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
	"diptych/internal/wait"
)

// half is one side of the view, and takes its gestures.
type half struct {
	pane  *Pane
	side  pair.Side
	view  *threads.View  // nil while there is no room or no trace
	shown *threads.State // what view shows
	of    *wait.Analysis // what hit and grip speak of
	arena threads.Arena
	flags []flags.Flag
	texts kit.Texts
	area  image.Rectangle // in the window

	at      geom.Point // pointer, relative to area
	inside  bool
	hit     threads.Hit    // what the pointer is over
	hovered session.Target // what it has made the session's hovered call
	grip    grip
	clicked kit.ClickCount
	first   session.Target // what the first of two clicks selected
	named   []int          // or the lines whose label it was on
}

var nothingHit = threads.Hit{Place: threads.Nowhere, Thread: -1, Call: -1, Wait: -1}

// renew takes over the rectangle of the side. It forgets what the pointer was over if the waits
// have changed.
func (p *half) renew(st *session.State, area image.Rectangle) {
	p.area = area
	if of := st.WaitsOf(p.side); of != p.of {
		p.of, p.hit, p.grip = of, nothingHit, grip{}
	}
}

// build builds the side's scene.
func (p *half) build(c *view.Context, gtx layout.Context, st *session.State) {
	if p.area.Empty() {
		p.view, p.flags = nil, nil
		return
	}
	all := p.pane
	ts := all.circle.state(st, p.side, c.Kit.Pal, c.Kit.Px(1))
	ts.Under = all.under(p.side)
	if all.Shifting() {
		ts.Before = all.shift.before[p.side]
		ts.Progress = float32(gtx.Now.Sub(all.shift.since)) / float32(shifting)
	}
	if g := &p.grip; g.kind == labelGrip && g.moved {
		ts.Dragged = &threads.Drag{Place: g.hit.Place, At: p.at}
	}
	p.shown = ts
	p.view = buildCircle(st, ts, p.area.Size(), &p.arena)
	p.flags = flagsIn(st, p.side, p.view, ts.Scale)
	flags.Draw(p.view.Scene, p.flags, ts.Palette, ts.Scale)
}

// flagsIn lays out the flags of the notes on a side: over the stacks of the focus thread, and over
// its bar in the overview.
func flagsIn(st *session.State, side pair.Side, v *threads.View, dp float32) []flags.Flag {
	var stacks, bar [2]flags.Side
	stacks[side].Drawing = v.Drawing
	if len(v.Bars) > 0 && v.Bars[0].Place == threads.Main {
		bar[side] = flags.Side{X: v.Bars[0].Axis.X, Strip: v.Bars[0].Bounds}
	}
	return append(flags.Heads(st, stacks, dp), flags.Heads(st, bar, dp)...)
}

// buildCircle builds a side with its part of the legend below. Both sides leave the legend as much
// room, so that partners lie across from each other.
func buildCircle(st *session.State, ts *threads.State, size image.Point,
	a *threads.Arena) *threads.View {
	dp := max(ts.Scale, 1e-3)
	all := geom.Size{W: float32(size.X), H: float32(size.Y)}
	room, entries := float32(0), threadsLegend(st, ts.Prepared, ts.Palette, all.W, dp)
	for k, list := range entries {
		if ts.Prepared.On(ts.Side) == nil {
			list = nil
		}
		whole := len(list)
		for len(list) > 0 && kit.Fitting(list, nil, all, dp) == nil {
			list = list[:len(list)-1]
		}
		if 2*len(list) < whole { // so few entries explain less than the circle that they shrink
			list = nil
		}
		entries[k] = list
		room = max(room, kit.LegendHeight(list, all.W, dp))
	}
	v := threads.Build(ts, geom.Size{W: all.W, H: all.H - room}, a)
	if own := entries[ts.Side]; len(own) > 0 {
		kit.AddLegend(v.Scene, own, ts.Palette, dp)
	}
	v.Scene.Size.H = all.H
	return v
}

// threadsLegend explains the colours of the view. With two sides, each shows a part of the legend:
// both have the same colours, and a side's width has room for few entries beside each other. The
// parts are those that need the least height, and of these the most equal ones.
func threadsLegend(st *session.State, of *threads.Prepared, pal *palette.Palette,
	width, dp float32) [2][]legend.Entry {
	all := legendEntries(st, of, pal)
	if !st.Both() {
		return [2][]legend.Entry{all, all}
	}
	best, least := 0, float32(math.Inf(1))
	for k := range len(all) {
		n := len(all)/2 + (k+1)/2*(k%2*2-1) // from the middle outwards
		height := max(kit.LegendHeight(all[:n], width, dp), kit.LegendHeight(all[n:], width, dp))
		if height < least {
			best, least = n, height
		}
	}
	return [2][]legend.Entry{all[:best], all[best:]}
}

func legendEntries(st *session.State, of *threads.Prepared, pal *palette.Palette) []legend.Entry {
	if of == nil {
		return nil
	}
	sum := &of.Total
	return legend.Threads(legend.Options{Palette: pal, ByObject: st.WaitStyle.ByObject,
		Waits: sum.WaitNs > 0, Ended: sum.Released > 0, Unreleased: sum.Unreleased > 0,
		Operating: sum.IONs > 0, Queued: sum.OffCPUNs > 0, Alone: of.Alone,
		Compared: st.ComparedWaits() != nil, Links: hasLinks(st),
		States: !st.Profile(), Critical: st.WaitStyle.Critical})
}

// hasLinks reports whether either side has causal links.
func hasLinks(st *session.State) bool {
	for side := range st.Sides {
		if tr := st.Sides[side].Trace; tr != nil && len(tr.Links) > 0 {
			return true
		}
	}
	return false
}

// update takes what the pointer has done over the side, where it was built last.
func (p *half) update(c *view.Context, gtx layout.Context) {
	for e := range kit.Pointed(gtx, p) {
		if p.view == nil {
			continue
		}
		p.pointer(c, gtx, e)
		p.aim(c)
	}
}

func (p *half) pointer(c *view.Context, gtx layout.Context, e pointer.Event) {
	p.at = geom.Point{X: e.Position.X, Y: e.Position.Y}
	if p.grip.kind == labelGrip {
		c.Dirty() // the label follows the pointer, or goes back to its place
	}
	switch e.Kind {
	case pointer.Leave, pointer.Cancel:
		p.leave(c, e)
		return
	case pointer.Press:
		gtx.Execute(key.FocusCmd{}) // leave text fields
		p.press(c, e)
	case pointer.Drag:
		p.drag(c)
	case pointer.Release:
		p.release(c, e)
	case pointer.Scroll:
		p.wheel(c, e)
	}
	p.inside = true
	c.SetAim(p.side)
}

// leave forgets what was under the pointer. A call that is hovered elsewhere by now stays hovered.
func (p *half) leave(c *view.Context, e pointer.Event) {
	if e.Kind == pointer.Cancel {
		p.grip = grip{}
	}
	p.inside, p.hit = false, nothingHit
	if c.S.State().Hover == p.hovered {
		c.S.SetHover(session.Target{})
	}
	p.hovered = session.Target{}
	c.Dirty()
}

// aim notes what the pointer is over.
func (p *half) aim(c *view.Context) {
	if !p.inside || p.view == nil {
		return
	}
	was := p.hit
	p.hit = nothingHit
	if !p.grip.moved {
		if h, ok := p.view.Pick(p.at); ok {
			p.hit = h
		}
	}
	p.hovered = p.target(&p.hit)
	c.S.SetHover(p.hovered)
	if was.At = p.hit.At; was != p.hit { // the time alone changes nothing that is drawn
		c.Dirty()
	}
}

// target returns the call that is hit: of a correspondence the wait.
func (p *half) target(h *threads.Hit) session.Target {
	switch h.Part {
	case threads.OnCall, threads.OnRibbon, threads.OnRelease:
		if h.Thread >= 0 && h.Call >= 0 {
			return session.Target{Side: p.side, Ref: h.Ref(), OK: true}
		}
	}
	return session.Target{}
}

// layout draws what lies over the side's scene, and says where the pointer is to be heard.
func (p *half) layout(c *view.Context, gtx layout.Context, st *session.State) {
	area := clip.Rect{Max: p.area.Size()}.Push(gtx.Ops)
	event.Op(gtx.Ops, p)
	semantic.LabelOp("Threads of " + p.side.String()).Add(gtx.Ops)
	p.cursor().Add(gtx.Ops)
	area.Pop()
	p.texts.Draw(c.Kit, gtx, p.view.Scene)
	why := ""
	switch {
	case p.shown.Prepared.On(int(p.side)) == nil:
		why = waitsMissing(c, st, p.side)
	case p.view.Context.Empty():
		why = kit.NoRoom
	}
	if why != "" {
		kit.Centred(gtx, func(gtx layout.Context) layout.Dimensions {
			return c.Kit.Label(gtx, why, c.Kit.Faint())
		})
		return
	}
	p.noPartner(c, gtx, st)
	p.rangeMark(c, gtx, st)
	p.tooltip(c, gtx, st)
}

// noPartner tells, beside the side's badge, why there is no thread in the middle.
func (p *half) noPartner(c *view.Context, gtx layout.Context, st *session.State) {
	if len(p.shown.Focus.Threads) > 0 || st.Pair == nil || st.Current >= len(st.Pair.Threads) {
		return
	}
	text := "no thread is paired with " + words.PairLabel(st, st.Pair.Threads[st.Current])
	line := image.Rect(c.Kit.Dp(40), c.Kit.Dp(6), p.area.Dx()-c.Kit.Dp(12), c.Kit.Dp(24))
	kit.At(gtx, line, func(gtx layout.Context) { c.Kit.Label(gtx, text, c.Kit.Faint()) })
}

// waitsMissing says why there is nothing to see.
func waitsMissing(c *view.Context, st *session.State, side pair.Side) string {
	if st.Apart != nil {
		return words.Apart(st)
	}
	if len(c.S.Jobs()) == 0 {
		return "Who waits on whom in " + side.String() + " is not known: compare again."
	}
	return "Finding who waits on whom…"
}

// cursor tells what a drag would do.
func (p *half) cursor() pointer.Cursor {
	if p.grip.moved && (p.grip.kind == panGrip || p.grip.kind == labelGrip || p.grip.kind == barGrip) {
		return pointer.CursorGrabbing
	}
	if p.grip.kind == rangeGrip {
		return pointer.CursorCrosshair
	}
	if p.grip.kind == zeroGrip {
		return pointer.CursorAllScroll
	}
	if _, ok := flags.At(p.flags, p.at); ok && p.inside {
		return pointer.CursorPointer
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
	case threads.OnLabel, threads.OnFolded, threads.OnRelease, threads.OnPath:
		return pointer.CursorPointer
	}
	return pointer.CursorDefault
}
