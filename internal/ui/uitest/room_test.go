package uitest_test

import (
	"image"
	"strings"
	"testing"

	"gioui.org/layout"
	"gioui.org/op/clip"
	"gioui.org/widget"

	"diptych/internal/ui/kit"
	"diptych/internal/ui/uitest"
	"diptych/internal/ui/uitest/viewtest"
)

// TestHidden: a control that is covered, cut at one end or outside the window is told; rows of a
// list that are scrolled out are not.
func TestHidden(t *testing.T) {
	window := image.Pt(200, 100)
	for name, c := range map[string]struct {
		at, seen image.Rectangle // where a button is, and which part of it is shown
		over     image.Rectangle // where another one lies over it
		want     string
	}{
		"free":     {at: image.Rect(10, 10, 80, 30), seen: image.Rect(0, 0, 200, 100)},
		"beside":   {at: image.Rect(10, 10, 80, 30), seen: image.Rect(0, 0, 200, 100), over: image.Rect(80, 10, 150, 30)},
		"covered":  {image.Rect(10, 10, 80, 30), image.Rect(0, 0, 200, 100), image.Rect(5, 5, 90, 40), "is covered"},
		"cut":      {at: image.Rect(10, 10, 80, 30), seen: image.Rect(0, 0, 60, 100), want: "cut at one end"},
		"clipped":  {at: image.Rect(10, 60, 80, 80), seen: image.Rect(0, 0, 200, 50), want: "is covered"},
		"too wide": {at: image.Rect(150, 10, 220, 30), seen: image.Rect(0, 0, 200, 100), want: "beyond the window"},
	} {
		k, clicks := viewtest.Kit(t), [2]widget.Clickable{}
		u := uitest.User{T: t}
		button := func(gtx layout.Context, i int, r image.Rectangle) {
			kit.At(gtx, r, func(gtx layout.Context) {
				k.Pressable(gtx, &clicks[i], "button", false, func(gtx layout.Context) layout.Dimensions {
					return layout.Dimensions{Size: gtx.Constraints.Max}
				})
			})
		}
		u.Show = func() {
			u.LayOut(layout.Exact(window), func(gtx layout.Context) {
				k.Begin(uitest.Metric, window)
				seen := clip.Rect(c.seen).Push(gtx.Ops)
				button(gtx, 0, c.at)
				seen.Pop()
				if !c.over.Empty() {
					button(gtx, 1, c.over)
				}
			})
		}
		u.Show()
		u.Show()
		faults := strings.Join(uitest.Hidden(&u.Router, window), "\n")
		if c.want == "" && faults != "" || !strings.Contains(faults, c.want) {
			t.Errorf("%s: %q, want %q", name, faults, c.want)
		}
	}
}

// TestScrolledRowsAreNotHidden: a list lays out a row more than it shows.
func TestScrolledRowsAreNotHidden(t *testing.T) {
	k, window := viewtest.Kit(t), image.Pt(200, 70)
	var list widget.List
	clicks := make([]widget.Clickable, 9)
	u := uitest.User{T: t}
	u.Show = func() {
		u.LayOut(layout.Exact(window), func(gtx layout.Context) {
			k.Begin(uitest.Metric, window)
			kit.At(gtx, image.Rect(0, 0, 200, 50), func(gtx layout.Context) {
				k.Rows(gtx, &list, len(clicks), func(gtx layout.Context, i int) layout.Dimensions {
					return k.Button(gtx, &clicks[i], "row", "row", false)
				})
			})
		})
	}
	u.Show()
	u.Show()
	if faults := uitest.Hidden(&u.Router, window); len(faults) > 0 {
		t.Error(faults)
	}
	if n := len(uitest.Controls(&u.Router)); n < 3 {
		t.Errorf("the list has %d rows", n)
	}
}
