package ui

import (
	"context"
	"image"
	"image/color"
	"slices"
	"strings"

	"diptych/internal/geom"
	"diptych/internal/host"
	"diptych/internal/scene"
	"diptych/internal/scene/svg"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/overview"
	"diptych/internal/ui/view"

	"gioui.org/layout"
	"gioui.org/unit"
)

// Picture shows views over the whole frame without the window around them. It implements host.App.
type Picture struct {
	s     *session.Session
	kit   *kit.Kit
	build func(size image.Point) []view.Part
	texts []kit.Texts
	cards scene.Scene
	drawn []view.Part
}

// OverviewName is what the overview alone is called among pictures.
const OverviewName = "overview"

// PictureNames lists what NewPicture knows, besides several views joined by + and /.
func PictureNames() []string { return append([]string{OverviewName}, ViewNames()...) }

// NewPicture returns the views of that name, or several as ParsePanes reads them, for session s,
// which it lets show them.
func NewPicture(s *session.Session, spec string) (*Picture, error) {
	return newPicture(s, views(), spec)
}

func newPicture(s *session.Session, rows []view.Row, spec string) (*Picture, error) {
	p := &Picture{s: s, kit: kit.New()}
	register(s, rows)
	if spec == OverviewName {
		p.build = func(size image.Point) []view.Part {
			return overview.Picture(s, p.kit.Pal, size, p.kit.Px(1))
		}
		return p, nil
	}
	layout, shown, err := parsePanes(rows, spec)
	if err != nil {
		return nil, err
	}
	s.ShowPanes(layout, shown)
	p.build = func(size image.Point) []view.Part { return p.panes(rows, image.Rectangle{Max: size}) }
	return p, nil
}

// panes builds the views of all panes within r. Several stand on cards, as in the window.
func (p *Picture) panes(rows []view.Row, r image.Rectangle) []view.Part {
	st := p.s.State()
	p.cards = scene.Scene{Size: geom.Size{W: float32(r.Dx()), H: float32(r.Dy())}}
	areas, gap := map[session.PaneID]image.Rectangle{st.ID: r}, p.kit.Dp(gap)
	if st.Layout.Parts[0] != nil {
		areas = paneAreas(st.Layout, r.Inset(gap), gap)
	}
	var parts []view.Part
	for _, id := range st.Layout.Panes() {
		seen, area := st.From(id), areas[id]
		k := slices.IndexFunc(rows, func(r view.Row) bool { return r.View == seen.View })
		if len(areas) > 1 {
			if len(p.cards.Layers) == 0 {
				p.cards.Layer(geom.Rect{})
			}
			p.kit.Card(&p.cards.Layers[0], area)
			area = area.Inset(p.kit.Dp(1))
		}
		for _, part := range rows[k].Picture(seen, p.kit.Pal, area.Size(), p.kit.Px(1)) {
			part.Area = part.Area.Add(area.Min)
			parts = append(parts, part)
		}
	}
	return parts
}

// draw builds the scenes.
func (p *Picture) draw(metric unit.Metric, size image.Point) {
	st := p.s.State()
	p.kit.Begin(metric, size)
	p.kit.Use(st.Dark, st.Style.ColourBlind)
	p.drawn = p.build(size)
}

// Layout implements host.App.
func (p *Picture) Layout(f host.Frame) {
	p.draw(f.Metric, f.Size)
	for len(p.texts) < len(p.drawn) {
		p.texts = append(p.texts, kit.Texts{})
	}
	for i, part := range p.drawn {
		kit.At(f.Context(), part.Area, func(gtx layout.Context) {
			p.texts[i].Draw(p.kit, gtx, part.Scene)
		})
	}
}

// ground is the colour beneath all scenes: that of a pane, or of the window around several.
func (p *Picture) ground() color.NRGBA {
	if len(p.cards.Layers) > 0 {
		return p.kit.Pal.Ground
	}
	return p.kit.Pal.Pane
}

// SVG returns the views as a drawing of that size in px. It needs no display and no OpenGL. Ctx
// bounds the wait for what the views need.
func (p *Picture) SVG(ctx context.Context, size image.Point, scale float32) *svg.Picture {
	metric := unit.Metric{PxPerDp: scale, PxPerSp: scale}
	p.draw(metric, size) // tells the session how much room there is
	p.s.Settle(ctx)
	p.draw(metric, size)
	parts := p.drawn
	if len(p.cards.Layers) > 0 {
		parts = append([]view.Part{{Scene: &p.cards, Area: image.Rectangle{Max: size}}}, parts...)
	}
	return drawing(comparison(p.s.State()), p.ground(), parts, image.Rectangle{Max: size})
}

// comparison says in words what pictures are of: the names of the traces.
func comparison(st *session.State) string {
	return strings.Join(traceNames(st), " | ")
}

// drawing returns scenes as a drawing of a rectangle that they lie in. It keeps no hold of them.
func drawing(title string, ground color.NRGBA, parts []view.Part, r image.Rectangle) *svg.Picture {
	d := &svg.Picture{Title: title, Ground: ground,
		Size: geom.Size{W: float32(r.Dx()), H: float32(r.Dy())}}
	for _, p := range parts {
		at := p.Area.Min.Sub(r.Min)
		d.Parts = append(d.Parts, svg.Part{Scene: p.Scene.Clone(),
			At: geom.Point{X: float32(at.X), Y: float32(at.Y)}})
	}
	return d
}

// Paint implements host.App.
func (p *Picture) Paint(f *host.Scenes) error {
	f.Ground, f.Type = p.ground(), p.kit.Setter()
	if len(p.cards.Layers) > 0 {
		f.Add(&p.cards, image.Rect(0, 0, int(p.cards.Size.W), int(p.cards.Size.H)))
	}
	for _, part := range p.drawn {
		f.Add(part.Scene, part.Area)
	}
	return nil
}

// Drop implements host.App; a picture takes no files.
func (p *Picture) Drop([]string) {}
