package render_test

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"testing"
	"time"

	"diptych/internal/geom"
	"diptych/internal/render"
	"diptych/internal/scene"
	"diptych/internal/testpic"
)

// BenchmarkArcs measures what arcs cost on a 1600 × 1000 framebuffer, as a multiple of the cost of
// as many quads that cover the same number of pixels. BenchmarkRibbons measures the same for
// ribbons, each as large as a correspondence.
func BenchmarkArcs(b *testing.B) {
	for _, n := range []int{1_000, 20_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) { compareDraw(b, bent(n), straight(bent(n))) })
	}
}

func BenchmarkRibbons(b *testing.B) {
	for _, n := range []int{300, 3_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := &scene.Scene{Size: geom.Size{W: 1600, H: 1000}}
			l, quads := s.Layer(geom.Rect{}), one(1600, 1000)
			for i := range n {
				a := float64(i) / float64(n) * math.Pi
				at := func(r, way float64) geom.Point {
					return pt(800+float32(r*math.Cos(way)), 300+float32(r*math.Sin(way)))
				}
				to := math.Mod(a*7, math.Pi)
				l.Ribbons = append(l.Ribbons, scene.Ribbon{
					Edges: [2][4]geom.Point{
						{at(400, a), at(150, a), at(150, to), at(400, to)},
						{at(400, a+0.02), at(150, a+0.02), at(150, to), at(400, to)}},
					Fill: color.NRGBA{0x3D, 0x85, 0xD9, 60}, Line: 1, Ink: steel})
				quads.Layers[0].Fill(geom.Rect{X0: 10, X1: 510, Y0: float32(i % 900),
					Y1: float32(i%900) + 4}, color.NRGBA{0x3D, 0x85, 0xD9, 60})
			}
			compareDraw(b, s, quads)
		})
	}
}

// compareDraw reports the time that s takes as a multiple of the time that plain takes.
func compareDraw(b *testing.B, s, plain *scene.Scene) {
	r := testpic.Renderer(b)
	o, err := render.NewOffscreen(image.Pt(1600, 1000))
	if err != nil {
		b.Fatal(err)
	}
	defer o.Release()
	var took [2]time.Duration
	for b.Loop() {
		for i, s := range []*scene.Scene{s, plain} {
			start := time.Now()
			if err := r.Draw(o.Target(1), s); err != nil {
				b.Fatal(err)
			}
			render.Finish()
			took[i] += time.Since(start)
		}
	}
	b.ReportMetric(float64(took[0])/float64(took[1]), "×quads")
	b.ReportMetric(float64(took[0].Microseconds())/1000/float64(b.N), "ms/scene")
}

// bent returns n arcs in rings around a semicircle: each level has twice as many as the one within.
func bent(n int) *scene.Scene {
	s := &scene.Scene{Size: geom.Size{W: 1600, H: 1000}}
	l := s.Layer(geom.Rect{})
	const levels = 12
	for level := range levels {
		count := max(1, n<<level/(1<<levels-1))
		r := 300 + 25*float32(level)
		for i := range count {
			l.Arcs = append(l.Arcs, scene.Arc{
				Centre: pt(800, 100), R0: r, R1: r + 24,
				From: math.Pi * float32(i) / float32(count), To: math.Pi * float32(i+1) / float32(count),
				Fill:  color.NRGBA{uint8(150 + i%97), uint8(150 + i%83), uint8(150 + i%71), 255},
				Shade: scene.Cushion, U1: 1,
			})
		}
	}
	return s
}

// straight returns s with its arcs bent straight: as many pixels as quads.
func straight(s *scene.Scene) *scene.Scene {
	for _, a := range s.Layers[0].Arcs {
		r := (a.R0 + a.R1) / 2
		s.Layers[0].Quads = append(s.Layers[0].Quads, scene.Quad{
			Rect: geom.Rect{X0: a.From * r, X1: a.To * r, Y0: a.R0, Y1: a.R1},
			Fill: a.Fill, Shade: a.Shade, U1: 1,
		})
	}
	s.Layers[0].Arcs = nil
	return s
}
