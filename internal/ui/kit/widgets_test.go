package kit

import (
	"image"
	"testing"

	"gioui.org/io/key"
	"gioui.org/layout"
	"gioui.org/unit"
	"gioui.org/widget"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/palette"
	"diptych/internal/scene"
)

func TestUseChoosesTheColours(t *testing.T) {
	k := New()
	seen := map[*palette.Palette]bool{}
	for _, c := range [][2]bool{{false, false}, {true, false}, {false, true}, {true, true}} {
		k.Use(c[0], c[1])
		if seen[k.Pal] {
			t.Errorf("dark %v, colour-blind %v: the colours of another theme", c[0], c[1])
		}
		seen[k.Pal] = true
	}
	before := k.Pal
	k.Use(false, false)
	if k.Use(true, true); k.Pal != before {
		t.Error("the same theme has other colours the second time")
	}
}

func TestPixelsFollowTheScale(t *testing.T) {
	k := New()
	k.Begin(unit.Metric{PxPerDp: 1.5, PxPerSp: 1.5}, image.Pt(300, 200))
	if k.Px(3) != 4.5 || k.Dp(3) != 5 || k.Size != image.Pt(300, 200) {
		t.Errorf("3 dp are %v px, %d whole ones, of %v", k.Px(3), k.Dp(3), k.Size)
	}
}

// TestEditingKnowsTheFieldsOfTheFrame checks that a field counts while it is shown and has the
// focus.
func TestEditingKnowsTheFieldsOfTheFrame(t *testing.T) {
	k := New()
	var fields [2]widget.Editor
	shown, editing := true, false
	b := show(t, k, func(gtx layout.Context) layout.Dimensions {
		d := layout.Flex{Axis: layout.Vertical}.Layout(gtx,
			k.FilterField(&fields[0], "Filter", "Filter rows"),
			layout.Rigid(func(gtx layout.Context) layout.Dimensions {
				if !shown {
					return layout.Dimensions{}
				}
				return k.Field(gtx, &fields[1], "Search", "Search all")
			}))
		editing = k.Editing(gtx)
		return d
	})
	if editing {
		t.Error("a text is edited before a field was clicked")
	}
	for _, name := range []string{"Filter rows", "Search all"} {
		if b.Click(name); !editing {
			t.Errorf("%s was clicked and is not edited", name)
		}
	}
	shown = false
	if b.frame(); editing {
		t.Error("a field that is no longer shown is edited")
	}
}

func TestFilteredComparesInLowerCase(t *testing.T) {
	k := New()
	var e widget.Editor
	got := ""
	b := show(t, k, func(gtx layout.Context) layout.Dimensions {
		got = Filtered(gtx, &e)
		return k.Field(gtx, &e, "Filter", "Filter")
	})
	b.Click("Filter")
	b.Queue(key.EditEvent{Text: "  Sem_Wait "})
	if got != "sem_wait" {
		t.Errorf("the filter is %q", got)
	}
}

func TestChoiceOfAnOrder(t *testing.T) {
	k := New()
	var clicks [3]widget.Clickable
	order := 0
	b := show(t, k, func(gtx layout.Context) layout.Dimensions {
		order = ChosenOrder(gtx, clicks[:], order)
		return layout.Flex{}.Layout(gtx, k.Ordering(clicks[:], order, func(i int) (label, name string) {
			return "abc"[i : i+1], "Sort by " + "abc"[i:i+1]
		}))
	})
	for i, name := range []string{"Sort by a", "Sort by b", "Sort by c"} {
		if b.Click(name); order != i {
			t.Errorf("%s chooses %d", name, order)
		}
	}
}

// TestSizesOfControls checks what a row of a panel is laid out by.
func TestSizesOfControls(t *testing.T) {
	k := New()
	var c widget.Clickable
	rest := func(gtx layout.Context) layout.Dimensions { return layout.Dimensions{Size: gtx.Constraints.Min} }
	row := func(children ...layout.FlexChild) layout.Widget {
		return func(gtx layout.Context) layout.Dimensions { return layout.Flex{}.Layout(gtx, children...) }
	}
	for name, w := range map[string]struct {
		w     layout.Widget
		width int
	}{
		"badge":    {func(gtx layout.Context) layout.Dimensions { return k.Badge(gtx, pair.A) }, 18},
		"icon":     {func(gtx layout.Context) layout.Dimensions { return k.IconButton(gtx, &c, PinIcon, "Pin") }, 28},
		"cell":     {row(k.Cell(70, "a text that is too long for it", Right(k.Text()))), 70},
		"value":    {row(k.Value("12 ms", "3 ×", k.Text())), int(ValueWidth)},
		"wide":     {row(Space(10), Wide(rest)), 400},
		"note":     {k.Note(&c, "Show it", "never ended", k.Faint()), 400},
		"sided":    {func(gtx layout.Context) layout.Dimensions { return k.Sided(gtx, pair.B, rest) }, 400},
		"progress": {func(gtx layout.Context) layout.Dimensions { return k.Progress(gtx, .5, 120) }, 120},
	} {
		if b := show(t, k, w.w); b.dims.Size.X != w.width || b.dims.Size.Y == 0 && name != "wide" {
			t.Errorf("%s is %v px large, want %d wide", name, b.dims.Size, w.width)
		}
	}
}

// TestButtonsStayInPlace: a button is as wide while it is on, so those beside it do not move.
func TestButtonsStayInPlace(t *testing.T) {
	k := New()
	var c widget.Clickable
	for _, label := range []string{"Matches", "Alignment", "Threads", "Structure", "Aggregation"} {
		var widths [2]int
		for i := range widths {
			widths[i] = show(t, k, func(gtx layout.Context) layout.Dimensions {
				return k.Button(gtx, &c, label, label, i == 1)
			}).dims.Size.X
		}
		if widths[0] != widths[1] {
			t.Errorf("%s is %d px wide, and %d while it is on", label, widths[0], widths[1])
		}
	}
}

