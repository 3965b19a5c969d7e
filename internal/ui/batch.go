package ui

import (
	"image"
	"os"
	"path/filepath"

	"gioui.org/font"
	"gioui.org/layout"
	"gioui.org/widget"

	"diptych/internal/command"
	"diptych/internal/escape"
	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/ui/fleet"
	"diptych/internal/ui/kit"
)

// A batch is a page of its own in place of the workbench: a click there opens one of its pairs, and
// the way back leads through the history of that pair to the page.

// batchPage is the page of the batch that is open, if one is.
type batchPage struct {
	page  *fleet.Page // nil for none
	shown bool        // in place of the workbench
	visited
	button widget.Clickable
}

// visited is the pair that the page has opened last.
type visited struct {
	name  string // "" for none
	paths [2]string
}

// open reports whether the pair is what is open.
func (v *visited) open(st *session.State) bool {
	return v.name != "" && st.Sides[pair.A].Path == v.paths[pair.A] && st.Sides[pair.B].Path == v.paths[pair.B]
}

// describedBy is the file by which the directory of a batch is known.
const describedBy = "batch.json"

// IsBatch reports whether a path is the directory of a batch.
func IsBatch(path string) bool {
	st, err := os.Stat(filepath.Join(path, describedBy))
	return err == nil && st.Mode().IsRegular()
}

// OpenBatch opens the page of a batch. Traces that are open stay open.
func (a *App) OpenBatch(path string) {
	a.batch.page, a.batch.visited = fleet.New(path, a.visit), visited{}
	a.batch.shown = true
	a.batch.page.Read(a.S)
}

// chooseBatch lets the user pick the directory of a batch.
func (a *App) chooseBatch() {
	a.chooseFolder("Open a batch: the folder that diptych batch has written", func(dir string) {
		if !IsBatch(dir) {
			a.failSession(escape.Line(dir) + ": it holds no batch, which has a file " + describedBy)
			return
		}
		a.OpenBatch(dir)
	})
}

// onBatch reports whether the page of a batch is shown.
func (a *App) onBatch() bool { return a.batch.shown && a.batch.page != nil }

// showBatch goes back to the page of the batch. The pair stays open, so that Forward returns to it.
func (a *App) showBatch() {
	if a.batch.page != nil {
		a.batch.shown = true
	}
}

// visit opens a pair of the batch at the place that was clicked, and compares it as the batch did.
func (a *App) visit(v fleet.Visit) {
	now := visited{v.Name, v.Paths}
	if a.batch.visited != now || !now.open(a.S.State()) {
		a.closeTraces()
		a.compareAs(&v)
	}
	o := a.Load
	o.Format, o.Trace = v.Settings.Format, v.Settings.Trace
	a.batch.shown, a.batch.visited = false, now
	a.S.OpenAt(v.Paths, o, v.At)
}

// compareAs has traces loaded and compared as those of a batch were, until they are closed. Format
// and request are of these files, not of those opened later.
func (a *App) compareAs(v *fleet.Visit) {
	a.setAside()
	s := &v.Settings
	a.Load.SampleType, a.Load.RulesFile = s.SampleType, s.RulesFile
	a.Load.Format, a.Load.Trace = "", ""
	a.S.Rules, a.S.Strict = s.Names, s.Strict
	if v.Trouble != nil {
		a.S.Say("Not compared as the batch was: " + escape.Line(v.Trouble.Error()))
	}
}

// goBack goes a step back in the history of what is open, and from its beginning to the batch.
func (a *App) goBack() {
	if !a.onBatch() && !a.S.Back() {
		a.showBatch()
	}
}

// goForward undoes that.
func (a *App) goForward() {
	if a.onBatch() {
		a.batch.shown = !a.S.State().Any()
		return
	}
	a.S.Forward()
}

// hidden are the commands about what the page of a batch lies in place of, though they need no
// trace.
var hidden = map[command.ID]bool{command.ShowFindings: true, command.ShowDetails: true,
	command.ShowThreads: true, command.ShowFunctions: true, command.ShowProblems: true,
	command.ShowRuns: true, command.ShowNotes: true, command.Menu: true}

