package render

import (
	"image"
	"image/color"
	"slices"

	"diptych/internal/scene"

	gl "github.com/go-gl/gl/v3.1/gles2"
)

// Frame is what a frame shows: scenes on a ground, in drawing order, and over them what another
// renderer draws.
type Frame struct {
	Ground color.NRGBA
	Parts  []Part
	Over   Over
	Type   Type // sets the texts of the scenes; nil draws none
	// Brief has Show leave out what would have to wait for programs, and draw it the next time.
	Brief bool
}

// Part is a scene and where it stands in the framebuffer, px.
type Part struct {
	Scene *scene.Scene
	Area  image.Rectangle
}

// Over is what another renderer draws over the scenes.
type Over struct {
	Marks []Mark // what it draws, in drawing order
	// Known says that Marks tell all. Otherwise whatever is drawn counts as new.
	Known bool
	// Draw draws into t what touches the rectangle, and may draw more: only there it is seen. It
	// may be nil.
	Draw func(t Target, r image.Rectangle) error
}

// shown is the picture of the last frame that was shown, and what it was made of.
//
// A frame mostly differs little from the one before: something else is under the pointer, or a
// caret blinks. Where the CPU draws, filling all pixels of a window for that is dear. So a frame is
// drawn into a picture that stays: both frames are compared mark by mark, and only the rectangles
// in which they differ are drawn anew, with all that lies there. The picture is then copied to the
// window, whose own content is arbitrary after a swap, unless it is said to be kept; then only what
// was drawn is copied. Nothing that a frame shows is known but by what it draws, so nothing stale
// can stay.
//
// Why not one texture a pane, redrawn when its scene changes, with what is pointed at drawn over
// it? In most views that changes the scene itself: it dims other links, lights calls, moves a tube
// to the front. And what lies under a tooltip would still be drawn by Gio.
//
// Colours survive the copy: the picture lies in a framebuffer that encodes to sRGB exactly if the
// target does, so the values stay as they are.
type shown struct {
	picture *Offscreen // nil if there is none
	linear  bool       // whether picture encodes to sRGB by itself
	scale   float32
	ground  color.NRGBA
	valid   bool   // the picture is that of the marks, and has been copied
	to      uint32 // the framebuffer it was copied to
	scenes  []Mark
	over    []Mark
	spare   []Mark // storage for the next frame's
	known   bool   // over is complete
	drawn   []image.Rectangle
}

// Show brings a frame to all of t, whose clip must be empty. If it fails, t's content is arbitrary.
func (r *Renderer) Show(t Target, f *Frame) error {
	f, err := r.complete(f)
	if err != nil {
		return err
	}
	gl.BindFramebuffer(gl.FRAMEBUFFER, t.FBO)
	if t.FBO != 0 && multisampled() {
		return r.showAt(t, f) // OpenGL ES copies no picture into such a framebuffer
	}
	s := &r.shown
	if err := s.prepare(t, encodes(t.FBO)); err != nil {
		return err
	}
	var plan []bool // nil where OpenGL draws all
	if r.scanned && f.Ground.A == 255 {
		plan = f.plan()
	}
	rects := s.compare(t, f, plan)
	valid := s.valid
	s.valid = false // until all is well
	inner := t
	inner.FBO = s.picture.FBO()
	if err := r.deepen(inner, f, plan, valid); err != nil {
		return err
	}
	for i := 0; i < len(rects) && plan != nil; i++ {
		r.canvas.draw(t, f, plan, rects[i], s.linear)
		r.canvas.bring(s.picture, rects[i])
	}
	for _, rect := range rects {
		if err := r.mend(inner, f, rect, valid, plan); err != nil {
			return err
		}
	}
	s.drawn = rects
	if !valid || !t.Kept || s.to != t.FBO {
		rects = []image.Rectangle{{Max: t.Size}}
	}
	r.Yield()
	defer r.Yield()
	err = r.copies.copy(s.picture, t, rects)
	s.valid, s.to = err == nil, t.FBO
	return err
}

// Drawn returns the rectangles that the last Show has drawn anew.
func (r *Renderer) Drawn() []image.Rectangle { return r.shown.drawn }

// Forget has the next Show draw everything.
func (r *Renderer) Forget() { r.shown.valid = false }

// prepare makes sure that there is a picture for t.
func (s *shown) prepare(t Target, linear bool) error {
	if s.picture != nil && s.picture.Size() == t.Size && s.linear == linear {
		return nil
	}
	s.release()
	picture, err := newColours(t.Size, colours(linear)) // deepen adds the depths
	if err != nil {
		return err
	}
	s.picture, s.linear = picture, linear
	return nil
}

// colours returns the format of a picture that encodes to sRGB by itself, or does not.
func colours(linear bool) int32 {
	if linear {
		return gl.SRGB8_ALPHA8
	}
	return gl.RGBA8
}

