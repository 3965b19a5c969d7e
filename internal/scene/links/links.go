// Package links decides which matches between the calls that are visible in two facing icicles are
// drawn, as which tubes and in which colours (TraceDiff, IV-B to IV-E).
//
// A match joins two cells: calls, or runs of calls too narrow to draw, that stand for their longest
// call. There are far too many matches to draw all of them, and most say no more than that a leaf
// is called often. So by default a cell is joined with its best match (match.Rank): a call of the
// same function before others, of those the one that it is aligned with, then the one it is most
// like, then the one that is where it would be expected, below the partner of its caller, at the
// same share of the time. All matches can be asked for; then the most important ones are drawn,
// those of the greatest similarity times narrower width. Each match belongs to a group, the topmost
// match of calls above its ends, along which it is bundled.
//
// All work is done by class of calls, not by pair of cells. The package knows what icicles draw,
// how alike classes are and how edges are routed; it knows no windows, input or application state.
package links

import (
	"diptych/internal/geom"
	"diptych/internal/match"
	"diptych/internal/pair"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/scene/bundle"
	"diptych/internal/scene/icicle"
	"diptych/internal/trace"
)

// Colour is what the colour of a tube says.
type Colour uint8

const (
	TimeShift    Colour = iota // how far apart in time its calls start: the redder, the farther
	TraceCentric               // when in its group the call across starts, from blue to red
	Plain                      // nothing
)

// Shape is how matches are drawn.
type Shape uint8

const (
	Tubes Shape = iota
	Lines
	Both // lines over tubes
)

// Shares returns what State.Morph and State.Spine are for a shape at rest.
func (s Shape) Shares() (morph, spine float32) {
	switch s {
	case Lines:
		return 0, 0
	case Both:
		return 1, 1
	}
	return 1, 0
}

// DefaultBudget is the number of tubes drawn at most, where State does not say.
const DefaultBudget = 20_000

// State is all that links depend on besides what is drawn.
type State struct {
	Graph  *match.Graph // nil while nothing is compared: there are no links then
	Tau    match.Tau
	Budget int  // tubes drawn at most; 0 for DefaultBudget
	Effort int  // pairs of classes compared at most; 0 for what Budget is worth
	All    bool // every match, rather than those that are the best of one of their ends
	Frames bool // also matches of calls that fill the view

	// Aligned returns the call across that the alignment pairs a side's call with, if it does; nil
	// if nothing is aligned. AlignedBy tells one alignment from another.
	Aligned   func(side int, ref trace.CallRef) (trace.CallRef, bool)
	AlignedBy any

	Colour     Colour
	Relative   bool              // shifts are of places in the group instead of ns
	Similarity bool              // show s too: thin tubes by opacity, thick ones by a highlight
	Viewpoint  int               // side that TraceCentric looks from
	Brush      []Brush           // if any is shown: only matches of calls below these are coloured
	Marked     []Brush           // matches of these calls are drawn last and with a highlight
	Pointed    *[2]trace.CallRef // the match under the pointer stands out; may be nil

	Lambda   float32 // thickness of tubes in the middle, as a share of that at the ends
	Band     float32 // height of the band free of bends, as a share of the pane's
	Strength float32 // of bundling, 0 to 1
	Original bool    // Holten's bundling

	Morph, Spine float32 // shape, as Shape.Shares says or between two of them
}

// Brush is a call of a side.
type Brush struct {
	Side int
	Ref  trace.CallRef
}

// Pane is where links are drawn. All lengths are px.
type Pane struct {
	Top, Bottom float32 // outer edges of the upper and the lower icicle
	Mid         float32 // the line between the halves
	Scale       float32 // px per dp
	Palette     *palette.Palette
}

// Links is what was drawn.
type Links struct {
	Drawn   int    // tubes, at most State.Budget
	Visible uint64 // matches among the visible cells that are no frames: those one could draw
	Changed bool   // the links were chosen anew: the cells are not those of the last Build
	Partial bool   // the narrowest cells were left out: there are too many classes to compare
	// Far is the shift whose colour is the farthest: in ns, or in shares if State.Relative.
	Far float64

	tubes *scene.Tubes
	links []Link
}

// End is the call where a link ends, as the view shows it.
type End struct {
	Ref   trace.CallRef
	Rect  geom.Rect
	Calls int // more than one if the rectangle is a run, whose longest call Ref is
}

// Link is a match that was drawn.
type Link struct {
	Ends  [2]End
	S     float64
	Shift float64 // start of the call of B minus start of that of A, ns
}

// Pick returns the match whose tube is seen at p.
func (l *Links) Pick(p geom.Point) (Link, bool) {
	if l == nil || l.tubes == nil {
		return Link{}, false
	}
	k, ok := l.tubes.Pick(p)
	if !ok || k >= len(l.links) {
		return Link{}, false
	}
	return l.links[k], true
}

// Link returns the match of the tube of the given index.
func (l *Links) Link(k int) Link { return l.links[k] }

