package render_test

import (
	"image"
	"image/color"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/geom"
	"diptych/internal/render"
	"diptych/internal/scene"
	"diptych/internal/testpic"
	"diptych/internal/testtrace"
)

// primaries are fills whose shades are told apart by their strongest channel.
var primaries = []color.NRGBA{{220, 0, 0, 255}, {0, 220, 0, 255}, {0, 0, 220, 255}}

// Pixels are coloured where the scene says a tube is, and by the tube that it says one picks.
func TestTubesAreWherePicked(t *testing.T) {
	r := testpic.Renderer(t)
	o, err := render.NewOffscreen(image.Pt(60, 44))
	if err != nil {
		t.Fatal(err)
	}
	defer o.Release()
	testtrace.Checks(t, 30)
	rapid.Check(t, func(rt *rapid.T) {
		s, l := tubes(60, 44)
		l.Tubes.Lambda = rapid.Float32Range(0, 1).Draw(rt, "lambda")
		l.Tubes.Morph = rapid.Float32Range(0, 1).Draw(rt, "morph")
		x, width := rapid.Float32Range(0, 60), rapid.Float32Range(0, 40)
		near := rapid.Float32Range(0, 1)
		for _, fill := range primaries[:rapid.IntRange(1, 3).Draw(rt, "tubes")] {
			course := []geom.Point{pt(x.Draw(rt, "x"), 0)}
			for n := rapid.IntRange(0, 6).Draw(rt, "knots"); len(course) <= n; {
				course = append(course, pt(x.Draw(rt, "x"), 44*float32(len(course))/float32(n+1)))
			}
			course = append(course, pt(x.Draw(rt, "x"), 44))
			b := tube(l, width.Draw(rt, "w0"), width.Draw(rt, "w1"), fill, course...)
			b.Z0, b.Z1 = near.Draw(rt, "z0"), near.Draw(rt, "z1")
		}
		comparePicks(rt, &l.Tubes, testpic.SceneOn(t, r, o, s, 1, white))
	})
}

// The farthest and the nearest tubes are drawn whole: rounding must not carry their depths beyond
// the range that rasterisers hold. softpipe once left three pixels out of the tube with the second
// pair of ends at x = 1.
func TestTubesAtEndsOfDepths(t *testing.T) {
	r := testpic.Renderer(t)
	o, err := render.NewOffscreen(image.Pt(80, 60))
	if err != nil {
		t.Fatal(err)
	}
	defer o.Release()
	ends := [][2]float32{{0, 0}, {4.8428774e-08, 2.2351742e-08}, {1, 1}, {1, 1 - 6e-8}}
	for _, nearness := range ends {
		for x := range 3 {
			s, l := tubes(80, 60)
			l.Tubes.Lambda = 0.1875
			b := tube(l, 19.5, 1.5, primaries[0], pt(float32(x), 0), pt(float32(x), 60))
			b.Z0, b.Z1 = nearness[0], nearness[1]
			comparePicks(t, &l.Tubes, testpic.SceneOn(t, r, o, s, 1, white))
		}
	}
}

// comparePicks compares each pixel of m with what Pick returns there. It skips pixels near a
// border, where Pick does not return the same all around.
func comparePicks(t rapid.TB, tubes *scene.Tubes, m *image.RGBA) {
	const around = 2
	picks, w := clearPicks(tubes, m.Rect.Size()), m.Rect.Dx()
	for y := around; y < m.Rect.Dy()-around; y++ {
		for x := around; x < w-around; x++ {
			want, same := picks[y*w+x], true
			for dy := -around; dy <= around; dy++ {
				for dx := -around; dx <= around; dx++ {
					same = same && picks[(y+dy)*w+x+dx] == want
				}
			}
			if got := drawn(m.RGBAAt(x, y)); same && want != unclear && got != want {
				t.Fatalf("pixel (%d, %d) is %v, of tube %d; picked %d",
					x, y, m.RGBAAt(x, y), got, want)
			}
		}
	}
}

