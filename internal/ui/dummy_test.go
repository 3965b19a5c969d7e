package ui

import (
	"context"
	"image"
	"path/filepath"
	"slices"
	"testing"

	"gioui.org/io/key"
	"gioui.org/io/semantic"
	"gioui.org/layout"
	"gioui.org/op/clip"

	"diptych/internal/command"
	"diptych/internal/geom"
	"diptych/internal/host"
	"diptych/internal/pair"
	"diptych/internal/palette"
	"diptych/internal/progress"
	"diptych/internal/scene"
	"diptych/internal/session"
	"diptych/internal/traceio/input"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
)

// The dummy is a view that the window knows by its row alone: it counts its calls, keeps a number in
// the session, wants a result of it, and brings commands, a tab and a setting.

const dummyView session.View = "dummy"

// dummyOwn is what the dummy keeps in a pane.
type dummyOwn struct{ n int }

func (o *dummyOwn) Renew(_, p *pair.Pair) session.Own { return &dummyOwn{o.n} }
func (o *dummyOwn) SameStep(other session.Own) bool   { return false }
func (o *dummyOwn) Save(*session.State) any           { return o.n }

func (o *dummyOwn) Open(_ *session.State, k session.Kept) (session.Own, int, error) {
	now := &dummyOwn{}
	return now, 0, k.Into(&now.n)
}

// dummyCalls is the result it wants: the number of calls of both sides.
var dummyCalls = session.Result[*pair.Pair, int]{Slot: "dummy", Label: "Counting for the dummy",
	Key: func(st *session.State) (*pair.Pair, bool) { return st.Pair, st.Pair != nil },
	Find: func(_ context.Context, p *pair.Pair, _ progress.Func) (n int, _ error) {
		if p.A != nil {
			n += p.A.Calls()
		}
		if p.B != nil {
			n += p.B.Calls()
		}
		return n, nil
	}}

type dummyPane struct {
	scene scene.Scene
	area  image.Rectangle
	built int
	calls int
}

func (p *dummyPane) Update(*view.Context, layout.Context) {}
func (p *dummyPane) Aim(*view.Context)                    {}

func (p *dummyPane) Build(c *view.Context, _ layout.Context, area image.Rectangle) {
	p.area, p.built = area, p.built+1
	p.calls, _ = dummyCalls.Of(c.S.State())
	p.scene = dummyScene(c.S.State(), c.Kit.Pal, area.Size())
}

// dummyScene is one rectangle, as wide as the number that is kept.
func dummyScene(st *session.State, pal *palette.Palette, size image.Point) scene.Scene {
	s := scene.Scene{Size: geom.Size{W: float32(size.X), H: float32(size.Y)}}
	n := st.OwnOf(dummyView).(*dummyOwn).n
	s.Layer(geom.Rect{}).Quads = []scene.Quad{{Fill: pal.A, U1: 1,
		Rect: geom.Rect{X1: float32(10 * (n + 1)), Y1: 20}}}
	return s
}

func (p *dummyPane) Layout(c *view.Context, gtx layout.Context) {
	c.Card(p.area)
	kit.At(gtx, p.area, func(gtx layout.Context) {
		defer clip.Rect{Max: p.area.Size()}.Push(gtx.Ops).Pop()
		semantic.LabelOp("The dummy").Add(gtx.Ops)
	})
}

func (p *dummyPane) Scenes() []view.Part { return []view.Part{{Scene: &p.scene, Area: p.area}} }

// Thing is the rectangle, wherever the pointer is.
func (p *dummyPane) Thing(*view.Context, bool) view.Thing {
	return view.Thing{Name: "The rectangle",
		Text: func(kit.TextFormat) string { return "a rectangle" },
		Entries: []view.Entry{{Command: "dummy-grow"}, {Title: "Grow by ten",
			Do: func(c *view.Context, _ layout.Context) { grow(c, 10) }}}}
}

type dummyPanel struct{}

