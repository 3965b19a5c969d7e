package ui

import (
	"fmt"
	"image"

	"gioui.org/layout"

	"diptych/internal/host"
	"diptych/internal/render"
	"diptych/internal/scene"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
)

// Single shows one view alone over the whole frame, for pictures. It implements host.App.
type Single struct {
	build func(size image.Point, scale float32) *scene.Scene
	parts func(size image.Point, scale float32) []part // instead, of a view of several scenes
	app   *App
	texts kit.Texts
	drawn []part
}

// part is a scene and where it stands in the picture.
type part struct {
	*scene.Scene
	area image.Rectangle
}

// Views lists the names that NewSingle knows.
var Views = []string{"overview", "match", "alignment", "threads"}

// NewSingle returns the view of that name for session s.
func NewSingle(s *session.Session, view string) (*Single, error) {
	a := New(s)
	a.kit.Use(s.State().Dark, s.State().Style.ColourBlind)
	v := &Single{app: a}
	switch view {
	case "overview":
		v.build = func(size image.Point, scale float32) *scene.Scene {
			st := s.State()
			s.SetBars(intervals(size.X, scale))
			return buildOverview(OverviewState(st, a.kit.Pal, scale), st, size)
		}
	case "match":
		v.build = func(size image.Point, scale float32) *scene.Scene {
			st := s.State()
			return buildMatches(MatchState(st, a.kit.Pal, scale), st, size, nil, nil).Scene
		}
	case "alignment":
		s.SetView(session.Alignment)
		v.build = func(size image.Point, scale float32) *scene.Scene {
			st := s.State()
			return buildAligned(AlignState(st, a.kit.Pal, scale), st, size, false, nil).Scene
		}
	case "threads":
		s.SetView(session.Threads)
		v.parts = func(size image.Point, scale float32) []part {
			return buildThreads(s.State(), a.kit.Pal, size, scale)
		}
	default:
		return nil, fmt.Errorf("there is no view %q; known: %v", view, Views)
	}
	return v, nil
}

// Layout implements host.App.
func (v *Single) Layout(f host.Frame) {
	v.app.frame = f
	v.app.kit.Begin(f.Metric, f.Size)
	if v.parts != nil {
		v.drawn = v.parts(f.Size, f.Metric.PxPerDp)
	} else {
		v.drawn = []part{{v.build(f.Size, f.Metric.PxPerDp), image.Rectangle{Max: f.Size}}}
	}
	kit.At(f.Context(), image.Rectangle{Max: f.Size}, func(gtx layout.Context) {
		for _, p := range v.drawn {
			kit.At(gtx, p.area, func(gtx layout.Context) { v.texts.Draw(v.app.kit, gtx, p.Scene) })
		}
	})
}

// Paint implements host.App.
func (v *Single) Paint(r *render.Renderer, t render.Target) error {
	if err := r.Clear(t, v.app.kit.Pal.Pane); err != nil {
		return err
	}
	for _, p := range v.drawn {
		if err := r.Draw(t.At(p.area), p.Scene); err != nil {
			return err
		}
	}
	return nil
}

// Drop implements host.App; a picture takes no files.
func (v *Single) Drop([]string) {}
