package kit

import (
	"image"
	"image/color"

	"gioui.org/op"

	"diptych/internal/scene"
)

// Setter sets the upright texts of scenes for the renderer, which keeps their pictures. It
// implements host.Type.
type Setter struct {
	k     *Kit
	texts Texts
}

// Setter returns what sets the texts of scenes.
func (k *Kit) Setter() *Setter {
	if k.setter == nil {
		k.setter = &Setter{k: k}
	}
	return k.setter
}

// Room returns how large a picture of the text has to be, px, and where in it the line box begins:
// outside, where letters leave parts of it free. Where the CPU draws, every pixel of the picture
// costs, so it holds what letters cover and a pixel beside it, which rounding can take.
func (s *Setter) Room(x *scene.Text) (size, inset image.Point) {
	ink := s.texts.shape(s.k, x, white).ink
	if ink.Empty() {
		return image.Point{}, image.Point{}
	}
	ink = image.Rect(ink.Min.X-1, ink.Min.Y, ink.Max.X+1, ink.Max.Y)
	return ink.Size(), image.Point{}.Sub(ink.Min)
}

// Place returns where in its view the line box of a text begins, px.
func (s *Setter) Place(x *scene.Text) image.Point {
	left, top := corner(x)
	return image.Pt(Round(left), Round(top))
}

// Shape returns what draws a text in white.
func (s *Setter) Shape(x *scene.Text) op.CallOp {
	return s.texts.shape(s.k, x, white).call
}

var white = color.NRGBA{255, 255, 255, 255}
