package bundle

import (
	"math/rand/v2"

	"diptych/internal/geom"
)

// facing is what Route takes, for tests.
type facing struct {
	o      Options
	sides  [2][]Node
	groups []Group
	edges  []Edge
}

// someFacing makes two random hierarchies of n cells each and edges between them, in groups whose
// roots are among the first top cells.
func someFacing(rnd *rand.Rand, n, top, groups, edges int) facing {
	f := facing{o: Options{Top: 20, Bottom: 780, Mid: 400, Band: 100 + 300*rnd.Float32(),
		Strength: rnd.Float32(), Least: 1}}
	var within [2][][]int32 // by node: the nodes under it, itself included
	for i := range f.sides {
		f.sides[i] = someCells(rnd, n, i == 1)
		within[i] = make([][]int32, n)
		for k := range f.sides[i] {
			for a := int32(k); a >= 0; a = f.sides[i][a].Parent {
				within[i][a] = append(within[i][a], int32(k))
			}
		}
	}
	for range groups {
		f.groups = append(f.groups, Group{[2]int32{int32(rnd.IntN(top)), int32(rnd.IntN(top))}})
	}
	for range edges {
		e := Edge{Group: int32(rnd.IntN(groups))}
		for i, root := range f.groups[e.Group].Roots {
			e.Ends[i] = within[i][root][rnd.IntN(len(within[i][root]))]
		}
		f.edges = append(f.edges, e)
	}
	return f
}

// someCells makes a random hierarchy that grows from the edge towards the middle and beyond.
func someCells(rnd *rand.Rand, n int, below bool) []Node {
	nodes := []Node{{Rect: geom.Rect{X0: 10, Y0: 20, X1: 1010, Y1: 38}, Parent: -1}}
	for len(nodes) < n {
		p := rnd.IntN(len(nodes))
		r := nodes[p].Rect
		x, y := r.X0+r.W()*rnd.Float32(), r.X0+r.W()*rnd.Float32()
		nodes = append(nodes, Node{geom.Rect{X0: min(x, y), Y0: r.Y1, X1: max(x, y), Y1: r.Y1 + 18},
			int32(p), nodes[p].Minor || rnd.IntN(10) == 0})
	}
	if below {
		for i := range nodes {
			r := &nodes[i].Rect
			r.Y0, r.Y1 = 800-r.Y1, 800-r.Y0
		}
	}
	return nodes
}
