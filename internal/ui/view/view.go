// Package view says what a view is to the window around it, and what the window is to a view. A
// view is a folder below package ui and one Row in the table of views: the window, the command line
// and the headless renderer know nothing else of it. The package holds no view and no window.
//
// One frame asks the views of all panes for the same steps, in this order: Update (what the pointer
// has done since the last frame), Build (the scenes, if anything has changed), Aim (what is under
// the pointer in the new scenes), Layout (controls, texts and tooltips over them). All views hear
// the pointer before any is built, so that what one of them changes shows in the others in the same
// frame. While a view runs, the session acts in its pane (session.In): State is seen from there.
package view

import (
	"image"

	"gioui.org/layout"

	"diptych/internal/command"
	"diptych/internal/pair"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/scene/legend"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
)

// Row is a row of the table of views.
type Row struct {
	// Kind has the view's name, which is the same in --view, in --set and in the window, and what
	// the session does for it.
	session.Kind
	Aliases []string   // other names it has on the command line
	Title   string     // on its tab
	Alone   string     // on its tab while one trace is open; "" for Title
	Open    command.ID // the command that shows it
	// Pairs says that the view shows nothing of one trace alone.
	Pairs bool
	// OwnOverview says that the view has overviews of its own, so that the window shows none above
	// it.
	OwnOverview bool

	New      func() View
	Commands []command.Command
	// Actions carry out commands that need no pane: settings, mostly.
	Actions map[command.ID]func(c *Context, gtx layout.Context)
	// Moves carry out commands in a pane that shows the view. For one of the view's own Commands
	// the view is shown first if it is not; one of the window's commands, such as zooming in, is
	// given to the view in the active pane before the window does anything itself. A move reports
	// whether it did what was asked.
	Moves map[command.ID]func(c *Context, gtx layout.Context, v View) bool
	// Enabled tells of commands whether they make sense now, beyond what their Needs say.
	Enabled map[command.ID]func(st *session.State) bool

	Tabs     []Tab // of the dock, while the view is in the active pane
	Settings []Setting
	// Picture builds the view alone, without controls, for a picture.
	Picture func(st *session.State, pal *palette.Palette, size image.Point, scale float32) []Part
	// About says in the head of a pane what it shows; nil for the threads that the pane shows.
	About func(st *session.State) string
	// Counts tells at the right of the status line what is shown; may be nil.
	Counts func(st *session.State) string
	// Describe says of a call in the status line what the view knows of it, or ""; may be nil.
	Describe func(st *session.State, t session.Target) string
}

// View is what a pane holds: the scenes of one view, its controls, and what the pointer does there.
type View interface {
	Holder
	// Update hears what the pointer has done since the last frame.
	Update(c *Context, gtx layout.Context)
	// Build builds the scenes for the rectangle of the window that the pane has, px.
	Build(c *Context, gtx layout.Context, area image.Rectangle)
	// Aim notes what is under the pointer, which may have changed because the scenes have.
	Aim(c *Context)
	// Layout draws what lies over the scenes and says where the view wants to hear the pointer. Its
	// origin is the window's.
	Layout(c *Context, gtx layout.Context)
	// Scenes returns what Paint draws beneath.
	Scenes() []Part
}

// Raiser is a View that can scroll to a call's stack level.
type Raiser interface {
	Raise(c *Context, t session.Target)
}

// RaiseSought has views that have just been built scroll to the calls that the session seeks.
func RaiseSought(c *Context, each func(func(View))) {
	for _, t := range c.S.Sought() {
		if t.OK {
			each(func(v View) {
				if r, ok := v.(Raiser); ok {
					r.Raise(c, t)
				}
			})
		}
	}
}

// Dismisser is a View that may have something open, such as a list that drops from its bar.
type Dismisser interface {
	// Dismiss closes it and reports whether there was anything to close.
	Dismiss() bool
}

// Finder is a View that may have found differences of its own, which the dock lists above those of
// the alignment while the view is in the active pane.
type Finder interface {
	Findings(st *session.State) []Finding
}

// Finding is a difference in words, and what leads to it.
type Finding struct {
	Text, Size string
	Show       func(c *Context)
}

// Part is a scene and where it stands in the window or the picture, px.
type Part struct {
	*scene.Scene
	Area image.Rectangle
}

// Tab is a tab of the dock.
type Tab struct {
	ID    string
	Title string
	Open  command.ID // shows it
	// Before is the ID of the tab that it stands before; "" for the end.
	Before string
	Lead   bool // the dock turns to it when the view is shown
	// Silent reports whether it has nothing to tell of what is open: the dock does not turn to it.
	// It may be nil.
	Silent func(*session.State) bool
	Shared bool // views that bring it have one content of it together, not one each
	New    func() Panel
}

// Copier is a Panel with a table, which can be copied as text.
type Copier interface {
	// Copy returns the row that was chosen, or the whole table; "" if there is nothing to copy.
	Copy(format kit.TextFormat, whole bool) string
}

// Panel is the content of a tab of the dock. The session acts in the active pane. It may be a
// Holder and a Copier, too.
type Panel interface {
	Layout(c *Context, gtx layout.Context, st *session.State) layout.Dimensions
}

// Setting is a key of --set.
type Setting struct {
	Key, Help string
	// Early says that it makes sense before a trace is loaded, so that the window takes it too.
	Early bool
	// Apply carries it out. Its error says what values there are.
	Apply func(s *session.Session, value string) error
}

// Context is what a view, a panel or a control has to work with.
type Context struct {
	S   *session.Session
	Kit *kit.Kit
	Window
}

// Window is what the window does for a view.
type Window interface {
	// Command returns a command by its id.
	Command(id command.ID) *command.Command
	// Perform carries out a command, wherever it belongs.
	Perform(gtx layout.Context, id command.ID)
	// Can reports whether a command makes sense now.
	Can(id command.ID) bool

	// Aim returns the side that keys act on, and SetAim chooses it: the one the pointer was last
	// over.
	Aim() pair.Side
	SetAim(side pair.Side)
	// Dirty has the scenes of the pane built anew, in this frame if they are not yet, when
	// something has changed that the session does not know of. Rebuild does so and asks for another
	// frame.
	Dirty()
	Rebuild(gtx layout.Context)
	// Moving reports whether what is shown has just moved, so that drawing had better be quick.
	Moving(gtx layout.Context) bool
	// Quiet reports whether views show no tooltips: something lies over them, or a key has acted
	// since the pointer moved last. What a key has brought into sight would be hidden by a tooltip
	// of whatever has come to lie under the pointer.
	Quiet() bool
	// BarLegend explains the bars of the overview; nil where none is shown.
	BarLegend() []legend.Entry
	// Card draws the ground of a pane.
	Card(r image.Rectangle)

	// ShowTab turns the dock to a tab.
	ShowTab(id string)
	// TurnToDetails leaves the findings for the details, when a call is chosen in a picture.
	TurnToDetails()
	// Panel returns the content of a tab.
	Panel(id string) Panel
	// Pane returns the content of the pane that the session acts in.
	Pane() View
	// WriteNote lets the user write at a spot: a new note, or another text for the one that is
	// there.
	WriteNote(at session.Spot)
	// ChooseFile lets the user open a trace into a side.
	ChooseFile(side pair.Side)
	// ChooseFolder lets the user choose a folder, which use is then called with.
	ChooseFolder(title string, use func(dir string))
}
