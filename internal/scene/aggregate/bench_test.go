package aggregate

import (
	"fmt"
	"image/color"
	"math/rand/v2"
	"testing"
	"time"

	"diptych/internal/aggregate"
	"diptych/internal/geom"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// parallel makes the model of a parallel program: workers in processes of 64, each call of which
// takes one of eight functions for some time. Its threads follow four phases, with noise.
func parallel(b *testing.B, threads, slices int) aggregate.Source {
	b.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	tb := trace.NewBuilder("parallel")
	var fns []trace.FuncID
	for i := range 8 {
		fns = append(fns, tb.Function(trace.Function{Name: fmt.Sprint("phase", i)}))
	}
	for i := range threads {
		th := tb.Thread(fmt.Sprint(i), tb.Process(fmt.Sprint("process ", i/64)))
		for at := int64(0); at < 1e6; {
			end := min(at+10_000+r.Int64N(60_000), 1e6)
			th.Begin(at, fns[int(at/250_000)*2+r.IntN(8)/7])
			th.End(end)
			at = end
		}
	}
	return modelOf(b, testtrace.Build(b, tb), slices)
}

// pane is that of a large pane.
var pane = geom.Size{W: 1600, H: 900}

// everyCell draws each leaf and timeslice as a rectangle, without any thought: what the view would
// do if nothing was aggregated, and its shares were known.
func everyCell(s *scene.Scene, p *Picture, inks []color.NRGBA, pal *palette.Palette) {
	s.Reset(pane)
	l := s.Layer(geom.Rect{})
	leaves, slices, states := p.Source.Tree().Leaves, p.Source.Slices(), len(p.Source.States())
	w, h := pane.W/float32(slices), pane.H/float32(leaves)
	row := make([]float64, slices*states)
	for leaf := range leaves {
		p.Source.Row(leaf, row)
		for i := range slices {
			mode := 0
			for k, v := range row[i*states : (i+1)*states] {
				if v > row[i*states+mode] {
					mode = k
				}
			}
			x, y := float32(i)*w, float32(leaf)*h
			l.Fill(geom.Rect{X0: x, X1: x + w, Y0: y, Y1: y + h},
				Ink(pal, inks, A, mode, row[i*states+mode]))
		}
	}
}

// BenchmarkBuild measures a frame in which only the pointer has moved, and one of a new size, as a
// ratio to drawing each cell; for a p that leaves much in one aggregate, and for one that leaves
// little.
func BenchmarkBuild(b *testing.B) {
	for _, threads := range []int{64, 1024, 10_000} {
		s := parallel(b, threads, 100)
		st := one(b, s, .3)
		q := st.Plots[0].Picture.Quality
		for _, p := range []float64{.3, .1} {
			st.Plots[0].Picture = pictureFrom(b, s, q, p)
			n := len(st.Plots[0].Picture.Partition.Aggregates)
			b.Run(fmt.Sprintf("%dx100/%d/hover", threads, n), func(b *testing.B) {
				benchmarkBuild(b, &st, &Arena{})
			})
			b.Run(fmt.Sprintf("%dx100/%d/scratch", threads, n), func(b *testing.B) {
				benchmarkBuild(b, &st, nil)
			})
		}
	}
}

func benchmarkBuild(b *testing.B, st *State, a *Arena) {
	pic := st.Plots[0].Picture
	inks := st.Palette.States(pic.Source.States(), aggregate.Other)
	var plain scene.Scene
	var ours, cells time.Duration
	for i := range b.N {
		st.Hover = Place{Leaves: [2]int{i % 64, i%64 + 1}, To: i % 100, OK: true}
		began := time.Now()
		v := Build(st, pane, a)
		half := time.Now()
		everyCell(&plain, pic, inks, st.Palette)
		ours, cells = ours+half.Sub(began), cells+time.Since(half)
		if i == 0 {
			b.ReportMetric(float64(len(v.Plots[0].Areas)), "areas")
		}
	}
	b.ReportMetric(ours.Seconds()*1e3/float64(b.N), "ms/build")
	b.ReportMetric(ours.Seconds()/cells.Seconds(), "of-every-cell")
}
