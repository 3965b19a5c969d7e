package ui

import (
	"context"
	"fmt"
	"image"
	"reflect"
	"slices"
	"testing"

	"gioui.org/io/key"
	"gioui.org/io/pointer"
	"pgregory.net/rapid"

	"diptych/internal/host"
	"diptych/internal/pair"
	"diptych/internal/scene"
	"diptych/internal/session"
	"diptych/internal/testtrace"
	alignview "diptych/internal/ui/aligned"
	"diptych/internal/ui/kit"
	matchview "diptych/internal/ui/matches"
	threadview "diptych/internal/ui/threads"
	"diptych/internal/ui/uitest/viewtest"
	"diptych/internal/ui/view"
)

// fourPanes shows matches beside threads, and below them the alignment beside matches again.
func fourPanes(t testing.TB, s *session.Session) *App {
	t.Helper()
	layout, shown, err := ParsePanes("matches+threads/alignment+matches")
	if err != nil {
		t.Fatal(err)
	}
	app := New(s)
	s.ShowPanes(layout, shown)
	return app
}

func fourPaneBench(t *testing.T) *bench {
	t.Helper()
	b := benchOf(t, fourPanes(t, opened(t, pairs["queue"]...)), image.Pt(1600, 1000))
	b.settle()
	b.settle()
	return b
}

// panesOf returns what the panes show, in the order of the layout.
func (b *bench) panesOf() (shown []view.View) {
	b.app.eachPane(func(c *content) { shown = append(shown, c.shown) })
	return shown
}

// hovered counts what is drawn in the colour of hovered calls.
func (b *bench) hovered(v view.View) (n int) {
	hover := b.app.kit.Pal.Hover
	for _, part := range v.Scenes() {
		for k := range part.Layers {
			l := &part.Layers[k]
			for i := range l.Quads {
				if l.Quads[i].Shade == scene.Outline && l.Quads[i].Fill == hover {
					n++
				}
			}
			for i := range l.Arcs {
				if l.Arcs[i].Shade == scene.Outline && l.Arcs[i].Fill == hover {
					n++
				}
			}
		}
	}
	return n
}

// TestHoverIsOneForAllPanes: a call that is pointed at in one pane is outlined in all of them, with its
// matches, its partner and its thread, in the very frame that hears the pointer.
func TestHoverIsOneForAllPanes(t *testing.T) {
	b := fourPaneBench(t)
	shown := b.panesOf()
	if len(shown) != 4 {
		t.Fatalf("%d panes", len(shown))
	}
	for _, v := range shown {
		if n := b.hovered(v); n != 0 {
			t.Fatalf("%T: %d outlines while nothing is pointed at", v, n)
		}
	}
	m := shown[0].(*matchview.Pane)
	ref := b.longCall(pair.A, 1)
	r, ok := m.Shown().Sides[pair.A].Drawing.CallRect(ref)
	if !ok {
		t.Fatal("the call is not drawn")
	}
	b.pic.Move(image.Pt(int(r.X0+r.X1)/2, int(r.Y0+r.Y1)/2).Add(m.Area().Min), 0)
	b.pic.Layout() // one frame
	if h := b.state().Hover; !h.OK || h.Ref != ref {
		t.Fatalf("hovered is %+v", h)
	}
	for _, v := range shown {
		least := 1
		switch v.(type) {
		case *matchview.Pane, *alignview.Pane:
			least = 2 // the call and what it matches, or its partner
		}
		if n := b.hovered(v); n < least {
			t.Errorf("%T: %d outlines in the same frame, want %d", v, n, least)
		}
	}
	before, _ := shown[1].(*threadview.Pane)
	if before == nil {
		t.Error("the second pane shows no threads")
	}
	b.pic.Move(image.Pt(3, 3), 0)
	b.pic.Layout()
	for _, v := range shown {
		if n := b.hovered(v); n != 0 {
			t.Errorf("%T: %d outlines stay", v, n)
		}
	}
}

