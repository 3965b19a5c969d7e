package ui

import (
	"encoding/xml"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gioui.org/io/key"

	"diptych/internal/pair"
	"diptych/internal/scene"
)

// saved answers a question for a file by the name that is proposed, in a new folder, and returns the
// file's path.
func (b *bench) saved(q ask) string {
	b.t.Helper()
	dir := b.t.TempDir()
	b.app.overlay.files.dir = dir
	b.app.overlay.files.open(q)
	b.app.overlay.show(filesPage)
	b.settle()
	b.press(key.NameReturn, 0)
	b.image() // the frame that is saved
	b.settle()
	return filepath.Join(dir, q.name)
}

// TestPicturesAreSaved: the window and a pane as PNG, without the chooser that was open, and the view
// as SVG, with its texts.
func TestPicturesAreSaved(t *testing.T) {
	b := benchOf(t, New(opened(t, pairs["queue"]...)), image.Pt(760, 480))
	b.pic.Settle()
	want := b.image()
	read := func(path string) image.Image {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		m, err := png.Decode(f)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	area := b.app.contentOf().area
	for path, r := range map[string]image.Rectangle{
		b.saved(b.app.savingWindow()): want.Rect, b.saved(b.app.savingPane()): area,
	} {
		got := read(path)
		if got.Bounds().Size() != r.Size() {
			t.Fatalf("%s is %v", path, got.Bounds())
		}
		at := b.callAt(pair.A, 1)
		for _, p := range []image.Point{at, at.Add(image.Pt(40, 60)), area.Min.Add(image.Pt(20, 3))} {
			if r, g, bl, _ := got.At(p.X-r.Min.X, p.Y-r.Min.Y).RGBA(); want.RGBAAt(p.X, p.Y).R != uint8(r>>8) ||
				want.RGBAAt(p.X, p.Y).G != uint8(g>>8) || want.RGBAAt(p.X, p.Y).B != uint8(bl>>8) {
				t.Errorf("%s differs at %v", path, p)
			}
		}
	}
	layers := b.main().Shown().Scene.Layers
	label := layers[slices.IndexFunc(layers, func(l scene.Layer) bool { return len(l.Texts) > 0 })].Texts[0].Text
	data, err := os.ReadFile(b.saved(b.app.savingDrawing()))
	if err != nil {
		t.Fatal(err)
	}
	for d := xml.NewDecoder(strings.NewReader(string(data))); err == nil; {
		_, err = d.Token()
	}
	if err != io.EOF || !strings.Contains(string(data), ">"+label+"</text>") ||
		!strings.Contains(string(data), "<title>queue-2p2c | queue-1p3c</title>") {
		t.Errorf("the drawing: %v", err)
	}
	b.app.S.SaveFile(filepath.Join(t.TempDir(), "no", "such", "folder.svg"), func(io.Writer) error { return nil })
	b.settle()
	if text, _ := b.app.S.Notice(); !strings.HasPrefix(text, "Not saved: ") {
		t.Errorf("a failure is told as %q", text)
	}
}
