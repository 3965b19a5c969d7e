// Package aligned builds the Alignment view (after Weber et al.): two threads on one virtual time
// axis, A's stacks above and B's below, between them what became of every call, a row for each
// stack level, and beneath how dissimilar the threads are and which of them has run longer.
//
// Paired calls lie at the same place and level on both sides; where one side has nothing, the call
// is missing there. Build is a pure function of State and size, at a cost that follows what is
// visible: the stacks of both sides and the merged tree of both, which is a Prepared's third trace,
// are drawn by the same walk (package icicle). The package knows nothing of windows or input.
package aligned

import (
	"slices"

	"diptych/internal/align"
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/scene/icicle"
	"diptych/internal/trace"
	"diptych/internal/typeface"
)

// State is all that the view depends on.
type State struct {
	Prepared *Prepared // nil while there is none
	Palette  *palette.Palette
	Scale    float32 // px per dp; 0 for 1
	Detail   icicle.Detail
	Focus    geom.Span // the visible virtual time, ns
	Scroll   float32   // px of stack levels hidden above, the same on both sides
	Rows     float32   // vertical scale of the stack levels; 0 for 1

	// Calls that are marked, by side, in the traces' own threads and calls. Build marks the partner
	// of each as well, so it is enough to give the call that was pointed at, in whichever pane.
	Hover, Selected [2][]trace.CallRef
	Emphasis        [2]func(thread, from, to int) icicle.Emphasis // may be nil

	Filter Filter   // nodes that stand out; the others are pale
	Cursor *float64 // virtual time at which the values of the strips are told; nil for none
	Band   *Band    // how far other runs are from those shown; nil if there are none
	Pairs  []Row    // a row each, if there are several
	// PairScroll is how many px of Pairs are hidden above; negative to have the pair that is shown
	// in sight.
	PairScroll float32
	// Bare leaves out the strips below the stacks, as for a picture of one place.
	Bare bool
	Pins []Pin // what was paired by hand
}

// Arena keeps buffers from one frame to the next; it serves one view at a time.
type Arena struct {
	scene   scene.Scene
	icicles [2]icicle.Arena
	status  icicle.Arena
	skew    skewCache
	far     farthest
}

// View is the built scene and what lies where in it. Rectangles are empty where there is no room.
type View struct {
	Scene *scene.Scene
	Axis  geom.Axis // virtual time to x, for all parts

	Sides         [2]Half
	Status        *icicle.Drawing // the merged tree; nil if nothing is drawn
	Dissimilarity geom.Rect
	Skew          geom.Rect
	SkewSpan      [2]int64  // lowest and highest skew that Skew has room for, ns
	PairsHead     geom.Rect // room for controls in the head of the rows of State.Pairs
	PairRows      geom.Rect // those rows that are in sight
	PairScroll    float32   // of the rows, within bounds

	Pins []DrawnPin

	// MaxScroll is the largest useful Scroll; Build draws as if State had no larger one.
	MaxScroll, MaxPairScroll float32

	Row float32 // height of a stack level, px

	prepared *Prepared
	pairs    int     // State.Pairs
	dp       float32 // px
}

// Half is one side's stacks; zero where the pair has no thread.
type Half struct {
	Bounds  geom.Rect
	Drawing *icicle.Drawing
}

// Measures in dp.
const (
	gutter    = 84 // left of all parts, for badges, names and scales
	margin    = 12 // right of them
	axisRoom  = 22
	rowHeight = 19
	labelRow  = 13 // least height of a row that bears labels
	textSize  = 11
	badge     = 18
	edge      = 2 // the coloured line at a side's root edge
	between   = 8 // free space between two parts
	strip     = 3 // greatest height of a folded level
)

