// Package render draws scenes with OpenGL ES 3: it compiles the programs of package shaders,
// streams a scene's shapes to them and owns offscreen framebuffers. Texts are not its business; the
// interface draws them over the result. It knows nothing of traces, windows or input, and needs a
// current context on the calling thread, which stays locked to it. Where OpenGL itself is drawn by
// the CPU, the package draws shapes without it (canvas.go).
//
// A framebuffer either encodes to sRGB by itself, and then wants linear light and blends in it, or
// takes encoded colours as they are. The renderer asks each target which it is, so a fill reads
// back as the very colour the scene named from both.
package render

import (
	"errors"
	"fmt"
	"image"
	"image/color"

	"diptych/internal/geom"
	"diptych/internal/scene"

	gl "github.com/go-gl/gl/v3.1/gles2"
)

// Target is the part of a framebuffer that a view is drawn into. Positions count from the top left.
type Target struct {
	FBO    uint32          // framebuffer object; 0 is the window's
	Size   image.Point     // of the whole framebuffer, px
	Origin image.Point     // of the view in the framebuffer, px
	Clip   image.Rectangle // what may be drawn on, in the framebuffer; empty means all of it
	Scale  float32         // px per device-independent pixel; 0 means 1
	Kept   bool            // the framebuffer still holds what the last Show has brought to it
}

// At returns t for a view that fills r, which is in framebuffer coordinates; nothing is drawn
// outside r or outside t's own clip. A view wholly outside it draws nothing.
func (t Target) At(r image.Rectangle) Target {
	t.Origin = r.Min
	t.Clip = r.Intersect(t.bounds())
	if t.Clip.Empty() {
		t.Clip = image.Rectangle{Min: t.Size, Max: t.Size.Add(image.Pt(1, 1))}
	}
	return t
}

func (t Target) bounds() image.Rectangle {
	if t.Clip.Empty() {
		return image.Rectangle{Max: t.Size}
	}
	return t.Clip
}

// Renderer holds the programs and buffers of one OpenGL context.
type Renderer struct {
	tubes   tubePainter
	scans   scanPainter // draws tubes instead if scanned
	canvas  canvas      // draws the shapes of a frame instead if scanned
	ribbons ribbonPainter
	arcs    arcPainter
	quads   quadPainter
	texts   textPainter
	copies  copier
	shown   shown
	culled  culled
	lacking []painter // what the last Show left out
	idle    uint32    // vertex array that is bound while others draw
	linear  bool      // whether the bound framebuffer encodes to sRGB by itself
	scanned bool      // tubes are drawn by scans, as the CPU draws all there is
}

// painter draws shapes of one kind by programs. Most frames have no tubes, ribbons or arcs, and the
// first of a window must not wait for their programs: they are compiled when there is something to
// draw.
type painter interface {
	compile() error
	compiled() bool
	use(t Target, linear bool)
	draws(l *scene.Layer) bool // whether the layer has shapes of the kind
	omit(l *scene.Layer)       // takes them out
}

// bent lists the painters whose programs New does not compile.
func (r *Renderer) bent() []painter { return []painter{&r.tubes, &r.ribbons, &r.arcs} }

// late lists those of them that frames wait for: none where a canvas draws what they would.
func (r *Renderer) late() []painter {
	if r.scanned {
		return nil
	}
	return r.bent()
}

// ready compiles p's programs, unless that has been done, for drawing into t.
func (r *Renderer) ready(p painter, t Target) error {
	if p.compiled() {
		return nil
	}
	if err := p.compile(); err != nil {
		return err
	}
	p.use(t, r.linear)
	return nil
}

// New compiles the programs of what nearly all scenes have in the context that is current on the
// calling thread.
func New() (*Renderer, error) {
	if err := load(); err != nil {
		return nil, err
	}
	r := &Renderer{scanned: byCPU()}
	for _, compile := range []func() error{
		r.quads.compile, r.texts.compile, r.copies.compile,
	} {
		if err := compile(); err != nil {
			r.Release()
			return nil, err
		}
	}
	gl.GenVertexArrays(1, &r.idle)
	r.Yield() // whoever comes next must not find a vertex array of ours
	return r, check("new renderer")
}

