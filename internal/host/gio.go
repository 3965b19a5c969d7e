package host

import (
	"fmt"
	"image"

	"gioui.org/gpu"
	"gioui.org/op"
	"gioui.org/op/clip"

	"diptych/internal/render"
	"diptych/internal/scene"
)

// newGio makes Gio's renderer. It panics where the driver refuses one of its shaders, which to the
// user is just another reason why no window opens.
func newGio() (g gpu.GPU, err error) {
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("%v", e)
		}
	}()
	// Shared: Gio saves and restores the state of a context that it does not own alone.
	return gpu.New(gpu.OpenGL{ES: true, Shared: true})
}

// paintGio draws Gio's operations, those within r at least.
func (s *stage) paintGio(t render.Target, r image.Rectangle) error {
	s.part.Reset()
	cut := clip.Rect(r).Push(&s.part)
	s.all.Add(&s.part)
	cut.Pop()
	s.begun = true
	return frame(s.gio, &s.part, t)
}

// frame has Gio draw operations into t. Gio panics where OpenGL gives it no buffer or texture, as
// in a context that was lost.
func frame(g gpu.GPU, ops *op.Ops, t render.Target) (err error) {
	defer func() {
		if e := recover(); e != nil {
			if err = render.Shown(); err == nil {
				panic(e)
			}
		}
		if err != nil {
			err = fmt.Errorf("draw interface: %w", err)
		}
	}()
	return g.Frame(ops, gpu.OpenGLRenderTarget{V: uint(t.FBO)}, t.Size)
}

// typesetter draws texts for the renderer.
type typesetter struct {
	Type
	stage *stage
}

// Write implements render.Type.
func (y typesetter) Write(t render.Target, texts []*scene.Text, at []image.Point) error {
	g, err := y.stage.writer()
	if err != nil {
		return err
	}
	ops := &y.stage.part
	ops.Reset()
	for i, x := range texts {
		move := op.Offset(at[i]).Push(ops)
		y.Shape(x).Add(ops)
		move.Pop()
	}
	return frame(g, ops, t)
}

// writer returns the renderer of texts. In the first frame that is the interface's, which has drawn
// nothing yet that it could forget: the frame need not wait for another one.
func (s *stage) writer() (g gpu.GPU, err error) {
	if !s.begun {
		return s.gio, nil
	}
	if s.letters == nil {
		s.letters, err = newGio()
	}
	return s.letters, err
}
