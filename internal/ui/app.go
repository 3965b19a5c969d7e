// Package ui is the window: the top bar, the panes of the main area, the dock, the status line, and
// what may lie over all of them. What a pane shows is a view: a folder below this one and a row of
// the table in views.go, which is all that the window knows of it. The package is, with its
// folders, the only importer of Gio's widgets; it computes nothing about traces.
//
// One frame: Layout lets the views hear the pointer, builds their scenes where something has
// changed, and lays everything out; Paint then names the scenes, which are drawn beneath what Gio
// recorded. Of both, what differs from the last frame is drawn.
package ui

import (
	"image"
	"time"

	"gioui.org/layout"
	"gioui.org/op"
	"gioui.org/widget"

	"diptych/internal/command"
	"diptych/internal/geom"
	"diptych/internal/host"
	"diptych/internal/pair"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/session"
	"diptych/internal/trace"
	"diptych/internal/traceio/input"
	"diptych/internal/ui/dock"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/overview"
	"diptych/internal/ui/view"
)

// App is the window's content. It implements host.App, and view.Window for its views.
type App struct {
	S    *session.Session
	Load input.Options // flags for every load
	// Closed, which may be nil, is called when the window holds a trace no more that was closed or
	// replaced. The last frame that was drawn of it may still do so.
	Closed func()

	keeper keeper

	kit      *kit.Kit
	frame    host.Frame
	rows     []view.Row
	commands *command.Table
	context  *view.Context

	chrome   scene.Scene // cards, beneath the views
	overview *overview.Pane
	panes    map[session.PaneID]*content
	dividers []kit.Splitter
	dock     *dock.Dock
	topbar   topbar
	status   statusBar
	splits   splits
	overlay  overlay
	menu     menu
	batch    batchPage
	offer    schemeOffer
	changed  changeOffer

	loadingPanel loadingPanel

	traces        [2]*trace.Trace     // that were open in the last frame
	built         builtOf             // what the scenes were built of
	builds        uint64              // how many have been built so far
	failed        [2]error            // failures that were brought to notice
	faults        int                 // of the program's own that were
	titled        string              // the window's title
	choices       chan choice         // answers of the desktop's file dialog
	openers       [2]widget.Clickable // of the empty window
	folderOpeners [2]widget.Clickable // for folders
	aim           pair.Side           // the side that keys act on: where the pointer was last
	keyed         bool                // a key has acted since the pointer moved
}

// builtOf is what all scenes depend on besides their rectangles and what the views keep.
type builtOf struct {
	rev    uint64
	size   image.Point
	scale  float32
	pal    *palette.Palette
	moving bool
}

// New returns the interface of s, with the views of the table.
func New(s *session.Session) *App { return newApp(s, views()) }

func newApp(s *session.Session, rows []view.Row) *App {
	a := &App{S: s, kit: kit.New(), rows: rows, choices: make(chan choice, 4),
		overview: overview.New(), panes: map[session.PaneID]*content{}, splits: defaultSplits}
	a.context = &view.Context{S: s, Kit: a.kit, Window: a}
	var commands [][]command.Command
	register(s, rows)
	for i := range rows {
		commands = append(commands, rows[i].Commands)
	}
	a.commands = command.NewTable(commands...)
	a.dock = dock.New()
	if s.State().Search.Query != "" {
		a.dock.Show(dock.Functions)
	}
	return a
}

var (
	_ host.App      = (*App)(nil)
	_ host.Mender   = (*App)(nil)
	_ host.Returner = (*App)(nil)
	_ view.Window   = (*App)(nil)
)

// Heed implements host.App: what one job has found, the next one can go on from.
func (a *App) Heed() { a.S.Drain() }

// Mend implements host.Mender: a stored trace that was damaged while it is shown is read anew.
func (a *App) Mend(panicked any) bool { return a.S.Mend(panicked) }

// Return implements host.Returner: recordings may have been made anew meanwhile.
func (a *App) Return() { a.S.LookForChanges() }

// Layout implements host.App.
func (a *App) Layout(f host.Frame) {
	a.frame = f
	a.kit.Begin(f.Metric, f.Size)
	gtx := f.Context()
	a.S.Drain()
	a.S.Animate(gtx.Now)
	a.takeChoices()
	st := a.S.State()
	others := a.letGo(st)
	a.entitle(st)
	a.noticeFailures(st)
	a.kit.Use(st.Dark, st.Style.ColourBlind)
	a.chrome = scene.Scene{Size: geom.Size{W: float32(f.Size.X), H: float32(f.Size.Y)}}

	switch {
	case a.onBatch():
		a.batch.page.Update(a.context, gtx)
		a.batch.page.Build(a.context, a.arrange(gtx, st).main)
	case !st.Empty():
		if !others {
			a.hear(gtx)
		}
		a.build(gtx)
	}
	a.offer.update(a, gtx, a.S.State())
	a.changed.update(a, gtx)
	st = a.S.State()
	before, keyed := st.Rev, a.keyed
	a.layoutAll(gtx, st)
	a.keys(gtx) // after the text fields, which take theirs first
	a.keep(gtx)
	a.schedule(gtx, a.S.State().Rev != before || a.keyed != keyed)
}