// ByCPU reports whether the CPU draws all there is, so that each pixel is dear.
func (r *Renderer) ByCPU() bool { return r.scanned }

// Release deletes what New made. The context must be current.
func (r *Renderer) Release() {
	r.tubes.release()
	r.scans.release()
	r.ribbons.release()
	r.arcs.release()
	r.quads.release()
	r.texts.release()
	r.copies.release()
	r.shown.release()
	gl.DeleteVertexArrays(1, &r.idle)
	*r = Renderer{}
}

// Draw draws s but its texts into t, layer by layer in order.
func (r *Renderer) Draw(t Target, s *scene.Scene) error {
	r.begin(t)
	defer r.Yield()
	for i := range s.Layers {
		l := &s.Layers[i]
		box, ok := scissor(t, clipOf(s, l))
		if !ok {
			continue
		}
		if err := r.layer(t, l, box); err != nil {
			return err
		}
	}
	return check("draw scene")
}

// clipOf returns what of the view a layer of s is cut to.
func clipOf(s *scene.Scene, l *scene.Layer) geom.Rect {
	if l.Clip.Empty() {
		return geom.Rect{X1: s.Size.W, Y1: s.Size.H}
	}
	return l.Clip
}

// layer draws what of l lies in box, which is in the framebuffer's coordinates.
func (r *Renderer) layer(t Target, l *scene.Layer, box image.Rectangle) error {
	seen := box.Sub(t.Origin)
	if tubes := r.culled.tubes(&l.Tubes, seen); len(tubes.Tubes) > 0 {
		if err := r.drawTubes(t, &tubes, finenessOf(&l.Tubes), box); err != nil {
			return err
		}
	}
	if ribbons := r.culled.ribbons(l.Ribbons, seen); len(ribbons) > 0 {
		if err := r.ready(&r.ribbons, t); err != nil {
			return err
		}
		r.ribbons.draw(ribbons)
	}
	if arcs := r.culled.arcs(l.Arcs, seen); len(arcs) > 0 {
		if err := r.ready(&r.arcs, t); err != nil {
			return err
		}
		r.arcs.draw(arcs)
	}
	if quads := r.culled.quads(l.Quads, seen); len(quads) > 0 {
		r.quads.draw(quads, frame{t, box})
	}
	return nil
}

// drawTubes draws what of b lies in box, which is in the framebuffer's coordinates.
func (r *Renderer) drawTubes(t Target, b *scene.Tubes, f fineness, box image.Rectangle) error {
	if !r.scanned {
		if err := r.ready(&r.tubes, t); err != nil {
			return err
		}
		r.tubes.draw(b, f, box.Sub(t.Origin))
		return nil
	}
	if err := r.scans.compile(); err != nil {
		return err
	}
	r.scans.draw(b, f, t, box, r.linear)
	return nil
}

// Clear fills t's clip with c, alpha included.
func (r *Renderer) Clear(t Target, c color.NRGBA) error {
	r.begin(t)
	defer r.Yield()
	b := t.bounds()
	area := geom.Rect{X1: float32(b.Dx()), Y1: float32(b.Dy())}
	t.Origin = b.Min
	if _, ok := scissor(t, area); ok {
		f := premultiply(c, r.linear)
		gl.ClearColor(f[0], f[1], f[2], f[3])
		gl.Clear(gl.COLOR_BUFFER_BIT)
	}
	return check("clear")
}

