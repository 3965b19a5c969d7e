package ui

import (
	"image"
	"time"

	"gioui.org/io/key"
	"gioui.org/layout"
	"gioui.org/op"

	"diptych/internal/command"
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/scene/legend"
	"diptych/internal/ui/view"
)

// What the window does for views, panels and controls: the methods of view.Window.

// Command implements view.Window.
func (a *App) Command(id command.ID) *command.Command { return a.commands.Get(id) }

// Aim implements view.Window.
func (a *App) Aim() pair.Side { return a.aim }

// SetAim implements view.Window.
func (a *App) SetAim(side pair.Side) { a.aim = side }

// Dirty implements view.Window, for the pane that the session acts in.
func (a *App) Dirty() { a.contentOf().dirty = true }

// Rebuild implements view.Window.
func (a *App) Rebuild(gtx layout.Context) {
	if a.onBatch() {
		gtx.Execute(op.InvalidateCmd{})
		return
	}
	a.Dirty()
	gtx.Execute(op.InvalidateCmd{})
}

// BarLegend implements view.Window.
func (a *App) BarLegend() []legend.Entry {
	st := a.S.State()
	if a.ownOverview(st) {
		return nil
	}
	return a.overview.Legend(st, a.kit.Pal)
}

// Moving implements view.Window. It goes by the clock of the frames: that of a picture is not the
// session's.
func (a *App) Moving(gtx layout.Context) bool {
	left := a.S.RestAt().Sub(gtx.Now)
	return left > 0 && left < time.Second
}

// Quiet implements view.Window.
func (a *App) Quiet() bool { return a.Covered() || a.keyed }

// Covered reports whether something lies over the panes and the dock.
func (a *App) Covered() bool { return a.overlay.page != noPage || a.menu.Open() }

// Card implements view.Window.
func (a *App) Card(r image.Rectangle) {
	if len(a.chrome.Layers) == 0 {
		a.chrome.Layer(geom.Rect{})
	}
	a.kit.Card(&a.chrome.Layers[0], r)
}

// ShowTab implements view.Window.
func (a *App) ShowTab(id string) { a.dock.Show(id) }

// TurnToDetails implements view.Window.
func (a *App) TurnToDetails() { a.dock.TurnToDetails() }

// Panel implements view.Window.
func (a *App) Panel(id string) view.Panel {
	return a.dock.Panel(id, a.row(a.S.State().View))
}

// ChooseFile implements view.Window.
func (a *App) ChooseFile(side pair.Side) { a.choose(side) }

// ChooseFolder implements view.Window.
func (a *App) ChooseFolder(title string, use func(dir string)) { a.chooseFolder(title, use) }

// focusSearch puts the caret into the search field.
func (a *App) focusSearch(gtx layout.Context) {
	gtx.Execute(key.FocusCmd{Tag: &a.topbar.search})
}
