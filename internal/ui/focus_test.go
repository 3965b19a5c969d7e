package ui

import (
	"strings"
	"testing"

	"gioui.org/io/event"
	"gioui.org/io/key"
)

// TestTabReachesTheTopBar: Tab goes round the window and comes to every control of the top bar;
// Enter does there what a click does.
func TestTabReachesTheTopBar(t *testing.T) {
	b := queuePair(t)
	bar := &b.app.topbar
	missed := map[event.Tag]string{&bar.open[0]: "A", &bar.open[1]: "B", &bar.swap: "swap",
		&bar.search: "the search", &bar.keys: "keys", &bar.theme: "the theme"}
	for i := range bar.views {
		missed[&bar.views[i]] = b.app.rows[i].Title
	}
	dark := b.state().Dark
	for range 300 {
		b.press(key.NameTab, 0)
		for tag := range missed {
			if b.pic.Router().Source().Focused(tag) {
				delete(missed, tag)
			}
		}
		if b.pic.Router().Source().Focused(&bar.theme) && b.state().Dark == dark {
			b.press(key.NameReturn, 0)
		}
		if len(missed) == 0 {
			break
		}
	}
	if len(missed) > 0 || b.state().Dark == dark {
		t.Errorf("Tab never came to %v; dark %v", missed, b.state().Dark)
	}
}

// TestFoldersAreOpened: a folder is chosen as such, in the program's own chooser where the desktop
// has none.
func TestFoldersAreOpened(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
	dir := t.TempDir()
	b := newBench(t)
	b.app.overlay.files.dir = dir
	b.click("Open a folder as B")
	for b.app.overlay.page != filesPage {
		b.pic.Layout() // the dialog is asked for in a goroutine of its own
	}
	b.click("Open this folder")
	b.settle()
	if err := b.state().Sides[1].Err; err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("the empty folder %s was opened as B with %v", dir, err)
	}
}
