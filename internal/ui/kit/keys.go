package kit

import (
	"unicode"
	"unicode/utf8"

	"gioui.org/io/key"
	"gioui.org/layout"
	"gioui.org/widget"
)

// ArrowSteps returns how far the arrow keys Up and Down were pressed while a text field had the
// focus, downwards where positive. Call it before the field is laid out: the field would take the
// keys to move its caret.
func ArrowSteps(gtx layout.Context, field *widget.Editor) (by int) {
	for {
		e, ok := gtx.Event(key.Filter{Focus: field, Name: key.NameUpArrow},
			key.Filter{Focus: field, Name: key.NameDownArrow})
		if !ok {
			return by
		}
		switch k, ok := e.(key.Event); {
		case !ok || k.State != key.Press:
		case k.Name == key.NameUpArrow:
			by--
		default:
			by++
		}
	}
}

// StepKeys moves the choice *at in a list of n rows by ArrowSteps of the text field above it.
func StepKeys(gtx layout.Context, field *widget.Editor, list *widget.List, at *int, n int) {
	by := ArrowSteps(gtx, field)
	if by == 0 {
		return
	}
	*at = max(0, min(*at+by, n-1))
	const above = 8 // rows kept in view above the choice
	list.ScrollTo(max(0, *at-above))
}

// Spell names a key press as the command table does: "Ctrl-Shift-P", "Left", "?".
func Spell(k key.Event) string {
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

// spelled names the keys that have another name in the command table.
var spelled = map[key.Name]string{
	key.NameLeftArrow: "Left", key.NameRightArrow: "Right", key.NameUpArrow: "Up",
	key.NameDownArrow: "Down", key.NameHome: "Home", key.NameEnd: "End", key.NameEscape: "Escape",
	key.NamePageUp: "PageUp", key.NamePageDown: "PageDown", key.NameReturn: "Enter",
	key.NameDeleteBackward: "Backspace",
	key.NameEnter:          "Enter", key.NameTab: "Tab", key.NameSpace: "Space",
}
