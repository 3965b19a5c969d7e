package ui

import (
	"context"
	"fmt"
	"image"
	"image/draw"
	"maps"
	"regexp"
	"slices"
	"testing"
	"unicode"

	"gioui.org/io/key"
	"gioui.org/io/semantic"

	"diptych/internal/geom"
	"diptych/internal/host"
	"diptych/internal/pair"
	"diptych/internal/saved"
	"diptych/internal/session"
	"diptych/internal/testtrace"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/uitest"
	"diptych/internal/ui/uitest/viewtest"
)

// windows are the sizes that all parts of the window must fit into, px, and their scales.
var windows = []struct {
	size  image.Point
	scale float32
}{
	{image.Pt(900, 600), 1},
	{image.Pt(1280, 720), 1},
	{image.Pt(1920, 1080), 1.5},
	{image.Pt(3840, 2160), 2},
}

// leastLetters is how many letters of a label must be left where the rest is cut off.
const leastLetters = 3

// value tells a text that is a number with its unit, of which no part may be missing.
var value = regexp.MustCompile(`^[-+−~<≥≤]?[\d\x{2009}., ]+(\S{1,4})?$`)

// unreadable reports whether a label that was cut says too little or, since the cut is within a
// number, another number.
func unreadable(c kit.Cut) bool {
	all := []rune(c.Text)
	if c.Shown < leastLetters || value.MatchString(c.Text) {
		return true
	}
	inNumber := func(r rune) bool { return unicode.IsDigit(r) || r == '.' || r == '\u2009' }
	return inNumber(all[c.Shown-1]) && inNumber(all[c.Shown])
}

// check fails the test if something on the window cannot be read or reached.
func (b *bench) check(what string, size image.Point) {
	b.t.Helper()
	b.checkTexts(what)
	for _, fault := range uitest.Hidden(b.pic.Router(), size) {
		b.t.Errorf("%s: %s", what, fault)
	}
}

// checkTexts fails the test if something on the window cannot be read.
func (b *bench) checkTexts(what string) {
	b.t.Helper()
	for _, c := range b.app.kit.Cuts() {
		if unreadable(c) {
			b.t.Errorf("%s: of %q only %d letters are shown", what, c.Text, c.Shown)
		}
	}
}

// TestEverythingFits: in windows of all sizes every control can be reached, and no text is cut to
// nothing; in all views, all tabs beside them, several panes, and all that lies over them.
func TestEverythingFits(t *testing.T) {
	for k, w := range windows {
		t.Run(fmt.Sprintf("%v@%g", w.size, w.scale), func(t *testing.T) {
			b := sized(t, New(explored(t)), w.size, w.scale)
			golden(t, fmt.Sprintf("sizes-%dx%d", w.size.X, w.size.Y), b.corner(w.size))
			b.crowd()
			for i := range b.app.rows {
				if !triedAt(k, i) {
					continue
				}
				r := &b.app.rows[i]
				b.app.S.SetView(r.View)
				b.settle()
				b.check(string(r.View), w.size)
				tabs := b.app.dock.Tabs(b.state(), r)
				if k > 0 { // what fits into the smallest mostly fits into the larger ones
					tabs = testtrace.Sized(tabs[:1], tabs)
				}
				for _, tab := range tabs {
					b.app.dock.Show(tab)
					b.rest()
					b.check(string(r.View)+" with "+tab, w.size)
				}
			}
			b.app.S.SetView(b.app.rows[len(b.app.rows)-1].View)
			b.app.S.SplitPane(session.Matches, false)
			b.app.S.SplitPane(session.Alignment, true)
			b.settle()
			b.checkTexts("three panes") // presses go through what lies over a pane, which Hidden does not know
			overlays := b.overlays()
			for i, name := range slices.Sorted(maps.Keys(overlays)) {
				if !triedAt(k, i) {
					continue
				}
				overlays[name]()
				b.settle()
				b.check(name, w.size)
				b.press(key.NameEscape, 0)
			}
		})
	}
}

// triedAt reports whether window k is one that the view or page i is tried in: the smallest, where least
// fits, and by default one of the others, where texts are of other sizes.
func triedAt(k, i int) bool { return k == 0 || testtrace.Sized(i%(len(windows)-1) == k-1, true) }

