// Package aggregate builds the overview by aggregation (Ocelotl) as plain geometry: a grid of
// aggregates for each side and one for their difference, resources down and time across, the tree
// of resources at the left. It knows the engine's models and partitions, and no window.
//
// Data aggregates are the engine's. Where rows are too low to see, the view folds them into visual
// aggregates, which are marked, so that nobody takes one for the other (criterion G4 of the paper).
package aggregate

import (
	"diptych/internal/aggregate"
	"diptych/internal/geom"
	"diptych/internal/palette"
	"diptych/internal/scene"
)

// What a plot shows.
const (
	A = iota
	B
	Difference // shares are A's less B's: above 0 where A has more
)

// State is all that the view depends on.
type State struct {
	Plots   []Plot // from the top
	Palette *palette.Palette
	Scale   float32 // px per dp; 0 for 1
	// Least is the lowest height of a row, dp, that is not folded with its neighbours; 0 for 3.
	Least float32
	Leaf  string // what leaves are, in the plural
	// Folded are the keys of the nodes that were folded by hand; see Key.
	Folded []string

	Hover    Place // outlined, and marked in the other plots
	Selected Place
}

// Plot is what one grid shows.
type Plot struct {
	Of      int      // A, B or Difference
	Picture *Picture // nil until it is known
	Span    geom.Span
	Unit    string
	Borders []float64 // of the timeslices, on the axis of Span
	// Ticks are the labels of an axis that is not even, such as the time of A along virtual time;
	// nil for even ones.
	Ticks func(at float64) string
	Note  []string // below the badge
	// Hovered and Chosen are where State.Hover and State.Selected are in this plot, if those are in
	// another one: the same time and resources. If the resources are not there, the first leaf is
	// None.
	Hovered, Chosen Place
}

// Place is some leaves of a plot and some timeslices, [From, To] inclusive.
type Place struct {
	Plot     int    // index into State.Plots
	Leaves   [2]int // [first, end)
	From, To int
	OK       bool
}

// Key names a node in Folded: nodes of the same path are folded in all plots.
func Key(n *aggregate.Node) string {
	key := ""
	for _, p := range n.Path {
		key += p + "\x00"
	}
	return key
}

// Arena keeps buffers, and what does not depend on the pointer, from one frame to the next; it
// serves one view at a time.
type Arena struct {
	scene scene.Scene
	grids [3]grid
}

// View is the built scene and what lies where in it. It is empty while there is no room.
type View struct {
	Scene *scene.Scene
	Plots []Grid

	st *State
}

// Grid is one plot as it was drawn.
type Grid struct {
	Of     int
	Bounds geom.Rect // everything of the plot
	Plot   geom.Rect // the grid
	Axis   geom.Axis
	Areas  []Area // what is drawn, data aggregates and visual ones
	Labels []Label

	grid *grid
}

// Area is an aggregate as it is drawn.
type Area struct {
	Place
	Node  int // of the tree: the aggregate's; of a visual one the node whose cuts in time it has
	Rect  geom.Rect
	Mode  int     // the state with the largest share, aggregate.None if there is none
	Share float64 // of the mode, with its sign in a difference
	Mark  Mark
	Parts int // data aggregates that it stands for; 1 for a data aggregate
}

// Mark tells data aggregates from visual ones.
type Mark uint8

const (
	Data  Mark = iota
	Same       // a visual aggregate whose parts have the same cuts in time: a diagonal
	Mixed      // a visual aggregate whose parts have different cuts in time: a cross
)

// Label is the name of an inner node beside the grid, which a click folds or unfolds.
type Label struct {
	Rect   geom.Rect
	Node   int
	Folded bool
}

type builder struct {
	st *State
	v  *View
	a  *Arena
	dp float32
}

// Build draws the view. A may be nil; with one, the View is valid until the arena's next Build.
func Build(st *State, size geom.Size, a *Arena) *View {
	if a == nil {
		a = &Arena{}
	}
	a.scene.Reset(size)
	v := &View{Scene: &a.scene, st: st}
	b := builder{st: st, v: v, a: a, dp: st.Scale}
	if b.dp <= 0 {
		b.dp = 1
	}
	if !b.place(size) {
		return v
	}
	for k := range v.Plots {
		b.grid(k)
	}
	b.marks()
	return v
}

// Pick returns the area at p.
func (v *View) Pick(p geom.Point) (Area, bool) {
	for k := range v.Plots {
		g := &v.Plots[k]
		if !g.Plot.Contains(p) {
			continue
		}
		for i := range g.Areas {
			if g.Areas[i].Rect.Contains(p) {
				return g.Areas[i], true
			}
		}
	}
	return Area{}, false
}

// PickLabel returns the name of an inner node at p, which a click folds or unfolds, and its plot.
func (v *View) PickLabel(p geom.Point) (plot int, label Label, ok bool) {
	for k := range v.Plots {
		for _, l := range v.Plots[k].Labels {
			if l.Rect.Contains(p) {
				return k, l, true
			}
		}
	}
	return 0, Label{}, false
}

// PlotAt returns the index of the plot that p is in, or the nearest one's, −1 if there is none.
func (v *View) PlotAt(p geom.Point) int {
	at := -1
	for k := range v.Plots {
		if at < 0 || p.Y >= v.Plots[k].Bounds.Y0 {
			at = k
		}
	}
	return at
}
