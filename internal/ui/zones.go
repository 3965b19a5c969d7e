package ui

import (
	"image"

	"gioui.org/gesture"
	"gioui.org/io/event"
	"gioui.org/io/pointer"
	"gioui.org/layout"
	"gioui.org/op"
	"gioui.org/op/clip"

	"diptych/internal/session"
)

// zones are the rectangles of one frame, in px.
type zones struct {
	top, status          image.Rectangle
	overview, main, dock image.Rectangle
	betweenRows, beside  image.Rectangle // splitters
}

// gap is the distance between cards in dp.
const gap = 12

// splits hold what the user can resize, in dp, and the splitters' gestures.
type splits struct {
	overview float32
	dock     float32

	rows, columns splitter
}

// The least size of a pane that can be resized, in dp, and the most as a share of the window.
const (
	leastOverview, mostOverview = 72, .4
	leastDock, mostDock         = 200, .4
)

var defaultSplits = splits{overview: 176, dock: 384}

// arrange divides the window.
func (a *App) arrange(gtx layout.Context, st *session.State) zones {
	w, h := gtx.Constraints.Max.X, gtx.Constraints.Max.Y
	var z zones
	z.top = image.Rect(0, 0, w, a.dp(44))
	z.status = image.Rect(0, h-a.dp(30), w, h)
	work := image.Rect(a.dp(gap), z.top.Max.Y+a.dp(gap), w-a.dp(gap), z.status.Min.Y-a.dp(gap))
	right := work.Max.X
	if a.dock.open && st.Any() {
		width := bound(a.splits.dock, leastDock, float32(work.Dx())/a.px(1)*mostDock)
		right = work.Max.X - a.dp(width) - a.dp(gap)
		z.dock = image.Rect(right+a.dp(gap), work.Min.Y, work.Max.X, work.Max.Y)
		z.beside = image.Rect(right, work.Min.Y, right+a.dp(gap), work.Max.Y)
	}
	if a.threading(st) {
		z.main = image.Rect(work.Min.X, work.Min.Y, right, work.Max.Y) // it has overviews of its own
		return z
	}
	y := work.Min.Y + a.dp(bound(a.splits.overview, leastOverview, float32(work.Dy())/a.px(1)*mostOverview))
	z.overview = image.Rect(work.Min.X, work.Min.Y, right, y)
	z.betweenRows = image.Rect(work.Min.X, y, right, y+a.dp(gap))
	z.main = image.Rect(work.Min.X, y+a.dp(gap), right, work.Max.Y)
	return z
}

// bound keeps v within its limits; where they contradict each other the upper one wins.
func bound(v, least, most float32) float32 { return min(max(v, least), most) }

// at runs draw with its origin at r's corner, clipped to r.
func at(gtx layout.Context, r image.Rectangle, draw func(gtx layout.Context)) {
	defer op.Offset(r.Min).Push(gtx.Ops).Pop()
	defer clip.Rect{Max: r.Size()}.Push(gtx.Ops).Pop()
	gtx.Constraints = layout.Exact(r.Size())
	draw(gtx)
}

// splitter is a draggable gap between two panes.
type splitter struct {
	drag gesture.Drag
	from float32
	base float32
}

// layout handles the splitters' drags.
func (s *splits) layout(a *App, gtx layout.Context, z zones) {
	if !z.betweenRows.Empty() {
		s.overview = s.rows.update(a, gtx, z.betweenRows, gesture.Vertical, s.overview, +1)
	}
	if !z.beside.Empty() {
		s.dock = s.columns.update(a, gtx, z.beside, gesture.Horizontal, s.dock, -1)
	}
}

// update returns the new size of what the splitter resizes; sign says which way growing goes.
func (p *splitter) update(a *App, gtx layout.Context, r image.Rectangle, axis gesture.Axis,
	size, sign float32) float32 {
	if r.Empty() {
		return size
	}
	defer clip.Rect(r).Push(gtx.Ops).Pop()
	cursor := pointer.CursorRowResize
	if axis == gesture.Horizontal {
		cursor = pointer.CursorColResize
	}
	cursor.Add(gtx.Ops)
	p.drag.Add(gtx.Ops)
	event.Op(gtx.Ops, p)
	for {
		e, ok := p.drag.Update(gtx.Metric, gtx.Source, axis)
		if !ok {
			return size
		}
		pos := e.Position.Y
		if axis == gesture.Horizontal {
			pos = e.Position.X
		}
		switch e.Kind {
		case pointer.Press:
			p.from, p.base = pos, size
		case pointer.Drag:
			size = p.base + sign*(pos-p.from)/a.px(1)
			gtx.Execute(op.InvalidateCmd{})
		}
	}
}
