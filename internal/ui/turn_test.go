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
	"diptych/internal/testpic"
	"diptych/internal/testtrace"
	"diptych/internal/ui/kit"
)

// sceneApp shows one scene.
type sceneApp struct {
	app   *App
	texts kit.Texts
	scene *scene.Scene
	gio   bool // upright texts are drawn by Gio, too
}

func (a *sceneApp) Layout(f host.Frame) {
	a.app.kit.Begin(f.Metric, f.Size)
	kit.At(f.Context(), image.Rectangle{Max: f.Size}, func(gtx layout.Context) {
		if a.gio {
			a.texts.DrawAll(a.app.kit, gtx, a.scene)
		} else {
			a.texts.Draw(a.app.kit, gtx, a.scene)
		}
	})
}

func (a *sceneApp) Paint(f *host.Scenes) error {
	if !a.gio {
		f.Type = a.app.kit.Setter()
	}
	f.Ground = color.NRGBA{255, 255, 255, 255}
	f.Add(a.scene, image.Rectangle{Max: image.Pt(int(a.scene.Size.W), int(a.scene.Size.H))})
	return nil
}

func (a *sceneApp) Drop([]string) {}

func (a *sceneApp) Heed() {}

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

// A picture of a text that is kept has room for all of it: no letter loses a border, at any size.
func TestKeptTextsAreWhole(t *testing.T) {
	app := New(session.New(func() {}))
	share(t, app)
	cut := testpic.Margin{Channel: 20} // measured: 14; a lost row makes 24 to 100
	sizes := []float32{8, 9, 10, 11, 12, 13, 15, 18, 22, 26, 31}
	for _, size := range testtrace.Sized([]float32{8, 11, 12, 15, 31}, sizes) {
		s := &scene.Scene{Size: geom.Size{W: 640, H: 480}}
		l := s.Layer(geom.Rect{})
		n := 0
		for _, r := range letters() {
			for _, bold := range []bool{false, true} {
				x, y := float32(4+n%20*32), float32(4+n/20*44)
				l.Write(scene.Text{Rect: geom.Rect{X0: x, Y0: y, X1: x + 30, Y1: y + 42},
					Text: string(r), Size: size, Bold: bold, Fill: color.NRGBA{A: 255}})
				n++
			}
		}
		kept := snapshot(t, &sceneApp{app: app, scene: s}, image.Pt(640, 480), 1)
		drawn := snapshot(t, &sceneApp{app: app, scene: s, gio: true}, image.Pt(640, 480), 1)
		if d := cut.Compare(kept, drawn); d.Beyond != "" {
			t.Errorf("%v px: %s; %v", size, d.Beyond, d)
		}
	}
}

// letters are those that names of functions mostly have, and some that reach far.
func letters() (all []rune) {
	for r := '!'; r <= '~'; r++ {
		all = append(all, r)
	}
	return append(all, '…', '·', '×', 'Å', 'Ő', 'ű', 'Ậ', 'Ṩ', 'ģ')
}
