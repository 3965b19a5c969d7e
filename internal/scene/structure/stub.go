package structure

import (
	"diptych/internal/geom"
	"diptych/internal/trace"
)

type (
	stacks struct{}
	cells  struct{}
	words  struct{}
	marks  struct{}
	spare  struct{}
)

// Build draws the view. A may be nil; with one, the View is valid until the arena's next Build.
func Build(st *State, size geom.Size, a *Arena) *View {
	if a == nil {
		a = &Arena{}
	}
	a.scene.Reset(size)
	v := &View{Scene: &a.scene, st: st, a: a}
	v.Scene.Layer(geom.Rect{}).Fill(geom.Rect{X1: size.W, Y1: size.H}, st.Palette.Raised)
	return v
}

// Pick returns what the pointer would be on at p: with the icicles as input target the call drawn
// there, or else the cell of the treemap; with the treemap always the cell. Hit.Node is set in any
// case.
func (v *View) Pick(p geom.Point) (Hit, bool) { return Hit{}, false }

// Side returns the side whose half of the pane p is in, or −1 if none is loaded.
func (v *View) Side(p geom.Point) int { return -1 }

// NodeRect returns where a node's cell lies; it is empty if the treemap does not show it. A node
// that is too small to be drawn has the rectangle of the one drawn in its place.
func (v *View) NodeRect(node int) geom.Rect { return geom.Rect{} }

// InFocus reports whether a call that is drawn is in focus, or the focus is mapped to it.
func (v *View) InFocus(side int, ref trace.CallRef) bool { return false }

// InImage reports whether a node is in focus, or the focus is mapped to its cell.
func (v *View) InImage(node int) bool { return false }
