package ui

import (
	"gioui.org/io/key"
	"gioui.org/layout"

	"diptych/internal/command"
	"diptych/internal/pair"
	"diptych/internal/session"
)

// Steps of the keys that move the view, as shares of what is visible.
const (
	zoomStep  = 0.7
	panStep   = 0.2
	rowsStep  = 5
	rowsScale = 1.25
)

// perform carries out a command.
func (a *App) perform(gtx layout.Context, id command.ID) {
	s, st := a.S, a.S.State()
	side := a.acting(st)
	focus := st.Sides[side].Focus
	if a.aligning(st) && a.performAligned(id, st) || a.threading(st) && a.performThreads(id, st) {
		return
	}
	switch id {
	case command.OpenA:
		a.choose(pair.A)
	case command.OpenB:
		a.choose(pair.B)
	case command.CloseTrace:
		s.Close()
	case command.SwapSides:
		s.Swap()
	case command.CancelJobs:
		s.CancelAll()
	case command.Quit:
		a.frame.Window.Close()

	case command.ZoomIn:
		s.Zoom(side, a.main.pointerTime(side, focus), zoomStep)
	case command.ZoomOut:
		s.Zoom(side, a.main.pointerTime(side, focus), 1/zoomStep)
	case command.PanLeft:
		s.Pan(side, -panStep*focus.Len())
	case command.PanRight:
		s.Pan(side, panStep*focus.Len())
	case command.ScrollUp:
		a.main.scroll(a, side, -rowsStep)
	case command.ScrollDown:
		a.main.scroll(a, side, rowsStep)
	case command.FitSelection:
		s.FitSelection()
		if !st.Range.OK {
			a.main.raise(a, st.Selected)
		}
	case command.ShowAll:
		s.ShowAll()
	case command.Back:
		s.Back()
	case command.Forward:
		s.Forward()
	case command.SelectParent:
		s.SelectRelative(session.Caller)
	case command.SelectChild:
		s.SelectRelative(session.FirstCallee)
	case command.SelectPrev:
		s.SelectRelative(session.CallBefore)
	case command.SelectNext:
		s.SelectRelative(session.CallAfter)

	case command.Search:
		a.showTab(functionsTab)
		gtx.Execute(key.FocusCmd{Tag: &a.topbar.search})
	case command.NextHit:
		s.StepHit(+1)
	case command.PrevHit:
		s.StepHit(-1)
	case command.Clear:
		a.clear(gtx)
	case command.Palette:
		a.overlay.openPalette()
	case command.Keys:
		a.overlay.show(keysPage)
	default:
		a.performShow(id, side)
	}
}

// performShow carries out the commands that choose what is shown.
func (a *App) performShow(id command.ID, side pair.Side) {
	s, st := a.S, a.S.State()
	switch id {
	case command.CycleLock:
		s.CycleLock(side)
	case command.LockFree:
		s.SetLock(session.Free, side)
	case command.LockAbsolute:
		s.SetLock(session.Absolute, side)
	case command.LockFromStart:
		s.SetLock(session.FromStart, side)
	case command.LockRelative:
		s.SetLock(session.Proportional, side)
	case command.LockAligned:
		s.SetLock(session.ByAlignment, side)
	case command.ScopeProcess:
		s.ShowProcess(true)
	case command.ScopeThread:
		s.ShowProcess(false)
	case command.MoreLevels:
		s.SetLevels(st.Levels + max(1, st.Levels/2))
	case command.FewerLevels:
		s.SetLevels(st.Levels - max(1, st.Levels/3))
	case command.TallerRows:
		s.ScaleRows(rowsScale)
	case command.LowerRows:
		s.ScaleRows(1 / rowsScale)
	case command.NextThread:
		s.StepPair(+1)
	case command.PrevThread:
		s.StepPair(-1)
	case command.ShowFindings:
		a.showTab(findingsTab)
	case command.ShowDetails:
		a.showTab(detailsTab)
	case command.ShowGroups:
		a.showTab(groupsTab)
	case command.ShowThreads:
		a.showTab(threadsTab)
	case command.ShowFunctions:
		a.showTab(functionsTab)
	case command.ShowProblems:
		a.showTab(problemsTab)
	case command.ToggleDock:
		a.dock.open = !a.dock.open
	case command.ToggleNarrow:
		s.SetLighter(!st.Lighter)
	case command.ToggleTheme:
		s.SetDark(!st.Dark)
	case command.ToggleFullView:
		a.frame.Window.SetFullScreen(!a.frame.Window.FullScreen())
	default:
		a.performMatch(id)
	}
}

// acting returns the side that keys act on: the one the pointer was last over, if it has a trace.
func (a *App) acting(st *session.State) pair.Side {
	if st.Loaded(a.aim) {
		return a.aim
	}
	return a.aim.Other()
}

func (a *App) showTab(t tab) {
	a.dock.open = true
	a.dock.tab = t
}

// clear undoes, innermost first, what was opened or chosen: an overlay, the search, the call marked
// to be aligned, the selection.
func (a *App) clear(gtx layout.Context) {
	st := a.S.State()
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
	case a.align.bar.anchors.drop.Open():
		a.align.bar.anchors.drop.Close()
	case a.threads.bar.hidden.drop.Open():
		a.threads.bar.hidden.drop.Close()
	case st.Mark.OK:
		a.S.Unmark()
	case st.Range.OK:
		a.S.ClearRange()
	default:
		a.S.Select(session.Target{})
	}
}
