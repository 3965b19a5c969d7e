package kit

import (
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
