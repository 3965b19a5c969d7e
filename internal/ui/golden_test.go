package ui

import (
	"errors"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"diptych/internal/host"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
)

var update = flag.Bool("update", false, "write the golden pictures anew")

// Rasterisers differ at the borders of shapes and glyphs. So single pixels may be off, if they are
// few: a pixel counts as different if a channel is off by more than channelTolerance, and
// pixelTolerance is the share of pixels that may be. What is missing or has another colour changes
// the mean of a tile, which a border hardly does: none may be off by more than tileTolerance.
const (
	channelTolerance = 24
	pixelTolerance   = 0.01
	tile             = 16 // px
	tileTolerance    = 12
)

// rounding is what multiples a stored picture's channels are rounded to: smaller files, and well
// within the tolerances.
const rounding = 8

// pairs are what the goldens show.
var pairs = map[string][]string{
	"queue":    {"uftrace/queue-2p2c.data.tar.gz", "uftrace/queue-1p3c.data.tar.gz"},
	"pipeline": {"gotrace/pipeline-mutex.gotrace", "gotrace/pipeline-chan.gotrace"},
	"profile":  {"pprof/pipeline-mutex.heap.pprof", "pprof/pipeline-chan.heap.pprof"},
	// A browser's threads: a hang monitor that waits all its life, an idle worker, one that polls, a
	// compositor, and one for I/O.
	"situations": {"generated/situations-a.json.gz", "generated/situations-b.json.gz"},
}

func snapshot(t *testing.T, app host.App, size image.Point, scale float32) *image.RGBA {
	t.Helper()
	m, err := host.Snapshot(app, size, scale)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func single(t *testing.T, s *session.Session, view string) *Single {
	t.Helper()
	v, err := NewSingle(s, view)
	if err != nil {
		t.Fatal(err)
	}
	s.Settle(t.Context()) // what the view needs
	return v
}

var viewSizes = map[string]image.Point{"match": {X: 600, Y: 400}, "overview": {X: 600, Y: 150},
	"alignment": {X: 700, Y: 460}, "threads": {X: 900, Y: 520}}

func TestSituationsGolden(t *testing.T) {
	s := opened(t, pairs["situations"]...)
	golden(t, "threads-situations", snapshot(t, single(t, s, "threads"), image.Pt(1000, 640), 1))
}

func TestViewGoldens(t *testing.T) {
	for _, show := range []string{"queue", "pipeline"} {
		for _, view := range Views {
			for theme, dark := range map[string]bool{"light": false, "dark": true} {
				name := view + "-" + show + "-" + theme
				t.Run(name, func(t *testing.T) {
					s := opened(t, pairs[show]...)
					s.SetDark(dark)
					golden(t, name, snapshot(t, single(t, s, view), viewSizes[view], 1))
				})
			}
		}
	}
}

func TestWindowGoldens(t *testing.T) {
	for name, w := range map[string]struct {
		show  string
		size  image.Point
		scale float32
	}{
		"window-queue":      {"queue", image.Pt(840, 520), 1},
		"window-profile@2x": {"profile", image.Pt(1280, 800), 2}, // the smallest window
	} {
		t.Run(name, func(t *testing.T) {
			golden(t, name, snapshot(t, New(opened(t, pairs[w.show]...)), w.size, w.scale))
		})
	}
}

// TestGoldenTellsApart checks that the tolerances let no fault pass that matters.
func TestGoldenTellsApart(t *testing.T) {
	size := image.Pt(960, 600)
	queue := pairs["queue"]
	window := func(change func(a *App)) *image.RGBA {
		a := New(opened(t, queue...))
		change(a)
		return snapshot(t, a, size, 1)
	}
	want := rounded(window(func(*App) {}))
	if why := difference(window(func(*App) {}), want); why != "" {
		t.Errorf("the same window twice: %s", why)
	}
	for what, m := range map[string]*image.RGBA{
		"sides swapped":       snapshot(t, New(opened(t, queue[1], queue[0])), size, 1),
		"colours exchanged":   window(func(a *App) { exchange(a.kit) }),
		"no dock":             window(func(a *App) { a.dock.open = false }),
		"dark":                window(func(a *App) { a.S.SetDark(true) }),
		"an icon is missing":  blank(want, image.Rect(12, 12, 28, 28)),
		"overview is missing": blank(want, image.Rect(20, 60, 600, 140)),
		"another size":        snapshot(t, New(opened(t, queue...)), image.Pt(950, 600), 1),
	} {
		if difference(m, want) == "" {
			t.Errorf("%s: not told from the golden", what)
		}
	}
	for _, view := range Views {
		app := single(t, opened(t, queue...), view)
		want := rounded(snapshot(t, app, viewSizes[view], 1))
		exchange(app.app.kit)
		if difference(snapshot(t, app, viewSizes[view], 1), want) == "" {
			t.Errorf("%s: exchanged colours are not told from the golden", view)
		}
	}
}

// exchange gives each side the other's colours.
func exchange(k *kit.Kit) {
	p := k.Pal
	p.A, p.B, p.AFaint, p.BFaint = p.B, p.A, p.BFaint, p.AFaint
}

// blank returns m with nothing in r.
func blank(m *image.RGBA, r image.Rectangle) *image.RGBA {
	out := image.NewRGBA(m.Rect)
	copy(out.Pix, m.Pix)
	draw.Draw(out, r, image.White, image.Point{}, draw.Src)
	return out
}

// golden compares m with the picture of that name under testdata.
func golden(t *testing.T, name string, m *image.RGBA) {
	t.Helper()
	path := filepath.Join("testdata", name+".png")
	if *update {
		writePicture(t, path, rounded(m))
		return
	}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("%v; run the test with -update", err)
	} else if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want, err := png.Decode(f)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if why := difference(m, want); why != "" {
		got := filepath.Join(t.ArtifactDir(), name+".png")
		writePicture(t, got, m)
		t.Errorf("%s: %s; the picture is in %s", path, why, got)
	}
}

