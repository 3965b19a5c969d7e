package uitest

import (
	"fmt"
	"image"

	"gioui.org/f32"
	"gioui.org/io/input"
	"gioui.org/io/semantic"
)

// Hidden tells of each control that cannot be used as a whole what is wrong with it: that it lies
// outside the window, that another one covers it, or that its left or right end is cut off. Rows of
// lists may be cut above and below, where a list scrolls.
func Hidden(r *input.Router, window image.Point) (faults []string) {
	tree := semantics{r, map[input.SemanticID]input.SemanticNode{}}
	nodes := r.AppendSemantics(nil)
	for _, n := range nodes {
		tree.nodes[n.ID] = n
	}
	for i := range nodes {
		n := &nodes[i]
		b := n.Desc.Bounds
		switch {
		case !isControl(&n.Desc) || b.Empty():
		case b.Min.X < 0 || b.Max.X > window.X:
			faults = append(faults, fmt.Sprintf("%q reaches beyond the window: %v", n.Desc.Label, b))
		case !tree.scrolledOut(n):
			if why := tree.covered(n); why != "" {
				faults = append(faults, fmt.Sprintf("%q at %v %s", n.Desc.Label, b, why))
			}
		}
	}
	return faults
}

// semantics is the tree of what a frame shows.
type semantics struct {
	router *input.Router
	nodes  map[input.SemanticID]input.SemanticNode
}

// scrolledOut reports whether a control is in a list that shows less of its height than a line:
// a list lays out a row more than it shows.
func (t *semantics) scrolledOut(n *input.SemanticNode) bool {
	for up, ok := t.nodes[n.ParentID]; ok && up.ID != up.ParentID; up, ok = t.nodes[up.ParentID] {
		seen := up.Desc.Bounds.Intersect(n.Desc.Bounds)
		if up.Desc.Gestures&input.ScrollGesture != 0 && seen.Dy() < min(n.Desc.Bounds.Dy(), leastSeen) {
			return true
		}
	}
	return false
}

// leastSeen is how much of a row a list shows, px, for the row to count as shown.
const leastSeen = 6

// Controls returns the names of all controls that are clicked.
func Controls(r *input.Router) (names []string) {
	for _, n := range r.AppendSemantics(nil) {
		if isControl(&n.Desc) {
			names = append(names, n.Desc.Label)
		}
	}
	return names
}

// isControl reports whether a node is something that is clicked.
func isControl(d *input.SemanticDesc) bool {
	return d.Class == semantic.Button && d.Gestures&input.ClickGesture != 0
}

// covered says whether no line of a control can be pointed at from its left to its right end.
func (t *semantics) covered(n *input.SemanticNode) string {
	hits := func(x, y int) bool {
		id, ok := t.router.SemanticAt(f32.Pt(float32(x), float32(y)))
		for ok && id != n.ID && id != t.nodes[id].ParentID {
			id = t.nodes[id].ParentID
		}
		return ok && id == n.ID
	}
	some, b := false, n.Desc.Bounds
	inset := 3 + b.Dx()/16 // half a corner, and in a wide row the bar by which its list scrolls
	for y := b.Min.Y + 1; y < b.Max.Y; y += 2 {
		left, right := hits(b.Min.X+inset, y), hits(b.Max.X-inset, y)
		if left && right {
			return ""
		}
		some = some || left || right
	}
	if some {
		return "is cut at one end"
	}
	return "is covered, or outside what is shown"
}
