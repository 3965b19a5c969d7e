package bundle

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestTree holds of the control trees what the layout rests on: no control point lies outside the
// range of what hangs under it, and each lies deeper than its parent.
func TestTree(t *testing.T) {
	var a Arena
	rapid.Check(t, func(t *rapid.T) {
		f := drawFacing(t)
		for i := range f.edges {
			f.edges[i].Group = 0 // of the last group routed the trees remain
		}
		f.groups = f.groups[:1]
		for i := range f.groups[0].Roots {
			f.groups[0].Roots[i] = 0
		}
		f.route(&a)
		for s := range a.trees {
			checkTree(t, &a.trees[s])
		}
	})
}

func checkTree(t fataler, tree *tree) {
	t.Helper()
	n := len(tree.controls)
	lo, hi := make([]float32, n), make([]float32, n)
	for i := range n {
		lo[i], hi[i] = float32(math.Inf(1)), float32(math.Inf(-1))
	}
	hang := func(slot int32, x float32) { lo[slot], hi[slot] = min(lo[slot], x), max(hi[slot], x) }
	for _, end := range tree.loose {
		hang(tree.marks[end].slot, tree.side.cells[end].x)
	}
	for i, c := range tree.controls[1:] {
		up := tree.controls[c.up]
		if hang(c.up, c.x); int(c.up) > i || c.level >= up.level {
			t.Fatalf("control point %d: %v under %v", i+1, c, up)
		}
		own := c.kept == int32(i+1)
		if !own && (c.kept != up.kept || c.depth != up.depth) || own && c.depth != up.depth+1 {
			t.Fatalf("control point %d goes by %d, %d deep, under %v", i+1, c.kept, c.depth, up)
		}
	}
	for i, c := range tree.controls {
		if lo[i] <= hi[i] && (c.x < lo[i] || c.x > hi[i]) {
			t.Fatalf("control point %d is at %v, what hangs there from %v to %v", i, c.x, lo[i], hi[i])
		}
		if c.level < 0 || c.level > 1 {
			t.Fatalf("control point %d has level %v", i, c.level)
		}
	}
}

// TestNearest holds the search against looking at every control point.
func TestNearest(t *testing.T) {
	var a Arena
	rapid.Check(t, func(t *rapid.T) {
		f := drawFacing(t)
		f.route(&a)
		tree := &a.trees[0]
		if len(tree.marks) == 0 || len(tree.controls) == 0 {
			return
		}
		tree.index.build(tree)
		from := int32(rapid.IntRange(0, len(tree.controls)-1).Draw(t, "from"))
		x := rapid.Float32Range(-10, 1100).Draw(t, "x")
		y := rapid.Float32Range(-10, 400).Draw(t, "y")
		square := func(c int32) float32 {
			p := &tree.controls[c]
			dx, dy := p.x-x, mirrored(p.level, tree.side.band)-y
			return dx*dx + dy*dy
		}
		best := float32(math.Inf(1))
		for c := range tree.controls {
			for at := int32(c); at >= 0; at = tree.controls[at].up {
				if at == from {
					best = min(best, square(int32(c)))
				}
			}
		}
		if got := square(tree.index.nearest(from, x, y)); got != best {
			t.Fatalf("found one at %v², the nearest is at %v²", got, best)
		}
	})
}