// difference tells in what got differs from want beyond the tolerances, or "".
func difference(got *image.RGBA, want image.Image) string {
	if got.Bounds() != want.Bounds() {
		return fmt.Sprintf("the size is %v, want %v", got.Bounds().Max, want.Bounds().Max)
	}
	off := 0
	for y := 0; y < got.Rect.Dy(); y += tile {
		for x := 0; x < got.Rect.Dx(); x += tile {
			r := image.Rect(x, y, x+tile, y+tile).Intersect(got.Rect)
			n, mean := differing(got, want, r)
			off += n
			for c, d := range mean {
				if d > tileTolerance || d < -tileTolerance {
					return fmt.Sprintf("around %v %c is off by %.0f", r, "RGB"[c], d)
				}
			}
		}
	}
	if share := float64(off) / float64(got.Rect.Dx()*got.Rect.Dy()); share > pixelTolerance {
		return fmt.Sprintf("%.2f %% of the pixels differ", 100*share)
	}
	return ""
}

// differing counts the pixels of r in which a and b differ, and returns by how much the means of
// their channels do.
func differing(a *image.RGBA, b image.Image, r image.Rectangle) (n int, mean [3]float64) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			p, q := a.RGBAAt(x, y), color.RGBAModel.Convert(b.At(x, y)).(color.RGBA)
			far := false
			for c, d := range [3]int{int(p.R) - int(q.R), int(p.G) - int(q.G), int(p.B) - int(q.B)} {
				mean[c] += float64(d) / float64(r.Dx()*r.Dy())
				far = far || d > channelTolerance || d < -channelTolerance
			}
			if far {
				n++
			}
		}
	}
	return n, mean
}

// rounded returns m with its channels rounded.
func rounded(m *image.RGBA) *image.RGBA {
	out := image.NewRGBA(m.Rect)
	for i, v := range m.Pix {
		out.Pix[i] = uint8(min(0xff, (int(v)+rounding/2)/rounding*rounding))
	}
	return out
}

func writePicture(t *testing.T, path string, m image.Image) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	enc := png.Encoder{CompressionLevel: png.BestCompression}
	if err := errors.Join(enc.Encode(f, m), f.Close()); err != nil {
		t.Fatal(err)
	}
}
