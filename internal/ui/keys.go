package ui

import (
	"strings"
	"unicode/utf8"

	"gioui.org/io/key"
	"gioui.org/layout"
	"gioui.org/op"

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
	if !a.onBatch() && a.dock.Press(k) {
		return
	}
	spelling := kit.Spell(k)
	plain := utf8.RuneCountInString(strings.TrimPrefix(spelling, "Shift-")) == 1
	if plain && a.kit.Editing(gtx) {
		return
	}
	if c, ok := a.commands.ByKey(spelling); ok && a.Can(c.ID) {
		a.menu.Close() // whose keys work while it is open, too
		a.keyed = true
		a.Perform(gtx, c.ID)
	}
}
