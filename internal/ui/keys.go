package ui

import (
	"strings"
	"unicode/utf8"

	"gioui.org/io/key"
	"gioui.org/layout"
	"gioui.org/op"

	"diptych/internal/command"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
)

const anyModifier = key.ModCtrl | key.ModShift | key.ModAlt | key.ModSuper | key.ModCommand

// keys takes the key presses that no focused widget wants and performs the commands bound to them.
func (a *App) keys(gtx layout.Context) {
	for {
		e, ok := gtx.Event(key.Filter{Optional: anyModifier})
		if !ok {
			return
		}
		if k, ok := e.(key.Event); ok && k.State == key.Press {
			a.press(gtx, k)
			gtx.Execute(op.InvalidateCmd{}) // this frame is laid out already
		}
	}
}

// press performs the command bound to k. While text is edited, plain characters belong to the text.
func (a *App) press(gtx layout.Context, k key.Event) {
	if a.dock.press(a, gtx, k) {
		return
	}
	spelling := kit.Spell(k)
	plain := utf8.RuneCountInString(strings.TrimPrefix(spelling, "Shift-")) == 1
	if plain && a.kit.Editing(gtx) {
		return
	}
	if c, ok := command.ByKey(spelling); ok && a.can(c, a.S.State()) {
		a.perform(gtx, c.ID)
	}
}

// can reports whether a command makes sense now.
func (a *App) can(c *command.Command, st *session.State) bool {
	switch c.ID {
	case command.AlignHere:
		return st.Selected.OK && st.Both()
	case command.BringBack:
		return len(st.Circle().Hidden) > 0
	case command.HideThread:
		return a.threading(st)
	case command.RemoveAnchors:
		return st.Anchors.Len() > 0
	}
	switch c.Needs {
	case command.OneTrace:
		return st.Any()
	case command.TwoTraces:
		return st.Both() && (c.ID != command.LockAbsolute || st.SharesClock())
	case command.Selected:
		return st.Selected.OK || c.ID == command.FitSelection && st.Range.OK
	case command.Searching:
		return len(st.Search.Hits) > 0 && st.Search.Query != ""
	case command.Working:
		return len(a.S.Jobs()) > 0
	}
	return true
}
