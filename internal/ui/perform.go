package ui

import (
	"gioui.org/io/key"
	"gioui.org/layout"

	"diptych/internal/command"
	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/ui/dock"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
)

// Steps of the keys that move what is shown, as shares of what is visible.
const (
	zoomStep  = 0.7
	panStep   = 0.2
	rowsScale = 1.25
)

// action carries out one of the window's own commands.
type action func(a *App, gtx layout.Context, st *session.State)

// actions are the window's own commands with what they do. Views that want to zoom, pan or scroll
// in their own way have a move for the command.
var actions = map[command.ID]action{
	command.OpenA:       func(a *App, _ layout.Context, _ *session.State) { a.choose(pair.A) },
	command.OpenB:       func(a *App, _ layout.Context, _ *session.State) { a.choose(pair.B) },
	command.OpenFolderA: func(a *App, _ layout.Context, _ *session.State) { a.chooseTraceFolder(pair.A) },
	command.OpenFolderB: func(a *App, _ layout.Context, _ *session.State) { a.chooseTraceFolder(pair.B) },
	command.OpenBatch:   func(a *App, _ layout.Context, _ *session.State) { a.chooseBatch() },
	command.OpenSession: func(a *App, _ layout.Context, _ *session.State) { a.chooseSession() },
	command.SaveSession: func(a *App, _ layout.Context, _ *session.State) { a.saveSession() },
	command.SaveAs:      func(a *App, _ layout.Context, _ *session.State) { a.saveAs() },
	command.Continue:    func(a *App, _ layout.Context, _ *session.State) { a.continueLast() },
	command.CloseTrace:  func(a *App, _ layout.Context, _ *session.State) { a.closeTraces() },
	command.SwapSides:   onSession((*session.Session).Swap),
	command.ReadAgain:   onSession((*session.Session).ReadAgain),
	command.Compare:     onSession((*session.Session).Compare),
	command.WriteReport: func(a *App, _ layout.Context, _ *session.State) { a.writeReport() },
	command.SaveDrawing: func(a *App, _ layout.Context, _ *session.State) { a.askFor(a.savingDrawing()) },
	command.SavePane: func(a *App, _ layout.Context, _ *session.State) {
		a.askFor(a.savingPNG("Save the pane as PNG", a.ofPane))
	},
	command.SaveWindow: func(a *App, _ layout.Context, _ *session.State) {
		a.askFor(a.savingPNG("Save the window as PNG", ofWindow))
	},
	command.CopyDrawing: func(a *App, gtx layout.Context, _ *session.State) { a.copyDrawing(gtx) },
	command.CopyPane:    func(a *App, _ layout.Context, _ *session.State) { a.copyPNG(a.ofPane) },
	command.CopyWindow:  func(a *App, _ layout.Context, _ *session.State) { a.copyPNG(ofWindow) },
	command.CancelJobs:  onSession((*session.Session).CancelAll),
	command.Quit:        func(a *App, _ layout.Context, _ *session.State) { a.frame.Window.Close() },

	command.ZoomIn:       zooming(zoomStep),
	command.ZoomOut:      zooming(1 / zoomStep),
	command.PanLeft:      panning(-panStep),
	command.PanRight:     panning(panStep),
	command.ScrollUp:     nothing, // what a row is only a view knows
	command.ScrollDown:   nothing,
	command.FitSelection: onSession((*session.Session).FitSelection),
	command.ShowAll:      onSession((*session.Session).ShowAll),
	command.Back:         func(a *App, _ layout.Context, _ *session.State) { a.goBack() },
	command.Forward:      func(a *App, _ layout.Context, _ *session.State) { a.goForward() },
	command.ShowBatch:    func(a *App, _ layout.Context, _ *session.State) { a.showBatch() },
	command.NextQuantity: nothing, // the page of the batch does it
	command.SelectParent: selecting(session.Caller),
	command.SelectChild:  selecting(session.FirstCallee),
	command.SelectPrev:   selecting(session.CallBefore),
	command.SelectNext:   selecting(session.CallAfter),

	command.Search: func(a *App, gtx layout.Context, _ *session.State) {
		a.ShowTab(dock.Functions)
		a.focusSearch(gtx)
	},
	command.AddNote:  func(a *App, _ layout.Context, st *session.State) { a.WriteNote(a.spot(st)) },
	command.NextNote: func(a *App, _ layout.Context, st *session.State) { a.stepNote(st, +1) },
	command.PrevNote: func(a *App, _ layout.Context, st *session.State) { a.stepNote(st, -1) },
	command.NextHit:  onSession(func(s *session.Session) { s.StepHit(+1) }),
	command.PrevHit:  onSession(func(s *session.Session) { s.StepHit(-1) }),
	command.Clear:    func(a *App, gtx layout.Context, st *session.State) { a.clear(gtx, st) },
	command.Palette:  func(a *App, _ layout.Context, _ *session.State) { a.overlay.openPalette() },
	command.Keys:     func(a *App, _ layout.Context, _ *session.State) { a.overlay.show(keysPage) },

	command.SplitRight:    splitting(false),
	command.SplitDown:     splitting(true),
	command.NextPane:      onSession(func(s *session.Session) { s.StepPane(+1) }),
	command.PrevPane:      onSession(func(s *session.Session) { s.StepPane(-1) }),
	command.ExchangePanes: onSession((*session.Session).ExchangePanes),
	command.OnlyPane:      onSession((*session.Session).OnlyPane),
	command.ClosePane:     onSession((*session.Session).ClosePane),

	command.CycleLock: func(a *App, _ layout.Context, st *session.State) {
		a.S.CycleLock(a.acting(st))
	},
	command.LockFree:      locking(session.Free),
	command.LockAbsolute:  locking(session.Absolute),
	command.LockFromStart: locking(session.FromStart),
	command.LockRelative:  locking(session.Proportional),
	command.LockAligned:   locking(session.ByAlignment),
	command.CommonScale:   onSession(func(s *session.Session) { s.ToggleScale() }),
	command.QuietThreads:  onSession(func(s *session.Session) { s.ToggleQuiet() }),
	command.ScopeProcess:  onSession(func(s *session.Session) { s.ShowProcess(true) }),
	command.ScopeThread:   onSession(func(s *session.Session) { s.ShowProcess(false) }),
	command.MoreLevels: func(a *App, _ layout.Context, st *session.State) {
		a.S.SetLevels(st.Levels + max(1, st.Levels/2))
	},
	command.FewerLevels: func(a *App, _ layout.Context, st *session.State) {
		a.S.SetLevels(st.Levels - max(1, st.Levels/3))
	},
	command.TallerRows: onSession(func(s *session.Session) { s.ScaleRows(rowsScale) }),
	command.LowerRows:  onSession(func(s *session.Session) { s.ScaleRows(1 / rowsScale) }),
	command.NextThread: onSession(func(s *session.Session) { s.StepPair(+1) }),
	command.PrevThread: onSession(func(s *session.Session) { s.StepPair(-1) }),

	command.ShowFindings:  showing(dock.Findings),
	command.ShowDetails:   showing(dock.Details),
	command.ShowThreads:   showing(dock.Threads),
	command.ShowFunctions: showing(dock.Functions),
	command.ShowProblems:  showing(dock.Problems),
	command.ShowRuns:      showing(dock.Runs),
	command.ShowNotes:     showing(dock.Notes),
	command.LargerScale:   rescaling(scaleStep),
	command.SmallerScale:  rescaling(1 / scaleStep),
	command.UsualScale:    func(a *App, _ layout.Context, _ *session.State) { a.frame.Window.SetScale(0) },
	command.ShowRange:     showing(dock.Range),
	command.Menu:          func(a *App, _ layout.Context, _ *session.State) { a.openMenuByKey() },
	command.CopyThing:     copying(func(t *view.Thing) kit.TextFormat { return t.Usual }),
	command.CopyThingList: copying(func(*view.Thing) kit.TextFormat { return kit.Markdown }),
	command.CopyThingRow:  copying(func(*view.Thing) kit.TextFormat { return kit.TSV }),
	command.CopyTable:     copyingTable(kit.TSV),
	command.CopyMarkdown:  copyingTable(kit.Markdown),
	command.ToggleDock:    func(a *App, _ layout.Context, _ *session.State) { a.dock.Open = !a.dock.Open },
	command.ToggleNarrow:  func(a *App, _ layout.Context, st *session.State) { a.S.SetLighter(!st.Lighter) },
	command.ToggleTheme:   func(a *App, _ layout.Context, st *session.State) { a.S.SetDark(!st.Dark) },
	command.ToggleScheme: onSession(func(s *session.Session) {
		s.SetStyle(func(x *session.Style) { x.ColourBlind = !x.ColourBlind })
	}),
	command.ToggleMotion: func(a *App, _ layout.Context, st *session.State) { a.S.SetStill(!st.Still) },
	command.ToggleFullView: func(a *App, _ layout.Context, _ *session.State) {
		a.frame.Window.SetFullScreen(!a.frame.Window.FullScreen())
	},
}

