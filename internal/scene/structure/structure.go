// Package structure builds the view of where in the code the calls happen (ViewFusion): the code as
// a treemap that fills the pane, and over it the stacks of side A, which hang down from the top
// edge, and those of side B, which stand on the bottom edge.
//
// The pointer puts a part of one of the two in focus, and the view shows what that is mapped to in
// the other. With the icicles as input target, a call under the pointer or near it is in focus with
// the calls around it (Overview, Approach and Detail), and the treemap shows their functions. With
// the treemap as input target, the node under the pointer is in focus, or one above it (Subtree),
// and the icicles show its calls.
//
// Build is a pure function of State and size. Whatever does not depend on the pointer is kept in
// the Arena, so that a movement of the pointer costs only what is drawn. The package knows nothing
// of windows or input.
package structure

import (
	"image/color"

	"diptych/internal/geom"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/scene/icicle"
	"diptych/internal/structure"
	"diptych/internal/trace"
)

// The two sides, as indices into State.Sides and View.Sides.
const (
	A = iota
	B
)

// Target is which of the two pictures the pointer acts on.
type Target uint8

const (
	Icicles Target = iota
	Treemap
)

// Linking is which part of the two pictures is coloured; what is in focus, and what that is mapped
// to, is told apart by it.
type Linking uint8

const (
	InFocus      Linking = iota // the focus and its image are coloured, the rest is grey
	OutsideFocus                // the focus and its image are grey, the rest is coloured
)

// Metric is what colours stand for.
type Metric uint8

const (
	ByPackage Metric = iota // a hue for each package
	ByDepth                 // the largest stack level of the file's calls
	ByCalls
	ByTotal // cumulated duration
	BySelf
	ByFirst // the earliest start
)

// Of is which side's calls a metric is taken from. With one trace it is always that trace.
type Of uint8

const (
	Both   Of = iota // the sum of both sides; of depths the larger, of starts the earlier
	OnlyA            // A's
	OnlyB            // B's
	Change           // B − A
	Ratio            // B / A
)

// Colour says what colours one of the two pictures.
type Colour struct {
	Metric Metric
	Of     Of
}

// State is all that the view depends on.
type State struct {
	Tree    *structure.Tree // nil while there is none; then nothing is drawn
	Sides   [2]Side
	Palette *palette.Palette
	Scale   float32 // px per dp; 0 for 1
	Rows    float32 // vertical scale of the stack levels; 0 for 1

	Area structure.Area
	Root int // the node that fills the pane; 0 for all code

	Input   Target
	Linking Linking
	Icicles Colour // of calls
	Treemap Colour // of cells

	// Pointer is where the pointer is, in px; nil while it is elsewhere. Then the first hovered
	// call is in focus, else the hovered node, else nothing: no part is set apart from another.
	Pointer *geom.Point
	Height  int // with the treemap as input target: so many levels above the node under the pointer

	Hover    int // a node outlined in the treemap; 0 for none
	Selected int // likewise
}

// Side is what one icicle shows.
type Side struct {
	Trace    *trace.Trace // nil if none is loaded
	Tracks   []int        // threads shown, from the root edge on
	Headers  bool         // name each track, as for several threads
	Focus    geom.Span    // the visible time
	Scroll   float32      // px scrolled away from the root edge
	Levels   int          // stack levels shown of each track at most; 0 for all
	Deeper   *icicle.Deeper
	Selected []trace.CallRef
	Hover    []trace.CallRef
}

// Arena keeps buffers, and what does not depend on the pointer, from one frame to the next; it
// serves one view at a time.
type Arena struct {
	scene  scene.Scene
	stacks [2]stacks
	cells  cells
	words  words
	focus  marks
	spare  spare
}

// View is the built scene and what lies where in it. All of it is empty while there is no room.
type View struct {
	Scene   *scene.Scene
	Sides   icicle.Halves
	Treemap geom.Rect
	Focus   Focus

	// IcicleScale and TreemapScale say what the colours stand for, for the legend.
	IcicleScale, TreemapScale Scale
	// Packages are the packages whose colours are shown, those with most cells first.
	Packages []Package
	// Absent reports whether cells or calls without data are shown in the colour for that.
	Absent bool
	// Blank reports the same of what is in focus, and is white.
	Blank bool

	st *State
	a  *Arena
}

// Mode is how the focus was found.
type Mode uint8

const (
	// Whole: nothing is in focus, so that all is shown alike.
	Whole Mode = iota
	// Overview: the pointer is outside the stacks and beyond them. In focus is the nearest call
	// with its callers.
	Overview
	// Approach: the pointer is between two stacks. In focus are the nearest call to the left and
	// the nearest to the right, each with its callers and callees.
	Approach
	// Detail: the pointer is on a call, which is in focus with its callees.
	Detail
	// Subtree: the pointer is on a node of the treemap. In focus is the subtree that it is in.
	Subtree
)

func (m Mode) String() string {
	return [...]string{"whole", "overview", "approach", "detail", "subtree"}[m]
}

// Focus is what is in focus.
type Focus struct {
	Mode Mode
	// Items are the calls in focus: one, or in Approach the left and the right one; none in
	// Subtree. They are valid until the arena's next Build.
	Items []Hit
	// Node is the node under the pointer in Subtree; otherwise the function of the first item;
	// otherwise structure.None.
	Node int
	// Subtree is the node in Subtree whose subtree is in focus, Height levels above Node:
	// State.Height or as many as there are. Otherwise it is Node. Name is its full name.
	Subtree int
	Height  int
	Name    string

	Functions int // functions of the treemap's cells that are in focus, or that it is mapped to
	Files     int // the files they are in
}

// Hit is a call or a node.
type Hit struct {
	Side int         // −1 if no call is there
	Pick icicle.Pick // the call
	Node int         // the cell of the treemap, or the call's function; structure.None if unknown
}

// Scale says what the colours of one of the two pictures stand for.
type Scale struct {
	Colour
	Diverging bool    // colours go from −Hi through zero to Hi
	Root      bool    // square roots of values are spaced evenly
	Lo, Hi    float64 // values at the ends; of Ratio, Hi stands for 1/Hi : 1 to Hi : 1
	Empty     bool    // nothing that is coloured has a value
}

// Package is a package in the legend.
type Package struct {
	Node  int
	Name  string // in full; empty for what is in no package
	Fill  color.NRGBA
	Cells int // of both pictures
}