func (dummyPanel) Layout(c *view.Context, gtx layout.Context, _ *session.State) layout.Dimensions {
	return c.Kit.Hint(gtx, "What the dummy has to say")
}

// Copy makes it a table of one row.
func (dummyPanel) Copy(_ kit.TextFormat, whole bool) string {
	return map[bool]string{false: "a row", true: "a table"}[whole]
}

// grow changes what the dummy keeps.
func grow(c *view.Context, by int) {
	o := c.S.State().OwnOf(dummyView).(*dummyOwn)
	c.S.SetOwn(dummyView, &dummyOwn{o.n + by})
}

func dummyRow() view.Row {
	return view.Row{
		Kind: session.Kind{View: dummyView, Fresh: func() session.Own { return &dummyOwn{} },
			Wants: []session.Wanted{dummyCalls.Wanted()}},
		Title: "Dummy", Open: "view-dummy", New: func() view.View { return &dummyPane{} },
		Commands: []command.Command{
			{ID: "view-dummy", Title: "View: dummy", Keys: []string{"9"}, Group: "Dummy", Needs: command.OneTrace},
			{ID: "dummy-grow", Title: "Grow the dummy", Keys: []string{"Ctrl-G"}, Group: "Dummy", Needs: command.OneTrace},
			{ID: "dummy-shrink", Title: "Shrink the dummy", Group: "Dummy", Needs: command.OneTrace},
		},
		Moves: map[command.ID]func(*view.Context, layout.Context, view.View) bool{
			"dummy-grow": func(c *view.Context, _ layout.Context, _ view.View) bool { grow(c, 1); return true },
		},
		Actions: map[command.ID]func(*view.Context, layout.Context){
			"dummy-shrink": func(c *view.Context, _ layout.Context) { grow(c, -1) },
		},
		Tabs: []view.Tab{{ID: "dummy", Title: "Dumb", New: func() view.Panel { return dummyPanel{} }}},
		Settings: []view.Setting{{Key: "dummy", Help: "a number", Apply: view.Number(
			func(s *session.Session, v float64) { s.SetOwn(dummyView, &dummyOwn{int(v)}) })}},
		Picture: func(st *session.State, pal *palette.Palette, size image.Point, _ float32) []view.Part {
			s := dummyScene(st, pal, size)
			return []view.Part{{Scene: &s, Area: image.Rectangle{Max: size}}}
		},
	}
}

// dummyBench shows a pair in a window whose table has the dummy.
func dummyBench(t *testing.T) *bench {
	t.Helper()
	app := newApp(opened(t, pairs["queue"]...), append(views(), dummyRow()))
	pic, err := host.NewPicture(app, image.Pt(1280, 800), 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pic.Close)
	b := &bench{t, app, pic}
	b.settle()
	return b
}

func (b *bench) dummy() *dummyPane { return b.app.Pane().(*dummyPane) }

func (b *bench) kept() int { return b.state().OwnOf(dummyView).(*dummyOwn).n }