func nothing(*App, layout.Context, *session.State) {}

func onSession(f func(*session.Session)) action {
	return func(a *App, _ layout.Context, _ *session.State) { f(a.S) }
}

func zooming(factor float64) action {
	return func(a *App, _ layout.Context, st *session.State) {
		side := a.acting(st)
		a.S.Zoom(side, st.Sides[side].Focus.Mid(), factor)
	}
}

func panning(share float64) action {
	return func(a *App, _ layout.Context, st *session.State) {
		side := a.acting(st)
		a.S.Pan(side, share*st.Sides[side].Focus.Len())
	}
}

func selecting(r session.Relative) action {
	return onSession(func(s *session.Session) { s.SelectRelative(r) })
}

func locking(l session.Lock) action {
	return func(a *App, _ layout.Context, st *session.State) { a.S.SetLock(l, a.acting(st)) }
}

// rescaling makes texts and controls larger, or smaller below 1.
func rescaling(factor float32) action {
	return func(a *App, _ layout.Context, _ *session.State) {
		w := a.frame.Window
		w.SetScale(min(max(w.Scale()*factor, leastScale), mostScale))
	}
}

// scaleStep is how much larger texts and controls become at a time; the scale has these limits.
const scaleStep, leastScale, mostScale = 1.1, .5, 4

