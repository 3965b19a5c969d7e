package kit

import (
	"image"
	"slices"
	"testing"
	"time"

	"gioui.org/f32"
	"gioui.org/gesture"
	"gioui.org/io/event"
	"gioui.org/io/pointer"
	"gioui.org/layout"
	"gioui.org/op/clip"
)

func TestClickCount(t *testing.T) {
	ms := time.Millisecond
	var c ClickCount
	for i, click := range []struct {
		at   time.Duration
		x    float32
		want int
	}{
		{0, 10, 1},
		{100 * ms, 12, 2},
		{200 * ms, 12, 3},
		{300 * ms, 40, 1}, // elsewhere
		{900 * ms, 40, 1}, // too late
		{1000 * ms, 41, 2},
	} {
		e := pointer.Event{Time: click.at, Position: f32.Pt(click.x, 0)}
		if got := c.Add(e); got != click.want {
			t.Errorf("click %d counts as %d, want %d", i, got, click.want)
		}
	}
}

func TestPointedYieldsWhatHappenedToThePane(t *testing.T) {
	var kinds []pointer.Kind
	pane := new(int)
	b := show(t, New(), func(gtx layout.Context) layout.Dimensions {
		area := clip.Rect{Max: image.Pt(100, 100)}.Push(gtx.Ops)
		event.Op(gtx.Ops, pane)
		area.Pop()
		for e := range Pointed(gtx, pane) {
			kinds = append(kinds, e.Kind)
		}
		return layout.Dimensions{}
	})
	b.Drag(image.Pt(20, 20), image.Pt(40, 40), 0)
	b.Scroll(image.Pt(40, 40), 0, 1, 0)
	for _, k := range []pointer.Kind{pointer.Press, pointer.Drag, pointer.Release, pointer.Scroll} {
		if !slices.Contains(kinds, k) {
			t.Errorf("no %v among %v", k, kinds)
		}
	}
	kinds = nil
	b.Drag(image.Pt(200, 20), image.Pt(240, 40), 0)
	if slices.Contains(kinds, pointer.Press) {
		t.Errorf("beside the pane it takes %v", kinds)
	}
}

func TestSplitterResizes(t *testing.T) {
	for _, c := range []struct {
		axis gesture.Axis
		sign float32
		to   image.Point
		want float32
	}{
		{gesture.Vertical, +1, image.Pt(100, 140), 140},
		{gesture.Vertical, -1, image.Pt(100, 140), 60},
		{gesture.Horizontal, +1, image.Pt(130, 100), 130},
		{gesture.Horizontal, -1, image.Pt(130, 100), 70},
	} {
		k, size := New(), float32(100)
		var s Splitter
		b := show(t, k, func(gtx layout.Context) layout.Dimensions {
			size = s.Update(k, gtx, image.Rect(90, 90, 110, 110), c.axis, size, c.sign)
			return layout.Dimensions{}
		})
		b.Drag(image.Pt(100, 100), c.to, 0)
		if Abs(size-c.want) > 1 {
			t.Errorf("along %v with sign %v: %v, want %v", c.axis, c.sign, size, c.want)
		}
	}
}

func TestSplitterOfNothingKeepsTheSize(t *testing.T) {
	k := New()
	var s Splitter
	show(t, k, func(gtx layout.Context) layout.Dimensions {
		if got := s.Update(k, gtx, image.Rectangle{}, gesture.Vertical, 70, +1); got != 70 {
			t.Errorf("the size is %v, want 70", got)
		}
		return layout.Dimensions{}
	})
}
