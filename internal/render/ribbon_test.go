package render_test

import (
	"image/color"
	"math"
	"testing"

	"diptych/internal/geom"
	"diptych/internal/scene"
	"diptych/internal/testpic"
)

// curve is a ribbon's edge.
type curve = [4]geom.Point

// ribbons: a plain one; a spike, which is what a correspondence is; a concave one; twisted once and
// twice; one that folds over itself; translucent ones across one another; slim ones.
func ribbons(scale float32) *scene.Scene {
	s := &scene.Scene{Size: geom.Size{W: 480 * scale, H: 250 * scale}}
	l := s.Layer(geom.Rect{})
	blue, ink := color.NRGBA{0x3D, 0x85, 0xD9, 90}, color.NRGBA{0x1C, 0x5E, 0xB4, 255}
	green, soft := color.NRGBA{0x3D, 0xA0, 0x50, 110}, color.NRGBA{0x20, 0x70, 0x30, 150}
	add := func(x, y, line float32, fill, ink color.NRGBA, e, f curve) {
		r := scene.Ribbon{Edges: [2][4]geom.Point{e, f}, Fill: fill, Line: line * scale, Ink: ink}
		for i := range r.Edges {
			for k, p := range r.Edges[i] {
				r.Edges[i][k] = pt((x+p.X)*scale, (y+p.Y)*scale)
			}
		}
		l.Ribbons = append(l.Ribbons, r)
	}
	wide, tip := curve{pt(0, 10), pt(20, 60), pt(60, 20), pt(80, 90)}, pt(80, 100)
	add(10, 5, 1.5, blue, ink, wide, curve{pt(30, 0), pt(50, 30), pt(70, 10), pt(100, 80)})
	add(120, 5, 1.2, blue, ink, curve{pt(0, 10), pt(40, 30), pt(60, 60), tip},
		curve{pt(0, 60), pt(40, 50), pt(60, 80), tip})
	add(210, 5, 0, green, ink, curve{pt(0, 10), pt(40, 50), pt(40, 60), pt(10, 110)},
		curve{pt(90, 0), pt(60, 50), pt(50, 60), pt(80, 100)})
	add(310, 5, 1.5, green, soft, curve{pt(0, 10), pt(50, 20), pt(90, 80), pt(140, 90)},
		curve{pt(0, 60), pt(50, 70), pt(90, 30), pt(140, 20)})
	add(10, 125, 2, blue, ink, curve{pt(0, 30), pt(50, 120), pt(70, -60), pt(120, 60)},
		curve{pt(0, 60), pt(50, -60), pt(70, 140), pt(120, 30)})
	// A loop of either curve.
	add(150, 125, 1.5, blue, soft, curve{pt(0, 90), pt(160, 0), pt(-50, -10), pt(100, 100)},
		curve{pt(10, 110), pt(200, 0), pt(-100, -10), pt(85, 115)})
	for i := range 4 {
		y := float32(i) * 18
		add(290, 125+y, 1, color.NRGBA{uint8(60 * i), 90, uint8(200 - 50*i), 100}, soft,
			curve{pt(0, 0), pt(40, 40), pt(60, -40), pt(100, 50)},
			curve{pt(0, 14), pt(40, 54), pt(60, -26), pt(100, 52)})
	}
	for i, w := range []float32{0, 0.5, 1, 2, 4} {
		add(405+14*float32(i), 125, float32(i%2), color.NRGBA{0xC9, 0x28, 0x24, 200}, ink,
			curve{pt(0, 0), pt(20, 40), pt(-20, 80), pt(0, 115)},
			curve{pt(w, 0), pt(20+w, 40), pt(-20+w, 80), pt(w, 115)})
	}
	return s
}

func TestRibbonsGolden(t *testing.T) {
	for name, scale := range map[string]float32{"ribbons": 1, "ribbons@2x": 2} {
		t.Run(name, func(t *testing.T) {
			testpic.Shapes.Golden(t, "arcs/"+name, draw(t, ribbons(scale), scale))
		})
	}
}

// Ribbons look as in a plain drawing, which fills finely cut cells between the curves and draws the
// lines along the curves over them.
func TestRibbonsAreWhatTheyAre(t *testing.T) {
	s := ribbons(1)
	want := newPlain(s.Size)
	for i := range s.Layers[0].Ribbons {
		fine := cutRibbon(&s.Layers[0].Ribbons[i])
		want.fill(fine.box.Inset(-2), fine.part)
	}
	// Measured: 1.28 and 0.29 % at most, on llvmpipe with vectors of 512 bits.
	want.compare(t, draw(t, s, 1), 3.2, 0.01)
}

// TestFoldsDoNotBreakLines: the line along a curve is whole where the ribbon folds over it, as
// when a wait is long and its release out of sight: both curves then come from one side.
func TestFoldsDoNotBreakLines(t *testing.T) {
	s := &scene.Scene{Size: geom.Size{W: 480, H: 150}}
	r := scene.Ribbon{Line: 1, Ink: color.NRGBA{0xD1, 0x5D, 0x4E, 255}, Edges: [2][4]geom.Point{
		{pt(4, 136.3), pt(148, 136.3), pt(344, 149), pt(452, 20)},
		{pt(340, 136.3), pt(243, 136.3), pt(379, 107), pt(452, 20)}}}
	s.Layer(geom.Rect{}).Ribbons = []scene.Ribbon{r}
	got := draw(t, s, 1)
	for _, edge := range []int{0, 1} {
		for step := 2; step <= 98; step++ {
			p := r.At(edge, float32(step)/100)
			darkest := uint8(255)
			for dx := -1; dx <= 1; dx++ {
				for dy := -1; dy <= 1; dy++ {
					darkest = min(darkest, got.RGBAAt(int(p.X)+dx, int(p.Y)+dy).G)
				}
			}
			if darkest > 0xC8 {
				t.Errorf("curve %d is broken at %v: no pixel there is darker than %d", edge, p, darkest)
			}
		}
	}
}

