package ui

import (
	"image"
	"image/color"

	"gioui.org/f32"
	"gioui.org/font"
	"gioui.org/layout"
	"gioui.org/op"
	"gioui.org/op/clip"
	"gioui.org/op/paint"
	"gioui.org/text"
	"gioui.org/unit"
	"gioui.org/widget"

	"diptych/internal/geom"
	"diptych/internal/scene"
)

// texts draws a scene's texts. Shaping a text costs far more than drawing it again, and most labels
// stay the same from frame to frame, so each is shaped once and kept while it is in use.
type texts struct {
	ops   *op.Ops
	calls map[textKey]op.CallOp
}

type textKey struct {
	text string
	size float32
	bold bool
	fill color.NRGBA
}

// most texts kept before those not in use are dropped.
const keptTexts = 4000

// draw adds the texts of s, whose origin is gtx's.
func (t *texts) draw(a *App, gtx layout.Context, s *scene.Scene) {
	if t.calls == nil || len(t.calls) > keptTexts {
		t.ops, t.calls = new(op.Ops), map[textKey]op.CallOp{}
	}
	for i := range s.Layers {
		l := &s.Layers[i]
		if len(l.Texts) == 0 {
			continue
		}
		r := l.Clip
		if r.Empty() {
			r = geom.Rect{X1: s.Size.W, Y1: s.Size.H}
		}
		stack := clip.Rect(image.Rect(int(r.X0), int(r.Y0), int(r.X1+.5), int(r.Y1+.5))).Push(gtx.Ops)
		for k := range l.Texts {
			t.one(a, gtx, &l.Texts[k])
		}
		stack.Pop()
	}
}

func (t *texts) one(a *App, gtx layout.Context, x *scene.Text) {
	call, w := t.shape(a, gtx, x)
	left := x.Rect.X0
	switch x.Align {
	case scene.AlignCentre:
		left += (x.Rect.W() - w) / 2
	case scene.AlignRight:
		left = x.Rect.X1 - w
	}
	// The line box of the font is 1.17 em; centre it on the rectangle.
	top := x.Rect.Y0 + (x.Rect.H()-x.Size*lineBox)/2
	defer stand(x, left, top).Push(gtx.Ops).Pop()
	call.Add(gtx.Ops)
}

// stand returns what moves a text whose line box begins at (left, top), and turns it. Upright texts
// begin on whole pixels, which keeps them crisp; turned ones have no pixels to keep to.
func stand(x *scene.Text, left, top float32) op.TransformOp {
	if x.Turn == 0 {
		return op.Offset(image.Pt(round(left), round(top)))
	}
	middle := f32.Pt((x.Rect.X0+x.Rect.X1)/2, (x.Rect.Y0+x.Rect.Y1)/2)
	return op.Affine(f32.AffineId().Offset(f32.Pt(left, top)).Rotate(middle, x.Turn))
}

// lineBox is the height of Roboto's line in em.
const lineBox = 1.172

func (t *texts) shape(a *App, gtx layout.Context, x *scene.Text) (op.CallOp, float32) {
	k := textKey{x.Text, x.Size, x.Bold, x.Fill}
	w := x.Rect.W()
	if x.Align != scene.AlignLeft {
		w = widthOf(x)
	}
	if c, ok := t.calls[k]; ok {
		return c, w
	}
	f := font.Font{Typeface: sans}
	if x.Bold {
		f.Weight = font.Bold
	}
	own := gtx
	own.Ops = t.ops
	own.Metric = unit.Metric{PxPerDp: 1, PxPerSp: 1}
	own.Constraints = layout.Constraints{Max: image.Pt(1<<20, 1<<16)}
	m := op.Record(t.ops)
	ink := op.Record(t.ops)
	paint.ColorOp{Color: x.Fill}.Add(t.ops)
	inkCall := ink.Stop()
	widget.Label{MaxLines: 1, Alignment: text.Start}.Layout(own, a.look.th.Shaper, f,
		unit.Sp(x.Size), x.Text, inkCall)
	c := m.Stop()
	t.calls[k] = c
	return c, w
}