// Arena keeps buffers from one frame to the next. The zero value is ready; what was built with it
// is valid until the next Build.
type Arena struct {
	links  Links
	chosen choice
	sides  [2]side
	table  table
	best   best
	all    all
	groups groups
	bundle bundle.Arena
	picked []candidate
	tubes  tubes
}

// builder builds the links of one frame.
type builder struct {
	*Arena
	st    *State
	pane  Pane
	drawn [2]*icicle.Drawing
	graph *match.Graph
}

// Build chooses the links between two drawn icicles and appends their tubes to into, which must be
// empty. A must not be nil. The choice depends on the cells alone, so it is kept while they stay
// the same, for example while only the pointer moves.
func Build(st *State, pane Pane, sides [2]*icicle.Drawing, into *scene.Tubes, a *Arena) *Links {
	l := &a.links
	l.tubes, l.links, l.Drawn = into, l.links[:0], 0
	if st.Graph == nil || sides[0] == nil || sides[1] == nil {
		*l = Links{}
		a.chosen = choice{}
		return l
	}
	b := &builder{a, st, pane, sides, st.Graph}
	now := b.choice()
	same := a.chosen == now
	for k := range sides {
		if a.sides[k].collect(sides[k], b.graph.Sides[k], b.graph.Pair.IDs(pair.Side(k)), st.Frames) {
			same = false
		}
	}
	if !same {
		b.choose()
		a.chosen = now
	}
	l.Changed = !same
	b.draw(into)
	return l
}

// choice is what the links chosen depend on besides cells.
type choice struct {
	graph       *match.Graph
	tau         match.Tau
	budget      int
	all, frames bool
	focus       [2]geom.Span
	aligned     any
}

func (b *builder) choice() choice {
	c := choice{b.graph, b.st.Tau, b.budget(), b.st.All, b.st.Frames, [2]geom.Span{}, b.st.AlignedBy}
	for k, d := range b.drawn {
		c.focus[k] = d.Axis.Span
	}
	return c
}

// choose picks the links and puts them in groups.
func (b *builder) choose() {
	l := b.links
	b.Arena.links = Links{links: l.links, tubes: l.tubes}
	b.compare()
	b.picked = b.picked[:0]
	if b.st.All {
		b.chooseAll()
	} else {
		b.chooseBest()
	}
	b.assign()
}

func (b *builder) budget() int {
	if b.st.Budget <= 0 {
		return DefaultBudget
	}
	return b.st.Budget
}

// candidate is a match between two cells, by index.
type candidate struct {
	ends   [2]int32
	s      float64
	weight float64 // s · narrower width: how important it is to see
	group  int32
}

func (b *builder) candidate(f, g int32, s float64) candidate {
	w := min(b.sides[0].cells[f].rect.W(), b.sides[1].cells[g].rect.W())
	return candidate{ends: [2]int32{f, g}, s: s, weight: s * float64(w)}
}

// groups finds the group of each link: of the matches (u,v) of callers-or-self of its ends that are
// no frames, that with the uppermost u, and of these that with the uppermost v. No other such match
// lies above both.
type groups struct {
	of    map[[2]int32]int32 // by roots: the group
	up    [2][]int32         // chains of the ends, innermost first
	last  [2]int32           // the tops those begin with
	roots [][2]int32         // by group
}

// assign gives each picked link its group.
func (b *builder) assign() {
	t := &b.groups
	if t.of == nil {
		t.of = map[[2]int32]int32{}
	}
	clear(t.of)
	t.last, t.roots = [2]int32{none, none}, t.roots[:0]
	for i := range b.picked {
		p := &b.picked[i]
		root := b.root(p.ends)
		g, ok := t.of[root]
		if !ok {
			g = int32(len(t.roots))
			t.of[root] = g
			t.roots = append(t.roots, root)
		}
		p.group = g
	}
}

// root returns the root match above two matched cells.
func (b *builder) root(ends [2]int32) [2]int32 {
	t := &b.groups
	for k := range ends {
		cells := b.sides[k].cells
		top := cells[ends[k]].top
		if top == t.last[k] {
			continue
		}
		t.last[k], t.up[k] = top, t.up[k][:0]
		for c := top; c != none; c = cells[c].up {
			t.up[k] = append(t.up[k], c)
		}
	}
	us, vs := t.up[0], t.up[1]
	for i := len(us) - 1; i >= 0; i-- {
		for j := len(vs) - 1; j >= 0; j-- {
			if b.match(us[i], vs[j]) {
				return [2]int32{us[i], vs[j]}
			}
		}
	}
	return ends
}

// match reports whether a cell of A and one of B match.
func (b *builder) match(f, g int32) bool {
	c, d := &b.sides[0].cells[f], &b.sides[1].cells[g]
	if c.slot < 0 || d.slot < 0 {
		return b.table.compareAny(b.st.Tau, 0, c.class, []uint32{d.class})
	}
	_, is := b.alike(0, c.slot, d.slot)
	return is
}

func (b *builder) end(k int, i int32) End {
	c := &b.sides[k].cells[i]
	return End{Ref: c.ref(), Rect: c.rect, Calls: int(max(c.calls, 1))}
}
