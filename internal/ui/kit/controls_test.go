package kit

import (
	"fmt"
	"image"
	"testing"

	"gioui.org/io/key"
	"gioui.org/layout"
	"gioui.org/widget"
)

func TestSegmentsClick(t *testing.T) {
	k := New()
	var clicks [2]widget.Clickable
	clicked := -1
	b := show(t, k, func(gtx layout.Context) layout.Dimensions {
		for i := range clicks {
			if clicks[i].Clicked(gtx) {
				clicked = i
			}
		}
		return k.Segments(gtx, clicks[:], []string{"all", "best"}, []string{"Show all", "Show best"}, 0)
	})
	if b.Click("Show best"); clicked != 1 {
		t.Errorf("clicked %d, want 1", clicked)
	}
	first, _ := b.Find("Show all")
	second, _ := b.Find("Show best")
	if first.Max.X > second.Min.X {
		t.Errorf("they lie at %v and %v", first, second)
	}
}

func TestDisabledCanBeClicked(t *testing.T) {
	k := New()
	var c widget.Clickable
	n := 0
	b := show(t, k, func(gtx layout.Context) layout.Dimensions {
		if c.Clicked(gtx) {
			n++
		}
		return k.Disabled(gtx, &c, "lock", "Lock the sides")
	})
	if b.Click("Lock the sides"); n != 1 {
		t.Errorf("%d clicks, want 1", n)
	}
}

// slide shows a slider between 0 and 2.
func slide(t *testing.T) (b *bench, value *float32) {
	k, s := New(), &Slider{Most: 2, Step: .1}
	value = new(float32)
	*value = 1
	return show(t, k, func(gtx layout.Context) layout.Dimensions {
		d, v, changed := s.Layout(k, gtx, "size", "Size", fmt.Sprint(*value), *value)
		if changed {
			*value = v
		}
		return d
	}), value
}

func TestSliderFollowsKeysWheelAndDrags(t *testing.T) {
	b, value := slide(t)
	b.Click("Size") // takes the focus, and the knob with it
	*value = 1
	b.frame()
	for _, step := range []struct {
		name string
		do   func()
		want float32
	}{
		{"right arrow", func() { b.Press(key.NameRightArrow, 0) }, 1.1},
		{"left arrow", func() { b.Press(key.NameLeftArrow, 0) }, 1},
		{"wheel up", func() { b.Scroll(b.Middle("Size"), 0, -2, 0) }, 1.2},
		{"wheel far down", func() { b.Scroll(b.Middle("Size"), 0, 50, 0) }, 0},
		{"drag to the end", func() { b.Drag(b.Middle("Size"), b.Middle("Size").Add(image.Pt(100, 0)), 0) }, 2},
	} {
		if step.do(); Abs(*value-step.want) > 1e-4 {
			t.Errorf("%s: %v, want %v", step.name, *value, step.want)
		}
	}
}

// TestSliderTakesTheValueFromOutside checks that a slider shows what another control has changed.
func TestSliderTakesTheValueFromOutside(t *testing.T) {
	k := New()
	s := &Slider{Most: 1, Step: .1}
	now := float32(.25)
	b := show(t, k, func(gtx layout.Context) layout.Dimensions {
		d, _, changed := s.Layout(k, gtx, "band", "Band", "", now)
		if changed {
			t.Error("it changed by itself")
		}
		return d
	})
	for _, v := range []float32{.25, .75, 0} {
		now = v
		if b.frame(); s.Value() != v {
			t.Errorf("it stands at %v, want %v", s.Value(), v)
		}
	}
}

// settings shows n controls, 150 px wide each, in a flow.
func settings(t *testing.T, n int) (*bench, *Flow) {
	k, f := New(), &Flow{Of: "matches"}
	var items []layout.Widget
	clicks := make([]widget.Clickable, n)
	for i := range clicks {
		items = append(items, func(gtx layout.Context) layout.Dimensions {
			gtx.Constraints = layout.Exact(image.Pt(150, 20))
			return k.Pressable(gtx, &clicks[i], fmt.Sprint("setting ", i), false,
				func(gtx layout.Context) layout.Dimensions {
					return layout.Dimensions{Size: gtx.Constraints.Max}
				})
		})
	}
	return show(t, k, func(gtx layout.Context) layout.Dimensions {
		f.Layout(k, gtx, func(gtx layout.Context) layout.Dimensions { return k.Label(gtx, "3", k.Text()) },
			items)
		return layout.Dimensions{Size: gtx.Constraints.Max}
	}), f
}

