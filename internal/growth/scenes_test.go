//go:build unix

package growth

import (
	"flag"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"diptych/internal/aggregate"
	"diptych/internal/align"
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/palette"
	"diptych/internal/peers"
	sceneaggregate "diptych/internal/scene/aggregate"
	"diptych/internal/scene/aligned"
	"diptych/internal/scene/matches"
	"diptych/internal/scene/overview"
	scenestructure "diptych/internal/scene/structure"
	"diptych/internal/scene/threads"
	"diptych/internal/structure"
	"diptych/internal/trace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
	"diptych/internal/wait"
)

var scenesOf = flag.String("pair", "", "two traces whose scenes are measured, as A,B, instead of generated ones")

// steps is how many scenes are built of each view, on the way from the whole into single calls.
const steps = 60

var pane = geom.Size{W: 1600, H: 1000}

// flight builds a scene that shows a stretch of time.
type flight func(focus [2]geom.Span)

// BenchmarkScenes reports the median processor time of a scene of each view, and the longest, on a
// flight from the whole of a pair into single calls: ms. Results that a view shows are found
// before, but for links of calls and bars, which package match finds. With -pair, of two traces:
//
//	go test ./internal/growth -run '^$' -bench Scenes -benchtime 1x -pair A,B
func BenchmarkScenes(b *testing.B) {
	p := scenePair(b)
	for _, view := range []struct {
		name string
		of   func(*testing.B, *pair.Pair) flight
	}{
		{"matches", ofMatches}, {"overview", ofOverview}, {"structure", ofStructure},
		{"threads", ofThreads}, {"aligned", ofAligned}, {"aggregate", ofAggregate},
	} {
		b.Run(view.name, func(b *testing.B) {
			build := view.of(b, p)
			runtime.GC()
			whole := [2]geom.Span{spanOf(p.A), spanOf(p.B)}
			build(whole)
			var took []float64
			for b.Loop() {
				for k := range steps {
					focus := whole
					for s := range focus {
						at := focus[s].Len() * float64(k*37%steps) / steps
						focus[s] = focus[s].ZoomAt(at, 1/float64(int(1)<<(k/4)))
					}
					took = append(took, float64(peers.Measure(func() { build(focus) }).CPU)/1e6)
				}
			}
			slices.Sort(took)
			b.ReportMetric(took[len(took)/2], "ms-median")
			b.ReportMetric(took[len(took)-1], "ms-max")
			b.ReportMetric(0, "ns/op")
		})
	}
}

func spanOf(t *trace.Trace) geom.Span { return geom.Span{End: float64(max(t.Duration, 1))} }

// scenePair is the pair that was given, or a generated one.
func scenePair(b *testing.B) *pair.Pair {
	if *scenesOf == "" {
		return simulated(b, *least, 8).pair
	}
	var sides [2]*trace.Trace
	for k, path := range strings.SplitN(*scenesOf, ",", 2) {
		// The names are relative to where the test is run, which is the folder of the package.
		var err error
		if sides[k], err = traceio.Load(ctx, filepath.Clean(path), input.Options{}); err != nil {
			b.Fatal(err)
		}
	}
	return pair.New(sides[0], sides[1], pair.Rules{})
}

func allTracks(t *trace.Trace) (list []int) {
	for i := range t.Threads {
		list = append(list, i)
	}
	return list
}

func ofMatches(_ *testing.B, p *pair.Pair) flight {
	st := matches.State{Palette: palette.Light(), Scale: 1}
	for k, t := range []*trace.Trace{p.A, p.B} {
		st.Sides[k].Trace, st.Sides[k].Headers, st.Sides[k].Tracks = t, true, allTracks(t)
	}
	var a matches.Arena
	return func(focus [2]geom.Span) {
		st.Sides[0].Focus, st.Sides[1].Focus = focus[0], focus[1]
		matches.Build(&st, pane, &a)
	}
}

func ofOverview(_ *testing.B, p *pair.Pair) flight {
	st := overview.State{Palette: palette.Light(), Scale: 1}
	for k, t := range []*trace.Trace{p.A, p.B} {
		st.Sides[k].Trace, st.Sides[k].Tracks = t, allTracks(t)
	}
	var a overview.Arena
	return func(focus [2]geom.Span) {
		st.Sides[0].Focus, st.Sides[1].Focus = focus[0], focus[1]
		overview.Build(&st, geom.Size{W: pane.W, H: 160}, &a)
	}
}

