package render

import (
	"fmt"
	"image"
	"image/color"
	"unsafe"

	"diptych/internal/geom"
	"diptych/internal/scene"
	"diptych/shaders"

	gl "github.com/go-gl/gl/v3.1/gles2"
)

// Type sets texts, since fonts are not this package's business.
type Type interface {
	// Room returns how large a picture of the text has to be, px, and where in it the line box
	// begins.
	Room(x *scene.Text) (size, inset image.Point)
	// Place returns where in its view the line box of a text begins, px.
	Place(x *scene.Text) image.Point
	// Write draws texts in white into t, the line box of each at its point.
	Write(t Target, texts []*scene.Text, at []image.Point) error
}

// textPainter draws the texts of scenes that stand upright, as instances of a four-vertex strip,
// from the atlas. The texts of a scene lie over all else in it.
type textPainter struct {
	program       program
	array, buffer uint32
	atlas         atlas

	texts   []textQuad
	batches []textBatch
	fresh   []*scene.Text // those that are not in the atlas yet, with
	at      []image.Point // where they will be
}

// textQuad is an instance: where a text is drawn, and where in the atlas it is.
type textQuad struct {
	rect geom.Rect
	fill color.NRGBA
	x, y float32
}

// textBatch is a run of texts with one clip.
type textBatch struct {
	box image.Rectangle // in the framebuffer
	end int
}

const textSize = int32(unsafe.Sizeof(textQuad{}))

func (p *textPainter) compile() error {
	if err := p.program.compile(shaders.Text); err != nil {
		return err
	}
	gl.UseProgram(p.program.name)
	gl.Uniform1i(uniform(p.program.name, "u_letters"), letterUnit)
	gl.GenVertexArrays(1, &p.array)
	gl.GenBuffers(1, &p.buffer)
	gl.BindVertexArray(p.array)
	for at := range uint32(3) {
		gl.EnableVertexAttribArray(at)
		gl.VertexAttribDivisor(at, 1)
	}
	return nil
}

func (p *textPainter) release() {
	gl.DeleteProgram(p.program.name)
	gl.DeleteVertexArrays(1, &p.array)
	gl.DeleteBuffers(1, &p.buffer)
	p.atlas.release()
	*p = textPainter{}
}

// Upright reports whether a text is drawn by the renderer, if a Type is given. Those that are
// turned are left to others.
func Upright(x *scene.Text) bool { return x.Turn == 0 && x.Text != "" }

// write draws the upright texts of s into t.
func (r *Renderer) write(t Target, s *scene.Scene, y Type) error {
	p := &r.texts
	if err := p.atlas.open(); err != nil {
		return err
	}
	for i := range s.Layers {
		l := &s.Layers[i]
		box := textClip(s, l).Add(t.Origin).Intersect(t.bounds()).Intersect(image.Rectangle{Max: t.Size})
		if box.Empty() {
			continue
		}
		for k := range l.Texts {
			if x := &l.Texts[k]; Upright(x) {
				if err := r.place(t, x, y, box); err != nil {
					return err
				}
			}
		}
	}
	return r.flush(t, y)
}

// textClip returns the part of the view that the texts of a layer are cut to.
func textClip(s *scene.Scene, l *scene.Layer) image.Rectangle {
	c := l.Clip
	if c.Empty() {
		c = geom.Rect{X1: s.Size.W, Y1: s.Size.H}
	}
	return image.Rect(int(c.X0), int(c.Y0), int(c.X1+.5), int(c.Y1+.5))
}

// place adds a text to those that flush draws, if it reaches into the box. A full atlas is emptied,
// once what is in it is drawn.
func (r *Renderer) place(t Target, x *scene.Text, y Type, box image.Rectangle) error {
	p := &r.texts
	at := y.Place(x)
	place, ok := p.atlas.places[keyOfText(x)]
	if !ok {
		size, inset := y.Room(x)
		if !(image.Rectangle{Max: size}).Add(at).Sub(inset).Add(t.Origin).Overlaps(box) {
			return nil
		}
		if place, ok = p.atlas.add(keyOfText(x), size, inset); !ok {
			if err := r.flush(t, y); err != nil {
				return err
			}
			if err := p.atlas.renew(r, size); err != nil {
				return err
			}
			place, _ = p.atlas.add(keyOfText(x), size, inset)
		}
		p.fresh = append(p.fresh, x)
		p.at = append(p.at, place.box.Min.Add(place.inset))
	}
	to := (image.Rectangle{Max: place.box.Size()}).Add(at).Sub(place.inset)
	if !to.Add(t.Origin).Overlaps(box) {
		return nil
	}
	p.texts = append(p.texts, textQuad{geom.Rect{X0: float32(to.Min.X), Y0: float32(to.Min.Y),
		X1: float32(to.Max.X), Y1: float32(to.Max.Y)}, x.Fill,
		float32(place.box.Min.X), float32(place.box.Min.Y)})
	if n := len(p.batches); n == 0 || p.batches[n-1].box != box {
		p.batches = append(p.batches, textBatch{box: box})
	}
	p.batches[len(p.batches)-1].end = len(p.texts)
	return nil
}

// flush writes the new texts into the atlas and draws what was placed.
func (r *Renderer) flush(t Target, y Type) error {
	p := &r.texts
	texts, batches, fresh, at := p.texts, p.batches, p.fresh, p.at
	p.texts, p.batches, p.fresh, p.at = texts[:0], batches[:0], fresh[:0], at[:0]
	if len(fresh) > 0 {
		r.Yield()
		if err := y.Write(p.atlas.picture.Target(1), fresh, at); err != nil {
			p.atlas.places = nil
			p.atlas.release()
			return fmt.Errorf("render: set texts: %w", err)
		}
	}
	if len(texts) == 0 {
		return nil
	}
	r.begin(t)
	defer r.Yield()
	p.atlas.bind()
	gl.BindVertexArray(p.array)
	gl.BindBuffer(gl.ARRAY_BUFFER, p.buffer)
	gl.BufferData(gl.ARRAY_BUFFER, len(texts)*int(textSize), unsafe.Pointer(&texts[0]),
		gl.STREAM_DRAW)
	gl.UseProgram(p.program.name)
	first := 0
	for _, b := range batches {
		scissorTo(t, b.box)
		p.point(first)
		gl.DrawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, int32(b.end-first))
		first = b.end
	}
	gl.BindTexture(gl.TEXTURE_2D, 0)
	gl.ActiveTexture(gl.TEXTURE0)
	return check("draw texts")
}

// point makes the vertex attributes begin at the text with index first in the bound buffer.
func (p *textPainter) point(first int) {
	var q textQuad
	base := uintptr(first) * uintptr(textSize)
	gl.VertexAttribPointerWithOffset(0, 4, gl.FLOAT, false, textSize, base+unsafe.Offsetof(q.rect))
	gl.VertexAttribPointerWithOffset(1, 4, gl.UNSIGNED_BYTE, true, textSize,
		base+unsafe.Offsetof(q.fill))
	gl.VertexAttribPointerWithOffset(2, 2, gl.FLOAT, false, textSize, base+unsafe.Offsetof(q.x))
}