func TestFlowHidesWhatDoesNotFit(t *testing.T) {
	b, f := settings(t, 5)
	shown := func() (n int) {
		for i := range 5 {
			if _, ok := b.Find(fmt.Sprint("setting ", i)); ok {
				n++
			}
		}
		return n
	}
	if n, h := shown(), f.Height(b.kit); n >= 5 || n == 0 || h != int(FlowRow) {
		t.Errorf("closed it shows %d controls and is %d px high", n, h)
	}
	b.Click("More settings of the matches")
	if n, h := shown(), f.Height(b.kit); n != 5 || h <= int(FlowRow) {
		t.Errorf("open it shows %d controls and is %d px high", n, h)
	}
	b.Click("Fewer settings of the matches")
	if n := shown(); n >= 5 {
		t.Errorf("closed again it shows %d controls", n)
	}
}

// TestFlowsButtonIsNotCovered: where not even the first control has room beside the button, there
// is only the button.
func TestFlowsButtonIsNotCovered(t *testing.T) {
	b, _ := settings(t, 5)
	b.size = image.Pt(160, 300)
	b.frame()
	if _, ok := b.Find("setting 0"); ok {
		t.Error("a control covers the button for more")
	}
	b.Click("More settings of the matches")
	if _, ok := b.Find("setting 0"); !ok {
		t.Error("the button does not show the first control")
	}
}

func TestFlowOfTwoRows(t *testing.T) {
	b, f := settings(t, 12)
	shown := func() (n int) {
		for i := range 12 {
			if _, ok := b.Find(fmt.Sprint("setting ", i)); ok {
				n++
			}
		}
		return n
	}
	one := shown()
	f.Rows = 2
	b.frame()
	if two, h := shown(), f.Height(b.kit); two <= one || two >= 12 || h != 2*int(FlowRow) {
		t.Errorf("it shows %d controls, %d in one row, and is %d px high", two, one, h)
	}
	b.Click("More settings of the matches")
	if n := shown(); n != 12 {
		t.Errorf("open it shows %d controls", n)
	}
}

func TestFlowWithRoomHasNoButton(t *testing.T) {
	b, f := settings(t, 2)
	if _, ok := b.Find("More settings of the matches"); ok || f.Height(b.kit) != int(FlowRow) {
		t.Error("there is room for all, yet there is a button for more")
	}
}

// TestFlowForgetsTheButton: controls that just fit without the button are all there, whether they had
// room before or not.
func TestFlowForgetsTheButton(t *testing.T) {
	k, f, wide := New(), &Flow{Of: "matches"}, 20
	b := show(t, k, func(gtx layout.Context) layout.Dimensions {
		item := func(gtx layout.Context) layout.Dimensions {
			return layout.Dimensions{Size: image.Pt(wide, 20)}
		}
		f.Layout(k, gtx, layout.Spacer{}.Layout, []layout.Widget{item, item, item})
		return layout.Dimensions{Size: gtx.Constraints.Max}
	})
	button := func() bool {
		b.frame()
		_, ok := b.Find("More settings of the matches")
		return ok
	}
	for wide < 2000 && !button() {
		wide++
	}
	if wide--; button() || wide < 21 {
		t.Errorf("3 controls of %d px lack one, though there was room for them before", wide)
	}
}

