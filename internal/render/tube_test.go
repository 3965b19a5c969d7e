package render_test

import (
	"image"
	"image/color"
	"math"
	"slices"
	"testing"

	"diptych/internal/geom"
	"diptych/internal/scene"
	"diptych/internal/testpic"
)

var (
	grey = color.NRGBA{0xCE, 0xD1, 0xD4, 255}
	red  = color.NRGBA{0xC9, 0x28, 0x24, 255}

	bright = color.NRGBA{0xD6, 0x2B, 0x2F, 255}
)

// tube appends a tube to l along the points, and returns it for more to be set.
func tube(l *scene.Layer, w0, w1 float32, fill color.NRGBA, points ...geom.Point) *scene.Tube {
	t := &l.Tubes
	first := len(t.Knots)
	var length float32
	for i, p := range points {
		if i > 0 {
			length += float32(math.Hypot(float64(p.X-points[i-1].X), float64(p.Y-points[i-1].Y)))
		}
		t.Knots = append(t.Knots, scene.Knot{X: p.X, Y: p.Y, At: length})
	}
	for i := range t.Knots[first:] {
		t.Knots[first+i].At /= length
	}
	t.Tubes = append(t.Tubes, scene.Tube{
		First: uint32(first), Count: uint32(len(points)), W0: w0, W1: w1, Fill: fill,
	})
	return &t.Tubes[len(t.Tubes)-1]
}

// tubes returns a scene of w × h px with a layer for tubes.
func tubes(w, h float32) (*scene.Scene, *scene.Layer) {
	s := &scene.Scene{Size: geom.Size{W: w, H: h}}
	l := s.Layer(geom.Rect{})
	l.Tubes = scene.Tubes{Lambda: 0.35, Morph: 1, Line: 1.5}
	return s, l
}

func pt(x, y float32) geom.Point { return geom.Point{X: x, Y: y} }

// theme is the ground, the colour of a match at rest and one that stands out.
type theme struct{ ground, rest, far color.NRGBA }

var themes = map[string]theme{
	"light": {white, grey, red},
	"dark":  {color.NRGBA{0x1B, 0x1D, 0x20, 255}, color.NRGBA{0x53, 0x57, 0x5B, 255}, bright},
}

// sheets are pictures of tubes, named after what they show.
var sheets = map[string]func(theme) *scene.Scene{
	"courses": courses, "forms": forms, "widths": widths,
}

func TestTubesGolden(t *testing.T) {
	for name, sheet := range sheets {
		for shade, c := range themes {
			t.Run(name+"/"+shade, func(t *testing.T) {
				testpic.Shapes.Golden(t, "tubes/"+name+"-"+shade, draw(t, on(c.ground, sheet(c)), 1))
			})
		}
	}
}

// Where nothing blends, tubes look the same on both kinds of framebuffer; their soft borders are
// blended in linear light on one and as encoded on the other.
func TestTubesOnBothFramebuffers(t *testing.T) {
	r := testpic.Renderer(t)
	upright, l := tubes(100, 20)
	l.Tubes.Lambda, l.Tubes.Spine = 1, 0.5
	tube(l, 40, 40, grey, pt(24, 0), pt(24, 20)).Gloss = 1
	tube(l, 50, 50, red, pt(74, 0), pt(74, 20)).Gloss = 0.3
	var shown []*image.RGBA
	for _, f := range framebuffers {
		o, err := f.make(image.Pt(480, 280))
		if err != nil {
			t.Fatal(err)
		}
		defer o.Release()
		shown = append(shown, testpic.SceneOn(t, r, o, upright, 1, white))
		if f.name == "plain" {
			s := on(white, courses(themes["light"]))
			testpic.Shapes.Golden(t, "tubes/courses-plain", testpic.SceneOn(t, r, o, s, 1, white))
		}
	}
	if d := testpic.Equal.Compare(shown[0], shown[1]); d.Beyond != "" {
		t.Error(d.Beyond)
	}
}

