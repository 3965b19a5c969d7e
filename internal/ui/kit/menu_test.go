package kit

import (
	"image"
	"testing"

	"gioui.org/io/key"
	"gioui.org/layout"
	"gioui.org/unit"

	"diptych/internal/ui/uitest"
)

// menuBench shows a menu over a button.
type menuBench struct {
	uitest.User
	menu  Menu
	taken []int
}

func newMenu(t *testing.T, items ...MenuItem) *menuBench {
	b := &menuBench{}
	k := New()
	b.User = uitest.User{T: t}
	b.Show = func() {
		b.LayOut(layout.Exact(image.Pt(600, 400)), func(gtx layout.Context) {
			k.Begin(uitest.Metric, image.Pt(600, 400))
			if i, ok := b.menu.Layout(k, gtx); ok {
				b.taken = append(b.taken, i)
			}
		})
	}
	b.Settle = func() { b.Show() }
	b.menu.Show("What", items, image.Rectangle{Min: image.Pt(100, 50), Max: image.Pt(100, 50)})
	b.Show()
	b.Show()
	return b
}

// TestMenuByKeys moves the choice round the items and takes it.
func TestMenuByKeys(t *testing.T) {
	for _, c := range []struct {
		keys []key.Name
		want int // −1 for nothing taken and closed
	}{
		{[]key.Name{key.NameDownArrow, key.NameReturn}, 0},
		{[]key.Name{key.NameUpArrow, key.NameReturn}, 2},
		{[]key.Name{key.NameDownArrow, key.NameUpArrow, key.NameSpace}, 2},
		{[]key.Name{key.NameTab, key.NameTab, key.NameEnter}, 1},
		{[]key.Name{key.NameEnd, key.NameDownArrow, key.NameReturn}, 0},
		{[]key.Name{key.NameEnd, key.NameHome, key.NameReturn}, 0},
		{[]key.Name{key.NameReturn, key.NameDownArrow, key.NameEscape}, -1},
	} {
		b := newMenu(t, MenuItem{Title: "one"}, MenuItem{Title: "two", Keys: "F"}, MenuItem{Title: "three", Apart: true})
		for _, k := range c.keys {
			b.Press(k, 0)
		}
		if b.menu.Open() || c.want < 0 && len(b.taken) > 0 || c.want >= 0 && (len(b.taken) != 1 || b.taken[0] != c.want) {
			t.Errorf("%v takes %v, want %d", c.keys, b.taken, c.want)
		}
	}
}

// TestMenuByPointer: a click takes an item, one beside the menu closes it, and only a pointer that
// moves takes the choice from the keys.
func TestMenuByPointer(t *testing.T) {
	items := []MenuItem{{Title: "one"}, {Title: "two"}, {Title: "three"}}
	b := newMenu(t, items...)
	if b.Click("two"); len(b.taken) != 1 || b.taken[0] != 1 || b.menu.Open() {
		t.Errorf("a click takes %v", b.taken)
	}
	b = newMenu(t, items...)
	if b.ClickAt(image.Pt(50, 300)); b.menu.Open() || b.taken != nil {
		t.Errorf("a click beside it takes %v", b.taken)
	}
	b = newMenu(t, items...)
	b.Move(b.Middle("three"))
	if b.menu.chosen != 2 {
		t.Errorf("pointed at, %d is chosen", b.menu.chosen)
	}
	b.Press(key.NameUpArrow, 0)
	if b.Show(); b.menu.chosen != 1 {
		t.Errorf("the pointer that rests keeps %d chosen", b.menu.chosen)
	}
}

// TestMenuStaysInTheWindow places menus beside all corners of windows of several sizes and scales.
func TestMenuStaysInTheWindow(t *testing.T) {
	k := New()
	items := []MenuItem{{Title: "a title that is somewhat longer than the others", Keys: "Ctrl-Shift-P"}}
	for len(items) < 20 {
		items = append(items, MenuItem{Title: "item", Apart: len(items)%5 == 0})
	}
	for _, window := range []image.Point{{900, 600}, {1280, 720}, {2560, 1440}, {300, 200}} {
		for _, scale := range []float32{1, 2} {
			metric := unit.Metric{PxPerDp: scale, PxPerSp: scale}
			k.Begin(metric, window)
			gtx := layout.Context{Metric: metric}
			for _, p := range []image.Point{{}, window, {X: window.X}, {Y: window.Y}, window.Div(2)} {
				var m Menu
				m.Show("about", items, image.Rectangle{Min: p, Max: p})
				all := image.Rectangle{Max: window}
				r, want := m.place(k, gtx, all), m.size(k, gtx)
				if !r.In(all) || r.Dy() != min(want.Y, all.Inset(gtx.Dp(menuMargin)).Dy()) {
					t.Errorf("in %v at %v it lies at %v and needs %v", window, p, r, want)
				}
			}
		}
	}
}
