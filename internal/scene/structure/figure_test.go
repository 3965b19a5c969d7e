//go:build cgo

package structure

import (
	"context"
	"image/color"
	"math"
	"path/filepath"
	"testing"

	"diptych/internal/geom"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/testpic"
	"diptych/internal/trace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
)

const testdata = "../../../testdata"

// recorded is the state that shows a pair of real traces.
func recorded(t testing.TB, a, b string) State {
	t.Helper()
	var traces [2]*trace.Trace
	for k, name := range []string{a, b} {
		if name == "" {
			continue
		}
		var err error
		path := filepath.Join(testdata, name)
		if traces[k], err = traceio.Load(context.Background(), path, input.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	st, err := stateOf(traces)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

var (
	change = Colour{BySelf, Change}
	sizes  = geom.Size{W: 480, H: 360}
)

// figures are the pictures of all modes, input targets and linkings: which is what the state says.
var figures = []struct {
	name   string
	mode   Mode
	change func(*State)
}{
	{"whole", Whole, func(*State) {}},
	{"overview", Overview, func(st *State) { st.Pointer = &geom.Point{X: 200, Y: 181} }},
	{"approach", Approach, func(st *State) { st.Pointer = &geom.Point{X: 290, Y: 105} }},
	{"detail", Detail, func(st *State) { st.Pointer = &geom.Point{X: 140, Y: 46} }},
	{"subtree", Subtree, func(st *State) {
		st.Input, st.Height, st.Pointer = Treemap, 2, &geom.Point{X: 240, Y: 260}
	}},
	{"outside-detail", Detail, func(st *State) {
		st.Linking, st.Icicles, st.Treemap = OutsideFocus, change, change
		st.Pointer = &geom.Point{X: 140, Y: 46}
	}},
	{"outside-subtree", Subtree, func(st *State) {
		st.Linking, st.Icicles, st.Treemap = OutsideFocus, Colour{Metric: ByCalls}, Colour{ByTotal, OnlyB}
		st.Input, st.Pointer = Treemap, &geom.Point{X: 240, Y: 260}
	}},
	{"depth", Detail, func(st *State) {
		st.Icicles, st.Treemap = Colour{Metric: ByDepth}, Colour{Metric: ByDepth}
		st.Pointer = &geom.Point{X: 140, Y: 30}
	}},
	{"ratio-blind-dark", Whole, func(st *State) {
		st.Icicles, st.Treemap = Colour{ByTotal, Ratio}, Colour{ByTotal, Ratio}
		st.Palette = palette.Dark().WithScheme(palette.ColourBlind)
	}},
	{"only-a", Detail, func(st *State) {
		*st = alone(st)
		st.Icicles, st.Treemap = Colour{Metric: ByFirst}, Colour{Metric: ByFirst}
		st.Pointer = &geom.Point{X: 140, Y: 30}
	}},
}

// alone returns the state of side A without B.
func alone(st *State) State {
	one, err := stateOf([2]*trace.Trace{st.Sides[A].Trace})
	if err != nil {
		panic(err)
	}
	return one
}

// TestFigures draws every mode, input target and linking.
func TestFigures(t *testing.T) {
	r := testpic.Renderer(t) // its context is current on this goroutine's thread alone
	base := recorded(t, "gotrace/pipeline-mutex.gotrace", "gotrace/pipeline-chan.gotrace")
	var a Arena
	for _, f := range figures {
		st := base
		f.change(&st)
		v := Build(&st, sizes, &a)
		if v.Focus.Mode != f.mode {
			t.Errorf("%s: the mode is %v", f.name, v.Focus.Mode)
		}
		m := testpic.Figure(t, r, v.Scene, 1, st.Palette.Pane)
		testpic.Window.Golden(t, f.name, m)
	}
}

// TestSmallFigures draws the smallest panes, once with twice the pixels.
func TestSmallFigures(t *testing.T) {
	r := testpic.Renderer(t)
	st := recorded(t, "uftrace/queue-2p2c.data.tar.gz", "uftrace/queue-1p3c.data.tar.gz")
	for name, size := range map[string]geom.Size{"small": {W: 300, H: 200},
		"small@2x": {W: 600, H: 400}} {
		st.Scale = size.W / 300
		st.Pointer = &geom.Point{X: size.W * .4, Y: size.H * .3}
		v := Build(&st, size, nil)
		testpic.Window.Golden(t, name, testpic.Figure(t, r, v.Scene, st.Scale, st.Palette.Pane))
	}
}

// psi is ψ_d (ViewFusion, eq. 1) with k for linear light.
func psi(d, x, y float64) float64 {
	return math.Pow((1-math.Pow(1-x, d))*(1-math.Pow(math.Abs(1-1.6*y), d)), .08)
}

// TestNestedCushionsByDefinition: the light of a pixel is that of its cell, times ψ of each node
// around it but the root.
func TestNestedCushionsByDefinition(t *testing.T) {
	r := testpic.Renderer(t)
	st := recorded(t, "gotrace/pipeline-mutex.gotrace", "gotrace/pipeline-chan.gotrace")
	v := Build(&st, sizes, nil)
	c := &v.a.cells
	s := scene.Scene{Size: sizes}
	l := s.Layer(geom.Rect{})
	grey := color.NRGBA{230, 230, 230, 255}
	l.Fill(v.Treemap, grey)
	for _, q := range c.cushions {
		if q.Shade == scene.Nested {
			l.Quads = append(l.Quads, q)
		}
	}
	got := testpic.Scene(t, r, &s, 1, grey)
	off, n := 0.0, 0
	for y := int(v.Treemap.Y0) + 1; y < int(v.Treemap.Y1)-1; y += 3 {
		for x := int(v.Treemap.X0) + 1; x < int(v.Treemap.X1)-1; x += 3 {
			want := plainLight(&st, c, geom.Point{X: float32(x) + .5, Y: float32(y) + .5}, grey)
			d := math.Abs(want - float64(got.RGBAAt(x, y).R))
			if off, n = off+d, n+1; d > 12 {
				t.Fatalf("pixel %d, %d is %v, not %.0f", x, y, got.RGBAAt(x, y), want)
			}
		}
	}
	if t.Logf("off by %.2f on average", off/float64(n)); off > 2*float64(n) {
		t.Errorf("off by %.2f on average", off/float64(n))
	}
}

// plainLight returns the brightness of a point from the definition: it asks each node whether the
// point lies in it.
func plainLight(st *State, c *cells, p geom.Point, ground color.NRGBA) float64 {
	light := math.Pow((float64(ground.R)/255+.055)/1.055, 2.4)
	for i := 1; i < len(st.Tree.Nodes); i++ {
		r := c.rects[i]
		if !r.Contains(p) || r.W() < leastOpen || r.H() < leastOpen || st.Tree.ChainStart(i) != i {
			continue
		}
		if k := c.by[i]; k != notBeneath && int(c.drawn[k]) != i {
			continue // a part of a cell that is too small to be told apart
		}
		depth := 0 // levels from the root on, of which those that are shown as one count once
		for n := i; n > 0; n = int(st.Tree.Nodes[n].Parent) {
			if st.Tree.ChainStart(n) == n {
				depth++
			}
		}
		light *= psi(float64(depth), float64((p.X-r.X0)/r.W()), float64((p.Y-r.Y0)/r.H()))
	}
	return 255 * (1.055*math.Pow(light, 1/2.4) - .055)
}

// TestGlidesAreBrightestAtThePointer: along a call in focus, light rises to the pointer and falls
// behind it.
func TestGlidesAreBrightestAtThePointer(t *testing.T) {
	r := testpic.Renderer(t)
	s := scene.Scene{Size: geom.Size{W: 200, H: 20}}
	b := builder{light: 130}
	q := scene.Quad{Rect: geom.Rect{X1: 200, Y1: 20}, Fill: color.NRGBA{200, 200, 200, 255}, U1: 1}
	b.glide(s.Layer(geom.Rect{}), &q, A)
	m := testpic.Scene(t, r, &s, 1, color.NRGBA{A: 255})
	for x := 1; x < 200; x++ {
		d := int(m.RGBAAt(x, 12).R) - int(m.RGBAAt(x-1, 12).R)
		if x < 130 && d < -1 || x > 130 && d > 1 {
			t.Fatalf("light changes by %d at %d", d, x)
		}
	}
	if dark, bright := m.RGBAAt(0, 12).R, m.RGBAAt(129, 12).R; dark > 175 || bright < 205 {
		t.Errorf("from %d to %d", dark, bright)
	}
}
