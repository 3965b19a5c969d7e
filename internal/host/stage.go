package host

import (
	"fmt"
	"image"
	"time"

	"github.com/go-gl/glfw/v3.3/glfw"

	"gioui.org/gpu"
	"gioui.org/io/event"
	"gioui.org/io/input"
	"gioui.org/io/key"
	"gioui.org/io/pointer"
	"gioui.org/op"
	"gioui.org/unit"

	"diptych/internal/render"
)

// stage is what windows and pictures have in common: one App, the router that brings it events, and
// the two renderers that draw it. Its frame is: lay out, draw the App's scenes, draw Gio's
// operations over them.
type stage struct {
	app      App
	window   *Window
	router   input.Router
	ops      op.Ops
	all      op.CallOp // of ops, all that the last layout recorded
	part     op.Ops    // what of it is drawn
	marks    opMarks
	renderer *render.Renderer
	gio      gpu.GPU
	letters  gpu.GPU // draws texts that are kept: a renderer forgets what it draws no more. Or nil
	kept     bool    // what is shown stays in the window's framebuffer
	begun    bool    // gio has drawn operations of the interface
	brief    bool    // frames may leave to the next one what takes long to begin with
	size     image.Point
	scale    float32
	due      time.Time // when the next frame is wanted, if wanted
	wanted   bool
	stale    bool // events arrived that no layout has seen
	heard    bool // and among them is more than movements of the pointer
	tap      tap
	shots    shots
}

// newStage prepares to draw in the context that is current, which is w's unless w is nil.
func newStage(app App, w *glfw.Window) (*stage, error) {
	s := &stage{app: app}
	s.window = &Window{glfw: w, stage: s}
	return s, s.prepare()
}

// prepare makes the renderers in the context that is current.
func (s *stage) prepare() error {
	r, err := render.New()
	if err != nil {
		return fmt.Errorf("host: %w", noRenderer(err))
	}
	g, err := newGio()
	if err != nil {
		r.Release()
		return fmt.Errorf("host: Gio's renderer: %w", noRenderer(err))
	}
	s.renderer, s.gio, s.letters, s.begun = r, g, nil, false
	s.kept = r.ByCPU() && preserve()
	return nil
}

func (s *stage) release() {
	s.renderer.Yield()
	s.gio.Release()
	if s.letters != nil {
		s.letters.Release()
	}
	s.renderer.Release()
}

// layout has the App handle the events that arrived and record its interface anew.
func (s *stage) layout(now time.Time) {
	heard := s.heard
	s.wanted, s.stale, s.heard = false, false, false
	s.shots.ripen()
	s.ops.Reset()
	m := op.Record(&s.ops)
	s.app.Layout(Frame{
		Ops: &s.ops, Size: s.size, Now: now, Window: s.window,
		Metric: unit.Metric{PxPerDp: s.scale, PxPerSp: s.scale},
		Source: s.router.Source(), Heard: heard,
	})
	s.all = m.Stop()
	s.all.Add(&s.ops)
	s.router.Frame(&s.ops)
	s.wake()
}

// paint draws what was laid out last into t: the parts of it that differ from the last frame.
func (s *stage) paint(t render.Target) error {
	var beneath Scenes
	if err := s.app.Paint(&beneath); err != nil {
		return fmt.Errorf("host: paint: %w", err)
	}
	f := render.Frame{Ground: beneath.Ground, Parts: beneath.Parts, Brief: s.brief}
	if beneath.Type != nil {
		f.Type = typesetter{beneath.Type, s}
	}
	f.Over.Marks, f.Over.Known = s.marks.read(listOf(&s.ops), t.Size)
	f.Over.Draw = s.paintGio
	if err := s.renderer.Show(t, &f); err != nil {
		return fmt.Errorf("host: %w", err)
	}
	if s.renderer.Lacks() {
		s.want(time.Time{})
		return nil // a picture is taken of the next frame
	}
	s.shots.take(t)
	return nil
}

// queue routes e to the App's widgets and has a frame made if one of them wants it. Tab and
// Shift-Tab move the focus unless a widget asks for them. A tap of Control is a key of its own.
func (s *stage) queue(e event.Event) {
	k, isKey := e.(key.Event)
	tab := isKey && k.State == key.Press && k.Name == key.NameTab && k.Modifiers&^key.ModShift == 0
	if tab {
		e = input.SystemEvent{Event: e}
	}
	s.router.Queue(e)
	handled := s.wake()
	if tab && !handled {
		direction := key.FocusForward
		if k.Modifiers == key.ModShift {
			direction = key.FocusBackward
		}
		s.router.MoveFocus(direction)
		if handled = s.wake(); handled {
			s.router.RevealFocus(image.Rectangle{Max: s.size})
		}
	}
	if f, ok := e.(key.FocusEvent); ok && f.Focus {
		if r, ok := s.app.(Returner); ok {
			s.guard(r.Return)
		}
	}
	s.stale = s.stale || handled
	s.heard = s.heard || handled && !onlyMoves(e)
	if s.tap.hear(e) {
		s.queue(key.Event{Name: TapControl, State: key.Press})
	}
}

// onlyMoves reports whether e is nothing but a movement of the pointer.
func onlyMoves(e event.Event) bool {
	p, ok := e.(pointer.Event)
	return ok && p.Kind != pointer.Press && p.Kind != pointer.Release && p.Kind != pointer.Cancel
}

// wake asks the router when it wants the next frame, keeps the earliest such time and reports
// whether there is one. The router forgets its answer, so nothing else may ask it.
func (s *stage) wake() bool {
	at, ok := s.router.WakeupTime()
	if ok {
		s.want(at)
	}
	return ok
}

// want has a frame made at the given time at the latest; the zero time means at once.
func (s *stage) want(at time.Time) {
	if !s.wanted || at.Before(s.due) {
		s.wanted, s.due = true, at
	}
}

// write enters text at the caret of the focused editor, replacing its selection.
func (s *stage) write(text string) {
	at := s.router.EditorState().Selection.Range
	if at.Start > at.End {
		at.Start, at.End = at.End, at.Start
	}
	s.queue(key.EditEvent{Range: at, Text: text})
	caret := at.Start + len([]rune(text))
	s.queue(key.SelectionEvent{Start: caret, End: caret})
}
