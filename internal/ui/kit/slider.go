package kit

import (
	"image"

	"gioui.org/io/event"
	"gioui.org/io/key"
	"gioui.org/io/pointer"
	"gioui.org/io/semantic"
	"gioui.org/layout"
	"gioui.org/op"
	"gioui.org/op/clip"
	"gioui.org/unit"
	"gioui.org/widget"
)

// Slider chooses a number between 0 and Most by dragging, by the wheel or, while it has the focus,
// by the arrow keys.
type Slider struct {
	Most float32
	Step float32 // of the wheel and the keys

	float widget.Float // its value is a share of Most
}

// Measures of a slider, in dp.
const (
	trackWidth  unit.Dp = 120
	knobRadius  unit.Dp = 6
	sliderValue unit.Dp = 34
)

// Value returns the number that was chosen last.
func (s *Slider) Value() float32 { return s.float.Value * s.Most }

// Layout draws label, track and value, and returns the value and whether the user changed it.
func (s *Slider) Layout(k *Kit, gtx layout.Context, label, name, value string, now float32) (
	layout.Dimensions, float32, bool) {
	changed := s.update(gtx, now)
	d := layout.Flex{Alignment: layout.Middle}.Layout(gtx,
		layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return k.Label(gtx, label, k.Faint())
		}),
		Space(6),
		layout.Rigid(func(gtx layout.Context) layout.Dimensions { return s.track(k, gtx, name) }),
		Space(6),
		layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			gtx.Constraints.Min.X = gtx.Dp(sliderValue)
			return k.Label(gtx, value, k.Text())
		}))
	return d, s.Value(), changed
}

// update takes over the value now from outside and then what the user did.
func (s *Slider) update(gtx layout.Context, now float32) bool {
	before := s.float.Value
	changed := s.float.Update(gtx) && s.float.Value != before
	if !changed && !s.float.Dragging() {
		s.float.Value = now / s.Most
	}
	for {
		e, ok := gtx.Event(
			pointer.Filter{Target: s, Kinds: pointer.Press | pointer.Scroll,
				ScrollY: pointer.ScrollRange{Min: -1e6, Max: 1e6}},
			key.FocusFilter{Target: s},
			key.Filter{Focus: s, Name: key.NameLeftArrow}, key.Filter{Focus: s, Name: key.NameRightArrow})
		if !ok {
			return changed
		}
		steps := float32(0)
		switch e := e.(type) {
		case pointer.Event:
			if e.Kind == pointer.Press {
				gtx.Execute(key.FocusCmd{Tag: s})
			} else {
				steps = -e.Scroll.Y / float32(gtx.Dp(Notch))
			}
		case key.Event:
			if e.State == key.Press {
				steps = map[key.Name]float32{key.NameLeftArrow: -1, key.NameRightArrow: 1}[e.Name]
			}
		}
		if steps != 0 {
			s.float.Value = min(max(s.float.Value+steps*s.Step/s.Most, 0), 1)
			changed = true
		}
	}
}

// track draws the line and the knob, and takes drags of it.
func (s *Slider) track(k *Kit, gtx layout.Context, name string) layout.Dimensions {
	size := image.Pt(gtx.Dp(trackWidth), gtx.Dp(24))
	gtx.Constraints = layout.Exact(size)
	r := gtx.Dp(knobRadius)
	mid, x := size.Y/2, r+int(float32(size.X-2*r)*s.float.Value)
	line := max(1, gtx.Dp(2))
	FillRound(gtx, image.Rect(r, mid-line/2, size.X-r, mid-line/2+line), line/2, k.Pal.Edge)
	FillRound(gtx, image.Rect(r, mid-line/2, x, mid-line/2+line), line/2, k.Pal.A)
	knob := image.Rect(x-r, mid-r, x+r, mid+r)
	FillRound(gtx, knob, r, k.Pal.Pane)
	StrokeRound(gtx, knob.Inset(gtx.Dp(1)), r-gtx.Dp(1), k.Px(2), k.Pal.A)
	if gtx.Focused(s) {
		k.ring(gtx, image.Rectangle{Max: size}, name)
	}

	area := clip.Rect{Max: size}.Push(gtx.Ops)
	event.Op(gtx.Ops, s)
	semantic.LabelOp(name).Add(gtx.Ops)
	pointer.CursorPointer.Add(gtx.Ops)
	inset := op.Offset(image.Pt(r, 0)).Push(gtx.Ops)
	gtx.Constraints = layout.Exact(image.Pt(size.X-2*r, size.Y))
	s.float.Layout(gtx, layout.Horizontal, knobRadius)
	inset.Pop()
	area.Pop()
	return layout.Dimensions{Size: size}
}