// TestAViewIsOneRow runs a view that the window knows by its row alone through all that a view goes
// through: its tab, its key, the palette, its commands, the menu of a right click, Ctrl-C, the history, the dock, swapping, reloading and
// closing the traces, saved sessions, panes, and pictures.
func TestAViewIsOneRow(t *testing.T) {
	b := dummyBench(t)
	b.click("View: dummy") // on the top bar
	calls := b.state().Sides[0].Trace.Calls() + b.state().Sides[1].Trace.Calls()
	if p := b.dummy(); b.state().View != dummyView || p.built == 0 || p.calls != calls {
		t.Fatalf("it shows %s, built %d times, %d calls", b.state().View, p.built, p.calls)
	}
	b.press("3", 0)
	b.press("9", 0)
	b.press("G", key.ModCtrl)
	b.press("G", key.ModCtrl)
	if b.kept() != 2 {
		t.Fatalf("its key made %d", b.kept())
	}
	b.press("P", key.ModCtrl|key.ModShift)
	b.write("shrink dummy")
	b.press(key.NameReturn, 0)
	if b.kept() != 1 {
		t.Errorf("the palette made %d", b.kept())
	}
	b.press(key.NameLeftArrow, key.ModAlt)
	if b.kept() != 2 {
		t.Errorf("the way back led to %d", b.kept())
	}
	b.rightClick(image.Pt(300, 400))
	b.click("Grow by ten")
	if b.kept() != 12 || b.app.menu.Open() {
		t.Errorf("its menu made %d", b.kept())
	}
	b.press("P", key.ModCtrl|key.ModShift)
	b.write("ten the rectangle")
	b.press(key.NameReturn, 0)
	if b.kept() != 22 {
		t.Errorf("the palette made %d of what has the choice", b.kept())
	}
	b.app.S.SetOwn(dummyView, &dummyOwn{2})
	b.press("C", key.ModCtrl)
	if got := b.pic.Clipboard(); got != "a rectangle" {
		t.Errorf("Ctrl-C copies %q", got)
	}
	b.click("Dumb")
	if !slices.Contains(b.pic.Labels(), "What the dummy has to say") {
		t.Error("its tab is not in the dock")
	}
	b.press("C", key.ModCtrl|key.ModShift)
	if got := b.pic.Clipboard(); got != "a table" {
		t.Errorf("Ctrl-Shift-C copies %q", got)
	}
	said, _ := b.pic.Find("What the dummy has to say")
	b.offers(middle(said), "Copy", "Copy the whole table")
	if got := b.pic.Clipboard(); got != "a row" {
		t.Errorf("the menu of its tab copies %q", got)
	}
	b.press("3", 0)
	b.press("G", key.ModCtrl) // its own command shows it first
	if b.state().View != dummyView || b.kept() != 3 {
		t.Errorf("from another view its command led to %s and %d", b.state().View, b.kept())
	}

	b.press("X", key.ModShift)
	if b.state().Pair == nil || b.kept() != 3 || b.dummy().calls != calls {
		t.Error("swapping the sides loses what it keeps or wants")
	}
	path := filepath.Join(testdata, pairs["queue"][0])
	b.app.S.Open(pair.A, path, input.Options{})
	b.settle()
	if b.state().Sides[pair.A].Path != path || b.dummy().calls == 0 {
		t.Error("after reloading it has no result")
	}
	file := filepath.Join(t.TempDir(), "s.diptych")
	b.app.saveTo(file)
	b.press("G", key.ModCtrl)
	b.app.OpenSession(file)
	b.settle()
	if b.state().View != dummyView || b.kept() != 3 {
		t.Errorf("a saved session opens with %s and %d", b.state().View, b.kept())
	}
	b.press("E", key.ModCtrl)
	if ids := b.state().Layout.Panes(); len(ids) != 2 || b.state().View != dummyView || b.kept() != 3 {
		t.Errorf("split, the panes are %v", ids)
	}
	b.press("W", key.ModCtrl|key.ModShift)
	b.press("W", key.ModCtrl)
	if b.state().Any() || b.kept() != 0 {
		t.Error("closing the traces leaves something")
	}
}

func TestAViewIsDrawnByItsRow(t *testing.T) {
	s := opened(t, pairs["queue"]...)
	rows := append(views(), dummyRow())
	for _, spec := range []string{"dummy", "matches+dummy"} {
		p, err := newPicture(s, rows, spec)
		if err != nil {
			t.Fatal(err)
		}
		s.SetOwn(dummyView, &dummyOwn{4})
		s.Settle(t.Context())
		snapshot(t, p, image.Pt(400, 200), 1)
		if n := len(p.drawn); n != len(s.State().Layout.Panes()) {
			t.Errorf("%s: %d scenes", spec, n)
		}
		q := p.drawn[len(p.drawn)-1].Layers[0].Quads[0].Rect
		if spec == "dummy" && q.X1 != 50 {
			t.Errorf("%s: what it keeps is not drawn: %v", spec, q)
		}
	}
}

