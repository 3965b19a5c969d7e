package ui

import (
	"image"

	"diptych/internal/host"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/ui/kit"

	"gioui.org/layout"
)

// ScenePicture shows one scene on its ground, as light as a page: a picture of what has no view in
// the window. It implements host.App.
type ScenePicture struct {
	kit   *kit.Kit
	draw  func(*palette.Palette) *scene.Scene
	drawn *scene.Scene
	texts kit.Texts
}

// NewScenePicture returns a picture of what a function draws in the colours it is given.
func NewScenePicture(draw func(*palette.Palette) *scene.Scene) *ScenePicture {
	return &ScenePicture{kit: kit.New(), draw: draw}
}

// Layout implements host.App.
func (p *ScenePicture) Layout(f host.Frame) {
	p.kit.Begin(f.Metric, f.Size)
	p.kit.Use(false, false)
	p.drawn = p.draw(p.kit.Pal)
	kit.At(f.Context(), image.Rectangle{Max: f.Size}, func(gtx layout.Context) {
		p.texts.Draw(p.kit, gtx, p.drawn)
	})
}

// Paint implements host.App.
func (p *ScenePicture) Paint(f *host.Scenes) error {
	f.Ground, f.Type = p.kit.Pal.Ground, p.kit.Setter()
	f.Add(p.drawn, image.Rect(0, 0, int(p.drawn.Size.W), int(p.drawn.Size.H)))
	return nil
}

// Heed implements host.App; a picture is woken by nobody.
func (p *ScenePicture) Heed() {}

// Drop implements host.App; a picture takes no files.
func (p *ScenePicture) Drop([]string) {}
