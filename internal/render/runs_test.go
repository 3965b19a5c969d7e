package render_test

import (
	"image"
	"testing"

	"diptych/internal/render"
	"diptych/internal/testpic"
)

// economy is how far a picture may be off in which each tube has only as many pieces as it needs.
// Measured: 0.5 % of the pixels.
var economy = testpic.Margin{Channel: 24, Share: 0.02, Tile: 12}

// Many tubes, each in as many pieces as it needs, look like tubes of which all have as many as the
// most bent one.
func TestTubesInPiecesAsNeeded(t *testing.T) {
	s := on(white, bundle(400))
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
	s := on(white, bundle(400))
	r := testpic.Renderer(t)
	whole, parts := offscreen(t, image.Pt(1600, 1000)), offscreen(t, image.Pt(1600, 1000))
	if err := r.Draw(whole.Target(1), s); err != nil {
		t.Fatal(err)
	}
	for y := 0; y < 1000; y += 90 {
		for x := 0; x < 1600; x += 230 {
			part := parts.Target(1)
			part.Clip = image.Rect(x, y, min(x+230, 1600), min(y+90, 1000))
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