// unclear stands for tubes that are about as near as each other.
const unclear = -2

// clearPicks returns what Pick says of each pixel, unless moving a tube a little to the front or
// back changes it.
func clearPicks(tubes *scene.Tubes, size image.Point) []int {
	var picks []int
	for _, little := range []float32{-0.005, 0.005} {
		moved := *tubes
		moved.Tubes = slices.Clone(tubes.Tubes)
		for i := range moved.Tubes {
			moved.Tubes[i].Z0 += float32(i) * little
			moved.Tubes[i].Z1 += float32(i) * little
		}
		for y := range size.Y {
			for x := range size.X {
				pick, _ := moved.Pick(pt(float32(x)+0.5, float32(y)+0.5))
				if at := y*size.X + x; at == len(picks) {
					picks = append(picks, pick)
				} else if picks[at] != pick {
					picks[at] = unclear
				}
			}
		}
	}
	return picks
}

// drawn returns which primary c is a shade of, or −1 for white.
func drawn(c color.RGBA) int {
	switch {
	case c.R == 255 && c.G == 255 && c.B == 255:
		return -1
	case c.G < c.R && c.B < c.R:
		return 0
	case c.B < c.G:
		return 1
	}
	return 2
}

// A tube, however thin and however it leads, is drawn from border to border, and no farther.
func TestTubeBorders(t *testing.T) {
	r := testpic.Renderer(t)
	o, err := render.NewOffscreen(image.Pt(200, 100))
	if err != nil {
		t.Fatal(err)
	}
	defer o.Release()
	worst := 0.0
	rapid.Check(t, func(rt *rapid.T) {
		s, l := tubes(200, 100)
		x, width := rapid.Float32Range(40, 160), rapid.Float32Range(0, 50)
		a, b := x.Draw(rt, "from"), x.Draw(rt, "to")
		tube(l, width.Draw(rt, "w0"), width.Draw(rt, "w1"), primaries[0],
			pt(a, 0), pt(a, 35), pt(b, 65), pt(b, 100))
		m := testpic.SceneOn(t, r, o, s, 1, white)
		for k := range 20 {
			_, y, _ := l.Tubes.Axis(0, (float32(k)+0.5)/20)
			y = float32(math.Floor(float64(y))) + 0.5
			worst = max(worst, checkRow(rt, &l.Tubes, m, y))
		}
	})
	t.Logf("a border is off by %.2f px at most", worst)
}

// checkRow holds the extent of what is drawn in the row at y, by its ink, against Span. It returns
// by how many px it is off.
func checkRow(t *rapid.T, tubes *scene.Tubes, m *image.RGBA, y float32) float64 {
	low, high := float32(0), float32(1)
	for range 30 {
		u := (low + high) / 2
		if _, at, _ := tubes.Span(0, u); at < y {
			low = u
		} else {
			high = u
		}
	}
	middle, _, half := tubes.Span(0, low)
	var ink, moment float64 // of pixels, each as far as it is covered
	for x := range m.Rect.Dx() {
		// Fill and ground have been mixed in linear light; the cushion leaves green at none.
		cover := 1 - decode(m.RGBAAt(x, int(y)).G)
		ink += cover
		moment += cover * (float64(x) + 0.5)
	}
	// Borders that slant are soft over more than a pixel, which evens out; the chords of the strip
	// may be off the arc by half a pixel.
	short, aside := math.Abs(ink/2-float64(half)), math.Abs(moment/ink-float64(middle))
	if short > rowMargin {
		t.Fatalf("row %v: %v px are inked, want %v", y, ink, 2*half)
	}
	if aside > rowMargin {
		t.Fatalf("row %v: the middle is at %v, want %v", y, moment/ink, middle)
	}
	return max(short, aside)
}

// rowMargin is how many px the extent of a tube in a row may be off. Measured: 0.53 in 2,000
// checks.
const rowMargin = 1.1