// TestCommandsAndHandlers: every command has exactly one handler, and every handler a command.
func TestCommandsAndHandlers(t *testing.T) {
	a := newApp(session.New(func() {}), append(views(), dummyRow()))
	handled := map[command.ID]int{}
	for id := range actions {
		handled[id]++
		if a.commands.Get(id) == nil {
			t.Errorf("the window handles %q, which is no command", id)
		}
	}
	for i := range a.rows {
		r := &a.rows[i]
		if a.commands.Get(r.Open) == nil {
			t.Errorf("%s: %q, which opens it, is no command", r.View, r.Open)
		}
		handled[r.Open]++
		for id := range r.Actions {
			handled[id]++
			if !owns(r, id) {
				t.Errorf("%s: handles %q, which is no command of its own", r.View, id)
			}
		}
		for id := range r.Moves {
			if owns(r, id) {
				handled[id]++
			} else if a.commands.Get(id) == nil {
				t.Errorf("%s: handles %q, which is no command", r.View, id)
			}
		}
		for id := range r.Enabled {
			if a.commands.Get(id) == nil {
				t.Errorf("%s: enables %q, which is no command", r.View, id)
			}
		}
		for _, tab := range r.Tabs {
			if tab.Open != "" && a.commands.Get(tab.Open) == nil {
				t.Errorf("%s: %q, which opens a tab, is no command", r.View, tab.Open)
			}
		}
	}
	for _, c := range a.commands.All {
		if handled[c.ID] != 1 {
			t.Errorf("%q has %d handlers", c.ID, handled[c.ID])
		}
	}
}

// TestNamesOfViews: a view has one name, and no two share one, a key of --set or a key.
func TestNamesOfViews(t *testing.T) {
	names, keys := map[string]bool{}, map[string]bool{}
	for _, r := range append(views(), dummyRow()) {
		for _, n := range append(r.Aliases, string(r.View)) {
			if names[n] {
				t.Errorf("two views are called %q", n)
			}
			names[n] = true
		}
		for _, x := range r.Settings {
			if keys[x.Key] {
				t.Errorf("two views have the setting %q", x.Key)
			}
			keys[x.Key] = true
		}
	}
	bound := map[string]command.ID{}
	for _, c := range newApp(session.New(func() {}), append(views(), dummyRow())).commands.All {
		for _, k := range c.Keys {
			if was, ok := bound[k]; ok {
				t.Errorf("%s is bound to %s and to %s", k, was, c.ID)
			}
			bound[k] = c.ID
		}
	}
}

func TestParsePanes(t *testing.T) {
	for spec, want := range map[string]struct {
		panes int
		areas string
	}{
		"matches":                   {1, "0,0-90,60"},
		"matches+threads":           {2, "0,0-45,60 45,0-90,60"},
		"match/alignment":           {2, "0,0-90,30 0,30-90,60"},
		"matches+threads/alignment": {3, "0,0-45,30 45,0-90,30 0,30-90,60"},
		"threads+threads+threads":   {3, "0,0-30,60 30,0-60,60 60,0-90,60"},
	} {
		l, shown, err := ParsePanes(spec)
		if err != nil || len(shown) != want.panes {
			t.Errorf("%s: %v, %v", spec, shown, err)
			continue
		}
		areas, got := paneAreas(l, image.Rect(0, 0, 90, 60), 0), ""
		for k := range want.panes {
			r := areas[session.PaneID(k)]
			got += " " + r.Min.String()[1:len(r.Min.String())-1] + "-" + r.Max.String()[1:len(r.Max.String())-1]
		}
		if got[1:] != want.areas {
			t.Errorf("%s: %s, want %s", spec, got[1:], want.areas)
		}
	}
	for _, bad := range []string{"", "matches+", "nothing", "matches+matches/matches+matches/matches"} {
		if _, _, err := ParsePanes(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}
