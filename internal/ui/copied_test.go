package ui

import (
	"strings"
	"testing"

	"gioui.org/io/key"

	"diptych/internal/ui/dock"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/threads"
	"diptych/internal/ui/view"
)

// TestTablesAreCopied: Ctrl-C puts the row of the cursor on the clipboard and Ctrl-Shift-C the whole
// table, whichever table the dock shows.
func TestTablesAreCopied(t *testing.T) {
	b := queuePair(t)
	b.press("5", 0) // the view of threads, with the table of waits
	for _, c := range []struct {
		tab  string
		open func()
	}{
		{threads.WaitsTab, func() { b.clickBeginning("Show waits ") }},
		{dock.Threads, func() { b.press("4", key.ModCtrl); b.click("Show threads consumer") }},
		{dock.Threads, func() { b.click("Compare threads with each other"); b.settle() }},
	} {
		for mods, whole := range map[key.Modifiers]bool{key.ModCtrl: false, key.ModCtrl | key.ModShift: true} {
			b.app.ShowTab(c.tab)
			b.settle()
			c.open()
			want := b.app.Panel(c.tab).(view.Copier).Copy(kit.TSV, whole)
			b.press("C", mods)
			if got := b.pic.Clipboard(); got != want || len(got) == 0 || (strings.Count(got, "\n") > 1) != whole {
				t.Errorf("%s, %v: copied is %q, want %q", c.tab, mods, got, want)
			}
		}
	}
}
