package matches

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"diptych/internal/geom"
	"diptych/internal/match"
	"diptych/internal/pair"
	"diptych/internal/palette"
	"diptych/internal/scene/icicle"
	"diptych/internal/scene/links"
	"diptych/internal/synth"
	"diptych/internal/trace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
)

var simulatedPair = sync.OnceValues(func() (traces [2]*trace.Trace, err error) {
	if *files != "" {
		return flightPair()
	}
	dir, err := os.MkdirTemp("", "links")
	if err != nil {
		return traces, err
	}
	defer os.RemoveAll(dir)
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	o := synth.Options{Calls: *calls, Seed: 1, Edits: map[synth.Kind]float64{
		synth.Delete: .001, synth.Swap: .001, synth.Slow: .01}}
	if _, err := synth.Generate(context.Background(), o, a, b, nil); err != nil {
		return traces, err
	}
	for k, path := range []string{a, b} {
		quiet := input.Options{}
		if traces[k], err = traceio.Load(context.Background(), path, quiet); err != nil {
			return traces, err
		}
	}
	return traces, nil
})

// BenchmarkLinks is BenchmarkFlight with matches: over a simulated pair, by how many tubes are
// drawn at most and which. plain/ours compares choosing the links with enumerating all pairs of
// visible cells.
func BenchmarkLinks(b *testing.B) {
	traces, err := simulatedPair()
	if err != nil {
		b.Fatal(err)
	}
	g, err := match.Classify(context.Background(), pair.New(traces[A], traces[B], pair.Rules{}),
		match.Process(), nil)
	if err != nil {
		b.Fatal(err)
	}
	for _, budget := range []int{2000, 20000} {
		for _, all := range []bool{false, true} {
			st := State{Palette: palette.Light(), Scale: 1, Rows: .5}
			for k, t := range traces {
				st.Sides[k] = Side{Trace: t, Tracks: []int{0}}
				if len(t.Threads) > 1 {
					st.Sides[k].Tracks, st.Sides[k].Headers = []int{0, 1}, true
				}
			}
			st.Links = links.State{Graph: g, Tau: match.DefaultTau, Budget: budget, All: all,
				Lambda: .35, Band: .4, Strength: .85, Morph: 1}
			b.Run(fmt.Sprintf("budget=%d/all=%v", budget, all), func(b *testing.B) {
				fly(b, flight(st))
			})
		}
	}
}

// fly reports what building the scenes of a flight costs once its rows are there, and what it costs
// at first.
func fly(b *testing.B, steps []State) {
	size := geom.Size{W: 1600, H: 1000}
	var a Arena
	var took, full []time.Duration // full: of the steps that fill half the budget or more
	tubes, cells := 0, 0
	for b.Loop() {
		for i := range steps {
			start := time.Now()
			v := Build(&steps[i], size, &a)
			took = append(took, time.Since(start))
			if 2*v.Links.Drawn >= steps[i].Links.Budget {
				full = append(full, took[len(took)-1])
			}
			tubes = max(tubes, v.Links.Drawn)
			n := 0
			for k := range v.Sides {
				v.Sides[k].Drawing.Cells(func(icicle.Cell) bool { n++; return true })
			}
			cells = max(cells, n)
		}
	}
	ms := func(took []time.Duration, share float64) float64 {
		slices.Sort(took)
		if len(took) == 0 {
			return 0
		}
		return took[int(share*float64(len(took)-1))].Seconds() * 1e3
	}
	b.ReportMetric(ms(took, .5), "ms/median")
	b.ReportMetric(ms(took, .95), "ms/p95")
	b.ReportMetric(ms(full, .5), "ms/median-full")
	b.ReportMetric(float64(len(full))/float64(len(took)), "full/steps")
	b.ReportMetric(float64(tubes), "tubes/max")
	b.ReportMetric(float64(cells), "cells/max")
	b.ReportMetric(linkRatio(steps, size, &a), "plain/ours")
}

// linkRatio compares with plainLinks over some of the steps.
func linkRatio(steps []State, size geom.Size, a *Arena) float64 {
	var ours, plain time.Duration
	for i := 0; i < len(steps); i += 27 {
		start := time.Now()
		v := Build(&steps[i], size, a)
		mid := time.Now()
		plainLinks(&steps[i].Links, v)
		ours, plain = ours+mid.Sub(start), plain+time.Since(mid)
	}
	return plain.Seconds() / ours.Seconds()
}

// plainLinks goes through all pairs of visible cells and picks the most important.
func plainLinks(st *links.State, v *View) []float64 {
	g := st.Graph
	type cell struct {
		class uint32
		width float32
	}
	var cells [2][]cell
	for k := range cells {
		d := v.Sides[k].Drawing
		for c := range d.Cells {
			at := links.Offset(&g.Sides[k].Calls, d.Trace, c.Thread)
			cells[k] = append(cells[k], cell{g.Sides[k].Class(at + c.From), c.Rect.W()})
		}
	}
	slices.SortFunc(cells[B], func(x, y cell) int { return cmp.Compare(x.class, y.class) })
	var classes [2][]uint32
	for k := range cells {
		for _, c := range cells[k] {
			classes[k] = append(classes[k], c.class)
		}
	}
	grid := match.NewGrid(g)
	grid.Compare(classes[A], classes[B])
	var weights []float64
	for i, f := range cells[A] {
		row := grid.Row(i)
		for j, h := range cells[B] {
			if row.Exceeds(st.Tau, j) {
				weights = append(weights, row.Similarity(j)*float64(min(f.width, h.width)))
			}
		}
	}
	slices.SortFunc(weights, func(x, y float64) int { return cmp.Compare(y, x) })
	return weights[:min(len(weights), st.Budget)]
}