// Yield leaves the context as another renderer expects to find it. Gio saves and restores much of
// its state, but neither scissor nor depth. What it restores of vertex attributes is wrong: it
// takes the name of an attribute's buffer from whether the attribute is enabled. In a vertex array
// without enabled attributes that does no harm, so one is bound that nobody else uses. Nor is a
// buffer left bound, which could be deleted before Gio binds it again. New, Draw, Clear and Show
// end with it.
func (r *Renderer) Yield() {
	gl.Disable(gl.SCISSOR_TEST)
	gl.Disable(gl.DEPTH_TEST)
	gl.Disable(gl.CULL_FACE)
	gl.DepthFunc(gl.LESS)
	gl.DepthMask(true)
	gl.ColorMask(true, true, true, true)
	gl.UseProgram(0)
	gl.BindVertexArray(r.idle)
	gl.BindBuffer(gl.ARRAY_BUFFER, 0)
}

// begin binds t's framebuffer and sets the state that all drawing shares.
func (r *Renderer) begin(t Target) {
	gl.BindFramebuffer(gl.FRAMEBUFFER, t.FBO)
	r.linear = encodes(t.FBO)
	gl.Viewport(0, 0, int32(t.Size.X), int32(t.Size.Y))
	gl.Enable(gl.SCISSOR_TEST)
	gl.Disable(gl.DEPTH_TEST)
	gl.Disable(gl.CULL_FACE)
	gl.Enable(gl.BLEND)
	gl.BlendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA)
	for _, p := range r.bent() {
		if p.compiled() {
			p.use(t, r.linear)
		}
	}
	r.quads.use(t, r.linear)
	r.texts.program.use(t, r.linear)
}

// encodes reports whether the bound framebuffer turns linear light into sRGB as it is written.
func encodes(fbo uint32) bool {
	attachment := uint32(gl.COLOR_ATTACHMENT0)
	if fbo == 0 {
		attachment = gl.BACK
	}
	var encoding int32
	gl.GetFramebufferAttachmentParameteriv(gl.FRAMEBUFFER, attachment,
		gl.FRAMEBUFFER_ATTACHMENT_COLOR_ENCODING, &encoding)
	return encoding == gl.SRGB
}

// scissor restricts drawing to clip, which is in the view's coordinates. It returns what is left to
// draw on, in the framebuffer's, and reports whether that is anything.
func scissor(t Target, clip geom.Rect) (image.Rectangle, bool) {
	r := pixels(clip).Add(t.Origin).Intersect(t.bounds()).Intersect(image.Rectangle{Max: t.Size})
	if r.Empty() {
		return r, false
	}
	scissorTo(t, r)
	return r, true
}

// scissorTo restricts drawing to a part of the framebuffer.
func scissorTo(t Target, r image.Rectangle) {
	gl.Scissor(int32(r.Min.X), int32(t.Size.Y-r.Max.Y), int32(r.Dx()), int32(r.Dy()))
}

// ErrContextLost says that the context is gone, with all that was made in it: the graphics card was
// reset, its driver was restarted, or the machine slept. Whoever made the context has to make
// another one, and a Renderer in it.
var ErrContextLost = errors.New("the OpenGL context is lost")

// getError is replaced by tests, since a context cannot be lost at will.
var getError = gl.GetError

// check returns the first error OpenGL recorded since the last call.
func check(op string) error {
	code := getError()
	if code == gl.NO_ERROR {
		return nil
	}
	lost := code == gl.CONTEXT_LOST
	for range 16 { // a lost context reports errors for ever
		next := getError()
		if next == gl.NO_ERROR {
			break
		}
		lost = lost || next == gl.CONTEXT_LOST
	}
	if lost {
		return fmt.Errorf("render: %s: %w", op, ErrContextLost)
	}
	return fmt.Errorf("render: %s: OpenGL error %#x", op, code)
}

// Shown returns ErrContextLost if the context was lost while a frame was drawn or shown. It is
// asked after the buffers were swapped, which itself tells nothing.
func Shown() error {
	if swapLost() || errors.Is(check("swap"), ErrContextLost) {
		return fmt.Errorf("render: swap: %w", ErrContextLost)
	}
	return nil
}
