package render_test

import (
	"image/color"
	"math"
	"testing"

	"diptych/internal/geom"
	"diptych/internal/scene"
	"diptych/internal/testpic"
	"diptych/internal/testtrace"
)

// arcSheets are pictures of arcs, named after what they show, at a scale.
var arcSheets = map[string]func(scale float32) *scene.Scene{
	"semicircle": semicircle, "arcshades": arcShades, "spans": spans,
}

func TestArcsGolden(t *testing.T) {
	for name, sheet := range arcSheets {
		for suffix, scale := range map[string]float32{"": 1, "@2x": 2} {
			t.Run(name+suffix, func(t *testing.T) {
				testpic.Shapes.Golden(t, "arcs/"+name+suffix, draw(t, sheet(scale), scale))
			})
		}
	}
}

// semicircle: bent icicles of seven threads, as the view of threads has them, some bars below a
// pixel.
func semicircle(scale float32) *scene.Scene {
	s := &scene.Scene{Size: geom.Size{W: 400 * scale, H: 230 * scale}}
	l := s.Layer(geom.Rect{})
	fills := []color.NRGBA{{0xE6, 0xD3, 0xBD, 255}, {0x58, 0xB8, 0x73, 255}, {0xEC, 0x6A, 0x66, 255}}
	const threads, gap = 7, 0.012
	for k := range threads {
		from, to := math.Pi*float64(k)/threads+gap, math.Pi*float64(k+1)/threads-gap
		for level := range 5 {
			r := (120 + 17*float32(level)) * scale
			n := 1
			for range level {
				n *= 2 + k/2
			}
			for i := range n {
				if (i*7+level*3+k)%5 == 4 {
					continue
				}
				width := (to - from) / float64(n)
				l.Arcs = append(l.Arcs, scene.Arc{
					Centre: geom.Point{X: 200 * scale, Y: 20 * scale}, R0: r, R1: r + 17*scale - 1,
					From: float32(from + width*float64(i)), To: float32(from + width*float64(i+1)),
					Fill: fills[max(0, (i*5+level+k)%7-4)], Shade: scene.Cushion, U1: 1,
				})
			}
		}
	}
	return s
}

// arcShades: a column a shade; opaque, translucent, cut, thin and as a disc in rows.
func arcShades(scale float32) *scene.Scene {
	s := &scene.Scene{Size: geom.Size{W: 324 * scale, H: 250 * scale}}
	l := s.Layer(geom.Rect{})
	translucent := color.NRGBA{0x1C, 0x6E, 0xC4, 100}
	for i, shade := range []scene.Shade{scene.Flat, scene.Cushion, scene.Hatch, scene.Outline} {
		x := (42 + 80*float32(i)) * scale
		add := func(y, r0, r1, from, to, u0, u1 float32, fill color.NRGBA) {
			l.Arcs = append(l.Arcs, scene.Arc{Centre: pt(x, y*scale), R0: r0 * scale, R1: r1 * scale,
				From: from, To: to, U0: u0, U1: u1, Fill: fill, Shade: shade, Line: 2 * scale})
		}
		add(10, 16, 36, 0.2, 2.9, 0, 1, steel)
		add(60, 16, 36, 0.2, 2.9, 0, 1, translucent)
		for _, k := range []float32{0, 1, 2} { // a cut call keeps the shading of the whole
			add(110, 16, 36, 0.2+0.9*k, 1.1+0.9*k, k/3, k/3+1.0/3, steel)
		}
		add(155, 30, 31, 0.2, 2.9, 0, 1, red)
		add(155, 22, 22.2, 0.2, 2.9, 0, 1, red)
		add(155, 2, 16, 1.5, 1.5, 0, 1, red)
		add(222, 0, 24, 0, 2*math.Pi, 0, 1, pink)
	}
	return s
}

// spans: from a hair to the full circle, beginning anywhere; rings, slices and discs.
func spans(scale float32) *scene.Scene {
	s := &scene.Scene{Size: geom.Size{W: 420 * scale, H: 186 * scale}}
	l := s.Layer(geom.Rect{})
	for i, span := range []float32{0.001, 0.5, math.Pi / 2, 2.5, math.Pi, 4, 6, 2 * math.Pi} {
		for row, r0 := range []float32{12, 0, -1} {
			from, r1 := float32(i)*2-7, float32(24)
			if r0 < 0 {
				r0, r1 = 6, 9
			}
			l.Arcs = append(l.Arcs, scene.Arc{
				Centre: pt((30+52*float32(i))*scale+0.3, (32+62*float32(row))*scale+0.4),
				R0:     r0 * scale, R1: r1 * scale, From: from, To: from + span,
				Fill: color.NRGBA{0x1C, 0x6E, 0xC4, 200}, U1: 1,
			})
		}
	}
	return s
}