// deepen gives the picture, t, its depths once they are needed: to mend parts of it, or to draw
// tubes or ribbons. The first frame of a window mostly does without, and need not wait for them.
func (r *Renderer) deepen(t Target, f *Frame, plan []bool, mends bool) error {
	p := r.shown.picture
	if p.depth != 0 || !mends && !r.deep(f, plan) {
		return nil
	}
	p.Bind()
	if err := p.addDepths(); err != nil {
		return err
	}
	r.mask(t, image.Rectangle{Max: t.Size}, 0)
	return nil
}

// deep reports whether depths decide what is seen of f's scenes, but for the planned ones.
func (r *Renderer) deep(f *Frame, plan []bool) bool {
	for k, p := range f.Parts {
		if plan != nil && plan[k] {
			continue
		}
		for i := range p.Scene.Layers {
			if l := &p.Scene.Layers[i]; len(l.Tubes.Tubes) > 0 && !r.scanned || len(l.Ribbons) > 0 {
				return true
			}
		}
	}
	return false
}

// compare takes f in, with its plan, and returns where it differs from the frame before.
func (s *shown) compare(t Target, f *Frame, plan []bool) []image.Rectangle {
	whole := image.Rectangle{Max: t.Size}
	scenes := f.mark(t, plan, s.spare)
	same := s.valid && s.scale == t.Scale && s.ground == f.Ground && s.known && f.Over.Known
	d := damage{whole: whole}
	if same {
		d.differ(s.scenes, scenes)
		d.differ(s.over, f.Over.Marks)
	}
	s.scenes, s.spare = scenes, s.scenes
	s.over = append(s.over[:0], f.Over.Marks...)
	s.scale, s.ground, s.known = t.Scale, f.Ground, f.Over.Known
	if !same {
		s.valid = false
		return []image.Rectangle{whole}
	}
	return d.few()
}

// mend draws what f shows within rect, but for the planned scenes, which a canvas has drawn. If
// masked, what lies over the scenes must be kept from the rest of the picture: where depths are 0
// nothing passes the test. Between two rectangles all depths are 0.
func (r *Renderer) mend(t Target, f *Frame, rect image.Rectangle, masked bool,
	plan []bool) error {
	part := t
	part.Clip = rect
	err := r.scenes(part, f, plan)
	if err == nil && f.Over.Draw != nil && (!f.Over.Known || touches(f.Over.Marks, rect)) {
		r.mask(t, rect, 1)
		if masked {
			gl.Enable(gl.DEPTH_TEST)
			gl.DepthFunc(gl.LEQUAL)
			gl.DepthMask(false)
		}
		err = f.Over.Draw(t, rect)
	}
	r.mask(t, rect, 0)
	if err != nil {
		return err
	}
	return check("draw over the scenes")
}

// mask sets all depths in the rectangle and yields.
func (r *Renderer) mask(t Target, rect image.Rectangle, depth float32) {
	r.Yield()
	gl.BindFramebuffer(gl.FRAMEBUFFER, t.FBO)
	gl.Enable(gl.SCISSOR_TEST)
	gl.Scissor(int32(rect.Min.X), int32(t.Size.Y-rect.Max.Y), int32(rect.Dx()), int32(rect.Dy()))
	gl.ClearDepthf(depth)
	gl.Clear(gl.DEPTH_BUFFER_BIT)
	gl.Disable(gl.SCISSOR_TEST)
}

// touches reports whether one of the marks lies in the rectangle.
func touches(marks []Mark, r image.Rectangle) bool {
	return slices.ContainsFunc(marks, func(m Mark) bool { return m.Bounds.Overlaps(r) })
}

// scenes draws f's scenes within t's clip, but for the shapes of the planned ones. If there is no
// plan, it draws all, and the ground.
func (r *Renderer) scenes(t Target, f *Frame, plan []bool) error {
	if plan == nil {
		plan = make([]bool, len(f.Parts))
		if err := r.Clear(t, f.Ground); err != nil {
			return err
		}
	}
	for i, p := range f.Parts {
		if !plan[i] {
			if err := r.Draw(t.At(p.Area), p.Scene); err != nil {
				return err
			}
		}
		if f.Type == nil {
			continue
		}
		if err := r.write(t.At(p.Area), p.Scene, f.Type); err != nil {
			return err
		}
	}
	return nil
}

// showAt draws all of f into t.
func (r *Renderer) showAt(t Target, f *Frame) error {
	whole := image.Rectangle{Max: t.Size}
	r.shown.drawn = []image.Rectangle{whole}
	if err := r.scenes(t, f, nil); err != nil || f.Over.Draw == nil {
		return err
	}
	return f.Over.Draw(t, whole)
}

func (s *shown) release() {
	if s.picture != nil {
		s.picture.Release()
	}
	*s = shown{}
}

// multisampled reports whether the bound framebuffer has several samples a pixel.
func multisampled() bool {
	var n int32
	gl.GetIntegerv(gl.SAMPLE_BUFFERS, &n)
	return n > 0
}
