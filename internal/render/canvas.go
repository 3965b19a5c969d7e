package render

import (
	"context"
	"image"
	"slices"
	"unsafe"

	"diptych/internal/progress"
	"diptych/internal/scene"

	gl "github.com/go-gl/gl/v3.1/gles2"
)

// canvas draws the shapes of a frame where OpenGL itself is drawn by the CPU. A rasteriser for any
// shape and any program asks of each pixel of each shape whether it is covered, evaluates the
// program, decodes what lies behind from sRGB, blends, and encodes the sum. A quad covers one run
// of pixels in each row, which is a loop over an array, and what of its shading depends on the
// column is the same in all rows; a tube and a ribbon are runs, too. So the canvas draws the same
// shapes with the same shading (shaders/*.vert and *.frag) in linear light, encodes each pixel
// once, and hands the driver a finished picture.
//
// The picture is opaque: it begins with the ground of the frame. Texts are left to OpenGL, and so
// is what may lie over them; see plan.
//
// As with tubes, rows are drawn in bands that stay in the cache, each by one processor, and no
// pixel depends on the band or the rectangle in which it is drawn.
type canvas struct {
	layers   []plainLayer
	swatches []swatch
	free     chan *sheet // storage that no processor works with
	pix      []uint8     // RGBA, the lowest row first
}

// plan reports which parts of f a canvas draws: all but those that may lie over what is left of
// another one, which are its texts or all of it.
func (f *Frame) plan() []bool {
	plan := make([]bool, len(f.Parts))
	var left []image.Rectangle
	for i, p := range f.Parts {
		plan[i] = !slices.ContainsFunc(left, p.Area.Overlaps)
		if !plan[i] || f.Type != nil && written(p.Scene.Layers) {
			left = append(left, p.Area)
		}
	}
	return plan
}

// plainLayer is what is drawn of a layer.
type plainLayer struct {
	origin   image.Point     // of the view, in the framebuffer
	clip     image.Rectangle // px of the framebuffer
	from, to int             // its swatches
	tubes    scene.Tubes
	scanner  scanner
	sweeps   []sweep
	arcs     []scene.Arc
	culled   culled
}

// swatch is a quad with the pixels of the view that are drawn of it.
type swatch struct {
	quad *scene.Quad
	box  image.Rectangle
}

// draw draws the planned parts of f where they lie in the rectangle, px of t, into c.pix.
func (c *canvas) draw(t Target, f *Frame, plan []bool, r image.Rectangle, linear bool) {
	c.collect(f, plan, r, linear)
	c.pix = resized(c.pix, 4*area(r))
	if n := progress.Processors(); cap(c.free) < n {
		c.free = make(chan *sheet, n)
		for range n {
			c.free <- &sheet{}
		}
	}
	// Nothing of this fails, and a panic crosses to this goroutine.
	_ = progress.Spread(context.Background(), (r.Dy()+bandRows-1)/bandRows, func(i int) error {
		part := r
		part.Min.Y += i * bandRows
		part.Max.Y = min(part.Min.Y+bandRows, r.Max.Y)
		s := <-c.free
		defer func() { c.free <- s }()
		s.begin(part, t.Scale, linear)
		s.cover(f.Ground)
		for k := range c.layers {
			s.layer(&c.layers[k], c.swatches)
		}
		s.finish(c.pix[4*r.Dx()*(r.Max.Y-part.Max.Y):])
		return nil
	})
}

// collect finds what is drawn in the rectangle.
func (c *canvas) collect(f *Frame, plan []bool, r image.Rectangle, linear bool) {
	c.layers, c.swatches = c.layers[:0], c.swatches[:0]
	for i := range f.Parts {
		p := &f.Parts[i]
		for k := 0; k < len(p.Scene.Layers) && plan[i]; k++ {
			c.collectLayer(p, &p.Scene.Layers[k], p.Area.Intersect(r), linear)
		}
	}
}

// written reports whether a layer has texts.
func written(layers []scene.Layer) bool {
	for i := range layers {
		if len(layers[i].Texts) > 0 {
			return true
		}
	}
	return false
}

// collectLayer finds what is drawn of a layer of p, in box.
func (c *canvas) collectLayer(p *Part, l *scene.Layer, box image.Rectangle, linear bool) {
	origin := p.Area.Min
	box = box.Intersect(pixels(clipOf(p.Scene, l)).Add(origin))
	if box.Empty() {
		return
	}
	seen, from := box.Sub(origin), len(c.swatches)
	for i := range l.Quads {
		if b := covered(&l.Quads[i]).Intersect(seen); !b.Empty() {
			c.swatches = append(c.swatches, swatch{&l.Quads[i], b})
		}
	}
	if n := len(c.layers); n < cap(c.layers) {
		c.layers = c.layers[:n+1] // with its storage
	} else {
		c.layers = append(c.layers, plainLayer{})
	}
	at := &c.layers[len(c.layers)-1]
	at.origin, at.clip, at.from, at.to = origin, box, from, len(c.swatches)
	at.tubes = at.culled.tubes(&l.Tubes, seen)
	if len(at.tubes.Tubes) > 0 {
		at.scanner.prepare(&at.tubes, finenessOf(&l.Tubes))
	}
	ribbons := at.culled.ribbons(l.Ribbons, seen)
	at.sweeps = resized(at.sweeps, len(ribbons))
	for i := range ribbons {
		at.sweeps[i].set(&ribbons[i], linear)
	}
	at.arcs = at.culled.arcs(l.Arcs, seen)
}

// bring makes the picture of the rectangle the content of o there.
func (c *canvas) bring(o *Offscreen, r image.Rectangle) {
	gl.ActiveTexture(gl.TEXTURE0 + pictureUnit)
	gl.BindTexture(gl.TEXTURE_2D, o.color)
	gl.PixelStorei(gl.UNPACK_ALIGNMENT, 4)
	gl.PixelStorei(gl.UNPACK_ROW_LENGTH, 0)
	gl.TexSubImage2D(gl.TEXTURE_2D, 0, int32(r.Min.X), int32(o.size.Y-r.Max.Y), int32(r.Dx()),
		int32(r.Dy()), gl.RGBA, gl.UNSIGNED_BYTE, unsafe.Pointer(&c.pix[0]))
	gl.BindTexture(gl.TEXTURE_2D, 0)
	gl.ActiveTexture(gl.TEXTURE0)
}