// canOnBatch reports whether a command makes sense while the page of a batch is shown.
func (a *App) canOnBatch(c *command.Command) bool {
	switch c.ID {
	case command.Forward:
		return a.S.State().Any()
	case command.CloseTrace:
		return a.S.State().Any()
	case command.ShowBatch:
		return false
	case command.ZoomIn, command.ZoomOut, command.ScrollUp, command.ScrollDown, command.ShowAll,
		command.NextQuantity:
		return a.batch.page.Ready()
	}
	return !hidden[c.ID] && (c.Needs == command.Nothing ||
		c.Needs == command.Working && len(a.S.Jobs()) > 0)
}

// performOnBatch has the page of the batch carry out a command; it reports whether it did.
func (a *App) performOnBatch(id command.ID) bool {
	if !a.onBatch() {
		return false
	}
	p := a.batch.page
	switch id {
	case command.ZoomIn:
		p.Zoom(1 / zoomStep)
	case command.ZoomOut:
		p.Zoom(zoomStep)
	case command.ScrollUp:
		p.Scroll(-1)
	case command.ScrollDown:
		p.Scroll(+1)
	case command.ShowAll:
		p.ShowAll()
	case command.NextQuantity:
		p.NextQuantity()
	default:
		return false
	}
	return true
}

// batchZones divides the window for the page of a batch: its matrix, and its lists at the right
// where the dock is open.
func (a *App) batchZones(z zones, work image.Rectangle) zones {
	z.main = work
	if a.dock.Open {
		width := kit.Bound(a.splits.dock, leastDock, float32(work.Dx())/a.kit.Px(1)*mostDock)
		z.main.Max.X = work.Max.X - a.kit.Dp(width) - a.kit.Dp(gap)
		z.dock = image.Rect(z.main.Max.X+a.kit.Dp(gap), work.Min.Y, work.Max.X, work.Max.Y)
		z.beside = image.Rect(z.main.Max.X, work.Min.Y, z.dock.Min.X, work.Max.Y)
	}
	return z
}

// batchTitle names the batch in the top bar, with what it holds.
func (a *App) batchTitle(gtx layout.Context) layout.Dimensions {
	name := kit.Style{Size: kit.Large, Color: a.kit.Pal.Text, Weight: font.Medium}
	return layout.Flex{Alignment: layout.Middle}.Layout(gtx, kit.Space(6),
		layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return a.kit.Label(gtx, "Fleet  ·  "+a.batch.page.Title(), name)
		}), kit.Space(besideName), kit.Wide(func(gtx layout.Context) layout.Dimensions {
			return a.kit.Label(gtx, a.batch.page.About(), a.kit.Caption())
		}))
}

// toBatch is the button that leads back to the batch, if one is open.
func (a *App) toBatch(gtx layout.Context) layout.Dimensions {
	if a.batch.page == nil {
		return layout.Dimensions{}
	}
	if a.batch.button.Clicked(gtx) {
		a.showBatch()
	}
	return layout.Inset{Right: 8}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
		return a.kit.Button(gtx, &a.batch.button, "‹ Fleet", "Back to the fleet", false)
	})
}

// comparedPair names what is open, which for a pair of a batch begins with its name there.
func (a *App) comparedPair(st *session.State) string {
	names := comparison(st)
	switch {
	case a.onBatch():
		return a.batch.page.Title()
	case names != "" && a.batch.visited.open(st):
		return a.batch.name + ": " + names
	}
	return names
}

// statusText is what the status line tells: of the batch while its page is shown.
func (a *App) statusText(st *session.State) string {
	if a.onBatch() {
		if notice, _ := a.S.Notice(); notice != "" {
			return notice
		}
		return a.batch.page.Hovered()
	}
	return statusText(a.S, st, a.row(st.View))
}

// counted is what stands at the right of the status line.
func (a *App) counted(st *session.State) string {
	if a.onBatch() {
		return ""
	}
	return counts(a.row(st.View), st)
}