// courses: upright; aside, before and behind; across one another, each nearer at one end; nested,
// wide and grey behind, narrow and coloured before.
func courses(c theme) *scene.Scene {
	s, l := tubes(480, 280)
	tube(l, 70, 50, c.rest, pt(45, 0), pt(45, 90), pt(45, 190), pt(45, 280))

	near(tube(l, 5, 7, c.rest, pt(110, 0), pt(110, 90), pt(220, 190), pt(220, 280)), 0.3)
	near(tube(l, 30, 40, c.far, pt(220, 0), pt(220, 90), pt(120, 190), pt(120, 280)), 0.5)
	near(tube(l, 5, 7, c.rest, pt(140, 0), pt(140, 90), pt(250, 190), pt(250, 280)), 0.7)

	crossing := tube(l, 26, 26, c.rest, pt(280, 0), pt(280, 90), pt(350, 190), pt(350, 280))
	crossing.Z0, crossing.Z1 = 0.2, 0.6
	crossing = tube(l, 26, 26, c.far, pt(350, 0), pt(320, 90), pt(310, 190), pt(280, 280))
	crossing.Z0, crossing.Z1 = 0.5, 0.1

	for depth, n := range []int{1, 2, 4, 9} {
		for i := range n {
			w := 96/float32(n) - 1
			x, fill := 376+(w+1)*(float32(i)+0.5), c.rest
			if depth == 2 && i == 1 || depth == 3 && i == 7 {
				fill = c.far
			}
			near(tube(l, w, w, fill, pt(x, 0), pt(x, 90), pt(x+8, 190), pt(x+8, 280)),
				float32(depth)/4)
		}
	}
	return s
}

// forms: lines, half-way, tubes and both, with the same matches.
func forms(c theme) *scene.Scene {
	s := &scene.Scene{Size: geom.Size{W: 480, H: 220}}
	for i, form := range []scene.Tubes{
		{Lambda: 0.35, Line: 1.5}, {Lambda: 0.35, Line: 1.5, Morph: 0.5},
		{Lambda: 0.35, Line: 1.5, Morph: 1}, {Lambda: 0.35, Line: 1.5, Morph: 1, Spine: 1},
	} {
		l := s.Layer(geom.Rect{})
		l.Tubes = form
		x := float32(120 * i)
		near(tube(l, 90, 70, c.rest, pt(x+55, 0), pt(x+55, 70), pt(x+60, 150), pt(x+60, 220)), 0)
		near(tube(l, 20, 14, c.rest, pt(x+30, 0), pt(x+30, 70), pt(x+40, 150), pt(x+40, 220)), 0.3)
		near(tube(l, 6, 6, c.rest, pt(x+70, 0), pt(x+70, 70), pt(x+72, 150), pt(x+72, 220)), 0.5)
		near(tube(l, 16, 20, c.far, pt(x+90, 0), pt(x+90, 70), pt(x+20, 150), pt(x+20, 220)), 0.7)
		near(tube(l, 2, 2, c.far, pt(x+20, 0), pt(x+20, 70), pt(x+95, 150), pt(x+95, 220)), 0.9)
	}
	return s
}

// widths: neighbours from 2 px to 100, one of 300; highlights of rising strength; translucent thin
// ones of rising opacity, over one another and over an opaque one.
func widths(c theme) *scene.Scene {
	s, l := tubes(620, 320)
	l.Tubes.Lambda = 1
	upright := func(w, x, y0, y1 float32, fill color.NRGBA) *scene.Tube {
		return tube(l, w, w, fill, pt(x+w/2, y0), pt(x+w/2, y1))
	}
	x := float32(6)
	for _, w := range []float32{2, 3, 5, 8, 12, 20, 40, 100} {
		fills := []color.NRGBA{c.rest, c.rest, c.far, c.rest}
		if w >= 40 {
			fills = fills[1:3]
		}
		for _, fill := range fills {
			upright(w, x, 6, 150, fill)
			x += w
		}
		x += 8
	}
	upright(300, 6, 160, 314, c.rest)
	x = 316
	for _, gloss := range []float32{0.25, 0.5, 1} {
		upright(32, x, 160, 314, c.rest).Gloss = gloss
		upright(32, x+36, 160, 314, c.far).Gloss = gloss
		x += 74
	}
	near(upright(30, x+10, 160, 314, c.rest), 0.3)
	for i, alpha := range []uint8{60, 120, 200} {
		fill := c.far
		fill.A = alpha
		x := x + 8 + 14*float32(i)
		near(tube(l, 10, 10, fill, pt(x, 160), pt(x, 220), pt(556, 250), pt(x+16, 314)), 0.5)
	}
	return s
}

// near sets how near both ends of b are.
func near(b *scene.Tube, z float32) { b.Z0, b.Z1 = z, z }

// on draws s on a ground of one colour.
func on(ground color.NRGBA, s *scene.Scene) *scene.Scene {
	s.Layers = slices.Insert(s.Layers, 0, scene.Layer{})
	s.Layers[0].Fill(geom.Rect{X1: s.Size.W, Y1: s.Size.H}, ground)
	return s
}
