// Package ui is the interface: it lays out bars, panes and dock with Gio, builds the scenes of the
// views for the rectangles they get, turns events into calls of the session and commands into
// actions. It is the only importer of Gio's widgets; it computes nothing about traces.
//
// One frame: Layout handles events, drains finished jobs, lays everything out and builds the
// scenes; Paint then draws the scenes' quads beneath what Gio recorded.
package ui

import (
	"image"
	"strings"
	"time"

	"gioui.org/layout"
	"gioui.org/op"
	"gioui.org/widget"

	"diptych/internal/geom"
	"diptych/internal/host"
	"diptych/internal/pair"
	"diptych/internal/render"
	"diptych/internal/scene"
	"diptych/internal/session"
	"diptych/internal/traceio/input"
	"diptych/internal/ui/kit"
)

// App is the window's content. It implements host.App.
type App struct {
	S    *session.Session
	Load input.Options // flags for every load

	kit      *kit.Kit
	frame    host.Frame
	chrome   scene.Scene // cards and splitters, beneath the views
	topbar   topbar
	overview overviewPane
	main     mainPane
	align    alignPane
	threads  threadsPane
	dock     dock
	status   statusBar
	splits   splits
	overlay  overlay
	failed   [2]error            // failures that were brought to notice
	titled   string              // the window's title
	choices  chan choice         // answers of the desktop's file dialog
	openers  [2]widget.Clickable // of the empty window
	aim      pair.Side           // the side that keys act on: where the pointer was last
}

// New returns the interface of s.
func New(s *session.Session) *App {
	a := &App{S: s, kit: kit.New(), choices: make(chan choice, 4)}
	a.dock.open = true
	a.main.style = newStyleBar()
	a.align.bar, a.align.pointed = newAlignBar(), -1
	a.threads.bar = newThreadsBar()
	if s.State().Search.Query != "" {
		a.dock.tab = functionsTab
	}
	a.splits = defaultSplits
	return a
}

var _ host.App = (*App)(nil)

// Layout implements host.App.
func (a *App) Layout(f host.Frame) {
	a.frame = f
	a.kit.Begin(f.Metric, f.Size)
	gtx := f.Context()
	a.S.Drain()
	a.S.Animate(gtx.Now)
	a.chosen()
	st := a.S.State()
	a.entitle(st)
	a.noticeFailures(st)
	a.kit.Use(st.Dark, st.Style.ColourBlind)
	a.chrome = scene.Scene{Size: geom.Size{W: float32(f.Size.X), H: float32(f.Size.Y)}}

	z := a.arrange(gtx, st)
	a.layoutWork(gtx, st, z)
	kit.At(gtx, z.top, func(gtx layout.Context) { a.topbar.layout(a, gtx, st) })
	kit.At(gtx, z.status, func(gtx layout.Context) { a.status.layout(a, gtx, st) })
	a.splits.layout(a, gtx, z)
	a.overlay.layout(a, gtx, st)
	a.keys(gtx) // after the text fields, which take theirs first
	a.schedule(gtx, st)
}

// layoutWork lays out everything between the bars.
func (a *App) layoutWork(gtx layout.Context, st *session.State, z zones) {
	if !st.Any() {
		a.welcome(gtx, st, z)
		return
	}
	if a.threading(st) {
		a.threads.layout(a, gtx, st, z.main)
	} else {
		a.card(z.overview)
		a.card(z.main)
		a.overview.layout(a, gtx, st, z.overview)
		a.main.layout(a, gtx, st, z.main)
	}
	if a.dock.open {
		a.card(z.dock)
		kit.At(gtx, z.dock, func(gtx layout.Context) { a.dock.layout(a, gtx, st) })
	}
}

// entitle names what is open in the window's title.
func (a *App) entitle(st *session.State) {
	var names []string
	for i := range st.Sides {
		if st.Sides[i].Trace != nil {
			names = append(names, st.Sides[i].Name)
		}
	}
	title := "Diptych"
	if len(names) > 0 {
		title = strings.Join(names, " | ") + " – Diptych"
	}
	if title != a.titled {
		a.titled = title
		a.frame.Window.SetTitle(title)
	}
}

// noticeFailures turns to the problems when a file could not be opened.
func (a *App) noticeFailures(st *session.State) {
	for i := range st.Sides {
		if err := st.Sides[i].Err; err != a.failed[i] {
			a.failed[i] = err
			if err != nil && st.Any() {
				a.showTab(problemsTab)
			}
		}
	}
}

// schedule asks for the next frame where something changes by itself.
func (a *App) schedule(gtx layout.Context, st *session.State) {
	if len(a.S.Jobs()) > 0 {
		gtx.Execute(op.InvalidateCmd{At: gtx.Now.Add(80 * time.Millisecond)})
	}
	if a.S.Animating() {
		gtx.Execute(op.InvalidateCmd{})
	}
	if a.moving(gtx) {
		gtx.Execute(op.InvalidateCmd{At: a.S.RestAt()}) // to draw in full what has moved
	}
	if _, until := a.S.Notice(); !until.IsZero() {
		gtx.Execute(op.InvalidateCmd{At: gtx.Now.Add(time.Until(until) + time.Millisecond)})
	}
}

// moving reports whether the view has just moved, by the clock of the frames: that of a picture is
// not the session's.
func (a *App) moving(gtx layout.Context) bool {
	left := a.S.RestAt().Sub(gtx.Now)
	return left > 0 && left < time.Second
}

// Paint implements host.App.
func (a *App) Paint(r *render.Renderer, t render.Target) error {
	if err := r.Clear(t, a.kit.Pal.Ground); err != nil {
		return err
	}
	if err := r.Draw(t, &a.chrome); err != nil {
		return err
	}
	if !a.S.State().Any() {
		return nil
	}
	if a.threading(a.S.State()) {
		return a.threads.paint(r, t)
	}
	if s, at := a.overview.scene(); s != nil {
		if err := r.Draw(t.At(at), s); err != nil {
			return err
		}
	}
	pane := a.main.scene
	if a.aligning(a.S.State()) {
		pane = a.align.scene
	}
	if s, at := pane(); s != nil {
		return r.Draw(t.At(at), s)
	}
	return nil
}

// aligning reports whether the main pane shows the alignment.
func (a *App) aligning(st *session.State) bool { return st.View == session.Alignment && st.Both() }

// Drop implements host.App: one file goes to the first empty side, else to the side under the
// pointer; two replace both.
func (a *App) Drop(paths []string) {
	switch {
	case len(paths) >= 2:
		a.S.Open(pair.A, paths[0], a.Load)
		a.S.Open(pair.B, paths[1], a.Load)
	case len(paths) == 1:
		a.S.Open(a.emptySide(), paths[0], a.Load)
	}
}

func (a *App) emptySide() pair.Side {
	st := a.S.State()
	for _, side := range []pair.Side{pair.A, pair.B} {
		if !st.Loaded(side) {
			return side
		}
	}
	return a.aim
}

// card draws a pane's ground beneath the views.
func (a *App) card(r image.Rectangle) { a.kit.Card(a.chromeLayer(), r) }

func (a *App) chromeLayer() *scene.Layer {
	if len(a.chrome.Layers) == 0 {
		return a.chrome.Layer(geom.Rect{})
	}
	return &a.chrome.Layers[0]
}
