package ui

import (
	"image"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gioui.org/io/event"
	"gioui.org/io/key"

	"diptych/internal/pair"
	"diptych/internal/ui/dock"
	threadsview "diptych/internal/ui/threads"
	"diptych/internal/ui/uitest"
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

// TestTabReachesEverything: in every view and tab of the dock, and on every page that lies over the
// window, Tab comes to all that can be clicked, with a ring around it, in light and dark. Escape
// closes what lies over the window.
func TestTabReachesEverything(t *testing.T) {
	b := sized(t, New(explored(t)), image.Pt(1280, 560), 1)
	b.crowd()
	for i, tab := range []string{dock.Groups, dock.Notes, threadsview.WaitsTab, dock.Functions, dock.Threads} {
		r := &b.app.rows[i]
		b.app.S.SetView(r.View)
		b.app.dock.Show(tab)
		b.app.S.SetDark(i%2 == 1)
		b.rest()
		b.tabRound(string(r.View) + " with " + tab)
	}
	for name, open := range b.overlays() {
		open()
		b.settle()
		b.tabRound(name)
		if b.press(key.NameEscape, 0); b.app.Covered() {
			t.Errorf("Escape does not close %s", name)
		}
	}
}

// tabRound presses Tab until it has been at everything that can be clicked, and fails the test if it
// leaves something out.
func (b *bench) tabRound(what string) {
	b.t.Helper()
	missed := map[string]bool{}
	for _, name := range uitest.Controls(b.pic.Router()) {
		missed[name] = true
	}
	all := len(missed)
	for n := 0; n < 400 && len(missed) > 0; n++ {
		b.pic.Queue(key.Event{Name: key.NameTab, State: key.Press})
		b.pic.Layout()
		delete(missed, b.app.kit.Ringed())
	}
	if len(missed) > 0 {
		b.t.Errorf("%s: of %d controls Tab never comes to %q", what, all, slices.Sorted(maps.Keys(missed)))
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

// TestTypedPaths: in the program's own chooser a relative path begins in the folder that is listed,
// ~ is the user's own folder, and the list follows what is typed.
func TestTypedPaths(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	if err := os.MkdirAll(filepath.Join(dir, "runs", "old"), 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "runs", "before.txt")
	if err := os.WriteFile(file, []byte("no trace"), 0o644); err != nil {
		t.Fatal(err)
	}
	b := newBench(t)
	open := func() {
		b.app.overlay.files.dir = dir
		b.app.overlay.files.open(ask{of: forTrace, side: pair.B,
			use: func(path string) { b.app.open(pair.B, path) }})
		b.app.overlay.show(filesPage)
		b.settle()
	}
	open()
	if b.write("runs/"); !b.shows("Open before.txt") || !b.shows("Open old") || b.shows("Open runs") {
		t.Errorf("with runs/ typed: %q", b.pic.Labels())
	}
	if b.write("be"); !b.shows("Open before.txt") || b.shows("Open old") {
		t.Errorf("with runs/be typed: %q", b.pic.Labels())
	}
	if b.write("/x"); b.shows("Open before.txt") || b.shows("Open runs") {
		t.Errorf("with runs/be/x typed: %q", b.pic.Labels())
	}
	for _, path := range []string{"runs/before.txt", "~/runs/before.txt", "runs/bef"} {
		open()
		b.write(path)
		b.press(key.NameReturn, 0)
		if err := b.state().Sides[1].Err; err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("%s was opened as B with %v", path, err)
		}
		b.app.S.Dismiss(pair.B)
	}
}

// TestTooltipsGiveWayToKeys: a tooltip does not hide what a key has brought into sight, in any view;
// it is back as soon as the pointer moves.
func TestTooltipsGiveWayToKeys(t *testing.T) {
	b := queuePair(t)
	const tip = "best matches in B"
	at := b.callAt(pair.A, 1)
	if b.move(at); !b.tells(tip) {
		t.Fatalf("no tooltip at %v: %q", at, b.pic.Labels())
	}
	for name, do := range map[string]func(){
		"a key": func() { b.press("]", 0); b.press("[", 0) },
		"a search": func() {
			b.press("/", 0)
			b.write("put")
			b.press(key.NameReturn, 0)
			b.press(key.NameHome, 0)
		},
	} {
		if do(); b.tells(tip) {
			t.Errorf("%s leaves the tooltip", name)
		}
		b.press(key.NameEscape, 0)
		b.app.S.ShowAll()
		b.settle()
		if b.move(at.Add(image.Pt(1, 0))); !b.tells(tip) {
			t.Errorf("after %s, no tooltip where the pointer moves", name)
		}
	}
}
