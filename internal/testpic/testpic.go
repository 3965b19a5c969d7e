// Package testpic draws and compares pictures in tests: an OpenGL context without a display, golden
// pictures in testdata, and the margins within which a picture counts as the same. Only tests
// import it. It knows no view: what is drawn is a scene or a host.App.
//
// Rasterisers differ at the borders of shapes and glyphs, and even one of them does from CPU to CPU
// (llvmpipe computes with vectors of the CPU's width). Margins are therefore measured with two that
// share little code, llvmpipe and softpipe, and are at least twice the larger difference. Each
// comparison logs what it measured, so that after a change
//
//	GALLIUM_DRIVER=softpipe go test -v ./internal/render
//
// shows whether the margins still hold.
package testpic

import (
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"diptych/internal/host"
	"diptych/internal/render"
	"diptych/internal/scene"
)

var update = flag.Bool("update", false, "write the golden pictures anew")

// Margin is how far a picture may be off a golden one.
type Margin struct {
	Channel int     // a pixel differs if one of its channels is off by more than this
	Share   float64 // of all pixels, the part that may differ
	Tile    float64 // in any tile of 16 × 16 px, how far the mean of a channel may be off; 0: any
	Step    int     // goldens are stored with channels rounded to multiples of it; 0: as they are
}

// Margins of the pictures of this program.
var (
	// Shapes is for scenes of one kind of primitive. Measured: 0.001 % of the pixels, which are
	// ends of ribbons, and 1.0 in a tile; all other channels are off by 3 at most. Rounding, which
	// makes the files a third smaller, adds 2 at most.
	Shapes = Margin{Channel: 6, Share: 0.005, Tile: 4, Step: 4}
	// Figures is for scenes of many primitives and texts. Measured: 0.024 %; channels of large
	// areas are off by 4, and rounding adds 2.
	Figures = Margin{Channel: 8, Share: 0.005, Step: 4}
	// Equal is for two pictures of the same run that should be the same. Measured: off by 2.
	Equal = Margin{Channel: 4}
	// Seams is Equal for quads that the picture's border cuts: softpipe draws some pixels of the
	// seam between a quad's two triangles twice. Measured: 2 pixels of 2,400.
	Seams = Margin{Channel: 4, Share: 0.002}
	// Window is for views and windows as the program draws them: glyphs differ at their borders.
	// Measured: 0.03 % and 9.7 in a tile.
	Window = Margin{Channel: 24, Share: 0.01, Tile: 20, Step: 8}
)

// tileSize is the width and the height of a tile in px.
const tileSize = 16

// Golden fails t if got differs from testdata/NAME.png. With -update it writes that file instead.
func (m Margin) Golden(t testing.TB, name string, got *image.RGBA) {
	t.Helper()
	path := filepath.Join("testdata", name+".png")
	if *update {
		Write(t, path, m.Rounded(got))
		return
	}
	d := m.Compare(got, Read(t, path))
	t.Logf("%s: %v", name, d)
	if d.Beyond != "" {
		shown := filepath.Join(t.ArtifactDir(), name+".png")
		Write(t, shown, got)
		t.Errorf("%s: %s; the picture is in %s", path, d.Beyond, shown)
	}
}

// Difference is by how much two pictures differ.
type Difference struct {
	Share    float64 // of the pixels that differ
	Farthest int     // by how much a channel of a pixel is off at most
	Tile     float64 // by how much the mean of a channel in a tile is off at most
	Beyond   string  // what is beyond the margin, or ""
}

func (d Difference) String() string {
	return fmt.Sprintf("%.3f %% of the pixels differ, the farthest by %d; a tile is off by %.2f",
		100*d.Share, d.Farthest, d.Tile)
}