// layoutAll lays out the window. While something lies over it, neither pointer nor Tab come to what
// is beneath.
func (a *App) layoutAll(gtx layout.Context, st *session.State) {
	defer a.menu.ground(gtx).Pop()
	beneath := gtx
	if a.Covered() {
		beneath = gtx.Disabled()
	}
	z := a.arrange(gtx, st)
	a.layoutWork(beneath, st, z)
	kit.At(beneath, z.top, func(gtx layout.Context) { a.topbar.layout(a, gtx, st) })
	kit.At(beneath, z.status, func(gtx layout.Context) { a.status.layout(a, gtx, st) })
	a.splits.layout(a, beneath, z)
	a.overlay.layout(a, gtx, st)
	a.menu.layout(a, gtx, z)
}

// layoutWork lays out everything between the bars.
func (a *App) layoutWork(gtx layout.Context, st *session.State, z zones) {
	if a.onBatch() {
		a.batch.page.Layout(a.context, gtx, z.dock)
		return
	}
	if st.Empty() {
		a.welcome(gtx, st, z)
		return
	}
	if !z.overview.Empty() {
		a.overview.Layout(a.context, gtx)
	}
	a.layoutPanes(gtx, z)
	if !a.dock.Open {
		a.S.SetTab("")
	} else {
		a.Card(z.dock)
		kit.At(gtx, z.dock, func(gtx layout.Context) {
			if !st.Any() {
				a.loadingPanel.layout(a, gtx, st)
				return
			}
			a.dock.Layout(a.context, gtx, a.S.State(), a.row(st.View))
		})
	}
}

// entitle names what is open in the window's title.
func (a *App) entitle(st *session.State) {
	title := "Diptych"
	if names := a.comparedPair(st); names != "" {
		title = names + " – Diptych"
	}
	if title != a.titled {
		a.titled = title
		a.frame.Window.SetTitle(title)
	}
}

// noticeFailures turns to the problems when a file could not be opened or a job failed.
func (a *App) noticeFailures(st *session.State) {
	for i := range st.Sides {
		if err := st.Sides[i].Err; err != a.failed[i] {
			a.failed[i] = err
			if err != nil && st.Any() {
				a.ShowTab(dock.Problems)
			}
		}
	}
	if n := len(st.Faults); n != a.faults {
		if n > a.faults {
			a.ShowTab(dock.Problems)
		}
		a.faults = n
	}
}

// progressEvery is how often progress is shown.
const progressEvery = 125 * time.Millisecond

// schedule asks for the next frame: where something changes by itself, and where a control that was
// laid out after the scenes has changed what they show.
func (a *App) schedule(gtx layout.Context, changed bool) {
	if changed || a.frame.Heard {
		// Controls that were laid out before the event was handled show its effect in the next
		// frame.
		gtx.Execute(op.InvalidateCmd{})
	}
	if at, ok := progressAt(a.S.Jobs(), gtx.Now); ok {
		gtx.Execute(op.InvalidateCmd{At: at})
	}
	if a.S.Animating() {
		gtx.Execute(op.InvalidateCmd{})
	}
	if a.Moving(gtx) {
		gtx.Execute(op.InvalidateCmd{At: a.S.RestAt()}) // to draw in full what has moved
	}
	if _, until := a.S.Notice(); !until.IsZero() {
		gtx.Execute(op.InvalidateCmd{At: gtx.Now.Add(time.Until(until) + time.Millisecond)})
	}
}

// progressAt returns when the next frame has to show how far jobs have come. What loads is seen to
// grow from the start. Any other job is told only if it is slow, and most are done by then or wait
// for the view to rest, so a frame before that would show nothing new.
func progressAt(jobs []*session.Job, now time.Time) (at time.Time, ok bool) {
	for _, j := range jobs {
		due := now.Add(progressEvery)
		if told := j.Started.Add(slow); !j.Loads() && due.Before(told) {
			due = told
		}
		if !ok || due.Before(at) {
			at, ok = due, true
		}
	}
	return at, ok
}

// Paint implements host.App.
func (a *App) Paint(f *host.Scenes) error {
	f.Ground, f.Type = a.kit.Pal.Ground, a.kit.Setter()
	f.Add(&a.chrome, image.Rectangle{Max: a.frame.Size})
	for _, p := range a.scenes() {
		f.Add(p.Scene, p.Area)
	}
	return nil
}

// scenes returns everything that is drawn beneath the controls.
func (a *App) scenes() []view.Part {
	st := a.S.State()
	if a.onBatch() {
		return a.batch.page.Scenes()
	}
	if st.Empty() {
		return nil
	}
	var parts []view.Part
	if !a.ownOverview(st) {
		parts = a.overview.Scenes()
	}
	for _, id := range st.Layout.Panes() {
		if c := a.panes[id]; c != nil && c.shown != nil {
			parts = append(parts, c.shown.Scenes()...)
		}
	}
	return parts
}

// Drop implements host.App: one file goes to the first empty side, else to the side under the
// pointer; two replace both, and so does a session.
func (a *App) Drop(paths []string) {
	switch {
	case len(paths) == 1 && IsBatch(paths[0]):
		a.OpenBatch(paths[0])
	case len(paths) >= 2:
		a.S.Open(pair.A, paths[0], a.Load)
		a.S.Open(pair.B, paths[1], a.Load)
	case len(paths) == 1:
		a.open(a.emptySide(), paths[0])
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
