package render_test

import (
	"fmt"
	"image"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"diptych/internal/geom"
	"diptych/internal/render"
	"diptych/internal/scene"
	"diptych/internal/testpic"
)

// BenchmarkTubes measures what tubes cost on a 1600 × 1000 framebuffer: "upload" is the work of a
// frame on the CPU, which chooses the number of pieces and uploads, where programs draw them;
// "picture" is the whole frame, "programs" the same as programs draw it. "cpu-ms/frame" is the time that all threads of the process run for it.
func BenchmarkTubes(b *testing.B) {
	for _, n := range []int{2_000, 20_000} {
		s := bundle(n)
		b.Run(fmt.Sprintf("upload/%d", n), func(b *testing.B) {
			r := testpic.Renderer(b)
			for b.Loop() {
				r.Upload(&s.Layers[0].Tubes)
			}
		})
		b.Run(fmt.Sprintf("picture/%d", n), func(b *testing.B) {
			benchmarkPicture(b, testpic.Renderer(b), s)
		})
		b.Run(fmt.Sprintf("programs/%d", n), func(b *testing.B) {
			r := testpic.Renderer(b)
			r.Scan(false)
			benchmarkPicture(b, r, s)
		})
	}
}

func benchmarkPicture(b *testing.B, r *render.Renderer, s *scene.Scene) {
	o, err := render.NewOffscreen(image.Pt(1600, 1000))
	if err != nil {
		b.Fatal(err)
	}
	defer o.Release()
	picture := func() {
		if err := r.Draw(o.Target(1), s); err != nil {
			b.Fatal(err)
		}
		render.Finish()
	}
	picture() // compiles what the rasteriser makes of the shaders
	before := cpu()
	for b.Loop() {
		picture()
	}
	b.ReportMetric((cpu()-before).Seconds()*1e3/float64(b.N), "cpu-ms/frame")
}

// cpu is how long all threads of the process have run, those of the rasteriser included.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// bundle returns n tubes between two mirrored stacks, as the view of matches has them: each level's
// calls share most of the width, the next level has twice as many, and the deeper, the nearer. Most
// join calls at about the same time, some far ones.
func bundle(n int) *scene.Scene {
	s := &scene.Scene{Size: geom.Size{W: 1600, H: 1000}}
	l := s.Layer(geom.Rect{})
	l.Tubes = scene.Tubes{Lambda: 0.35, Morph: 1, Line: 1.25}
	random := rand.New(rand.NewPCG(1, 2))
	const levels = 8
	for level := range levels {
		count := max(1, n<<level/(1<<levels-1))
		pitch, depth := 1600/float32(count), float32(level+1)
		for i := range count {
			x := (float32(i) + 0.5) * pitch
			to, fill := x+8*float32(random.NormFloat64()), grey
			if random.IntN(8) == 0 {
				to, fill = random.Float32()*1600, red
			}
			width := pitch * (0.6 + 0.4*random.Float32())
			b := tube(l, width, width*(0.5+random.Float32()), fill, pt(x, 100+18*depth), pt(x+3, 300),
				pt((3*x+to)/4, 420), pt((x+3*to)/4, 580), pt(to-3, 700), pt(to, 900-18*depth))
			b.Z0, b.Z1 = depth/(levels+1), depth/(levels+1)
		}
	}
	return s
}
