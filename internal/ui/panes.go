package ui

import (
	"image"

	"gioui.org/gesture"
	"gioui.org/layout"

	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
)

// content is what a pane holds: a view of each kind that it has shown, so that what the user set
// there is found again, and the one that it shows.
type content struct {
	views map[session.View]view.View
	shown view.View
	of    session.View // what shown is
	area  image.Rectangle
	built image.Rectangle // where its scenes were built for
	dirty bool            // they have to be built whatever they were built of
	head  paneHead
}

// row returns the row of a view. It is the first of the table, which shows traces that are being
// loaded, for an unknown view, while nothing is open, and for one that needs two traces while one
// is.
func (a *App) row(v session.View) *view.Row {
	st := a.S.State()
	for i := range a.rows {
		if r := &a.rows[i]; r.View == v && st.Any() && (!r.Pairs || st.Both()) {
			return r
		}
	}
	return &a.rows[0]
}

// contentOf returns what the pane holds that the session acts in, with the view that it shows now.
func (a *App) contentOf() *content {
	st := a.S.State()
	c := a.panes[st.ID]
	if c == nil {
		c = &content{views: map[session.View]view.View{}}
		a.panes[st.ID] = c
	}
	r := a.row(st.View)
	if c.views[r.View] == nil {
		c.views[r.View] = r.New()
	}
	if c.of != r.View || c.shown == nil {
		c.shown, c.of, c.dirty = c.views[r.View], r.View, true
	}
	return c
}

// Pane implements view.Window.
func (a *App) Pane() view.View { return a.contentOf().shown }

// eachPane calls f for each pane, with the session acting in it.
func (a *App) eachPane(f func(c *content)) {
	ids := a.S.State().Layout.Panes()
	for id := range a.panes {
		if !contains(ids, id) {
			delete(a.panes, id) // it was closed
		}
	}
	for _, id := range ids {
		a.S.In(id, func() { f(a.contentOf()) })
	}
}

func contains(ids []session.PaneID, id session.PaneID) bool {
	for _, x := range ids {
		if x == id {
			return true
		}
	}
	return false
}

// hear lets all views hear what the pointer has done, before any of them is built.
func (a *App) hear(gtx layout.Context) {
	if !a.ownOverview(a.S.State()) {
		a.overview.Update(a.context, gtx)
	}
	a.eachPane(func(c *content) { c.shown.Update(a.context, gtx) })
}

// build builds the scenes of the views, if anything has changed that they depend on. What is under
// the pointer may be something else then, which shows in all of them: so they may be built once
// more.
func (a *App) build(gtx layout.Context) {
	for range 2 {
		st := a.S.State()
		z := a.arrange(gtx, st)
		now := builtOf{st.Rev, a.frame.Size, a.kit.Px(1), a.kit.Pal, a.Moving(gtx)}
		all := now != a.built
		a.built = now
		if !z.overview.Empty() && (all || a.overview.Area() != z.overview || a.overview.Stale()) {
			a.overview.Build(a.context, gtx, z.overview)
			a.builds++
		}
		areas := paneAreas(st.Layout, z.main, a.kit.Dp(gap))
		a.eachPane(func(c *content) {
			c.area = a.inner(areas[a.S.State().ID], len(areas))
			a.buildPane(gtx, c, all)
		})
		view.RaiseSought(a.context, func(f func(view.View)) {
			a.eachPane(func(c *content) { f(c.shown) })
		})
		again := false
		a.eachPane(func(c *content) {
			later := c.dirty // what the view asked for while it was built is for the next frame
			c.dirty = false
			c.shown.Aim(a.context)
			again, c.dirty = again || c.dirty, c.dirty || later
		})
		if a.S.State().Rev == now.rev && !again {
			return
		}
	}
}

// buildPane builds the scenes of one view where that is needed.
func (a *App) buildPane(gtx layout.Context, c *content, all bool) {
	if !all && !c.dirty && c.built == c.area {
		return
	}
	c.dirty = false
	c.shown.Build(a.context, gtx, c.area)
	c.built = c.area
	a.builds++
}

// layoutPanes lays out what lies over the scenes of the panes, their heads and what divides them.
func (a *App) layoutPanes(gtx layout.Context, z zones) {
	st := a.S.State()
	areas := paneAreas(st.Layout, z.main, a.kit.Dp(gap))
	a.eachPane(func(c *content) {
		c.shown.Layout(a.context, gtx)
		if len(areas) > 1 {
			c.head.layout(a, gtx, areas[a.S.State().ID])
		}
	})
	for n, d := range paneDividers(st.Layout, z.main, a.kit.Dp(gap)) {
		for len(a.dividers) <= n {
			a.dividers = append(a.dividers, kit.Splitter{})
		}
		size := a.dividers[n].Update(a.kit, gtx, d.at, d.axis, d.share*d.length/a.kit.Px(1), +1)
		if share := size * a.kit.Px(1) / d.length; share != d.share {
			a.S.ResizePanes(n, share)
		}
	}
}

// ownOverview reports whether all panes show views that have overviews of their own.
func (a *App) ownOverview(st *session.State) bool {
	for _, id := range st.Layout.Panes() {
		if !a.row(st.From(id).View).OwnOverview {
			return false
		}
	}
	return true
}

// headHeight is the height of a pane's head, in dp.
const headHeight = 26

// inner returns what the view of a pane has of its rectangle: all but the head, if there are
// several.
func (a *App) inner(r image.Rectangle, panes int) image.Rectangle {
	if panes > 1 {
		r.Min.Y += a.kit.Dp(headHeight)
	}
	return r
}

// paneAreas returns the rectangles of the panes within r.
func paneAreas(l *session.Split, r image.Rectangle, gap int) map[session.PaneID]image.Rectangle {
	areas := map[session.PaneID]image.Rectangle{}
	var place func(l *session.Split, r image.Rectangle)
	place = func(l *session.Split, r image.Rectangle) {
		if l.Parts[0] == nil {
			areas[l.Pane] = r
			return
		}
		first, _, second := cut(l, r, gap)
		place(l.Parts[0], first)
		place(l.Parts[1], second)
	}
	place(l, r)
	return areas
}

// divider is a draggable gap between panes.
type divider struct {
	at     image.Rectangle
	axis   gesture.Axis
	share  float32 // of the part before it
	length float32 // of both parts, px
}

// paneDividers returns the gaps between panes, in the order of session.ResizePanes.
func paneDividers(l *session.Split, r image.Rectangle, gap int) []divider {
	if l.Parts[0] == nil {
		return nil
	}
	first, between, second := cut(l, r, gap)
	d := divider{between, gesture.Horizontal, l.Share, float32(r.Dx() - gap)}
	if l.Down {
		d.axis, d.length = gesture.Vertical, float32(r.Dy()-gap)
	}
	return append(append([]divider{d}, paneDividers(l.Parts[0], first, gap)...),
		paneDividers(l.Parts[1], second, gap)...)
}

// cut divides r between both parts of a split and the gap between them.
func cut(l *session.Split, r image.Rectangle, gap int) (first, between, second image.Rectangle) {
	first, between, second = r, r, r
	if l.Down {
		first.Max.Y = r.Min.Y + int(l.Share*float32(r.Dy()-gap)+.5)
		second.Min.Y = first.Max.Y + gap
		between.Min.Y, between.Max.Y = first.Max.Y, second.Min.Y
		return first, between, second
	}
	first.Max.X = r.Min.X + int(l.Share*float32(r.Dx()-gap)+.5)
	second.Min.X = first.Max.X + gap
	between.Min.X, between.Max.X = first.Max.X, second.Min.X
	return first, between, second
}
