// Package threads builds one side of the Threads view (SyncTrace): an overview bar, the stacks of
// the focus thread, and below them the other threads as stacks bent along a semicircle, each a
// section of it. Through its middle run correspondences: from the time that a call waited, on the
// thread that waited, to the moment of release on the thread that released it.
//
// Time runs from left to right along the semicircle too; level 0 lies on its zero radius and deeper
// levels outside of it. The bent stacks are those of package icicle, drawn straight at the mean
// radius and then mapped, so that cost follows what is visible. Calls are coloured by what they
// spent their time on: waiting, input and output, or neither.
//
// Prepare looks once at all threads and waits, which is a job's business. Arrange says which
// threads have a section. Build is a pure function of State and size, and costs what is visible. A
// comparison is two views next to each other, whose sections Arrange lays out together. The package
// knows nothing of windows or input; methods of View say what gestures mean.
package threads

import (
	"image/color"
	"math"
	"slices"

	"diptych/internal/geom"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/scene/icicle"
	"diptych/internal/trace"
	"diptych/internal/wait"
)

// State is all that the view depends on.
type State struct {
	Prepared *Prepared // nil while nothing is known
	Side     int       // 0 for A, 1 for B
	Palette  *palette.Palette
	Scale    float32 // px per dp; 0 for 1

	View     geom.Span // the visible time of threads that have no other
	Across   geom.Span // the time that the other side's stacks show; empty if there is no such side
	Focus    Section   // of the main view; none if it has no threads
	Sections []Section // from left to right
	Folded   Folded    // threads that have no section
	Places   []int32   // by thread: where Arrange placed it; nil to go by the sections

	// Before are the sections before a rearrangement, of which the share Progress has passed.
	Before   []Section
	Progress float32

	Split float32 // share of the height above the splitter; 0 for what the stacks need
	Zero  float32 // zero radius as a share of the outer one; 0 for what the stacks leave

	Mode   Mode
	All    bool // draw every correspondence instead of those that ended a wait
	Budget int  // correspondences drawn at most; 0 for DefaultBudget

	Under    Hit             // what the pointer is over, as Pick said
	Hover    []trace.CallRef // calls that are hovered here or in another view
	Selected []trace.CallRef
	Emphasis func(thread, from, to int) icicle.Emphasis // may be nil
	// Changed reports whether the waits of one thread for another differ from the other side's; nil
	// if nothing is compared.
	Changed func(waiter, releaser int) bool
	Path    *wait.Path // the critical path; nil if it is not drawn
	Stretch int        // of it, the segment that stands out; −1 for none
	// Dragged is the label that is being dragged, and where to; nil if none is.
	Dragged *Drag
}

// Section is a part of the semicircle that belongs to one thread, or to several of one role.
// Without a thread it is free: only the other side has a thread there.
type Section struct {
	Threads []int     // indices into Trace.Threads; the stacks are those of the first
	Label   string    // in the circle; "" for the thread's id
	Hue     float64   // of the thread's colour, degrees
	Weight  float32   // width against the others; 0 for 1
	View    geom.Span // the visible time; that of State if empty
	Fold    int       // levels that are strips; 0 for the trunk of deep stacks, −1 for none
	Bar     bool      // show it in the overview

	// If Arrange made the threads of a role share the section: the waits of that role, whether
	// those of its idle and stuck lines belong to the section, and the threads that do not.
	crowd  *crowd
	stuck  bool
	absent []int
}

// Mode says what the colour of a correspondence means.
type Mode uint8

const (
	ByThread Mode = iota // the waiting thread
	ByObject             // what else is waited for the same objects
)

// Drag is a thread on its way to another place.
type Drag struct {
	Place int // Main, or an index into State.Sections
	At    geom.Point
}

// Main is the place of the focus thread; the others are indices into State.Sections.
const (
	Main    = -1
	Nowhere = -2
)

// DefaultBudget is how many correspondences are drawn at most.
const DefaultBudget = 600

// Arena keeps buffers from one frame to the next; it serves one view at a time.
type Arena struct {
	scene    scene.Scene
	main     icicle.Arena
	straight scene.Layer
	rings    icicle.Arena
	bent     []bent
	names    map[trace.FuncID]nameForms
	of       *trace.Trace // whose names they are
	bars     [mostBars]barCache
	links    []link
	where    []int32 // by thread: its place
	search   search
	found    []int32   // waits
	shaded   []bool    // by place, and one more
	spenders []spender // of one section
}

// View is the built scene and what lies where in it. Rectangles are empty where there is no room.
type View struct {
	Scene *scene.Scene

	Bars     []Bar           // the overview: of the focus thread, and of sections that ask for it
	Graph    geom.Rect       // how many threads were running and waiting over the time of Axis
	Strip    geom.Rect       // the focus thread's states over the time of Axis
	Stacks   geom.Rect       // the viewport of the focus thread's stacks
	Axis     geom.Axis       // time to x in Stacks
	Drawing  *icicle.Drawing // what Stacks shows; nil if nothing is
	Splitter geom.Rect
	Context  geom.Rect // below the splitter
	Ring     Ring

	Row     float32 // height of a stack level in Stacks, px
	RingRow float32 // and on the semicircle, but for very deep threads

	// Total is how many waits are in sight that something ended, or that never ended; Shown is how
	// many of them are drawn.
	Shown, Total int
	Compounds    bool // waits too narrow to draw are drawn together, though nothing is pointed at
	Lines        int  // drawn for causal links

	st       *State
	trace    *trace.Trace
	waits    *wait.Analysis
	sections []placed
	bent     []bent
	labels   []disc
	releases []disc
	ribbons  []ribbon
	path     []stretch
	idle     geom.Rect
	dp       float32
	size     geom.Size
}

