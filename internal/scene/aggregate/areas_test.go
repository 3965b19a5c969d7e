package aggregate

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/aggregate"
	"diptych/internal/testtrace"
)

// eachPlot draws a state and checks the plots that it shows.
func eachPlot(t *testing.T, check func(t *rapid.T, st *State, v *View, k int)) {
	eachPlotUntil(t, func() bool { return true }, check)
}

// eachPlotUntil does so until there was a plot, and what the test is about.
func eachPlotUntil(t *testing.T, seen func() bool, check func(t *rapid.T, st *State, v *View, k int)) {
	plots := 0
	testtrace.CheckUntil(t, func() bool { return plots > 0 && seen() }, func(t *rapid.T) {
		st, size := drawState(t)
		v := Build(&st, size, nil)
		for k := range v.Plots {
			if v.Plots[k].grid.rows != nil {
				plots++
				check(t, &st, v, k)
			}
		}
	})
}

// TestAreasHaveEachCellOnce: data is neither lost nor invented, and what is drawn lies beside one
// another.
func TestAreasHaveEachCellOnce(t *testing.T) {
	eachPlot(t, func(t *rapid.T, st *State, v *View, k int) {
		s := st.Plots[k].Picture.Source
		n := make([]int, s.Tree().Leaves*s.Slices())
		for _, a := range v.Plots[k].grid.areas {
			for leaf := a.Leaves[0]; leaf < a.Leaves[1]; leaf++ {
				for i := a.From; i <= a.To; i++ {
					n[leaf*s.Slices()+i]++
				}
			}
		}
		for i, n := range n {
			if n != 1 {
				t.Fatalf("leaf %d, slice %d is in %d areas", i/s.Slices(), i%s.Slices(), n)
			}
		}
	})
}

// plainBand returns the leaves that a leaf shares a row with, from the definition: those of the
// outermost node around it that is too low or folded; of low siblings that are neighbours, all.
// It reports false if the leaf has its own row.
func plainBand(t *aggregate.Tree, r *rows, least float32, leaf int) (band [2]int, ok bool) {
	var way []int // from the root to the leaf
	for i, n := range t.Nodes {
		if int(n.From) <= leaf && leaf < int(n.To) {
			way = append(way, i)
		}
	}
	low := func(i int) bool { return r.top[t.Nodes[i].To]-r.top[t.Nodes[i].From] < least }
	for d, i := range way {
		if d > 0 && low(i) {
			run := children(t, way[d-1])
			at := slices.Index(run, i)
			from, to := at, at+1
			for from > 0 && low(run[from-1]) {
				from--
			}
			for to < len(run) && low(run[to]) {
				to++
			}
			return [2]int{leaves(t, run[from])[0], leaves(t, run[to-1])[1]},
				to-from > 1 || t.Nodes[i].Leaf == aggregate.None
		}
		if r.fold[i] {
			return leaves(t, i), true
		}
	}
	return band, false
}

// TestDataAreasAreThePartition: a data aggregate is drawn as it is unless it is some but not all
// leaves of a row, and then a visual one stands for it.
func TestDataAreasAreThePartition(t *testing.T) {
	eachPlot(t, func(t *rapid.T, st *State, v *View, k int) {
		p, g := st.Plots[k].Picture, v.Plots[k].grid
		tree := p.Source.Tree()
		want := map[aggregate.Aggregate]bool{}
		for _, a := range p.Partition.Aggregates {
			at := leaves(tree, a.Node)
			band, ok := plainBand(tree, g.rows, g.key.least*g.key.dp, at[0])
			if inside := at[0] >= band[0] && at[1] <= band[1] && at != band; !ok || !inside {
				want[a] = true
			}
		}
		for _, a := range g.areas {
			if a.Mark != Data {
				band, ok := plainBand(tree, g.rows, g.key.least*g.key.dp, a.Leaves[0])
				if !ok || band != a.Leaves {
					t.Fatalf("a visual aggregate of leaves %v, not %v", a.Leaves, band)
				}
				continue
			}
			of := aggregate.Aggregate{Node: a.Node, From: a.From, To: a.To}
			if !want[of] || a.Parts != 1 || a.Leaves != leaves(tree, a.Node) {
				t.Fatalf("%+v is no data aggregate to be drawn", a)
			}
			delete(want, of)
		}
		if len(want) > 0 {
			t.Fatalf("not drawn: %v", want)
		}
	})
}

