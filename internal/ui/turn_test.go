package ui

import (
	"image"
	"image/color"
	"math"
	"testing"

	"gioui.org/layout"

	"diptych/internal/geom"
	"diptych/internal/host"
	"diptych/internal/scene"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
)

// sceneApp shows one scene.
type sceneApp struct {
	app   *App
	texts kit.Texts
	scene *scene.Scene
}

func (a *sceneApp) Layout(f host.Frame) {
	a.app.kit.Begin(f.Metric, f.Size)
	kit.At(f.Context(), image.Rectangle{Max: f.Size}, func(gtx layout.Context) {
		a.texts.Draw(a.app.kit, gtx, a.scene)
	})
}

func (a *sceneApp) Paint(f *host.Scenes) error {
	f.Type = a.app.kit.Setter()
	f.Ground = color.NRGBA{255, 255, 255, 255}
	f.Add(a.scene, image.Rectangle{Max: image.Pt(int(a.scene.Size.W), int(a.scene.Size.H))})
	return nil
}

func (a *sceneApp) Drop([]string) {}

// A text is turned clockwise around the middle of its rectangle, whatever side it is aligned to.
func TestTurnedTexts(t *testing.T) {
	s := &scene.Scene{Size: geom.Size{W: 480, H: 240}}
	l := s.Layer(geom.Rect{})
	write := func(x, y float32, turn float64, align scene.Align) {
		l.Write(scene.Text{Rect: geom.Rect{X0: x - 50, Y0: y - 10, X1: x + 50, Y1: y + 10},
			Text: "Turned text", Size: 16, Align: align, Turn: float32(turn),
			Fill: color.NRGBA{A: 255}})
	}
	for i := range 4 {
		x := 60 + 120*float32(i)
		write(x, 60, float64(i)*math.Pi/2, scene.AlignLeft)
		write(x, 180, float64(i)*math.Pi/8, scene.AlignCentre)
	}
	a := &sceneApp{app: New(session.New(func() {})), scene: s}
	golden(t, "turned-texts", snapshot(t, a, image.Pt(480, 240), 1))
}
