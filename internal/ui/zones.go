package ui

import (
	"image"

	"gioui.org/gesture"
	"gioui.org/layout"

	"diptych/internal/session"
	"diptych/internal/ui/kit"
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

	rows, columns kit.Splitter
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
	z.top = image.Rect(0, 0, w, a.kit.Dp(44))
	z.status = image.Rect(0, h-a.kit.Dp(30), w, h)
	work := image.Rect(a.kit.Dp(gap), z.top.Max.Y+a.kit.Dp(gap), w-a.kit.Dp(gap), z.status.Min.Y-a.kit.Dp(gap))
	if a.onBatch() {
		return a.batchZones(z, work)
	}
	right := work.Max.X
	if a.dock.Open && !st.Empty() {
		width := kit.Bound(a.splits.dock, leastDock, float32(work.Dx())/a.kit.Px(1)*mostDock)
		right = work.Max.X - a.kit.Dp(width) - a.kit.Dp(gap)
		z.dock = image.Rect(right+a.kit.Dp(gap), work.Min.Y, work.Max.X, work.Max.Y)
		z.beside = image.Rect(right, work.Min.Y, right+a.kit.Dp(gap), work.Max.Y)
	}
	if !st.Empty() && a.ownOverview(st) {
		// The views have overviews of their own.
		z.main = image.Rect(work.Min.X, work.Min.Y, right, work.Max.Y)
		return z
	}
	y := work.Min.Y + a.kit.Dp(kit.Bound(a.splits.overview, leastOverview, float32(work.Dy())/a.kit.Px(1)*mostOverview))
	z.overview = image.Rect(work.Min.X, work.Min.Y, right, y)
	z.betweenRows = image.Rect(work.Min.X, y, right, y+a.kit.Dp(gap))
	z.main = image.Rect(work.Min.X, y+a.kit.Dp(gap), right, work.Max.Y)
	return z
}

// layout handles the splitters' drags.
func (s *splits) layout(a *App, gtx layout.Context, z zones) {
	before := [2]float32{s.overview, s.dock}
	if !z.betweenRows.Empty() {
		s.overview = s.rows.Update(a.kit, gtx, z.betweenRows, gesture.Vertical, s.overview, +1)
	}
	if !z.beside.Empty() {
		s.dock = s.columns.Update(a.kit, gtx, z.beside, gesture.Horizontal, s.dock, -1)
	}
	if before != [2]float32{s.overview, s.dock} {
		a.Rebuild(gtx)
	}
}