// plainVisual returns what a visual aggregate stands for, asking each data aggregate and comparing
// the leaves two by two.
func plainVisual(p *Picture, a *Area) (parts int, same bool) {
	t := p.Source.Tree()
	cuts := make([][]int, a.Leaves[1]-a.Leaves[0]) // by leaf: the borders within the area
	for _, x := range p.Partition.Aggregates {
		at := leaves(t, x.Node)
		if at[1] <= a.Leaves[0] || at[0] >= a.Leaves[1] || x.To < a.From || x.From > a.To {
			continue
		}
		parts++
		for leaf := at[0]; leaf < at[1]; leaf++ {
			list := &cuts[leaf-a.Leaves[0]]
			*list = append(*list, max(x.From, a.From), min(x.To, a.To))
		}
	}
	same = true
	for i := range cuts {
		slices.Sort(cuts[i]) // aggregates of several leaves come before those of the second one
		for j := range i {
			same = same && slices.Equal(cuts[i], cuts[j])
		}
	}
	return parts, same
}

// TestVisualAggregatesSayWhatTheyStandFor holds parts, mark and colour of visual aggregates against
// their definitions.
func TestVisualAggregatesSayWhatTheyStandFor(t *testing.T) {
	seen := map[Mark]int{}
	all := func() bool { return min(seen[Data], seen[Same], seen[Mixed]) > 0 }
	eachPlotUntil(t, all, func(t *rapid.T, st *State, v *View, k int) {
		p := st.Plots[k].Picture
		for _, a := range v.Plots[k].grid.areas {
			if seen[a.Mark]++; a.Mark != Data {
				parts, same := plainVisual(p, &a)
				if a.Parts != parts || same != (a.Mark == Same) {
					t.Fatalf("%+v: %d parts, the same cuts: %v", a, parts, same)
				}
			}
			checkColour(t, p.Source, &a)
		}
	})
	t.Logf("marks seen: %v", seen)
}

// checkColour holds mode and share of an area against a sum over its cells.
func checkColour(t testtrace.TB, s aggregate.Source, a *Area) {
	t.Helper()
	shares := make([]float64, len(s.States()))
	row := make([]float64, s.Slices()*len(shares))
	for leaf := a.Leaves[0]; leaf < a.Leaves[1]; leaf++ {
		s.Row(leaf, row)
		for i, v := range row[a.From*len(shares) : (a.To+1)*len(shares)] {
			shares[i%len(shares)] += v / float64((a.Leaves[1]-a.Leaves[0])*(a.To-a.From+1))
		}
	}
	const rounding = 1e-6 // shares of data aggregates have 24 bits
	most := 0.0
	for _, v := range shares {
		most = max(most, math.Abs(v))
	}
	own := 0.0
	if a.Mode != aggregate.None {
		own = shares[a.Mode]
	}
	if math.Abs(own-a.Share) > rounding || math.Abs(own) < most-rounding {
		t.Fatal("mode", a.Mode, "and share", a.Share, "of shares", shares)
	}
}

