package matches

import (
	"context"
	"flag"
	"fmt"
	"image/color"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"diptych/internal/geom"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/trace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
)

var (
	calls   = flag.Int("calls", 1_000_000, "calls a side in BenchmarkFlight")
	threads = flag.Int("threads", 43, "threads a side in BenchmarkFlight")
	files   = flag.String("files", "", "fly through these two traces instead, as A,B")
)

// synthetic builds a trace like that of a busy server: stacks hover around 16 levels, so that
// shallow calls last long; the time between events is roughly log-normal, functions have Zipf-like
// popularity.
func synthetic(calls, threads int, seed uint64) (*trace.Trace, error) {
	rng := rand.New(rand.NewPCG(seed, 1))
	b := trace.NewBuilder("synthetic")
	fns := make([]trace.FuncID, 2000)
	for i := range fns {
		pkg := fmt.Sprintf("example.org/lib/pkg%d", i%60)
		name := fmt.Sprintf("%s.(*T%d).Method%d", pkg, i%7, i)
		fns[i] = b.Function(trace.Function{Name: name, Package: pkg})
	}
	popular := rand.NewZipf(rng, 1.2, 4, uint64(len(fns)-1))
	const hover = 16
	for k := range threads {
		t := b.Thread(fmt.Sprint(k+1), -1)
		t.SetName(fmt.Sprintf("worker %d", k+1))
		at, depth := int64(k)*1000, 0
		for n := calls / threads; n > 0 || depth > 0; {
			e := rng.IntN(5) + rng.IntN(5) + rng.IntN(5)
			at += 1<<e + rng.Int64N(1<<e)
			if depth == 0 || n > 0 && rng.IntN(2*hover) < 2*hover-depth {
				t.Begin(at, fns[popular.Uint64()])
				depth++
				n--
			} else {
				t.End(at)
				depth--
			}
		}
	}
	return b.Build(context.Background())
}

// flight is a scripted walk through a pair: into single calls and out again, with pans at each
// scale.
func flight(st State) []State {
	var steps []State
	rng := rand.New(rand.NewPCG(7, 7))
	whole := [2]geom.Span{}
	for k := range whole {
		whole[k] = geom.Span{End: float64(st.Sides[k].Trace.Duration)}
	}
	show := func(at, share float64) {
		next := st
		for k, w := range whole {
			s := geom.Span{Start: w.End * at, End: w.End * at}
			s.Start, s.End = s.Start-w.Len()*share/2, s.End+w.Len()*share/2
			next.Sides[k].Focus = s.Clamp(w)
		}
		steps = append(steps, next)
	}
	const depths = 24
	least := 200 / whole[A].Len()
	for range 3 {
		at := .1 + .8*rng.Float64()
		for i := range depths {
			share := math.Pow(least, float64(i)/(depths-1))
			for pan := range 4 {
				show(at+share*.13*float64(pan), share)
			}
		}
		for i := depths - 1; i >= 0; i -= 2 {
			show(at, math.Pow(least, float64(i)/(depths-1)))
		}
	}
	return steps
}

// scopes are the ways to look at the pair: one thread of each side; all of them, at the root edge
// and scrolled; and all with levels of a few px, so that many tracks are visible.
func scopes(a, b *trace.Trace) map[string]State {
	thread := State{Palette: palette.Light(), Scale: 1}
	process := thread
	for k, t := range []*trace.Trace{a, b} {
		all := make([]int, len(t.Threads))
		for i := range all {
			all[i] = i
		}
		thread.Sides[k] = Side{Trace: t, Tracks: all[:1]}
		process.Sides[k] = Side{Trace: t, Tracks: all, Headers: true}
	}
	thread.Sides[B].Tracks = []int{len(b.Threads) - 1}
	scrolled := process
	scrolled.Sides[A].Scroll, scrolled.Sides[B].Scroll = 5000, 9100
	dense := process
	dense.Rows = .25 // the least that the interface allows
	return map[string]State{
		"thread": thread, "process": process, "scrolled": scrolled, "dense": dense,
	}
}