// Build draws the view. A may be nil; with one, the View is valid until the arena's next Build.
func Build(st *State, size geom.Size, a *Arena) *View {
	if a == nil {
		a = &Arena{}
	}
	a.scene.Reset(size)
	v := &View{Scene: &a.scene, prepared: st.Prepared}
	b := builder{st: st, p: st.Prepared, v: v, a: a, dp: st.Scale}
	if b.dp <= 0 {
		b.dp = 1
	}
	v.dp = b.dp
	if b.p == nil || st.Palette == nil || !(st.Focus.Len() > 0) || !b.place(size) {
		return v
	}
	b.pal = st.Palette.Alignment()
	b.hover, b.selected = b.withPartners(st.Hover), b.withPartners(st.Selected)
	b.axis()
	for s := range v.Sides {
		b.side(pair.Side(s))
	}
	b.ghosts()
	b.status()
	b.dissimilarity()
	b.skew()
	b.rows()
	b.pins()
	b.cursor()
	return v
}

type builder struct {
	st  *State
	p   *Prepared
	v   *View
	a   *Arena
	pal *palette.Alignment
	dp  float32
	room

	hover, selected [2][]trace.CallRef // State's and their partners
}

// withPartners adds to calls, by side, those of the other side that stand for them.
func (b *builder) withPartners(calls [2][]trace.CallRef) [2][]trace.CallRef {
	out := [2][]trace.CallRef{slices.Clone(calls[pair.A]), slices.Clone(calls[pair.B])}
	for _, s := range []pair.Side{pair.A, pair.B} {
		for _, ref := range calls[s] {
			if !b.p.holds(s, ref) {
				continue
			}
			twin := b.p.Twin(s, int(ref.Call))
			other := trace.CallRef{Thread: int32(b.p.Virtual.Indices[s.Other()]), Call: int32(twin)}
			if twin >= 0 && !slices.Contains(out[s.Other()], other) {
				out[s.Other()] = append(out[s.Other()], other)
			}
		}
	}
	return out
}

// side draws one side's stacks, and over them what is marked.
func (b *builder) side(s pair.Side) {
	h := &b.v.Sides[s]
	if h.Bounds.Empty() {
		return
	}
	b.badge(s)
	if b.p.Sides[s] == nil {
		return
	}
	p := icicle.Plot{
		Trace: b.p.Sides[s], Threads: []int{b.p.Virtual.Indices[s]}, Axis: b.v.Axis,
		View: b.stacks(s), Row: b.row, Fold: b.folded, FoldRow: b.strip,
		Scroll: b.scroll, Palette: b.st.Palette, Detail: b.st.Detail, Emphasis: b.emphasis(s),
	}
	if b.row >= labelRow*b.dp {
		p.TextSize = textSize * b.dp
	}
	h.Drawing = p.Draw(b.v.Scene.Layer(p.View), &b.a.icicles[s])
	over := b.v.Scene.Layer(p.View)
	for _, ref := range b.hover[s] {
		h.Drawing.Outline(over, ref, b.dp, icicle.Hovered)
	}
	for _, ref := range b.selected[s] {
		h.Drawing.Outline(over, ref, 2*b.dp, icicle.Selected)
	}
}

// ghosts outlines, for each marked call without a partner, the place on the other side where the
// partner would be.
func (b *builder) ghosts() {
	for s := range b.v.Sides {
		for _, refs := range [2][]trace.CallRef{b.hover[s], b.selected[s]} {
			for _, ref := range refs {
				b.ghost(pair.Side(s), ref)
			}
		}
	}
}

func (b *builder) ghost(s pair.Side, ref trace.CallRef) {
	own, other := &b.v.Sides[s], &b.v.Sides[s.Other()]
	if !b.p.holds(s, ref) || b.p.Virtual.Partner[s][ref.Call] != align.None || own.Drawing == nil {
		return
	}
	r, _ := own.Drawing.CallRect(ref)
	if r.X1 < b.v.Axis.X0 || r.X0 > b.v.Axis.X1 {
		return
	}
	l := b.v.Scene.Layer(b.stacks(s.Other()))
	l.Border(r.Offset(0, other.Bounds.Y0-own.Bounds.Y0), b.st.Palette.Hover, b.dp)
}

