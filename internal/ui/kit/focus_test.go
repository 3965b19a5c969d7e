package kit

import (
	"image"
	"slices"
	"testing"

	"gioui.org/io/key"
	"gioui.org/layout"
	"gioui.org/widget"
)

// TestFocusFollowsTheKeyboard: Tab chooses controls one after the other, and those alone: what is
// clicked has no ring.
func TestFocusFollowsTheKeyboard(t *testing.T) {
	k := New()
	var clicks [3]widget.Clickable
	names := []string{"one", "two", "three"}
	var focused []string
	b := show(t, k, func(gtx layout.Context) layout.Dimensions {
		focused = nil
		var row []layout.FlexChild
		for i := range clicks {
			row = append(row, layout.Rigid(func(gtx layout.Context) layout.Dimensions {
				d := k.Button(gtx, &clicks[i], names[i], names[i], false)
				if gtx.Focused(&clicks[i]) {
					focused = append(focused, names[i])
				}
				return d
			}))
		}
		return layout.Flex{}.Layout(gtx, row...)
	})
	is := func(when string, want ...string) {
		t.Helper()
		if !slices.Equal(focused, want) {
			t.Errorf("%s: %v has the focus, want %v", when, focused, want)
		}
	}
	is("at first")
	b.Tab(key.FocusForward)
	is("after Tab", "one")
	b.Tab(key.FocusForward)
	is("after another", "two")
	b.Tab(key.FocusBackward)
	is("and back", "one")
	b.Click("three")
	is("after a click elsewhere", "one")
}

// TestTabFollowsARow: Tab goes through a row of controls from the left to the right, to what stands at
// its end, and then to the next row.
func TestTabFollowsARow(t *testing.T) {
	k, f := New(), &Flow{Of: "matches", open: true}
	var clicks [4]widget.Clickable
	names := []string{"one", "two", "three", "end"}
	button := func(i int) layout.Widget {
		return func(gtx layout.Context) layout.Dimensions {
			gtx.Constraints.Min.X = 150
			return k.Button(gtx, &clicks[i], names[i], names[i], false)
		}
	}
	b := show(t, k, func(gtx layout.Context) layout.Dimensions {
		gtx.Constraints = layout.Exact(image.Pt(500, 120))
		f.Layout(k, gtx, button(3), []layout.Widget{button(0), button(1), button(2)})
		return layout.Dimensions{Size: gtx.Constraints.Max}
	})
	for _, want := range []string{"one", "end", "Fewer settings of the matches", "two"} {
		if b.Tab(key.FocusForward); k.Ringed() != want {
			t.Fatalf("Tab comes to %q, want %q", k.Ringed(), want)
		}
	}
}

// TestRingOfATable: Tab and keys show a ring around the rows of a table, a click on a row none.
func TestRingOfATable(t *testing.T) {
	k := New()
	var table Table
	table.Show("a", func() Content { return basket(fruits, 0) })
	b := show(t, k, func(gtx layout.Context) layout.Dimensions {
		gtx.Constraints = layout.Exact(image.Pt(400, 240))
		table.Update(gtx)
		return table.Layout(k, gtx, nil)
	})
	is := func(when, want string) {
		t.Helper()
		if k.Ringed() != want {
			t.Errorf("%s the ring is around %q, want %q", when, k.Ringed(), want)
		}
	}
	b.Click("Eat plum")
	is("after a click", "")
	b.Press(key.NameDownArrow, 0)
	is("after a key", "fruits")
	b.Click("Eat pear")
	is("after another click", "")
	for range 20 {
		if b.Tab(key.FocusForward); k.Ringed() == "fruits" {
			return
		}
	}
	t.Error("Tab shows no ring around the rows")
}