// explored returns a session in which all that any view needs of a pair has been found.
func explored(t *testing.T) *session.Session {
	t.Helper()
	return viewtest.Prepared(t, "explored", func(s *session.Session) {
		for _, r := range New(s).rows {
			s.SetView(r.View)
			s.Settle(context.Background())
			if r.View == session.Threads { // the threads that wait most stay
				s.ShowPair(s.State().Current)
			}
		}
		s.SetView(session.Matches)
	}, pairs["situations"]...)
}

// corner returns the picture of the window's top right corner, where most has to fit into a row.
func (b *bench) corner(size image.Point) *image.RGBA {
	b.t.Helper()
	m, err := b.pic.Image()
	if err != nil {
		b.t.Fatal(err)
	}
	part := image.NewRGBA(image.Rect(0, 0, windows[0].size.X, 200))
	draw.Draw(part, part.Rect, m, image.Pt(size.X-part.Rect.Dx(), 0), draw.Src)
	return part
}

// crowd gives the window all that adds controls: a note and a range.
func (b *bench) crowd() {
	s := b.app.S
	whole := b.state().Sides[pair.A].Whole()
	s.Write(session.Spot{Side: pair.A, At: whole.End / 2}, "a note whose text is longer than there is room for in a row of the list")
	s.SelectRange(pair.A, geom.Span{End: whole.End / 2})
	b.settle()
}

// overlays are the pages that lie over the window.
func (b *bench) overlays() map[string]func() {
	return map[string]func(){
		"palette": b.app.overlay.openPalette,
		"keys":    func() { b.app.overlay.show(keysPage) },
		"note":    func() { b.app.WriteNote(b.app.spot(b.app.S.State())) },
		"session": func() { b.app.overlay.files.open(b.app.saving()); b.app.overlay.show(filesPage) },
		"moved": func() {
			f, err := b.app.S.Saved(b.app.Load)
			if err != nil {
				b.t.Fatal(err)
			}
			f.Traces.A.Path, f.Traces.B.Path = "/a/folder/that/is/gone/a.json", "/a/folder/that/is/gone/b.json"
			b.app.Resume(f, "review.diptych")
		},
	}
}

// TestEmptyWindowFits: so does all that the empty window may offer at its smallest, and Tab comes to
// all of it.
func TestEmptyWindowFits(t *testing.T) {
	home := saved.HomeAt(t.TempDir())
	for i := range mostShown {
		of := func(side string) string {
			return fmt.Sprintf("/a/folder/whose/name/is/rather/long/a-recording-with-a-long-name-%d-%s.json", i, side)
		}
		if err := home.AddRecent(saved.Recent{A: of("before"), B: of("after")}); err != nil {
			t.Fatal(err)
		}
	}
	size := windows[0].size
	app := New(session.New(func() {}))
	app.Keep(home)
	b := sized(t, app, size, windows[0].scale)
	if !b.shows(schemeChoices[0].name) {
		t.Fatal("the first window does not ask for the colours")
	}
	b.check("empty", size)
	b.tabRound("empty")
	for _, n := range b.pic.Router().AppendSemantics(nil) {
		if r := n.Desc.Bounds; r.Max.Y > size.Y-30 && n.Desc.Class == semantic.Button {
			t.Errorf("%q is at %v, over the status line", n.Desc.Label, r)
		}
	}
}

// sized shows an app in a window of size px.
func sized(t *testing.T, app *App, size image.Point, scale float32) *bench {
	t.Helper()
	share(t, app)
	pic, err := host.NewPicture(app, size, scale)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pic.Close)
	b := &bench{t, app, pic}
	for range 3 { // the first frames tell how many bars there is room for, which are then computed
		b.settle()
	}
	return b
}

func TestUnreadable(t *testing.T) {
	for text, want := range map[string][2]bool{ // with 3 letters, with all but one
		"12.5 ms": {true, true}, "+3\u2009200": {true, true}, "4203 ← 4200": {true, true}, "main thread": {false, false},
		"42 calls of main": {false, false},
	} {
		for i, shown := range []int{3, len([]rune(text)) - 1} {
			if got := unreadable(kit.Cut{Text: text, Shown: shown}); got != want[i] {
				t.Errorf("%d letters of %q: unreadable %v", shown, text, got)
			}
		}
	}
}
