package histogram

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/palette"
	"diptych/internal/scene/scenetest"
	"diptych/internal/stats"
	"diptych/internal/traceio/text/texttest"
)

// measured is the histogram of calls with these durations.
func measured(t *testing.T, a, b []int64) *stats.Histogram {
	text := func(durations []int64) string {
		var s strings.Builder
		at := int64(0)
		fmt.Fprintf(&s, "thread 1\n  %d+1 other\n", at)
		for _, ns := range durations {
			at += 2
			fmt.Fprintf(&s, "  %d+%d f\n", at, ns)
			at += ns
		}
		return s.String()
	}
	p := pair.New(texttest.Parse(t, text(a)), texttest.Parse(t, text(b)), pair.Rules{})
	for id, name := range p.Names {
		if name == "f" {
			h, err := stats.Measure(context.Background(), p, uint32(id),
				stats.Everything(p), nil)
			if err != nil {
				t.Fatal(err)
			}
			return h
		}
	}
	t.Fatal("there is no f")
	return nil
}

func build(h *stats.Histogram, w, height, scale float32) *View {
	return Build(State{Histogram: h, Unit: "ns", Hover: -1, Chosen: 0, Palette: palette.Light(), Scale: scale},
		geom.Size{W: w, H: height})
}

// TestPictureFits holds for any durations and sizes that nothing leaves the picture, that no text
// lies over another, and that each bin is found where it is drawn.
func TestPictureFits(t *testing.T) {
	durations := rapid.SliceOfN(rapid.Int64Range(0, 1<<30), 1, 6)
	rapid.Check(t, func(r *rapid.T) {
		a, b := durations.Draw(r, "A"), durations.Draw(r, "B")
		if rapid.Bool().Draw(r, "few") {
			a, b = a[:1], nil
		}
		scale := rapid.SampledFrom([]float32{1, 1.5, 2}).Draw(r, "scale")
		w := rapid.Float32Range(180, 700).Draw(r, "width") * scale
		v := build(measured(t, a, b), w, 150*scale, scale)
		scenetest.Fits(r, &v.Scene)
		for k, bin := range v.Bins {
			mid := geom.Point{X: (bin.X0 + bin.X1) / 2, Y: (bin.Y0 + bin.Y1) / 2}
			if bin.W() > 0 && v.At(mid) != k {
				r.Fatalf("bin %d at %v is found as %d", k, bin, v.At(mid))
			}
		}
		if v.At(geom.Point{X: -1, Y: 3}) != -1 {
			r.Fatalf("there is a bin outside")
		}
	})
}

// TestBarsAreAsTallAsTheirCalls: A's are above the axis, B's below it, on one scale.
func TestBarsAreAsTallAsTheirCalls(t *testing.T) {
	v := build(measured(t, []int64{10, 10, 10, 10, 1000}, []int64{10, 10, 1000}), 400, 150, 1)
	pal := palette.Light()
	heights := [2][]float32{}
	for _, q := range v.Layers[0].Quads {
		for side := range heights {
			if q.Fill == pal.Side(side) {
				heights[side] = append(heights[side], q.Rect.H())
				if (q.Rect.Y1 <= v.Size.H/2) != (side == 0) {
					t.Errorf("a bar of side %d lies at %v", side, q.Rect)
				}
			}
		}
	}
	a, b := heights[0], heights[1]
	if len(a) != 2 || len(b) != 2 || kdiff(a[0], 4*a[1]) || kdiff(b[0], 2*b[1]) || kdiff(a[1], b[1]) {
		t.Errorf("bars are %v and %v tall", a, b)
	}
}

func kdiff(x, y float32) bool { return max(x-y, y-x) > .5 }

// TestAxisIsLogarithmic: powers of ten are equally far apart and labelled.
func TestAxisIsLogarithmic(t *testing.T) {
	v := build(measured(t, []int64{10, 100, 1000, 10000}, nil), 500, 150, 1)
	at := map[string]float32{}
	for _, x := range v.Layers[0].Texts {
		at[x.Text] = (x.Rect.X0 + x.Rect.X1) / 2
	}
	far := at["10.0 µs"] - at["1.00 µs"] // the last one is moved a little, to fit
	if at["100 ns"] == 0 || kdiff((at["1.00 µs"]-at["100 ns"])/4, far/4) {
		t.Errorf("labels lie at %v", at)
	}
	if at["median 100 ns"] == 0 || at["p95 10.0 µs"] == 0 {
		t.Errorf("the quantiles are not labelled: %v", at)
	}
}
