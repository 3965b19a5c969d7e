package render_test

import (
	"errors"
	"flag"
	"image"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write the golden pictures anew")

// Rasterisers round edges and shades differently: a pixel counts as different if a channel is off
// by more than channelTolerance, and pixelTolerance is the share of pixels that may be.
const (
	channelTolerance = 4
	pixelTolerance   = 0.005
)

// golden compares m with the picture of that name under testdata.
func golden(t *testing.T, name string, m *image.RGBA) {
	t.Helper()
	path := filepath.Join("testdata", name+".png")
	if *update {
		write(t, path, m)
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
	if share := differing(m, want); share > pixelTolerance {
		got := filepath.Join(t.ArtifactDir(), name+".png")
		write(t, got, m)
		t.Errorf("%s: %.2f %% of the pixels differ; the picture is in %s", path, 100*share, got)
	}
}

// differing returns the share of pixels in which a and b differ.
func differing(a *image.RGBA, b image.Image) float64 {
	if a.Bounds() != b.Bounds() {
		return 1
	}
	n := 0
	for y := range a.Rect.Dy() {
		for x := range a.Rect.Dx() {
			p, q := a.RGBAAt(x, y), b.At(x, y)
			r, g, bl, al := q.RGBA()
			if far(p.R, r) || far(p.G, g) || far(p.B, bl) || far(p.A, al) {
				n++
			}
		}
	}
	return float64(n) / float64(a.Rect.Dx()*a.Rect.Dy())
}

// far reports whether an 8-bit and a 16-bit channel value differ beyond the tolerance.
func far(a uint8, b uint32) bool {
	d := int(a) - int(b>>8)
	return d > channelTolerance || d < -channelTolerance
}

func write(t *testing.T, path string, m image.Image) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := png.Encode(f, m); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
