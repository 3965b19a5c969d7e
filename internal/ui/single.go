package ui

import (
	"fmt"
	"image"

	"gioui.org/layout"

	"diptych/internal/geom"
	"diptych/internal/host"
	"diptych/internal/render"
	"diptych/internal/scene"
	"diptych/internal/scene/matches"
	"diptych/internal/scene/overview"
	"diptych/internal/session"
)

// Single shows one view alone over the whole frame, for pictures. It implements host.App.
type Single struct {
	build func(size geom.Size, scale float32) *scene.Scene
	app   *App
	texts texts
	drawn *scene.Scene
}

// Views lists the names that NewSingle knows.
var Views = []string{"overview", "match"}

// NewSingle returns the view of that name for session s.
func NewSingle(s *session.Session, view string) (*Single, error) {
	a := New(s)
	st := s.State()
	a.look.use(st.Dark)
	v := &Single{app: a}
	switch view {
	case "overview":
		v.build = func(size geom.Size, scale float32) *scene.Scene {
			return overview.Build(OverviewState(st, a.look.pal, scale), size, nil).Scene
		}
	case "match":
		v.build = func(size geom.Size, scale float32) *scene.Scene {
			return matches.Build(MatchState(st, a.look.pal, scale), size, nil).Scene
		}
	default:
		return nil, fmt.Errorf("there is no view %q; known: %v", view, Views)
	}
	return v, nil
}

// Layout implements host.App.
func (v *Single) Layout(f host.Frame) {
	v.app.frame = f
	v.drawn = v.build(geom.Size{W: float32(f.Size.X), H: float32(f.Size.Y)}, f.Metric.PxPerDp)
	at(f.Context(), image.Rectangle{Max: f.Size}, func(gtx layout.Context) {
		v.texts.draw(v.app, gtx, v.drawn)
	})
}

// Paint implements host.App.
func (v *Single) Paint(r *render.Renderer, t render.Target) error {
	if err := r.Clear(t, v.app.look.pal.Pane); err != nil {
		return err
	}
	return r.Draw(t, v.drawn)
}

// Drop implements host.App; a picture takes no files.
func (v *Single) Drop([]string) {}