func showing(tab string) action {
	return func(a *App, _ layout.Context, _ *session.State) { a.ShowTab(tab) }
}

// copying puts what has the choice on the clipboard.
func copying(format func(*view.Thing) kit.TextFormat) action {
	return func(a *App, gtx layout.Context, _ *session.State) {
		if t, _ := a.choice(gtx); t.Text != nil {
			kit.Copy(gtx, t.Text(format(&t)))
		}
	}
}

// copyingTable puts what the dock shows on the clipboard, if it is a table.
func copyingTable(format kit.TextFormat) action {
	return func(a *App, gtx layout.Context, _ *session.State) {
		panel, ok := a.Panel(a.dock.Tab()).(view.Copier)
		if !ok {
			return
		}
		if text := panel.Copy(format, true); text != "" {
			kit.Copy(gtx, text)
		}
	}
}

// splitting shows the view of the active pane in a new one.
func splitting(down bool) action {
	return func(a *App, _ layout.Context, st *session.State) { a.S.SplitPane(st.View, down) }
}

// Perform implements view.Window. The view in the active pane comes first, then the window, then
// the view that the command belongs to, which is shown if it is not.
func (a *App) Perform(gtx layout.Context, id command.ID) {
	if a.performOnBatch(id) {
		return
	}
	st := a.S.State()
	if move := a.row(st.View).Moves[id]; move != nil && move(a.context, gtx, a.Pane()) {
		return
	}
	if act := actions[id]; act != nil {
		act(a, gtx, st)
		return
	}
	for i := range a.rows {
		r := &a.rows[i]
		if act := r.Actions[id]; act != nil {
			act(a.context, gtx)
			return
		}
		if r.Open == id {
			a.S.SetView(r.View)
			return
		}
		if move := r.Moves[id]; move != nil && owns(r, id) {
			a.show(r)
			move(a.context, gtx, a.Pane())
			return
		}
	}
}