// TestPanesAreSplitAndClosed drives the panes by their keys and by the controls of their heads.
func TestPanesAreSplitAndClosed(t *testing.T) {
	b := queuePair(t)
	ids := func() int { return len(b.state().Layout.Panes()) }
	b.press("E", key.ModCtrl)
	b.press("4", 0)
	b.press("E", key.ModCtrl|key.ModShift)
	b.press("5", 0)
	if ids() != 3 || b.state().View != session.Threads {
		t.Fatalf("%d panes, the active one shows %s", ids(), b.state().View)
	}
	first := b.panesOf()[0].(*matchview.Pane)
	b.clickAt(first.Area().Min.Add(image.Pt(200, 100)))
	if b.state().View != session.Matches || b.app.Pane() != view.View(first) {
		t.Error("a press does not make a pane active")
	}
	b.press("F6", 0)
	if b.state().View != session.Alignment {
		t.Errorf("F6 leads to %s", b.state().View)
	}
	area := b.app.contentOf().area
	line := image.Pt(area.Min.X-b.app.kit.Dp(gap)/2, area.Min.Y+20)
	b.drag(line, line.Add(image.Pt(-60, 0)), 0)
	if now := b.app.contentOf().area; area.Min.X-now.Min.X < 50 {
		t.Errorf("dragging the splitter moved the pane from %v to %v", area, now)
	}
	b.click("Close the pane") // of the first
	if ids() != 2 || b.state().View == session.Matches {
		t.Errorf("%d panes are left, the active one shows %s", ids(), b.state().View)
	}
	b.press("M", key.ModCtrl|key.ModShift)
	if ids() != 1 {
		t.Errorf("%d panes instead of only one", ids())
	}
	b.press(key.NameLeftArrow, key.ModAlt)
	if ids() != 2 {
		t.Error("the way back does not bring the panes back")
	}
}

// TestSmallPanes lays all views out in panes of about 300 × 200 dp, and a little above and below.
func TestSmallPanes(t *testing.T) {
	for _, scale := range []float32{1, 2} {
		for _, size := range []image.Point{{660, 640}, {620, 600}, {420, 480}} {
			s := opened(t, pairs["queue"]...)
			app := fourPanes(t, s)
			app.dock.Open = false
			pic, err := host.NewPicture(app, size.Mul(int(scale)), scale)
			if err != nil {
				t.Fatal(err)
			}
			pic.Settle()
			s.Settle(t.Context())
			pic.Settle()
			app.eachPane(func(c *content) {
				for _, part := range c.shown.Scenes() {
					if !part.Area.In(c.area) {
						t.Errorf("%v: %s draws in %v, its pane is %v", size, c.of, part.Area, c.area)
					}
				}
			})
			pic.Close()
		}
	}
}

// TestResultsInAnyOrder delivers the jobs' results one at a time in any order, with a frame between any
// two: nothing panics, what is drawn is never of an earlier state, and in the end the picture is the same.
func TestResultsInAnyOrder(t *testing.T) {
	size := image.Pt(1400, 900)
	testtrace.Checks(t, 4) // each of which lays out four panes many times
	var last []view.Part
	test, kit := t, viewtest.Kit(t)
	rapid.Check(t, func(t *rapid.T) {
		s := unsettled(test, pairs["queue"]...)
		app := fourPanes(test, s)
		app.kit, app.context.Kit = kit, kit
		s.SetStill(true) // what moves by itself is another picture in each frame
		pic, err := host.NewPicture(app, size, 1)
		if err != nil {
			t.Fatal(err)
		}
		defer pic.Close()
		pic.Layout()
		for {
			n := s.Ready(context.Background())
			if n == 0 {
				break
			}
			s.Take(rapid.IntRange(0, n-1).Draw(t, "result"))
			if rapid.IntRange(0, 9).Draw(t, "also") == 0 {
				pic.Move(image.Pt(rapid.IntRange(0, 1100).Draw(t, "x"), rapid.IntRange(60, 990).Draw(t, "y")), 0)
			}
			pic.Layout()
			checkFresh(t, app, pic)
		}
		pic.Move(image.Pt(2, 2), 0)
		pic.Settle()
		now := cloned(app.scenes())
		if last != nil && !sameParts(last, now) {
			t.Fatalf("the order of the results changes the picture")
		}
		last = now
	})
}

// checkFresh holds the scenes of a frame against ones that are built anew for the same state.
func checkFresh(t *rapid.T, app *App, pic *host.Picture) {
	before, of := cloned(app.scenes()), app.built
	app.built = builtOf{}
	pic.Layout()
	if app.built == of && !sameParts(before, app.scenes()) {
		t.Fatalf("a frame shows what is no longer so: %s", differing(before, app.scenes()))
	}
}

// cloned returns copies of scenes, whose buffers the next frame reuses.
func cloned(parts []view.Part) []view.Part {
	out := make([]view.Part, len(parts))
	for i, p := range parts {
		s := *p.Scene
		s.Layers = slices.Clone(s.Layers)
		for k := range s.Layers {
			l := &s.Layers[k]
			l.Quads, l.Texts = slices.Clone(l.Quads), slices.Clone(l.Texts)
			l.Arcs, l.Ribbons = slices.Clone(l.Arcs), slices.Clone(l.Ribbons)
		}
		out[i] = view.Part{Scene: &s, Area: p.Area}
	}
	return out
}

// differing says which of the scenes differ.
func differing(x, y []view.Part) (which string) {
	for i := range min(len(x), len(y)) {
		if !sameParts(x[i:i+1], y[i:i+1]) {
			which += fmt.Sprintf("scene %d of %d in %v, %v; ", i, len(y), x[i].Area, y[i].Area)
		}
	}
	return which
}