func TestLabelsShortenAndBreak(t *testing.T) {
	k := New()
	long := "a hint that is so long that it takes several lines where there is little room for it"
	var one, many layout.Dimensions
	show(t, k, func(gtx layout.Context) layout.Dimensions {
		gtx.Constraints.Max.X = 120
		one, many = k.Label(gtx, long, k.Text()), k.Hint(gtx, long)
		return one
	})
	if one.Size.X > 120 || many.Size.X > 120 {
		t.Errorf("%v and %v are wider than there is room", one.Size, many.Size)
	}
	if many.Size.Y < 3*one.Size.Y {
		t.Errorf("a hint is %d px high, one line %d", many.Size.Y, one.Size.Y)
	}
}

// TestNumbersKeepTheirUnits: a line does not end between a number and its unit, and the label's
// name keeps its plain space.
func TestNumbersKeepTheirUnits(t *testing.T) {
	k := New()
	const text = "takes 1.52 ms, 3 calls"
	for _, c := range []struct{ text, line string }{
		{"takes 1.52 ms", "takes 1.52"}, {"takes 1.52 ms.", "takes 1.52"}, {"up to 52 %", "up to 52"},
	} {
		var line, both layout.Dimensions
		b := show(t, k, func(gtx layout.Context) layout.Dimensions {
			line = k.Label(gtx, c.line, k.Text())
			gtx.Constraints.Max.X = line.Size.X + 1
			both = k.Hint(gtx, c.text)
			return both
		})
		if both.Size.Y < 2*line.Size.Y-1 || both.Size.X >= line.Size.X {
			t.Errorf("%q takes %v, its beginning %v", c.text, both.Size, line.Size)
		}
		if _, ok := b.Find(c.text); !ok {
			t.Errorf("there is no %q among %q", c.text, b.Labels())
		}
	}
	if got := keepUnits(text); got != "takes 1.52\u00a0ms, 3 calls" {
		t.Errorf("%q becomes %q", text, got)
	}
	if got := keepUnits("takes 1.14 k Ir each, 8 k of 9"); got != "takes 1.14\u00a0k\u00a0Ir each, 8\u00a0k\u00a0of 9" {
		t.Errorf("counted units are apart: %q", got)
	}
	if got := keepUnits("311 → 1\u2009066 calls"); got != "311 → 1\u202f066 calls" {
		t.Errorf("thousands are apart: %q", got)
	}
}

func TestCardIsAGroundWithAnOutline(t *testing.T) {
	k := New()
	s := &scene.Scene{Size: geom.Size{W: 100, H: 100}}
	l := s.Layer(geom.Rect{})
	k.Card(l, image.Rect(10, 20, 90, 80))
	if len(l.Quads) != 2 || l.Quads[0].Fill != k.Pal.Pane || l.Quads[1].Shade != scene.Outline {
		t.Fatalf("%d shapes", len(l.Quads))
	}
	if want := (geom.Rect{X0: 10, Y0: 20, X1: 90, Y1: 80}); l.Quads[0].Rect != want {
		t.Errorf("it is at %v, want %v", l.Quads[0].Rect, want)
	}
}

// TestTextsAreShapedOnce checks that a text which comes again is drawn from what was kept, and that
// what is kept stays bounded.
func TestTextsAreShapedOnce(t *testing.T) {
	k := New()
	s := &scene.Scene{Size: geom.Size{W: 100, H: 100}}
	l := s.Layer(geom.Rect{})
	for _, align := range []scene.Align{scene.AlignLeft, scene.AlignCentre, scene.AlignRight} {
		l.Write(scene.Text{Rect: geom.Rect{X1: 90, Y1: 20}, Text: "main", Size: 11, Align: align})
	}
	l.Write(scene.Text{Rect: geom.Rect{X1: 90, Y1: 20}, Text: "main", Size: 11, Bold: true})
	var texts Texts
	b := show(t, k, func(gtx layout.Context) layout.Dimensions {
		texts.DrawAll(k, gtx, s)
		return layout.Dimensions{}
	})
	if n := len(texts.shapes); n != 2 {
		t.Errorf("%d texts are kept, want the plain and the bold one", n)
	}
	for n := range keptTexts + 1 {
		texts.shapes[textKey{text: Grouped(n)}] = shapedText{}
	}
	b.frame()
	if n := len(texts.shapes); n != 2 {
		t.Errorf("%d texts are kept", n)
	}
}

// TestCutsAreTold: a label that does not fit is told with how much of it is seen, also when it is
// drawn from what was kept of the frame before.
func TestCutsAreTold(t *testing.T) {
	k, room := New(), 0
	b := show(t, k, func(gtx layout.Context) layout.Dimensions {
		gtx.Constraints.Max.X = room
		return k.Label(gtx, "12 345 calls", k.Text())
	})
	for _, c := range []struct {
		room int
		cut  bool
	}{{400, false}, {40, true}, {40, true}, {400, false}} {
		room = c.room
		b.Show()
		cuts := k.Cuts()
		if (len(cuts) > 0) != c.cut {
			t.Errorf("in %d px: %v", c.room, cuts)
		}
		if c.cut && (cuts[0].Text != "12 345 calls" || cuts[0].Shown < 3 || cuts[0].Shown > 8) {
			t.Errorf("in %d px: %+v", c.room, cuts[0])
		}
	}
}
