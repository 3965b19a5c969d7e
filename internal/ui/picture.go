package ui

import (
	"image"
	"slices"

	"diptych/internal/geom"
	"diptych/internal/host"
	"diptych/internal/render"
	"diptych/internal/scene"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/overview"
	"diptych/internal/ui/view"

	"gioui.org/layout"
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

// Layout implements host.App.
func (p *Picture) Layout(f host.Frame) {
	st := p.s.State()
	p.kit.Begin(f.Metric, f.Size)
	p.kit.Use(st.Dark, st.Style.ColourBlind)
	p.drawn = p.build(f.Size)
	for len(p.texts) < len(p.drawn) {
		p.texts = append(p.texts, kit.Texts{})
	}
	for i, part := range p.drawn {
		kit.At(f.Context(), part.Area, func(gtx layout.Context) {
			p.texts[i].Draw(p.kit, gtx, part.Scene)
		})
	}
}

// Paint implements host.App.
func (p *Picture) Paint(r *render.Renderer, t render.Target) error {
	ground := p.kit.Pal.Pane
	if len(p.cards.Layers) > 0 {
		ground = p.kit.Pal.Ground
	}
	if err := r.Clear(t, ground); err != nil {
		return err
	}
	if len(p.cards.Layers) > 0 {
		if err := r.Draw(t, &p.cards); err != nil {
			return err
		}
	}
	for _, part := range p.drawn {
		if err := r.Draw(t.At(part.Area), part.Scene); err != nil {
			return err
		}
	}
	return nil
}

// Drop implements host.App; a picture takes no files.
func (p *Picture) Drop([]string) {}
