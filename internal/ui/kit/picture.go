package kit

import (
	"image"

	"gioui.org/layout"

	"diptych/internal/scene"
)

// Picture draws a scene within a panel, at the origin of gtx: its flat rectangles and its texts,
// which is all that a small picture is made of. Views are drawn by package render instead.
func (k *Kit) Picture(gtx layout.Context, texts *Texts, s *scene.Scene) {
	for i := range s.Layers {
		for _, q := range s.Layers[i].Quads {
			r := image.Rect(Round(q.Rect.X0), Round(q.Rect.Y0), Round(q.Rect.X1), Round(q.Rect.Y1))
			r.Max.X, r.Max.Y = max(r.Max.X, r.Min.X+1), max(r.Max.Y, r.Min.Y+1)
			Fill(gtx, r, q.Fill)
		}
	}
	texts.DrawAll(k, gtx, s)
}
