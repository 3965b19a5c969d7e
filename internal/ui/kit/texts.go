package kit

import (
	"image"
	"image/color"
	"slices"

	"gioui.org/f32"
	"gioui.org/font"
	"gioui.org/layout"
	"gioui.org/op"
	"gioui.org/op/clip"
	"gioui.org/op/paint"
	"gioui.org/text"
	"gioui.org/unit"
	"gioui.org/widget"
	"golang.org/x/image/math/fixed"

	"diptych/internal/geom"
	"diptych/internal/render"
	"diptych/internal/scene"
	"diptych/internal/typeface"
)

// Texts draws the texts of a scene that the renderer does not draw: those that are turned. Shaping
// a text costs far more than drawing it again, and most labels stay the same from frame to frame,
// so each is shaped once and kept while it is in use.
type Texts struct {
	ops    *op.Ops
	shapes map[textKey]shapedText
}

type shapedText struct {
	call op.CallOp
	ink  image.Rectangle // what it covers, px from the corner of the line box
}

type textKey struct {
	text string
	size float32
	bold bool
	fill color.NRGBA
}

// keptTexts is how many texts are kept before all are dropped and shaped anew.
const keptTexts = 4000

// Draw adds the turned texts of a scene that begins at the origin of gtx.
func (t *Texts) Draw(k *Kit, gtx layout.Context, s *scene.Scene) {
	t.draw(k, gtx, s, func(x *scene.Text) bool { return !render.Upright(x) })
}

// DrawAll adds all texts of such a scene, for one that the renderer does not draw.
func (t *Texts) DrawAll(k *Kit, gtx layout.Context, s *scene.Scene) {
	t.draw(k, gtx, s, func(*scene.Text) bool { return true })
}

func (t *Texts) draw(k *Kit, gtx layout.Context, s *scene.Scene, which func(*scene.Text) bool) {
	for i := range s.Layers {
		l := &s.Layers[i]
		if !slices.ContainsFunc(l.Texts, func(x scene.Text) bool { return which(&x) }) {
			continue
		}
		r := l.Clip
		if r.Empty() {
			r = geom.Rect{X1: s.Size.W, Y1: s.Size.H}
		}
		stack := clip.Rect(image.Rect(int(r.X0), int(r.Y0), int(r.X1+.5), int(r.Y1+.5))).Push(gtx.Ops)
		for n := range l.Texts {
			if x := &l.Texts[n]; which(x) {
				t.one(k, gtx, x)
			}
		}
		stack.Pop()
	}
}

// one adds one text.
func (t *Texts) one(k *Kit, gtx layout.Context, x *scene.Text) {
	call := t.shape(k, x, x.Fill).call
	left, top := corner(x)
	defer textTransform(x, left, top).Push(gtx.Ops).Pop()
	call.Add(gtx.Ops)
}

// corner returns where the line box of a text begins.
func corner(x *scene.Text) (left, top float32) {
	left = x.Rect.X0
	switch x.Align {
	case scene.AlignCentre:
		left += (x.Rect.W() - typeface.Width(x.Text, x.Size, x.Bold)) / 2
	case scene.AlignRight:
		left = x.Rect.X1 - typeface.Width(x.Text, x.Size, x.Bold)
	}
	// The line box of the font is 1.17 em; centre it on the rectangle.
	return left, x.Rect.Y0 + (x.Rect.H()-x.Size*lineBox)/2
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

// shape returns what draws a text in a colour.
func (t *Texts) shape(k *Kit, x *scene.Text, fill color.NRGBA) shapedText {
	if t.shapes == nil || len(t.shapes) > keptTexts {
		t.ops, t.shapes = new(op.Ops), map[textKey]shapedText{}
	}
	key := textKey{x.Text, x.Size, x.Bold, fill}
	if s, ok := t.shapes[key]; ok {
		return s
	}
	f := font.Font{Typeface: sans}
	if x.Bold {
		f.Weight = font.Bold
	}
	own := layout.Context{Ops: t.ops, Metric: unit.Metric{PxPerDp: 1, PxPerSp: 1},
		Constraints: layout.Constraints{Max: image.Pt(1<<20, 1<<16)}}
	m := op.Record(t.ops)
	ink := op.Record(t.ops)
	paint.ColorOp{Color: fill}.Add(t.ops)
	inkCall := ink.Stop()
	widget.Label{MaxLines: 1, Alignment: text.Start}.Layout(own, k.theme().Shaper, f,
		unit.Sp(x.Size), x.Text, inkCall)
	s := shapedText{m.Stop(), inkOf(k.theme().Shaper, text.Parameters{Font: f, MaxLines: 1,
		PxPerEm: fixed.I(own.Sp(unit.Sp(x.Size))), MaxWidth: own.Constraints.Max.X}, x.Text)}
	t.shapes[key] = s
	return s
}

// inkOf returns the pixels that the letters of a text cover, from the corner of its line box: a
// label lays out the same text, but tells its advance and line only, which accents and tails leave.
func inkOf(s *text.Shaper, p text.Parameters, of string) (ink image.Rectangle) {
	s.LayoutString(p, of)
	for g, ok := s.NextGlyph(); ok; g, ok = s.NextGlyph() {
		if g.Bounds.Empty() {
			continue
		}
		at := image.Rect((g.X + g.Bounds.Min.X).Floor(), int(g.Y)+g.Bounds.Min.Y.Floor(),
			(g.X + g.Bounds.Max.X).Ceil(), int(g.Y)+g.Bounds.Max.Y.Ceil())
		// Outlines are moved the one way, bitmaps the other.
		moved := image.Pt(g.Offset.X.Ceil(), g.Offset.Y.Ceil())
		ink = ink.Union(at).Union(at.Add(moved)).Union(at.Sub(moved))
	}
	return ink
}
