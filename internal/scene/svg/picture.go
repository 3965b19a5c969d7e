package svg

import (
	"bufio"
	"fmt"
	"image/color"
	"io"

	"diptych/internal/geom"
	"diptych/internal/scene"
)

// Picture is a file of its own: scenes side by side on one ground, such as the panes of a window.
type Picture struct {
	Title  string // what it shows, for those who do not see it
	Size   geom.Size
	Ground color.NRGBA
	Parts  []Part
}

// Part is a scene and where its top left corner is in the picture, px.
type Part struct {
	*scene.Scene
	At geom.Point
}

// Write writes the picture as one svg element, a file that stands for itself. Each part is clipped
// to its own size.
func (p *Picture) Write(w io.Writer) error {
	d := &drawing{Writer: bufio.NewWriter(w), Options: Options{Title: p.Title}}
	d.open(p.Size)
	fmt.Fprintf(d, `<title>%s</title>`, escaped(p.Title))
	fmt.Fprintf(d, `<path d="%s"%s/>`, box(geom.Rect{X1: p.Size.W, Y1: p.Size.H}),
		d.painted(paint{"fill", p.Ground, p.Ground}))
	for _, part := range p.Parts {
		fmt.Fprintf(d, `<svg x="%s" y="%s" width="%s" height="%s">`,
			num(part.At.X), num(part.At.Y), num(part.Size.W), num(part.Size.H))
		for i := range part.Layers {
			d.layer(&part.Layers[i], &part.Layers[i])
		}
		d.WriteString("</svg>")
	}
	d.WriteString("</svg>\n")
	return d.Flush()
}