// stacks returns the viewport of a side's stacks: its bounds without the coloured line.
func (b *builder) stacks(s pair.Side) geom.Rect {
	r := b.v.Sides[s].Bounds
	r.Y0 += edge * b.dp
	return r
}

// tickRoom is the least distance between two ticks, dp.
const tickRoom = 96

// axis draws the axis of virtual time above all parts. A label that would be cut at the pane's
// border is left out.
func (b *builder) axis() {
	ax, ink, size := b.v.Axis, b.st.Palette.Secondary, textSize*b.dp
	l := b.v.Scene.Layer(geom.Rect{})
	line := geom.Rect{Y1: axisRoom * b.dp}
	sc := geom.Ticks(ax.Span, ax.X1-ax.X0, tickRoom*b.dp, b.unit())
	title := "virtual time"
	if b.p.Virtual.Pair.Profile() {
		title = "virtual axis"
	}
	b.name(l, line, title)
	free := ax.X0
	if w := typeface.Width(sc.Base, size, true); sc.Base != "" && ax.X0+w < ax.X1 {
		r := line
		r.X0, r.X1 = ax.X0, ax.X0+w+1
		l.Write(scene.Text{Rect: r, Text: sc.Base, Fill: ink, Size: size, Bold: true})
		free += w + 12*b.dp
	}
	for _, t := range sc.Ticks {
		x := ax.X(t.At)
		r := line
		r.X0, r.X1 = x+4*b.dp, x+4*b.dp+typeface.Width(t.Label, size, false)+1
		if x < free || r.X1 > ax.X1+margin*b.dp {
			continue
		}
		l.Fill(geom.Rect{X0: x, X1: x + b.dp, Y0: line.Y1 - 7*b.dp, Y1: line.Y1 - b.dp}, ink)
		l.Write(scene.Text{Rect: r, Text: t.Label, Fill: ink, Size: size})
	}
}

// name writes what a part is into the gutter beside it, where there is room.
func (b *builder) name(l *scene.Layer, part geom.Rect, text string) {
	size := textSize * b.dp
	r := geom.Rect{X0: 4 * b.dp, X1: b.gutter - 8*b.dp, Y0: part.Y0, Y1: part.Y1}
	if r.H() < size || b.gutter < gutter*b.dp {
		return
	}
	l.Write(scene.Text{Rect: r, Text: typeface.Clip(text, r.W(), size), Size: size,
		Fill: b.st.Palette.Secondary, Align: scene.AlignRight})
}

// badge draws a side's letter and thread beside its stacks, and its root edge and a line along its
// whole height in its colour.
func (b *builder) badge(s pair.Side) {
	pal, r := b.st.Palette, b.v.Sides[s].Bounds
	l := b.v.Scene.Layer(geom.Rect{})
	x := r.X0 - 4*b.dp
	l.Fill(geom.Rect{X0: r.X0, X1: r.X1, Y0: r.Y0, Y1: r.Y0 + edge*b.dp}, pal.Side(int(s)))
	l.Fill(geom.Rect{X0: x, X1: x + edge*b.dp, Y0: r.Y0, Y1: r.Y1}, pal.Side(int(s)))
	big := min(badge*b.dp, r.H())
	at := geom.Point{X: x - 6*b.dp - big, Y: r.Y0}
	scene.Badge(l, at, big, "AB"[s:s+1], pal.Side(int(s)), pal.OnSide)
	title := geom.Rect{Y0: r.Y0 + badge*b.dp, Y1: r.Y0 + (badge+textSize+7)*b.dp}
	if tr := b.p.Sides[s]; tr == nil {
		b.name(l, title, "no thread")
	} else if title.Y1 <= r.Y1 {
		b.name(l, title, tr.Threads[b.p.Virtual.Indices[s]].Title())
	}
	if b.v.MaxScroll <= 0 {
		return
	}
	b.thumb(r, b.scroll, b.v.MaxScroll)
}
