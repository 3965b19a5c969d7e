//go:build !nogui

package cli

import (
	"bytes"
	"image/color"
	"image/png"
	"testing"

	"diptych/internal/batch/trend"
	"diptych/internal/batch/trend/multiples"
	"diptych/internal/palette"
)

// TestTrendPNG: the picture is that of the SVG: of its size, on its ground, with a panel whose dots have
// the colour of B, and with the words of its title.
func TestTrendPNG(t *testing.T) {
	tr := &trend.Trend{Measure: trend.OfB, Unit: "ns", Pairs: 1, Commits: []trend.Commit{{Number: 1, Name: "a"},
		{Number: 2, Name: "b"}}, Series: []trend.Series{{Kind: trend.Elapsed, ANs: []int64{5, 5}, BNs: []int64{5, 9},
		DeltaNs: []int64{0, 4}}}}
	var b bytes.Buffer
	if err := writeTrendPNG(&b, tr); err != nil {
		t.Fatal(err)
	}
	m, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	if s := m.Bounds().Size(); s.X != int(multiples.Size.W) || s.Y != int(multiples.Size.H) {
		t.Errorf("it is %v px large", s)
	}
	light := palette.Light()
	if got := color.NRGBAModel.Convert(m.At(2, 2)); got != light.Ground {
		t.Errorf("the ground is %v, want %v", got, light.Ground)
	}
	seen := map[color.Color]int{}
	dark := 0 // of the title
	for y := range m.Bounds().Dy() {
		for x := range m.Bounds().Dx() {
			at := color.NRGBAModel.Convert(m.At(x, y)).(color.NRGBA)
			if seen[at]++; y < 32 && at.G < 110 {
				dark++
			}
		}
	}
	if seen[light.B] < 10 || seen[light.Pane] < 10_000 || dark < 100 {
		t.Errorf("%d px are dots, %d of the panel, %d of the title", seen[light.B], seen[light.Pane], dark)
	}
}
