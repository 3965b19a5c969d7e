package ui

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"gioui.org/io/key"
	"gioui.org/layout"
	"gioui.org/op"
	"gioui.org/widget"

	"diptych/internal/command"
	"diptych/internal/session"
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
	spelling := spell(k)
	plain := utf8.RuneCountInString(strings.TrimPrefix(spelling, "Shift-")) == 1
	if plain && a.editing(gtx) {
		return
	}
	if c, ok := command.ByKey(spelling); ok && a.can(c, a.S.State()) {
		a.perform(gtx, c.ID)
	}
}

// stepKeys moves the choice in a list of n by the arrow keys while its text field has the focus. It
// comes before the field, which would move its caret.
func stepKeys(gtx layout.Context, field *widget.Editor, list *widget.List, at *int, n int) {
	for {
		e, ok := gtx.Event(key.Filter{Focus: field, Name: key.NameUpArrow},
			key.Filter{Focus: field, Name: key.NameDownArrow})
		if !ok {
			return
		}
		k, ok := e.(key.Event)
		if !ok || k.State != key.Press {
			continue
		}
		if k.Name == key.NameUpArrow {
			*at--
		} else {
			*at++
		}
		*at = max(0, min(*at, n-1))
		const above = 8 // rows kept in view above the choice
		list.ScrollTo(max(0, *at-above))
	}
}

// editing reports whether a text field has the focus.
func (a *App) editing(gtx layout.Context) bool {
	for _, e := range a.editors() {
		if gtx.Focused(e) {
			return true
		}
	}
	return false
}

// spell names a key press as the command table does.
func spell(k key.Event) string {
	name := string(k.Name)
	if n, ok := spelled[k.Name]; ok {
		name = n
	}
	s := ""
	if k.Modifiers.Contain(key.ModCtrl) {
		s += "Ctrl-"
	}
	if k.Modifiers.Contain(key.ModAlt) {
		s += "Alt-"
	}
	r, n := utf8.DecodeRuneInString(name)
	symbol := n == len(name) && !unicode.IsLetter(r) // the shift is already in "?"
	if k.Modifiers.Contain(key.ModShift) && !symbol {
		s += "Shift-"
	}
	return s + name
}

var spelled = map[key.Name]string{
	key.NameLeftArrow: "Left", key.NameRightArrow: "Right", key.NameUpArrow: "Up",
	key.NameDownArrow: "Down", key.NameHome: "Home", key.NameEnd: "End", key.NameEscape: "Escape",
	key.NamePageUp: "PageUp", key.NamePageDown: "PageDown", key.NameReturn: "Enter",
	key.NameEnter: "Enter", key.NameTab: "Tab", key.NameSpace: "Space",
}

// can reports whether a command makes sense now.
func (a *App) can(c *command.Command, st *session.State) bool {
	switch c.ID {
	case command.AlignHere:
		return st.Selected.OK && st.Both()
	case command.BringBack:
		return len(st.Circle.Hidden) > 0
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