var flightPair = sync.OnceValues(func() (pair [2]*trace.Trace, err error) {
	if *files != "" {
		for k, path := range strings.SplitN(*files, ",", 2) {
			if pair[k], err = traceio.Load(context.Background(), path, input.Options{}); err != nil {
				return pair, err
			}
		}
		return pair, nil
	}
	a, err := synthetic(*calls, *threads, 1)
	if err != nil {
		return [2]*trace.Trace{}, err
	}
	b, err := synthetic(*calls, *threads, 2)
	return [2]*trace.Trace{a, b}, err
})

// plainly builds what a view without level of detail would: it visits every call of the tracks
// shown, and draws those of at least a pixel and of the others one a pixel and row.
func plainly(st *State, size geom.Size, quads []scene.Quad) []scene.Quad {
	fills := [2]color.NRGBA{st.Palette.A, st.Palette.B}
	v := Build(st, size, nil)
	var taken []float32 // by level: the last pixel drawn to
	for k := range st.Sides {
		h, sd := &v.Sides[k], &st.Sides[k]
		for i, t := range sd.Tracks {
			th, track := sd.Trace.Threads[t], h.Drawing.TrackRect(i)
			if track.Y1 < h.Icicle.Y0 || track.Y0 > h.Icicle.Y1 {
				continue
			}
			taken = append(taken[:0], make([]float32, th.MaxDepth())...)
			for c := range th.Len() {
				x0, x1 := h.Axis.X(float64(th.Start(c))), h.Axis.X(float64(th.End(c)))
				d := th.Depth(c)
				if x1 < h.Icicle.X0 || x0 > h.Icicle.X1 || x1-x0 < 1 && x0 < taken[d] {
					continue
				}
				taken[d] = float32(math.Floor(float64(x0))) + 1
				y := track.Y0 + float32(d)*h.Row
				quads = append(quads, scene.Quad{Fill: fills[k],
					Rect: geom.Rect{X0: x0, Y0: y, X1: x1, Y1: y + h.Row}})
			}
		}
	}
	return quads
}

// BenchmarkFlight reports how long building the scene takes at each step of the flight, how many
// primitives the fullest has, and how many times longer a view that visits every call would take,
// over every 27th step; with -calls=14000000 of a large trace.
func BenchmarkFlight(b *testing.B) {
	pair, err := flightPair()
	if err != nil {
		b.Fatal(err)
	}
	size := geom.Size{W: 1600, H: 1000}
	for name, st := range scopes(pair[A], pair[B]) {
		steps := flight(st)
		b.Run(name, func(b *testing.B) {
			var a Arena
			var took []time.Duration
			most := 0
			for b.Loop() {
				for i := range steps {
					start := time.Now()
					v := Build(&steps[i], size, &a)
					took = append(took, time.Since(start))
					most = max(most, v.Scene.Count())
				}
			}
			slices.Sort(took)
			ms := func(share float64) float64 {
				return took[int(share*float64(len(took)-1))].Seconds() * 1e3
			}
			b.ReportMetric(ms(.5), "ms/median")
			b.ReportMetric(ms(.95), "ms/p95")
			b.ReportMetric(ms(1), "ms/max")
			b.ReportMetric(float64(most), "primitives/max")
			b.ReportMetric(float64(len(steps)), "steps")
			b.ReportMetric(ratio(steps, size, &a), "plain/ours")
		})
	}
}

// ratio compares the two ways over some of the steps.
func ratio(steps []State, size geom.Size, a *Arena) float64 {
	var ours, plain time.Duration
	var quads []scene.Quad
	for i := 0; i < len(steps); i += 27 {
		start := time.Now()
		Build(&steps[i], size, a)
		mid := time.Now()
		quads = plainly(&steps[i], size, quads[:0])
		ours, plain = ours+mid.Sub(start), plain+time.Since(mid)
	}
	return plain.Seconds() / ours.Seconds()
}