func ofStructure(b *testing.B, p *pair.Pair) flight {
	tree, err := structure.New(ctx, p, structure.Options{}, nil)
	if err != nil {
		b.Fatal(err)
	}
	st := scenestructure.State{Tree: tree, Palette: palette.Light(), Scale: 1}
	for k, t := range []*trace.Trace{p.A, p.B} {
		st.Sides[k].Trace, st.Sides[k].Headers, st.Sides[k].Tracks = t, true, allTracks(t)
	}
	var a scenestructure.Arena
	n := 0
	return func(focus [2]geom.Span) {
		n++ // the pointer moves too
		st.Pointer = &geom.Point{X: pane.W * float32(n%40) / 40, Y: pane.H * float32(n%17) / 17}
		st.Sides[0].Focus, st.Sides[1].Focus = focus[0], focus[1]
		scenestructure.Build(&st, pane, &a)
	}
}

func ofThreads(b *testing.B, p *pair.Pair) flight {
	waits, err := wait.FindBoth(ctx, p.A, p.B, nil)
	if err != nil {
		b.Fatal(err)
	}
	prepared, err := threads.Prepare(ctx, p, waits)
	if err != nil {
		b.Fatal(err)
	}
	r := threads.Arrange(prepared, threads.Options{})
	st := threads.State{Prepared: prepared, Palette: palette.Light(), Scale: 1, Focus: r.Focus[0],
		Sections: r.Sections[0], Folded: r.Folded[0], Places: r.Places[0]}
	var a threads.Arena
	return func(focus [2]geom.Span) {
		st.View, st.Across = focus[0], focus[1]
		threads.Build(&st, pane, &a)
	}
}

// ofAligned is the view of the longest threads that are paired.
func ofAligned(b *testing.B, p *pair.Pair) flight {
	most := slices.MaxFunc(p.Threads, func(x, y pair.ThreadPair) int { return both(p, x) - both(p, y) })
	r, err := align.Align(ctx, p, most.A, most.B, align.Options{}, nil)
	if err != nil {
		b.Fatal(err)
	}
	v, err := r.Virtual(ctx)
	if err != nil {
		b.Fatal(err)
	}
	line, err := v.Timeline(ctx, aligned.Samples)
	if err != nil {
		b.Fatal(err)
	}
	moves, err := v.Moved(ctx)
	if err != nil {
		b.Fatal(err)
	}
	prepared, err := aligned.Prepare(ctx, v, line, moves)
	if err != nil {
		b.Fatal(err)
	}
	st := aligned.State{Prepared: prepared, Palette: palette.Light(), Scale: 1}
	var a aligned.Arena
	whole := spanOf(p.A)
	return func(focus [2]geom.Span) {
		scale := float64(v.Length) / whole.Len()
		st.Focus = geom.Span{Start: focus[0].Start * scale, End: focus[0].End * scale}
		aligned.Build(&st, pane, &a)
	}
}

// both is how many calls a pair of threads has, or −1 if it is none.
func both(p *pair.Pair, t pair.ThreadPair) int {
	if t.A < 0 || t.B < 0 {
		return -1
	}
	return p.A.Threads[t.A].Len() + p.B.Threads[t.B].Len()
}

// ofAggregate is side A's overview by aggregation, in which only the pointer moves: it shows another
// stretch of time once a job has found its partition.
func ofAggregate(b *testing.B, p *pair.Pair) flight {
	m, err := aggregate.New(ctx, p, [2]aggregate.Span{{To: p.A.Duration}, {To: p.B.Duration}},
		aggregate.Options{Slices: 50}, nil)
	if err != nil {
		b.Fatal(err)
	}
	source := m.Sides[pair.A]
	quality, err := aggregate.Measure(ctx, source, aggregate.Sum)
	if err != nil {
		b.Fatal(err)
	}
	best, err := quality.Best(ctx, .3)
	if err != nil {
		b.Fatal(err)
	}
	picture, err := sceneaggregate.Prepare(ctx, source, quality, best)
	if err != nil {
		b.Fatal(err)
	}
	plot := sceneaggregate.Plot{Of: sceneaggregate.A, Picture: picture, Unit: "ns", Span: spanOf(p.A)}
	for i := range source.Slices() + 1 {
		plot.Borders = append(plot.Borders, plot.Span.End*float64(i)/float64(source.Slices()))
	}
	st := sceneaggregate.State{Palette: palette.Light(), Scale: 1, Leaf: "threads",
		Plots: []sceneaggregate.Plot{plot}}
	var a sceneaggregate.Arena
	n := 0
	return func([2]geom.Span) {
		n++
		at := n * 37 % source.Tree().Leaves
		st.Hover = sceneaggregate.Place{Leaves: [2]int{at, at + 1}, To: n % source.Slices(), OK: true}
		sceneaggregate.Build(&st, pane, &a)
	}
}