// owns reports whether a command is one of a view's own.
func owns(r *view.Row, id command.ID) bool {
	for i := range r.Commands {
		if r.Commands[i].ID == id {
			return true
		}
	}
	return false
}

// show makes a pane active that shows a view: one that does already, else the active one.
func (a *App) show(r *view.Row) {
	st := a.S.State()
	for _, id := range st.Layout.Panes() {
		if st.View != r.View && st.From(id).View == r.View {
			a.S.Activate(id)
			return
		}
	}
	a.S.SetView(r.View)
}

// acting returns the side that keys act on: the one the pointer was last over, if it has a trace.
func (a *App) acting(st *session.State) pair.Side {
	if st.Loaded(a.aim) {
		return a.aim
	}
	return a.aim.Other()
}

// clear undoes, innermost first, what was opened or chosen: an overlay, the search, the call marked
// to be aligned, the selection.
func (a *App) clear(gtx layout.Context, st *session.State) {
	switch {
	case a.overlay.page != noPage:
		a.overlay.show(noPage)
	case a.kit.Editing(gtx):
		gtx.Execute(key.FocusCmd{})
		if st.Search.Query != "" {
			a.S.Find("")
		}
	case st.Search.Query != "":
		a.S.Find("")
	case a.dismissed():
	case st.Mark.OK:
		a.S.Unmark()
	case st.Range.OK:
		a.S.ClearRange()
	default:
		a.S.Select(session.Target{})
	}
}

// dismissed closes what a bar, the dock or a view has open, and reports whether there was anything.
func (a *App) dismissed() (some bool) {
	if a.topbar.dismiss() || a.dock.Dismiss() {
		return true
	}
	a.eachPane(func(c *content) {
		if d, ok := c.shown.(view.Dismisser); ok && !some {
			some = d.Dismiss()
		}
	})
	return some
}

// Can implements view.Window.
func (a *App) Can(id command.ID) bool {
	c, st := a.commands.Get(id), a.S.State()
	switch {
	case c == nil:
		return false
	case a.onBatch():
		return a.canOnBatch(c)
	case id == command.Back && a.batch.page != nil:
		return true
	case id == command.Continue:
		return a.keeper.last != "" && !st.Any()
	case id == command.NextNote || id == command.PrevNote:
		return st.Notes.Len() > 0
	}
	for i := range a.rows {
		if enabled := a.rows[i].Enabled[id]; enabled != nil && !enabled(st) {
			return false
		}
	}
	switch c.Needs {
	case command.OneTrace:
		return st.Any() || a.opens(id) && a.loading()
	case command.TwoTraces:
		return (st.Both() || a.opens(id) && a.loading()) && (id != command.LockAbsolute || st.SharesClock())
	case command.Selected:
		return st.Selected.OK || id == command.FitSelection && st.Range.OK
	case command.Searching:
		return len(st.Search.Hits) > 0 && st.Search.Query != ""
	case command.Working:
		return len(a.S.Jobs()) > 0
	case command.OneBatch:
		return a.batch.page != nil && id == command.ShowBatch
	case command.SeveralPanes:
		return st.Any() && st.Layout.Parts[0] != nil
	}
	return true
}

// opens reports whether a command shows a view: it can be chosen while what it shows is loading.
func (a *App) opens(id command.ID) bool {
	for i := range a.rows {
		if a.rows[i].Open == id {
			return true
		}
	}
	return false
}

// loading reports whether a trace is being loaded.
func (a *App) loading() bool {
	return a.S.Loading(pair.A) != nil || a.S.Loading(pair.B) != nil
}
