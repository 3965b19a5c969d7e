package icon

import (
	"flag"
	"image"
	"image/color"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write the SVG file anew")

const file = "../../packaging/diptych.svg"

// TestSVGFile holds the file that packages install against the shapes.
func TestSVGFile(t *testing.T) {
	if *update {
		if err := os.WriteFile(file, []byte(SVG()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != SVG() {
		t.Errorf("%s is not the icon: make golden writes it anew", file)
	}
}

// TestImage looks at places that have one colour at every size.
func TestImage(t *testing.T) {
	for _, size := range Sizes() {
		img := Image(size)
		if img.Bounds() != image.Rect(0, 0, size, size) {
			t.Fatalf("%d pixels: %v", size, img.Bounds())
		}
		for _, c := range []struct {
			x, y float64 // as parts of the icon
			want color.NRGBA
		}{
			{0.02, 0.02, color.NRGBA{}}, // outside the rounded corner
			{0.06, 0.5, ground},
			{0.35, 0.18, traceA[0]},
			{0.35, 0.83, traceB[0]},
		} {
			x, y := int(c.x*float64(size)), int(c.y*float64(size))
			if got := img.NRGBAAt(x, y); !near(got, c.want) {
				t.Errorf("%d pixels: %v at %d, %d, want %v", size, got, x, y, c.want)
			}
		}
	}
}

// near allows for an edge that runs through a pixel of a small icon.
func near(a, b color.NRGBA) bool {
	const most = 48
	off := func(x, y uint8) bool { return max(x, y)-min(x, y) > most }
	return a.A < most && b.A == 0 ||
		!off(a.R, b.R) && !off(a.G, b.G) && !off(a.B, b.B) && !off(a.A, b.A)
}
