package structure

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/palette"
	"diptych/internal/structure"
	"diptych/internal/trace"
)

var (
	calls     = flag.Int("calls", 300_000, "calls a side in BenchmarkFlight")
	functions = flag.Int("functions", 50_000, "functions in BenchmarkFlight")
)

// synthetic builds a trace of one thread like that of a busy server, with stacks around 16 levels.
func synthetic(calls, functions int, seed uint64) (*trace.Trace, error) {
	rng := rand.New(rand.NewPCG(seed, 1))
	b := trace.NewBuilder("synthetic")
	fns := make([]trace.FuncID, functions)
	for i := range fns {
		name := fmt.Sprintf("part%d::pkg%d::T%d::Method%d", i%23, i%611, i%1999, i)
		fns[i] = b.Function(trace.Function{Name: name})
	}
	const hover = 16
	t := b.Thread("1", -1)
	at, depth := int64(0), 0
	for n := calls; n > 0 || depth > 0; {
		e := rng.IntN(5) + rng.IntN(5) + rng.IntN(5)
		at += 1<<e + rng.Int64N(1<<e)
		if depth == 0 || n > 0 && rng.IntN(2*hover) < 2*hover-depth {
			t.Begin(at, fns[n%len(fns)])
			depth++
			n--
		} else {
			t.End(at)
			depth--
		}
	}
	return b.Build(context.Background())
}

// stateOf is the state that shows a pair whole, one thread of each side.
func stateOf(traces [2]*trace.Trace) (State, error) {
	p := pair.New(traces[A], traces[B], pair.Rules{})
	tree, err := structure.New(context.Background(), p, structure.Options{}, nil)
	st := State{Tree: tree, Palette: palette.Light(), Scale: 1}
	for k, tr := range traces {
		if tr == nil {
			continue
		}
		busiest := 0
		for i, th := range tr.Threads {
			if th.Len() > tr.Threads[busiest].Len() {
				busiest = i
			}
		}
		from, to := tr.Threads[busiest].Span()
		st.Sides[k] = Side{Trace: tr, Tracks: []int{busiest},
			Focus: geom.Span{Start: float64(from), End: float64(max(to, from+1))}}
	}
	return st, err
}

var flightState = sync.OnceValues(func() (State, error) {
	var pair [2]*trace.Trace
	for k := range pair {
		var err error
		if pair[k], err = synthetic(*calls, *functions, uint64(k+1)); err != nil {
			return State{}, err
		}
	}
	return stateOf(pair)
})

// moves is a walk of the pointer over the pane, in steps of some pixels.
func moves(st State, size geom.Size) []State {
	var steps []State
	for i := range 120 {
		share := float32(i) / 120
		next := st
		next.Pointer = &geom.Point{X: size.W * (.1 + .8*share),
			Y: size.H * (.05 + .9*float32(i%40)/40)}
		steps = append(steps, next)
	}
	return steps
}

// flights are the states that a pointer moves in: by name.
func flights(st State) map[string]State {
	out := map[string]State{}
	add := func(name string, change func(*State)) {
		next := st
		change(&next)
		out[name] = next
	}
	self := Colour{Metric: BySelf, Of: Change}
	add("icicles", func(*State) {})
	add("icicles/metric", func(st *State) { st.Icicles, st.Treemap = self, Colour{Metric: ByCalls} })
	add("outside", func(st *State) { st.Linking, st.Icicles, st.Treemap = OutsideFocus, self, self })
	add("treemap", func(st *State) { st.Input, st.Height = Treemap, 2 })
	add("treemap/metric", func(st *State) { st.Input, st.Height, st.Treemap = Treemap, 9, self })
	return out
}

// BenchmarkFlight reports how long a frame takes while the pointer moves over a pair, and how many
// primitives the fullest has; with -calls=14000000 at the size of the acceptance test.
func BenchmarkFlight(b *testing.B) {
	st, err := flightState()
	if err != nil {
		b.Fatal(err)
	}
	size := geom.Size{W: 1600, H: 1000}
	for name, st := range flights(st) {
		steps := moves(st, size)
		b.Run(name, func(b *testing.B) {
			var a Arena
			var took []time.Duration
			most := 0
			Build(&st, size, &a)
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
		})
	}
}