// Arcs look as in a plain drawing, which samples many points of each pixel.
func TestArcsAreWhereTheySay(t *testing.T) {
	sheets := map[string]*scene.Scene{"semicircle": semicircle(1), "spans": spans(1)}
	if testtrace.Sized(false, true) {
		sheets["spans@2x"] = spans(2)
	}
	for name, s := range sheets {
		t.Run(name, func(t *testing.T) {
			want := newPlain(s.Size)
			arcs := s.Layers[0].Arcs
			for i := range arcs {
				arcs[i].Shade = scene.Flat
				want.fill(arcBounds(&arcs[i]), arcPart(&arcs[i]))
			}
			want.compare(t, draw(t, s, 1), 1.8, 0.002) // measured: 0.75 and none at most
		})
	}
}

// arcPart returns what a is in any pixel. It tells pixels that are clear of a's ring, and those of the
// ring, but near its centre, that are clear of a's ends.
func arcPart(a *scene.Arc) func(pixel geom.Rect) pointColour {
	at := func(p geom.Point) (color.NRGBA, bool) { return a.Fill, inArc(a, p) }
	middle := float64(a.R0+a.R1) / 2
	reach := float64(max(a.R1-a.R0, 1))/2 + 1                          // no arc is thinner; pixels reach 0.71 px
	half := max(float64(a.To)-float64(a.From), 1/max(middle, 0.1)) / 2 // nor is one shorter
	return func(pixel geom.Rect) pointColour {
		x, y := (pixel.X0+pixel.X1)/2-a.Centre.X, (pixel.Y0+pixel.Y1)/2-a.Centre.Y
		r := math.Hypot(float64(x), float64(y))
		if math.Abs(r-middle) > reach {
			return nil
		}
		off := math.Remainder(math.Atan2(float64(y), float64(x))-(float64(a.From)+float64(a.To))/2, 2*math.Pi)
		if r > 2 && (math.Abs(off)-half)*r > 1 {
			return nil
		}
		return at
	}
}

// inArc reports whether p lies in a, widened to a pixel where it is less.
func inArc(a *scene.Arc, p geom.Point) bool {
	r0, r1, from, to := drawnArc(a)
	x, y := float64(p.X)-float64(a.Centre.X), float64(p.Y)-float64(a.Centre.Y)
	if r := math.Hypot(x, y); r < r0 || r >= r1 {
		return false
	}
	const turn = 2 * math.Pi
	way := math.Mod(math.Atan2(y, x)-from, turn) // from the beginning of the arc
	if way < 0 {
		way += turn
	}
	return way < to-from || to-from >= turn
}

// drawnArc returns the radii and angles between which a is drawn (as in arc.vert).
func drawnArc(a *scene.Arc) (r0, r1, from, to float64) {
	middle := (float64(a.R0) + float64(a.R1)) / 2
	thick := max(float64(a.R1)-float64(a.R0), 1) / 2
	wide := max(float64(a.To)-float64(a.From), 1/max(middle, 0.1)) / 2
	at := (float64(a.From) + float64(a.To)) / 2
	return middle - thick, middle + thick, at - wide, at + wide
}

// arcBounds returns a box around a.
func arcBounds(a *scene.Arc) geom.Rect {
	box := geom.Rect{X0: math.MaxFloat32, Y0: math.MaxFloat32}
	const steps = 32
	for i := range steps + 1 {
		sin, cos := math.Sincos(float64(a.From + (a.To-a.From)*float32(i)/steps))
		for _, r := range []float32{a.R0, a.R1} {
			box = around(box, pt(a.Centre.X+r*float32(cos), a.Centre.Y+r*float32(sin)))
		}
	}
	return box.Inset(-2)
}

// around returns the smallest box that holds box and p.
func around(box geom.Rect, p geom.Point) geom.Rect {
	return geom.Rect{X0: min(box.X0, p.X), Y0: min(box.Y0, p.Y), X1: max(box.X1, p.X),
		Y1: max(box.Y1, p.Y)}
}
