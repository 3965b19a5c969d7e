package kit

import (
	"image"
	"image/color"
	"math"
	"strings"
	"unicode/utf8"

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

// Room returns how large a picture of the text has to be, px, and where in it the line box begins.
// Letters may reach a little beyond their advance, and accents stand over the line box. Of plain
// letters, Roboto's reach 0.05 em beyond their advance, and stay within the line box: where the CPU
// draws, every row of the picture costs.
func (s *Setter) Room(x *scene.Text) (size, inset image.Point) {
	_, d := s.texts.shape(s.k, x, white)
	pad := image.Pt(1+int(math.Ceil(float64(x.Size)*.05)), 0)
	if strings.ContainsFunc(x.Text, func(r rune) bool { return r >= utf8.RuneSelf && r != '…' && r != '·' }) {
		pad = image.Pt(int(x.Size), int(x.Size/2)+1)
	}
	return d.Size.Add(pad.Mul(2)), pad
}

// Place returns where in its view the line box of a text begins, px.
func (s *Setter) Place(x *scene.Text) image.Point {
	left, top := corner(x)
	return image.Pt(Round(left), Round(top))
}

// Shape returns what draws a text in white.
func (s *Setter) Shape(x *scene.Text) op.CallOp {
	call, _ := s.texts.shape(s.k, x, white)
	return call
}

var white = color.NRGBA{255, 255, 255, 255}