// fineRibbon is a ribbon in cells shorter than the renderer's.
type fineRibbon struct {
	*scene.Ribbon
	box   geom.Rect
	cells []cell
	near  []*cell // those that may reach into the pixel that is being drawn
}

// cell is a quadrangle between the curves, of which the first two corners lie on one.
type cell struct {
	a, b, c, d geom.Point
	reach      geom.Rect // holds it and its lines
}

func cutRibbon(r *scene.Ribbon) *fineRibbon {
	const pieces = 60
	nowhere := geom.Rect{X0: math.MaxFloat32, Y0: math.MaxFloat32}
	f := &fineRibbon{Ribbon: r, box: nowhere}
	for i := range pieces {
		t0, t1 := float32(i)/pieces, float32(i+1)/pieces
		c := cell{r.At(0, t0), r.At(0, t1), r.At(1, t0), r.At(1, t1), nowhere}
		for _, p := range []geom.Point{c.a, c.b, c.c, c.d} {
			c.reach, f.box = around(c.reach, p), around(f.box, p)
		}
		c.reach = c.reach.Inset(-r.Line/2 - 0.1)
		f.cells = append(f.cells, c)
	}
	return f
}

// part returns what f is in the pixel.
func (f *fineRibbon) part(pixel geom.Rect) pointColour {
	f.near = f.near[:0]
	for i := range f.cells {
		if c := &f.cells[i]; !c.reach.Intersect(pixel).Empty() {
			f.near = append(f.near, c)
		}
	}
	if len(f.near) == 0 {
		return nil
	}
	return f.at
}

// at returns the colour at p, a point of the pixel, if any.
func (f *fineRibbon) at(p geom.Point) (color.NRGBA, bool) {
	in := false
	for _, c := range f.near {
		if !c.reach.Contains(p) {
			continue
		}
		if f.Line > 0 && (along(p, c.a, c.b, f.Line/2) || along(p, c.c, c.d, f.Line/2)) {
			return f.Ink, true
		}
		in = in || triangle(p, c.a, c.b, c.d) || triangle(p, c.a, c.c, c.d)
	}
	return f.Fill, in
}

// along reports whether p is within half px of the line from a to b, and beside it.
func along(p, a, b geom.Point, half float32) bool {
	x, y := b.X-a.X, b.Y-a.Y
	long := float32(math.Hypot(float64(x), float64(y)))
	way := ((p.X-a.X)*x + (p.Y-a.Y)*y) / long
	off := ((p.X-a.X)*y - (p.Y-a.Y)*x) / long
	return way >= -0.05 && way <= long+0.05 && max(off, -off) <= half
}

// triangle reports whether p lies in the triangle.
func triangle(p, a, b, c geom.Point) bool {
	side := func(a, b geom.Point) bool {
		return (b.X-a.X)*(p.Y-a.Y)-(b.Y-a.Y)*(p.X-a.X) > 0
	}
	return side(a, b) == side(b, c) && side(b, c) == side(c, a)
}

// Ribbons blend in order, and each once, wherever it folds over itself.
func TestRibbonsBlendOnce(t *testing.T) {
	s := &scene.Scene{Size: geom.Size{W: 60, H: 40}}
	l := s.Layer(geom.Rect{})
	half := color.NRGBA{A: 128}
	// There and back again over the same ground, and across.
	back := scene.Ribbon{Fill: half, Edges: [2][4]geom.Point{
		{pt(5, 10), pt(70, 10), pt(70, 10), pt(5, 10)}, {pt(5, 30), pt(70, 30), pt(70, 30), pt(5, 30)}}}
	across := scene.Ribbon{Fill: half, Edges: [2][4]geom.Point{
		{pt(10, 0), pt(10, 10), pt(10, 20), pt(10, 40)}, {pt(30, 0), pt(30, 10), pt(30, 20), pt(30, 40)}}}
	l.Ribbons = []scene.Ribbon{back, across, back}
	m := draw(t, s, 1)
	once, twice, thrice := m.RGBAAt(40, 20), m.RGBAAt(20, 5), m.RGBAAt(20, 20)
	want := func(layers int) uint8 { return encode(math.Pow(127.0/255, float64(layers))) }
	for name, v := range map[string][2]uint8{
		"twice back": {once.R, want(2)}, "across": {twice.R, want(1)}, "all": {thrice.R, want(3)},
	} {
		if d := int(v[0]) - int(v[1]); max(d, -d) > 4 { // measured: 1
			t.Errorf("%s: %d, want %d", name, v[0], v[1])
		}
	}
}

// A line, which is a ribbon between a curve and itself, covers as many pixels across as it is wide.
func TestLinesAreAsWideAsTold(t *testing.T) {
	for _, width := range []float64{1, 1.2, 2, 5} {
		s := &scene.Scene{Size: geom.Size{W: 60, H: 40}}
		s.Layer(geom.Rect{}).Line(pt(5, 20), pt(55, 20), color.NRGBA{A: 255}, float32(width))
		m, covered := draw(t, s, 1), 0.
		for y := range 40 {
			covered += 1 - decode(m.RGBAAt(30, y).G)
		}
		if math.Abs(covered-width) > .02 { // measured: 0.004
			t.Errorf("a line of %v px covers %.3f", width, covered)
		}
	}
}
