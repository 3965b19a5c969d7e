package aggregate

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/pair"
	"diptych/internal/testtrace"
)

// TestAddIsTheSumOfRows holds Add against Row, on models and differences.
func TestAddIsTheSumOfRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := shape.Draw(t, "a"), shape.Draw(t, "b")
		slices := rapid.IntRange(8, 20).Draw(t, "slices")
		m := modelsOf(t, pair.New(a, b, pair.Rules{}),
			[2]Span{{To: max(a.Duration, 1)}, {To: max(b.Duration, 1)}}, Options{Slices: slices})
		from := rapid.IntRange(0, slices-1).Draw(t, "from")
		to := rapid.IntRange(from, slices-1).Draw(t, "to")
		for _, s := range []Source{m.Sides[0], m.Sides[1], m.Difference()} {
			states := len(s.States())
			row, want, got := make([]float64, slices*states), make([]float64, states),
				make([]float64, states)
			for leaf := range s.Tree().Leaves {
				s.Row(leaf, row)
				for i, v := range row[from*states : (to+1)*states] {
					want[i%states] += v
				}
				s.Add(leaf, from, to, got)
			}
			for k := range got {
				if !near(got[k], want[k]) {
					t.Fatalf("state %d: %g, want %g", k, got[k], want[k])
				}
			}
		}
	})
}

// TestEqualRunsAddUpToNothing holds that a run and itself differ by exactly 0.
func TestEqualRunsAddUpToNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := shape.Draw(t, "trace")
		span := Span{To: max(tr.Duration, 1)}
		d := modelsOf(t, pair.New(tr, tr, pair.Rules{}), [2]Span{span, span},
			Options{Slices: 9}).Difference()
		if d.tree.Leaves == 0 {
			return
		}
		shares := make([]float64, len(d.States()))
		if mode := (Aggregate{0, 0, 8}).Shares(d, shares); mode != None {
			t.Error(shares)
		}
	})
}

func TestShares(t *testing.T) {
	s := randomTable(rand.New(rand.NewPCG(1, 1)), 3, 4, 2)
	s.v = [][]float64{{1, 0, .5, 0, 0, 0, 0, 0}, {0, -1, 0, -1, 0, 0, 0, 0}, make([]float64, 8)}
	shares := make([]float64, 2)
	for _, c := range []struct {
		leafFrom, leafTo, from, to, mode int
		want                             []float64
	}{{0, 1, 0, 1, 0, []float64{.75, 0}}, {0, 2, 0, 1, 1, []float64{.375, -.5}},
		{2, 3, 0, 3, None, []float64{0, 0}}, {0, 3, 2, 3, None, []float64{0, 0}}} {
		mode := Shares(s, c.leafFrom, c.leafTo, c.from, c.to, shares)
		if mode != c.mode || !slices.Equal(shares, c.want) {
			t.Errorf("%+v: %d %v", c, mode, shares)
		}
	}
}

// TestWithin holds that the quality below a node is that of a source of its own, and that a source
// within a source is one within the whole.
func TestWithin(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 3))
	for round := range testtrace.Sized(60, 400) {
		s := randomTable(r, 1+r.IntN(12), 1+r.IntN(9), 1+r.IntN(3))
		for _, op := range []Operator{Sum, Mean} {
			node := r.IntN(len(s.nodes()))
			part := Within(s, node)
			got, want := measured(t, s, op).Within(node), measured(t, part, op)
			below := r.IntN(len(part.Tree().Nodes))
			equalQuality(t, round, got, want)
			equalQuality(t, round, got.Within(below), measured(t, Within(part, below), op))
		}
	}
}

func equalQuality(t *testing.T, round int, got, want *Quality) {
	t.Helper()
	if len(got.tree.Nodes) != len(want.tree.Nodes) || got.tree.Leaves != want.tree.Leaves {
		t.Fatalf("round %d: %+v, want %+v", round, got.tree, want.tree)
	}
	for h, n := range got.tree.Nodes {
		if w := want.tree.Nodes[h]; n.Parent != w.Parent || n.Leaf != w.Leaf || n.From != w.From ||
			n.To != w.To || !slices.Equal(n.Path, w.Path) {
			t.Fatalf("round %d: node %+v, want %+v", round, n, w)
		}
		for i := range got.slices {
			for j := i; j < got.slices; j++ {
				g, l := got.Of(h, i, j)
				wg, wl := want.Of(h, i, j)
				if math.Abs(g-wg) > 1e-7 || math.Abs(l-wl) > 1e-7 {
					t.Fatalf("round %d: node %d, %d to %d: %g %g, want %g %g", round, h, i, j, g,
						l, wg, wl)
				}
			}
		}
	}
}

// TestSubIsMadeOfItsPlaces holds a part of a tree against the tree of the same leaves.
func TestSubIsMadeOfItsPlaces(t *testing.T) {
	tree, _ := Threads(pool(t, 40))
	sub := tree.Sub(1)
	var got []string
	for i, n := range sub.Nodes {
		if (n.Parent == None) != (i == 0) || n.Leaf != None && n.From != n.Leaf {
			t.Errorf("%+v", n)
		}
		got = append(got, slices.Concat([]string{"/"}, n.Path)...)
	}
	want := []string{"/", "/", "main", "/", "worker", "/", "worker", "worker 1", "/", "worker",
		"worker 2"}
	if !slices.Equal(got, want) || sub.Leaves != 3 || tree.Nodes[2].Path[0] != "1" {
		t.Errorf("%q", got)
	}
}

// TestCutsAreTheBestOfAll tries all ways to cut some slices of a node.
func TestCutsAreTheBestOfAll(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for round := range testtrace.Sized(200, 2000) {
		s := randomTable(r, 1+r.IntN(4), 1+r.IntN(9), 1+r.IntN(3))
		q := measured(t, s, Operator(r.IntN(2)))
		node, from := r.IntN(len(s.nodes())), r.IntN(s.slices)
		to := from + r.IntN(s.slices-from)
		p := []float64{0, 1, r.Float64(), r.Float64()}[r.IntN(4)]
		var want pick
		for set := range 1 << (to - from) { // bit i: whether slice from+i is the last of a part
			var sum pick
			for i, j := from, from; j <= to; j++ {
				if j == to || set>>(j-from)&1 == 1 {
					g, l := q.Of(node, i, j)
					sum = pick{sum.value + p*g - (1-p)*l, sum.gain + g, sum.count + 1}
					i = j + 1
				}
			}
			if set == 0 || sum.beats(want) {
				want = sum
			}
		}
		got, next := &Partition{P: p, Aggregates: q.Cuts(node, from, to, p)}, from
		for _, a := range got.Aggregates {
			if a.Node != node || a.From != next || a.To < a.From || a.To > to {
				t.Fatal(got.Aggregates)
			}
			g, l := q.Of(node, a.From, a.To)
			got.Gain, got.Loss, next = got.Gain+g, got.Loss+l, a.To+1
		}
		if next != to+1 {
			t.Fatal(got.Aggregates)
		}
		equalPick(t, round, got, want)
	}
}