// sameParts compares scenes by their rectangles, texts, arcs and ribbons.
func sameParts(x, y []view.Part) bool {
	return slices.EqualFunc(x, y, func(a, b view.Part) bool {
		return a.Area == b.Area && slices.EqualFunc(a.Layers, b.Layers, func(l, m scene.Layer) bool {
			return slices.Equal(l.Quads, m.Quads) && slices.Equal(l.Texts, m.Texts) &&
				slices.Equal(l.Arcs, m.Arcs) && reflect.DeepEqual(l.Ribbons, m.Ribbons)
		})
	})
}

// TestScenesAreBuiltOnlyForChanges: frames in which nothing changes, as those of a blinking caret, build
// no scene; a click builds them as long as something changes.
func TestScenesAreBuiltOnlyForChanges(t *testing.T) {
	b := fourPaneBench(t)
	b.click("Search functions")
	before := b.app.builds
	for range 5 {
		b.pic.Layout()
	}
	if n := b.app.builds - before; n != 0 {
		t.Errorf("%d scenes were built for nothing", n)
	}
	b.press(key.NameEscape, 0)
	b.press("T", 0)
	if b.app.builds == before {
		t.Error("another theme builds no scene")
	}
}

// TestControlsShowTheirStateAtOnce: after a click nothing stays as it was until the pointer moves.
func TestControlsShowTheirStateAtOnce(t *testing.T) {
	b := queuePair(t)
	shows := func(label string) bool { _, ok := b.pic.Find(label); return ok }
	at := func(label string) image.Point {
		r, ok := b.pic.Find(label)
		if !ok {
			t.Fatalf("there is no %q", label)
		}
		return middle(r)
	}
	b.pic.Click(at("More settings of the matches"), pointer.ButtonPrimary, 0)
	b.pic.Settle()
	if !shows("Fewer settings of the matches") || !shows(b.app.Command(matchview.ToggleOriginal).Title) {
		t.Error("the second row is not there after the click")
	}
	b.pic.Click(at(b.app.Command(matchview.MatchesAll).Title), pointer.ButtonPrimary, 0)
	b.pic.Settle()
	all, _ := b.app.Pane().(*matchview.Pane)
	if !b.state().Style.All || all.Shown() == nil {
		t.Error("all matches are not drawn after the click")
	}
	b.press("P", key.ModCtrl|key.ModShift)
	b.write("Light or dark")
	b.pic.Press(key.NameReturn, 0)
	b.pic.Settle()
	if b.app.overlay.page != noPage || shows("Find a command") {
		t.Error("the palette stays open")
	}
}

// TestKeysAreNotLost: a view can be chosen while what it shows is loading, and a step to a difference is
// done once there is an alignment.
func TestKeysAreNotLost(t *testing.T) {
	s := session.New(func() {})
	b := benchOf(t, New(s), image.Pt(1280, 800))
	b.pic.Settle()
	b.app.Drop([]string{testdata + "/" + pairs["queue"][0], testdata + "/" + pairs["queue"][1]})
	b.pic.Press("5", 0)
	b.pic.Layout()
	if s.State().View != session.Threads {
		t.Error("5 is lost while the traces are loading")
	}
	b.settle()

	b = queuePair(t)
	if b.state().Selected.OK || b.state().Shown() != nil {
		t.Fatal("there is an alignment already")
	}
	b.press("Q", 0)
	if st := b.state(); st.View != session.Alignment || !st.Selected.OK {
		t.Errorf("Q from the matches leads to %s with %+v", st.View, st.Selected)
	}
}

// unsettled returns a session whose jobs have not been waited for.
func unsettled(t testing.TB, files ...string) *session.Session {
	t.Helper()
	s := session.New(func() {})
	for i, f := range files {
		s.Put(pair.Side(i), f, viewtest.Load(t, f))
	}
	return s
}

// TestCrampedPanesSaySo: a pane that is too low for its view says so rather than nothing.
func TestCrampedPanesSaySo(t *testing.T) {
	for _, name := range []string{"matches", "alignment", "structure", "aggregation"} {
		s := opened(t, pairs["queue"]...)
		layout, shown, err := ParsePanes("matches+threads/threads/" + name)
		if err != nil {
			t.Fatal(err)
		}
		app := New(s)
		s.ShowPanes(layout, shown)
		b := benchOf(t, app, image.Pt(1280, 650))
		b.settle()
		if !b.shows(kit.NoRoom) {
			t.Errorf("%s has %v and says nothing: %q", name, b.app.contentOf().area, b.pic.Labels())
		}
	}
	b := benchOf(t, New(opened(t, pairs["queue"]...)), image.Pt(420, 300))
	b.app.S.SetView(session.Threads)
	if b.settle(); !b.shows(kit.NoRoom) {
		t.Errorf("in a small window, threads say nothing: %q", b.pic.Labels())
	}
}
