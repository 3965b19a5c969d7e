package render_test

import (
	"image"
	"testing"

	"diptych/internal/geom"
	"diptych/internal/render"
	"diptych/internal/scene"
	"diptych/internal/testpic"
)

// economy is how far a picture may be off in which each tube has only as many pieces as it needs.
// Measured: 0.94 % of the pixels and 8.3 in a tile.
var economy = testpic.Margin{Channel: 24, Share: 0.02, Tile: 17}

// small is a quarter of bundle's size: the other rasteriser takes seconds for a large picture.
func small(n int) *scene.Scene {
	const share = 0.25
	s := bundle(n)
	s.Size = geom.Size{W: s.Size.W * share, H: s.Size.H * share}
	t := &s.Layers[0].Tubes
	for i := range t.Knots {
		t.Knots[i].X *= share
		t.Knots[i].Y *= share
	}
	for i := range t.Tubes {
		t.Tubes[i].W0 *= share
		t.Tubes[i].W1 *= share
	}
	return s
}

// Many tubes, each in as many pieces as it needs, look like tubes of which all have as many as the
// most bent one.
func TestTubesInPiecesAsNeeded(t *testing.T) {
	s := on(white, small(60))
	fine := draw(t, s, 1)
	defer render.FewPieces(0)()
	d := economy.Compare(draw(t, s, 1), fine)
	if t.Log(d); d.Beyond != "" {
		t.Error(d.Beyond)
	}
}

// Where only a part of a picture is drawn, that part looks as in the whole, though only the runs of
// tubes that reach into it are sent.
func TestRunsThatAreSeen(t *testing.T) {
	defer render.FewPieces(0)()
	s := on(white, small(120))
	r := testpic.Renderer(t)
	whole, parts := offscreen(t, image.Pt(400, 250)), offscreen(t, image.Pt(400, 250))
	if err := r.Draw(whole.Target(1), s); err != nil {
		t.Fatal(err)
	}
	for y := 0; y < 250; y += 90 {
		for x := 0; x < 400; x += 150 {
			part := parts.Target(1)
			part.Clip = image.Rect(x, y, min(x+150, 400), min(y+90, 250))
			if err := r.Draw(part, s); err != nil {
				t.Fatal(err)
			}
		}
	}
	want, err := whole.ReadImage()
	if err != nil {
		t.Fatal(err)
	}
	got, err := parts.ReadImage()
	if err != nil {
		t.Fatal(err)
	}
	if d := testpic.Equal.Compare(got, want); d.Beyond != "" {
		t.Error(d.Beyond)
	}
}