// Measures in dp.
const (
	margin    = 12
	header    = 26 // badge and title
	axisRoom  = 20
	rowHeight = 19
	labelRow  = 13 // least height of a row that bears labels
	textSize  = 11
	badge     = 18
	footer    = 22
	splitRoom = 12
)

// Build draws the view. A may be nil; with one, the View is valid until the arena's next Build.
func Build(st *State, size geom.Size, a *Arena) *View {
	if a == nil {
		a = &Arena{}
	}
	a.scene.Reset(size)
	v := &View{Scene: &a.scene, st: st, size: size, dp: st.Scale, waits: st.Prepared.On(st.Side)}
	if !(v.dp > 0) {
		v.dp = 1
	}
	b := builder{st: st, v: v, a: a, dp: v.dp}
	if v.waits == nil || st.Palette == nil {
		return v
	}
	v.trace, b.ready = v.waits.Trace, &st.Prepared.sides[st.Side]
	if !b.divide() {
		v.sections, v.Ring = nil, Ring{}
		return v
	}
	b.pal, b.cols = st.Palette, st.Palette.Waits()
	if b.where = st.Places; b.where == nil {
		a.where = places(a.where, len(v.trace.Threads), &st.Focus, st.Sections)
		b.where = a.where
	}
	b.shade()
	b.about = b.subject()
	b.head()
	b.overview()
	b.graph()
	under := b.layer(geom.Rect{}) // correspondences, which what follows lies over
	b.ring()
	b.stacks()
	b.strip()
	b.flows(under)
	b.correspond(under)
	b.flowsOfSubject(under)
	b.critical(under)
	b.marks()
	b.circles()
	b.empty()
	b.foot()
	b.drag()
	return v
}

type builder struct {
	st   *State
	v    *View
	a    *Arena
	pal  *palette.Palette
	cols *palette.Waits
	dp   float32

	least    struct{ main, ring float32 } // heights, px
	axisless bool                         // there is no room for the time axis
	footless bool                         // nor for the foot
	brief    bool                         // ids go without their process

	ready *preparedSide
	where []int32 // by thread: its place
	about subject

	reach, ended int // steps left to find the releases of runs
}

// Hues nearer to each other than this, in degrees, are hard to tell apart; of two neighbours with
// such hues one is moved so far to the colour of text.
const (
	likeHues  = 30
	likeShare = .4
)

// shade finds the sections that have another shade. Threads keep their hues, so neighbours may come
// to be alike when a user moves a thread: then the second of them is shaded.
func (b *builder) shade() {
	b.a.shaded = append(b.a.shaded[:0], false)
	for k := range b.st.Sections {
		b.a.shaded = append(b.a.shaded, !b.a.shaded[k] && k > 0 && math.Abs(math.Remainder(
			b.st.Sections[k].Hue-b.st.Sections[k-1].Hue, 360)) < likeHues)
	}
}

// hue returns the colour of a place's thread. Colours are computed for the places that are drawn:
// of thousands of sections few have room for a label.
func (b *builder) hue(place int) color.NRGBA {
	c := b.cols.Thread(b.st.section(place).Hue)
	if b.a.shaded[place+1] {
		c = palette.Mix(c, b.pal.Text, likeShare)
	}
	return c
}

// layer returns the index of a new layer. A pointer would be invalid as soon as there is a next
// one.
func (b *builder) layer(clip geom.Rect) int {
	b.v.Scene.Layer(clip)
	return len(b.v.Scene.Layers) - 1
}

func (b *builder) at(layer int) *scene.Layer { return &b.v.Scene.Layers[layer] }

// section returns a place's section, or an empty one for a place that is no longer there: a gesture
// may last longer than an arrangement.
func (st *State) section(place int) *Section {
	switch {
	case place == Main:
		return &st.Focus
	case place < 0 || place >= len(st.Sections):
		return &Section{}
	}
	return &st.Sections[place]
}

// view returns the time that a place shows.
func (st *State) view(place int) geom.Span {
	if s := st.section(place).View; s.Len() > 0 {
		return s
	}
	return st.View
}

// places returns the place of each of n threads, in a buffer that may be nil.
func places(where []int32, n int, focus *Section, sections []Section) []int32 {
	where = slices.Grow(where[:0], n)[:n]
	for t := range where {
		where[t] = Nowhere
	}
	for k := range sections {
		for _, t := range sections[k].Threads {
			where[t] = int32(k)
		}
	}
	for _, t := range focus.Threads {
		where[t] = Main
	}
	return where
}
