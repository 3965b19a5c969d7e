// Package bundle lays out edges between the cells of two facing hierarchies as bundles: TraceDiff's
// modification (IV-B) of Holten's hierarchical edge bundling, and the original for comparison.
//
// Side A hangs from the top edge, side B stands on the bottom edge, and every edge goes from a cell
// of A down to one of B, along control points that stand for the cells above its ends: up A's
// control tree to the root of its group, across the mid-line, down B's. Three things keep bundles
// from undulating: a control point lies within the range of what hangs under it (controltree.go),
// it lies the lower, the farther its bundle travels sideways (space, there), and no edge swings out
// beyond its own ends (settleKnots, path.go).
//
// The package knows nothing of traces, matches or colours: cells are rectangles with a parent,
// edges are pairs of cells. scene.Tubes draws the curves.
package bundle

import (
	"diptych/internal/geom"
	"diptych/internal/scene"
)

// Node is a cell of a hierarchy. Parents come before their children.
type Node struct {
	Rect   geom.Rect
	Parent int32 // −1 for a root
	Minor  bool  // too narrow or aggregated: never a key node
}

// Edge joins two cells.
type Edge struct {
	Ends  [2]int32 // node of side A, the upper one, and of side B
	Group int32
}

// Group is edges that are bundled together: those under one root match.
type Group struct {
	Roots [2]int32 // the root match's nodes, by side
}

// Options say how tightly and where edges are bundled.
type Options struct {
	Top, Bottom float32 // outer edges of the two hierarchies, px
	Mid         float32 // the mid-line, px
	Band        float32 // height of the band around the mid-line, px
	Strength    float32 // β of the straightening: 0 straight lines, 1 fully bundled
	Least       float32 // a key node is wider than this, px
	Original    bool    // Holten's bundling: no groups, key nodes or clamping
}

// Path says where the knots of an edge are.
type Path struct{ First, Count uint32 }

// Arena keeps what Route works with from one call to the next. The zero value is ready.
type Arena struct {
	sides [2]side
	trees [2]tree
	order []int32 // edges by group; those of no group come first
	first []int32 // by group and one more, with that of no group in front
	paths []Path
}

// Route appends the knots of each edge to knots, group by group, and returns them with one path per
// edge. The first knot is the centre of the edge's cell of A, the last that of its cell of B, and x
// and y run from one to the other without turning back. If both cells are on their own side of the
// mid-line, so are all of A's knots and all of B's. The original promises nothing but the ends.
//
// An edge whose group or whose group's root does not exist is straight; one whose cells do not
// exist has no knots. The paths are valid until the next call with the same arena.
func Route(o Options, sides [2][]Node, groups []Group, edges []Edge, knots []scene.Knot,
	a *Arena) ([]scene.Knot, []Path) {
	o.Strength = min(max(o.Strength, 0), 1)
	for i := range sides {
		a.sides[i].set(sides[i], o, i)
	}
	a.paths = resize(a.paths, len(edges))
	a.sort(edges, len(groups))
	for g, from := range a.first[:len(a.first)-1] {
		list := a.order[from:a.first[g+1]]
		if len(list) == 0 {
			continue
		}
		lay := straight
		switch {
		case o.Original:
			lay = original
		case g > 0 && a.sides[0].has(groups[g-1].Roots[0]) && a.sides[1].has(groups[g-1].Roots[1]):
			for i := range a.trees {
				a.trees[i].grow(&a.sides[i], groups[g-1].Roots[i], i, edges, list)
			}
			lay = bundled
		}
		for _, e := range list {
			first := len(knots)
			if ends := edges[e].Ends; a.sides[0].has(ends[0]) && a.sides[1].has(ends[1]) {
				knots = lay(a, o, ends, knots)
			}
			a.paths[e] = Path{uint32(first), uint32(len(knots) - first)}
		}
	}
	return knots, a.paths
}

// sort puts the edges in order of their groups.
func (a *Arena) sort(edges []Edge, groups int) {
	a.order, a.first = resize(a.order, len(edges)), resize(a.first, groups+2)
	clear(a.first)
	bucket := func(e Edge) int {
		if e.Group < 0 || int(e.Group) >= groups {
			return 0
		}
		return int(e.Group) + 1
	}
	for _, e := range edges {
		a.first[bucket(e)]++
	}
	n := int32(0)
	for g, count := range a.first {
		a.first[g] = n
		n += count
	}
	for i, e := range edges {
		g := bucket(e)
		a.order[a.first[g]] = int32(i)
		a.first[g]++
	}
	copy(a.first[1:], a.first) // each has moved on to where the next begins
	a.first[0] = 0
}

// resize returns s with length n, its elements unspecified.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