// Compare returns by how much got differs from want.
func (m Margin) Compare(got, want *image.RGBA) (d Difference) {
	if g, w := got.Rect.Size(), want.Rect.Size(); g != w {
		d.Beyond = fmt.Sprintf("the size is %v, want %v", g, w)
		return d
	}
	pixels := 0
	for y := 0; y < got.Rect.Dy(); y += tileSize {
		for x := 0; x < got.Rect.Dx(); x += tileSize {
			r := image.Rect(x, y, x+tileSize, y+tileSize).Intersect(got.Rect)
			n, farthest, sums := m.compare(got, want, r)
			pixels, d.Farthest = pixels+n, max(d.Farthest, farthest)
			for c, sum := range sums {
				off := math.Abs(float64(sum)) / float64(r.Dx()*r.Dy())
				d.Tile = max(d.Tile, off)
				if m.Tile > 0 && off > m.Tile && d.Beyond == "" {
					d.Beyond = fmt.Sprintf("around %v %c is off by %.1f", r, "RGBA"[c], off)
				}
			}
		}
	}
	d.Share = float64(pixels) / float64(max(1, got.Rect.Dx()*got.Rect.Dy()))
	if d.Share > m.Share && d.Beyond == "" {
		d.Beyond = fmt.Sprintf("%.2f %% of the pixels differ", 100*d.Share)
	}
	return d
}

// T is what drawing needs of a test; property tests have it too.
type T interface {
	Helper()
	Fatal(args ...any)
}

// compare compares the part r of two pictures of the same size: it returns how many pixels differ,
// by how much a channel is off at most, and for each channel the sum of how far it is off. The race
// detector is spared the millions of bytes: nobody else has these pictures.
//
//go:norace
func (m Margin) compare(a, b *image.RGBA, r image.Rectangle) (n, farthest int, sums [4]int) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		from, to := a.PixOffset(r.Min.X, y), a.PixOffset(r.Max.X, y)
		p, q := a.Pix[from:to], b.Pix[from:to]
		for i := 0; i < len(p); i += 4 {
			off := 0
			for c := range 4 {
				d := int(p[i+c]) - int(q[i+c])
				sums[c] += d
				off = max(off, d, -d)
			}
			farthest = max(farthest, off)
			if off > m.Channel {
				n++
			}
		}
	}
	return n, farthest, sums
}

// Rounded returns p as a golden picture of it is stored.
//
//go:norace
func (m Margin) Rounded(p *image.RGBA) *image.RGBA {
	if m.Step < 2 {
		return p
	}
	out := image.NewRGBA(p.Rect)
	for i, v := range p.Pix {
		out.Pix[i] = uint8(min(0xff, (int(v)+m.Step/2)/m.Step*m.Step))
	}
	return out
}

// Read returns the picture in a PNG file.
func Read(t testing.TB, path string) *image.RGBA {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatalf("%v; run the test with -update", err)
	}
	defer f.Close()
	p, err := png.Decode(f)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	out := image.NewRGBA(p.Bounds())
	draw.Draw(out, out.Rect, p, p.Bounds().Min, draw.Src)
	return out
}

// Write writes a PNG file, and makes its directory.
func Write(t testing.TB, path string, p image.Image) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	enc := png.Encoder{CompressionLevel: png.BestCompression}
	if err := enc.Encode(f, p); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// Renderer makes an OpenGL context and a renderer in it, which last as long as the test. Both
// belong to the test's goroutine: its subtests run on others and need their own.
func Renderer(t testing.TB) *render.Renderer {
	t.Helper()
	c, err := host.Headless()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	r, err := render.New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Release)
	return r
}

// Scene returns s as r draws it, at scale, on a ground of one colour.
func Scene(t T, r *render.Renderer, s *scene.Scene, scale float32,
	ground color.NRGBA) *image.RGBA {
	t.Helper()
	o, err := render.NewOffscreen(image.Pt(int(s.Size.W), int(s.Size.H)))
	if err != nil {
		t.Fatal(err)
	}
	defer o.Release()
	return SceneOn(t, r, o, s, scale, ground)
}

// SceneOn is Scene on a framebuffer that the test has made.
func SceneOn(t T, r *render.Renderer, o *render.Offscreen, s *scene.Scene, scale float32,
	ground color.NRGBA) *image.RGBA {
	t.Helper()
	target := o.Target(scale)
	if err := r.Clear(target, ground); err != nil {
		t.Fatal(err)
	}
	if err := r.Draw(target, s); err != nil {
		t.Fatal(err)
	}
	p, err := o.ReadImage()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Snapshot returns an app drawn at rest in a window of size px.
func Snapshot(t testing.TB, app host.App, size image.Point, scale float32) *image.RGBA {
	t.Helper()
	p, err := host.Snapshot(app, size, scale)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
