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
		b.saved(b.app.savingPNG("Save", ofWindow)): want.Rect, b.saved(b.app.savingPNG("Save", b.app.ofPane)): area,
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

// TestPicturesAreCopied: the pane goes to the desktop's clipboard as PNG by the helper for that, whose
// absence is told, and the view as the text of an SVG file.
func TestPicturesAreCopied(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	b := benchOf(t, New(opened(t, pairs["queue"]...)), image.Pt(760, 480))
	b.pic.Settle()
	do := func(command string) {
		b.press("P", key.ModCtrl|key.ModShift)
		b.write(command)
		b.press(key.NameReturn, 0)
		b.settle()
		b.image() // the frame that is copied
		b.settle()
	}
	do("copy the pane as a picture")
	if text, _ := b.app.S.Notice(); !strings.HasPrefix(text, "Not copied: ") || !strings.Contains(text, "xclip") {
		t.Errorf("without the helper it says %q", text)
	}
	helper := "#!/bin/sh\nexec /bin/cat >" + filepath.Join(dir, "copied.png") + "\n"
	if err := os.WriteFile(filepath.Join(dir, "xclip"), []byte(helper), 0o755); err != nil {
		t.Fatal(err)
	}
	do("copy the pane as a picture")
	f, err := os.Open(filepath.Join(dir, "copied.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if m, err := png.Decode(f); err != nil || m.Bounds().Size() != b.app.contentOf().area.Size() {
		t.Errorf("what was copied is no picture of the pane: %v", err)
	}
	do("copy the view as svg")
	if got := b.pic.Clipboard(); !strings.Contains(got, "<svg") || !strings.Contains(got, "</svg>") {
		t.Errorf("copied is %.80q", got)
	}
}