// TestSumsAreThoseOfTheLeaves holds the shares of any run of siblings against aggregate.Shares,
// and that a run and itself differ by exactly nothing.
func TestSumsAreThoseOfTheLeaves(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	for range testtrace.Sized(60, 600) {
		s := randomTable(r, 1+r.IntN(150), 8+r.IntN(8), 1+r.IntN(4), true)
		x := newSums(s)
		got, want := make([]float64, len(s.states)), make([]float64, len(s.states))
		for node := range s.tree.Nodes {
			b := band{node, leaves(s.tree, node)}
			if run := children(s.tree, node); len(run) > 0 {
				first := r.IntN(len(run))
				last := first + r.IntN(len(run)-first)
				b.leaves = [2]int{leaves(s.tree, run[first])[0], leaves(s.tree, run[last])[1]}
			}
			from := r.IntN(s.slices)
			to := from + r.IntN(s.slices-from)
			aggregate.Shares(s, b.leaves[0], b.leaves[1], from, to, want)
			mode := x.shares(b, from, to, got)
			most := 0.0
			for k := range want {
				if most = max(most, math.Abs(want[k])); math.Abs(got[k]-want[k]) > 1e-12 {
					t.Fatalf("%+v, %d to %d: %v, want %v", b, from, to, got, want)
				}
			}
			if (mode == aggregate.None) != (most < negligible) ||
				mode != aggregate.None && math.Abs(got[mode]) < most-1e-12 {
				t.Fatalf("mode %d of %v", mode, want)
			}
		}
	}
}

// TestCutsOfVisualAggregates: the visual aggregates of a row are the best cuts of its node, over each
// stretch of time in which its leaves are hidden; whether Prepare has found them or not.
func TestCutsOfVisualAggregates(t *testing.T) {
	kept := 0
	eachPlotUntil(t, func() bool { return kept > 0 }, func(t *rapid.T, st *State, v *View, k int) {
		p := st.Plots[k].Picture
		var run []Area // neighbours in time
		check := func() {
			if len(run) == 0 {
				return
			}
			first, last := run[0], run[len(run)-1]
			want := p.Quality.Cuts(first.Node, first.From, last.To, p.Partition.P)
			got := make([]aggregate.Aggregate, len(run))
			for i, a := range run {
				got[i] = aggregate.Aggregate{Node: a.Node, From: a.From, To: a.To}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%v, not %v", got, want)
			}
			if p.cuts[first.Node] != nil && first.From == 0 && last.To == p.Source.Slices()-1 {
				kept++
			}
			run = nil
		}
		for _, a := range v.Plots[k].grid.areas {
			if n := len(run); n > 0 && (a.Mark == Data || run[n-1].Leaves != a.Leaves ||
				run[n-1].To+1 != a.From) {
				check()
			}
			if a.Mark != Data {
				run = append(run, a)
			}
		}
		check()
	})
}

// TestPreparingEnds: a job that is cancelled makes no picture.
func TestPreparingEnds(t *testing.T) {
	s := randomTable(rand.New(rand.NewPCG(1, 1)), 40, 8, 2, false)
	pic := pictureOf(t, s, .5)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Prepare(ctx, s, pic.Quality, pic.Partition); err == nil {
		t.Error("Prepare does not end")
	}
}

// TestAreasOfBlankSlicesHaveNoColour: values that cancel out to nothing but for rounding are no
// state.
func TestAreasOfBlankSlicesHaveNoColour(t *testing.T) {
	rows := make([][]float64, 32)
	places := make([][]string, 32)
	for i := range rows {
		rows[i] = make([]float64, 8)
		rows[i][2], rows[i][3], rows[i][4] = .1, .2, -.3
		places[i] = []string{string(rune('A' + i))}
	}
	s := tableOf([]string{"f"}, 8, placesOf(places...), rows...)
	b := band{0, [2]int{0, 32}}
	shares := make([]float64, 1)
	if mode := newSums(s).shares(b, 2, 4, shares); mode != aggregate.None {
		t.Errorf("mode %d has a share of %g", mode, shares[0])
	}
	if mode := newSums(s).shares(b, 2, 3, shares); mode != 0 || math.Abs(shares[0]-.15) > 1e-12 {
		t.Errorf("mode %d has a share of %g", mode, shares[0])
	}
}
