package bundle_test

import (
	"cmp"
	"context"
	"slices"
	"testing"

	"diptych/internal/geom"
	"diptych/internal/match"
	"diptych/internal/pair"
	"diptych/internal/scene/bundle"
	"diptych/internal/trace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
)

// facing is a comparison as Route takes it.
type facing struct {
	options bundle.Options
	sides   [2][]bundle.Node
	groups  []bundle.Group
	edges   []bundle.Edge
}

// A view of 1500 × 800 px with rows of 18 px, at most levels of them a side.
const (
	width, height = 1500, 800
	row           = 18
	levels        = 16
)

func defaults() bundle.Options {
	return bundle.Options{Bottom: height, Mid: height / 2, Band: .4 * height, Strength: .85, Least: 1}
}

// compare loads a pair of traces and lays the most important matches at τ out as a facing.
func compare(t testing.TB, pathA, pathB string, tau match.Tau, budget int) facing {
	ctx := context.Background()
	var traces [2]*trace.Trace
	for i, path := range []string{pathA, pathB} {
		tr, err := traceio.Load(ctx, path, input.Options{})
		if err != nil {
			t.Fatal(err)
		}
		traces[i] = tr
	}
	g, err := match.Classify(ctx, pair.New(traces[0], traces[1], pair.Rules{}), match.Process(), nil)
	if err != nil {
		t.Fatal(err)
	}
	roots, err := g.Groups(ctx, tau, match.Budget{})
	if err != nil {
		t.Fatal(err)
	}
	f := facing{options: defaults()}
	var calls [2][]int // by node
	for i, c := range g.Sides {
		f.sides[i], calls[i] = cells(c, float64(traces[i].Duration), i == 1)
	}
	f.join(g, roots.List, calls, budget)
	return f
}

// cells lays out one side, as many threads as there are rows for.
func cells(c *match.Classes, duration float64, below bool) ([]bundle.Node, []int) {
	l := layout{calls: c, perNs: width / duration, below: below}
	base := 0
	for k, th := range c.Threads {
		if deepest := th.MaxDepth(); base == 0 || base+deepest <= levels {
			l.thread(k, base)
			base += deepest + 1
		}
	}
	return l.nodes, l.of
}

type layout struct {
	calls *match.Classes
	perNs float64
	below bool
	nodes []bundle.Node
	of    []int // call by node
}

// thread adds a cell for each call at least a pixel wide and a minor one, as high as all that is in
// it, for each run of narrower siblings within a pixel.
func (l *layout) thread(k, base int) {
	th, node := l.calls.Threads[k], map[int]int32{-1: -1}
	for i := 0; i < th.Len(); {
		next, parent := i+1, node[int(th.Parent(i))]
		r := geom.Rect{
			X0: float32(float64(th.Start(i)) * l.perNs), X1: float32(float64(th.End(i)) * l.perNs),
			Y0: float32((base + int(th.Depth(i))) * row),
		}
		r.Y1 = r.Y0 + row
		minor := r.W() < 1
		if minor {
			next = th.Next(i)
			r.Y1 += float32((th.DeepestIn(i, next) - int(th.Depth(i))) * row)
		}
		if l.below {
			r.Y0, r.Y1 = height-r.Y1, height-r.Y0
		}
		if run := l.run(); minor && run != nil && run.Parent == parent && r.X1-run.Rect.X0 < 1 {
			b := &run.Rect
			b.X1, b.Y0, b.Y1 = r.X1, min(b.Y0, r.Y0), max(b.Y1, r.Y1)
		} else {
			node[i] = int32(len(l.nodes))
			l.nodes = append(l.nodes, bundle.Node{Rect: r, Parent: parent, Minor: minor})
			l.of = append(l.of, l.calls.First[k]+i)
		}
		i = next
	}
}

// run returns the last cell, if it is a run of narrow ones.
func (l *layout) run() *bundle.Node {
	if n := len(l.nodes); n > 0 && l.nodes[n-1].Minor {
		return &l.nodes[n-1]
	}
	return nil
}

// join makes edges of the most important matches: those most alike whose narrower cell is widest.
func (f *facing) join(g *match.Graph, roots []match.Group, calls [2][]int, budget int) {
	type edge struct {
		bundle.Edge
		weight float64
	}
	var all []edge
	seen := map[[2]int32]bool{}
	alike := map[[2]uint32]float64{}
	for _, r := range roots {
		var from, to [2]int
		for i, call := range []int{r.A, r.B} {
			from[i], _ = slices.BinarySearch(calls[i], call)
			to[i], _ = slices.BinarySearch(calls[i], g.Sides[i].Next(call))
		}
		if from[0] == to[0] || from[1] == to[1] ||
			calls[0][from[0]] != r.A || calls[1][from[1]] != r.B {
			continue // the root has no cell of its own
		}
		group := int32(len(f.groups))
		f.groups = append(f.groups, bundle.Group{Roots: [2]int32{int32(from[0]), int32(from[1])}})
		for a := from[0]; a < to[0]; a++ {
			for b := from[1]; b < to[1]; b++ {
				key := [2]uint32{g.Sides[0].Class(calls[0][a]), g.Sides[1].Class(calls[1][b])}
				s, ok := alike[key]
				if !ok {
					s = g.Similarity(calls[0][a], calls[1][b])
					alike[key] = s
				}
				ends := [2]int32{int32(a), int32(b)}
				if s <= .2 || seen[ends] {
					continue
				}
				seen[ends] = true
				w := min(f.sides[0][a].Rect.W(), f.sides[1][b].Rect.W())
				all = append(all, edge{bundle.Edge{Ends: ends, Group: group}, s * float64(w)})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b edge) int { return cmp.Compare(b.weight, a.weight) })
	for _, e := range all[:min(budget, len(all))] {
		f.edges = append(f.edges, e.Edge)
	}
}