// More knots than a row of their texture holds, and more than the last scene had.
func TestManyKnots(t *testing.T) {
	r := testpic.Renderer(t)
	o, err := render.NewOffscreen(image.Pt(300, 20))
	if err != nil {
		t.Fatal(err)
	}
	defer o.Release()
	for _, n := range []int{1, 100, 3, 300} {
		s, l := tubes(300, 20)
		l.Tubes.Lambda = 1
		for i := range n {
			x := float32(i) + 0.5
			course := make([]geom.Point, 100)
			for k := range course {
				course[k] = pt(x, 20*float32(k)/99)
			}
			tube(l, 1, 1, primaries[i%3], course...)
		}
		l.Tubes.Line = 1
		m := testpic.SceneOn(t, r, o, s, 1, white)
		for x := range 300 {
			want := -1
			if x < n {
				want = x % 3
			}
			if got := drawn(m.RGBAAt(x, 10)); got != want {
				t.Fatalf("%d tubes: column %d is %v", n, x, m.RGBAAt(x, 10))
			}
		}
	}
}

// A layer's tubes lie over all of the layers before it and under its own quads, however near they
// are, and stay within its clip.
func TestTubesInLayers(t *testing.T) {
	s := &scene.Scene{Size: geom.Size{W: 60, H: 30}}
	for i, clip := range []geom.Rect{{}, {X0: 10, Y0: 5, X1: 50, Y1: 25}} {
		l := s.Layer(clip)
		l.Tubes = scene.Tubes{Lambda: 1, Morph: 1, Line: 1}
		near(tube(l, 30, 30, primaries[i], pt(30, 0), pt(30, 30)), 1-float32(i))
	}
	s.Layers[1].Fill(geom.Rect{X0: 28, Y0: 10, X1: 32, Y1: 20}, primaries[2])
	m := draw(t, s, 1)
	tests := []struct{ x, y, want int }{
		{5, 15, -1}, {30, 2, 0}, {30, 28, 0}, {20, 15, 1}, {40, 7, 1}, {30, 15, 2}, {12, 15, -1},
	}
	for _, test := range tests {
		if got := drawn(m.RGBAAt(test.x, test.y)); got != test.want {
			t.Errorf("pixel (%d, %d) is %v, want that of %d",
				test.x, test.y, m.RGBAAt(test.x, test.y), test.want)
		}
	}
}

// Translucent tubes are hidden by nearer opaque ones, and show what lies behind them.
func TestTranslucentTubes(t *testing.T) {
	s, l := tubes(60, 20)
	l.Tubes.Lambda = 1
	glass := primaries[1]
	glass.A = 128
	near(tube(l, 20, 20, primaries[0], pt(10, 0), pt(10, 20)), 0.2)
	near(tube(l, 60, 60, glass, pt(30, 0), pt(30, 20)), 0.5)
	near(tube(l, 20, 20, primaries[2], pt(50, 0), pt(50, 20)), 0.8)
	m := draw(t, s, 1)
	if c := m.RGBAAt(10, 10); c.R < 100 || c.G < 100 {
		t.Errorf("over a farther tube: %v", c)
	}
	if c := m.RGBAAt(30, 10); c.G <= c.R || c.R < 150 {
		t.Errorf("over the ground: %v", c)
	}
	if c := m.RGBAAt(50, 10); c.G > 2 {
		t.Errorf("behind a nearer tube: %v", c)
	}
}

// Drawing tubes leaves nothing behind that would disturb whoever draws next.
func TestTubesLeaveStateClean(t *testing.T) {
	s, l := tubes(20, 20)
	tube(l, 10, 10, red, pt(10, 0), pt(10, 20))
	draw(t, s, 1)
	if test, write, offset := render.DepthState(); test || !write || offset {
		t.Errorf("depths: tested %v, written %v, offset %v", test, write, offset)
	}
	if active, knots := render.TextureState(); active != 0 || knots != 0 {
		t.Errorf("texture unit %d is active, texture %d is bound", active, knots)
	}
}
