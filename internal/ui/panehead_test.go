package ui

import (
	"image"
	"testing"

	"gioui.org/io/key"

	"diptych/internal/command"
)

// TestNarrowPanesCanBeClosed: four panes side by side, of which the narrowest have 80 px, each have a
// button that closes them and is not cut off.
func TestNarrowPanesCanBeClosed(t *testing.T) {
	b := benchOf(t, New(opened(t, pairs["queue"]...)), image.Pt(1050, 600))
	b.pic.Settle()
	for range 3 {
		b.press("E", key.ModCtrl)
		b.press("7", 0)
	}
	narrowest, closing := 1<<20, 0
	b.app.eachPane(func(c *content) { narrowest = min(narrowest, c.area.Dx()) })
	for _, n := range b.pic.Router().AppendSemantics(nil) {
		if n.Desc.Label != b.app.Command(command.ClosePane).Title {
			continue
		}
		if closing++; n.Desc.Bounds.Dx() < headButton {
			t.Errorf("a button that closes a pane is cut to %v", n.Desc.Bounds)
		}
	}
	if closing != 4 || narrowest > 90 {
		t.Errorf("%d panes can be closed; the narrowest has %d px", closing, narrowest)
	}
}