func TestDropOpensAndCloses(t *testing.T) {
	k := New()
	var d Drop
	rows := make([]widget.Clickable, 3)
	chosen := -1
	b := show(t, k, func(gtx layout.Context) layout.Dimensions {
		d.Update(gtx)
		for i := range rows {
			if rows[i].Clicked(gtx) {
				chosen = i
			}
		}
		dims := k.Button(gtx, &d.Toggle, "3 hidden", "List", d.Open())
		d.Layout(k, gtx, dims.Size.Y, len(rows), func(gtx layout.Context, i int) layout.Dimensions {
			return k.Button(gtx, &rows[i], fmt.Sprint("row ", i), fmt.Sprint("Row ", i), false)
		})
		return dims
	})
	if _, ok := b.Find("Row 1"); ok || d.Open() {
		t.Fatal("it is open before it was clicked")
	}
	b.Click("List")
	button, _ := b.Find("List")
	if row, ok := b.Find("Row 0"); !ok || row.Min.Y < button.Max.Y {
		t.Fatalf("the first row is at %v, the button at %v", row, button)
	}
	if b.Click("Row 1"); chosen != 1 || !d.Open() {
		t.Errorf("chose %d", chosen)
	}
	d.Close()
	b.frame()
	if _, ok := b.Find("Row 1"); ok {
		t.Error("closed, it still shows its rows")
	}
	b.Click("List")
	if b.Click("List"); d.Open() {
		t.Error("a second click does not close it")
	}
}

// TestFlowAsAMenu checks that the controls drop on a card that pushes nothing down, and that a press
// beside it, or Close, closes it.
func TestFlowAsAMenu(t *testing.T) {
	b, f := settings(t, 5)
	f.Menu = true
	b.frame()
	shown := func() (n int) {
		for i := range 5 {
			if _, ok := b.Find(fmt.Sprint("setting ", i)); ok {
				n++
			}
		}
		return n
	}
	if n := shown(); n == 0 || n >= 5 || f.Open() || f.Close() {
		t.Fatalf("closed it shows %d controls", n)
	}
	for name, closes := range map[string]func(){
		"a press beside it": func() { b.ClickAt(image.Pt(395, 295)) },
		"its button":        func() { b.ClickAt(b.Middle("Fewer settings of the matches")) },
		"Close": func() {
			if !f.Close() {
				t.Error("there was nothing to close")
			}
			b.frame()
		},
	} {
		b.Click("More settings of the matches")
		if n, h := shown(), f.Height(b.kit); n != 5 || h != int(FlowRow) || !f.Open() {
			t.Errorf("open it shows %d controls and is %d px high", n, h)
		}
		first, _ := b.Find("setting 0")
		if first.Min.Y < int(FlowRow) {
			t.Errorf("the card has the first control at %v, in the row", first)
		}
		if b.Click("setting 3"); !f.Open() {
			t.Error("a click on the card closes it")
		}
		if closes(); f.Open() || shown() >= 5 {
			t.Errorf("%s leaves it open", name)
		}
	}
}

// TestFlowLeavesTheMenu checks that a card which was open does not become rows when there is room
// for them again.
func TestFlowLeavesTheMenu(t *testing.T) {
	b, f := settings(t, 5)
	f.Menu = true
	b.frame()
	b.Click("More settings of the matches")
	f.Menu = false
	if b.frame(); f.Height(b.kit) != int(FlowRow) {
		t.Errorf("it is %d px high", f.Height(b.kit))
	}
}

// TestClicksKeepOnlyWhatIsVisible checks that of a long list only the visible rows cost anything.
func TestClicksKeepOnlyWhatIsVisible(t *testing.T) {
	k, first, chosen := New(), 0, -1
	var c Clicks[int]
	b := show(t, k, func(gtx layout.Context) layout.Dimensions {
		if i, ok := c.Clicked(gtx); ok {
			chosen = i
		}
		var rows []layout.FlexChild
		for i := first; i < first+3; i++ {
			rows = append(rows, layout.Rigid(func(gtx layout.Context) layout.Dimensions {
				return k.Button(gtx, c.Row(i), "row", fmt.Sprint("Row ", i), false)
			}))
		}
		return layout.Flex{}.Layout(gtx, rows...)
	})
	for first = range 200 {
		b.frame()
	}
	if n := len(c.rows) + len(c.was); n > 6 {
		t.Errorf("%d rows are kept", n)
	}
	if b.Click("Row 200"); chosen != 200 {
		t.Errorf("chose %d", chosen)
	}
	if c.Forget(); c.Row(200) == nil || len(c.laid) != 1 {
		t.Error("a row is kept")
	}
}
