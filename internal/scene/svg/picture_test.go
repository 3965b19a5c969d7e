package svg

import (
	"encoding/xml"
	"image/color"
	"io"
	"strings"
	"testing"

	"diptych/internal/geom"
	"diptych/internal/scene"
)

// TestPictureIsAFileOfItsOwn: a picture of two scenes is one well-formed file whatever names it
// holds, has their texts as text, and defines once, under names of their own, what shapes refer to.
func TestPictureIsAFileOfItsOwn(t *testing.T) {
	hostile := "]]></text><script>alert(1)</script>\x1b[2J\x00&quot;\u202e\xff"
	named := sample(red)
	named.Layers[1].Texts[0].Text = hostile
	p := Picture{Title: hostile, Size: geom.Size{W: 410, H: 110}, Ground: color.NRGBA{G: 0x11, A: 0xff},
		Parts: []Part{{named, geom.Point{X: 5, Y: 5}}, {sample(blue), geom.Point{X: 205, Y: 5}}}}
	var b strings.Builder
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	count, ids, refs := elements(t, b.String())
	if count["script"] != 0 || count["svg"] != 3 || count["title"] != 1 {
		t.Errorf("it has %v", count)
	}
	for ref := range refs {
		if !ids[ref] {
			t.Errorf("a shape refers to %q, which nothing is", ref)
		}
	}
	texts := chars(t, b.String())
	if !strings.Contains(texts, "<script>alert(1)</script>") || !strings.Contains(texts, `a<b> & "c"`) {
		t.Errorf("its texts are %q", texts)
	}
	if !strings.Contains(b.String(), `x="205" y="5" width="200" height="100"`) ||
		!strings.Contains(b.String(), `fill="#001100"`) {
		t.Error("its parts do not lie where they are on the ground")
	}
}

// chars returns all character data of a file.
func chars(t *testing.T, text string) string {
	t.Helper()
	var b strings.Builder
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		token, err := d.Token()
		if err == io.EOF {
			return b.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		if c, ok := token.(xml.CharData); ok {
			b.Write(c)
		}
	}
}

// TestClonesShareNothing: what is drawn later over a scene's storage does not change its clone.
func TestClonesShareNothing(t *testing.T) {
	s := sample(red)
	c := s.Clone()
	want := write(t, c, Options{})
	s.Reset(s.Size)
	for range 2 {
		l := s.Layer(geom.Rect{})
		l.Fill(geom.Rect{X1: 7, Y1: 7}, blue)
		l.Write(scene.Text{Text: "later"})
		l.Tubes.Knots = append(l.Tubes.Knots, scene.Knot{X: 99})
	}
	if got := write(t, c, Options{}); got != want {
		t.Error("the clone has changed")
	}
}
