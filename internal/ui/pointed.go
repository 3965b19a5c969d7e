package ui

import (
	"iter"

	"gioui.org/io/event"
	"gioui.org/io/pointer"
	"gioui.org/layout"
)

// anyScroll is how far a pane lets itself be scrolled in one event: as far as the wheel says.
var anyScroll = pointer.ScrollRange{Min: -1e6, Max: 1e6}

// pointed yields what the pointer has done to a pane since the last frame.
func pointed(gtx layout.Context, pane event.Tag) iter.Seq[pointer.Event] {
	return func(yield func(pointer.Event) bool) {
		for {
			e, ok := gtx.Event(pointer.Filter{Target: pane,
				Kinds: pointer.Press | pointer.Drag | pointer.Release | pointer.Cancel |
					pointer.Move | pointer.Enter | pointer.Leave | pointer.Scroll,
				ScrollX: anyScroll, ScrollY: anyScroll})
			if !ok {
				return
			}
			if e, ok := e.(pointer.Event); ok && !yield(e) {
				return
			}
		}
	}
}
