package kit

import (
	"image"

	"gioui.org/layout"
	"gioui.org/unit"
	"gioui.org/widget"

	"diptych/internal/palette"
)

// Segments draws alternatives side by side, of which the one with index on is chosen. Labels are
// what is read, names what assistive tools and tests find a button by.
func (k *Kit) Segments(gtx layout.Context, clicks []widget.Clickable, labels, names []string,
	on int) layout.Dimensions {
	var children []layout.FlexChild
	for i := range labels {
		children = append(children, layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return k.Button(gtx, &clicks[i], labels[i], names[i], i == on)
		}))
	}
	return layout.Flex{Alignment: layout.Middle}.Layout(gtx, children...)
}

// Disabled is a button for what makes no sense now. It can be clicked, for its owner to say why.
func (k *Kit) Disabled(gtx layout.Context, c *widget.Clickable,
	label, name string) layout.Dimensions {
	return k.Pressable(gtx, c, name, false, func(gtx layout.Context) layout.Dimensions {
		return layout.Inset{Left: 9, Right: 9, Top: 5, Bottom: 5}.Layout(gtx,
			func(gtx layout.Context) layout.Dimensions {
				ink := k.Faint()
				ink.Color = palette.WithAlpha(ink.Color, 0x80)
				return k.Label(gtx, label, ink)
			})
	})
}

// Progress draws how far work has got, as a share, in a bar of the given width.
func (k *Kit) Progress(gtx layout.Context, share float64, width unit.Dp) layout.Dimensions {
	size := image.Pt(gtx.Dp(width), gtx.Dp(5))
	FillRound(gtx, image.Rectangle{Max: size}, size.Y/2, k.Pal.Edge)
	if done := int(float64(size.X) * max(share, 0)); done > size.Y {
		FillRound(gtx, image.Rect(0, 0, done, size.Y), size.Y/2, k.Pal.A)
	}
	return layout.Dimensions{Size: size}
}
