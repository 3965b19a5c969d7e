package kit

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
	"diptych/internal/typeface"
)

// Texts draws a scene's texts. Shaping a text costs far more than drawing it again, and most labels
// stay the same from frame to frame, so each is shaped once and kept while it is in use.
type Texts struct {
	ops   *op.Ops
	calls map[textKey]op.CallOp
}

type textKey struct {
	text string
	size float32
	bold bool
	fill color.NRGBA
}

// keptTexts is how many texts are kept before all are dropped and shaped anew.
const keptTexts = 4000

// Draw adds the texts of a scene that begins at the origin of gtx.
func (t *Texts) Draw(k *Kit, gtx layout.Context, s *scene.Scene) {
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
		for n := range l.Texts {
			t.one(k, gtx, &l.Texts[n])
		}
		stack.Pop()
	}
}

// one adds one text.
func (t *Texts) one(k *Kit, gtx layout.Context, x *scene.Text) {
	call, w := t.shape(k, gtx, x)
	left := x.Rect.X0
	switch x.Align {
	case scene.AlignCentre:
		left += (x.Rect.W() - w) / 2
	case scene.AlignRight:
		left = x.Rect.X1 - w
	}
	// The line box of the font is 1.17 em; centre it on the rectangle.
	top := x.Rect.Y0 + (x.Rect.H()-x.Size*lineBox)/2
	defer textTransform(x, left, top).Push(gtx.Ops).Pop()
	call.Add(gtx.Ops)
}

// textTransform returns what moves a text whose line box begins at (left, top), and turns it.
// Upright texts begin on whole pixels, which keeps them crisp; turned ones have no pixels to keep
// to.
func textTransform(x *scene.Text, left, top float32) op.TransformOp {
	if x.Turn == 0 {
		return op.Offset(image.Pt(Round(left), Round(top)))
	}
	middle := f32.Pt((x.Rect.X0+x.Rect.X1)/2, (x.Rect.Y0+x.Rect.Y1)/2)
	return op.Affine(f32.AffineId().Offset(f32.Pt(left, top)).Rotate(middle, x.Turn))
}

// lineBox is the height of Roboto's line in em.
const lineBox = 1.172

// shape returns what draws a text, and its width in px: of a text at the left that of its
// rectangle.
func (t *Texts) shape(k *Kit, gtx layout.Context, x *scene.Text) (op.CallOp, float32) {
	key := textKey{x.Text, x.Size, x.Bold, x.Fill}
	w := x.Rect.W()
	if x.Align != scene.AlignLeft {
		w = typeface.Width(x.Text, x.Size, x.Bold)
	}
	if c, ok := t.calls[key]; ok {
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
	widget.Label{MaxLines: 1, Alignment: text.Start}.Layout(own, k.th.Shaper, f,
		unit.Sp(x.Size), x.Text, inkCall)
	c := m.Stop()
	t.calls[key] = c
	return c, w
}
