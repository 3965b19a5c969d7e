// Package matches builds the main view of a comparison (TraceDiff): side A's stacks grow down from
// a time axis at the top, side B's grow up from a time axis at the bottom, and matches join their
// cells across the middle, as tubes that lie beneath the stacks (package links chooses them). With
// one trace loaded its side takes the whole pane.
//
// Build is a pure function of State and size. The package knows nothing of windows or input.
package matches

import (
	"slices"

	"diptych/internal/geom"
	"diptych/internal/match"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/scene/icicle"
	"diptych/internal/scene/links"
	"diptych/internal/trace"
)

// The two sides, as indices into State.Sides and View.Sides.
const (
	A = iota
	B
)

// State is all that the view depends on.
type State struct {
	Sides   [2]Side
	Palette *palette.Palette
	Scale   float32 // px per dp; 0 for 1
	Detail  icicle.Detail
	Split   float32 // share of the height that A has; 0 for one half
	Rows    float32 // vertical scale of the stack levels; 0 for 1
	Links   links.State
}

// Side is what one half shows.
type Side struct {
	Trace    *trace.Trace // nil if none is loaded
	Tracks   []int        // threads shown, from the root edge on
	Headers  bool         // name each track, as for several threads
	Tail     string       // a line after the last track; needs Headers
	Focus    geom.Span    // the visible time
	Scroll   float32      // px scrolled away from the root edge
	Levels   int          // stack levels shown of each track at most; 0 for all
	Deeper   *icicle.Deeper
	Selected []trace.CallRef
	Hover    []trace.CallRef                            // outlined, with its partners
	Emphasis func(thread, from, to int) icicle.Emphasis // may be nil
	Repeats  Repeats
	Loading  *Loading // nil once all of the trace is there
}

// Hover marks a call as the one under the pointer, which may be in another pane: it and what
// matches join it with are outlined, and only matches below it keep their colour.
func (st *State) Hover(side int, ref trace.CallRef) {
	st.Sides[side].Hover = append(st.Sides[side].Hover, ref)
	st.Links.Brush = append(st.Links.Brush, links.Brush{Side: side, Ref: ref})
}

// Arena keeps buffers from one frame to the next; it serves one view at a time.
type Arena struct {
	scene   scene.Scene
	icicles [2]icicle.Arena
	links   links.Arena
	lookout lookout
}

// View is the built scene and what lies where in it.
type View struct {
	Scene *scene.Scene
	Sides icicle.Halves
	Links *links.Links // nil if nothing is compared or one side is not drawn
	Hint  *Hint        // nil if a match is drawn, or nothing is compared
}

// Hit is what lies under a point.
type Hit struct {
	Side int
	icicle.Pick
}

// Measures in dp.
const (
	gutter    = 36 // left of the stacks, for the badge
	margin    = 12 // right of them
	axisRoom  = 22
	rowHeight = 19
	labelRow  = 13 // least height of a row that bears labels
	headRoom  = 17
	trackGap  = 4
	textSize  = 11
	edge      = 2  // the coloured line at the root edge
	middle    = 12 // least free space between the sides
	badge     = 18
)

// Build draws the view. A may be nil; with one, the View is valid until the arena's next Build.
func Build(st *State, size geom.Size, a *Arena) *View {
	if a == nil {
		a = &Arena{}
	}
	a.scene.Reset(size)
	v := &View{Scene: &a.scene}
	b := builder{st: st, v: v, a: a, dp: st.Scale}
	if b.dp <= 0 {
		b.dp = 1
	}
	b.place(size)
	b.fit()
	beneath := b.reserve()
	for k := range v.Sides {
		if !v.Sides[k].Icicle.Empty() {
			b.side(k)
		}
	}
	if beneath {
		b.join()
	}
	b.conceal()
	return v
}

type builder struct {
	st *State
	v  *View
	a  *Arena
	dp float32

	row    float32 // height of a stack level, px
	folded [2]int  // levels that are strips, by side
	strip  float32 // height of a strip, px
}

// place divides the pane among the sides that are loaded.
func (b *builder) place(size geom.Size) {
	pane := geom.Rect{X1: size.W, Y1: size.H}
	bounds := [2]geom.Rect{pane, pane}
	if b.both() {
		share := b.st.Split
		if share <= 0 || share >= 1 {
			share = .5
		}
		bounds[A].Y1 = size.H*share - middle/2*b.dp
		bounds[B].Y0 = size.H*share + middle/2*b.dp
	}
	free := b.free(size.H)
	for k := range b.v.Sides {
		sd, h := &b.st.Sides[k], &b.v.Sides[k]
		if sd.Trace == nil {
			continue
		}
		r := bounds[k]
		r.X0, r.X1 = r.X0+gutter*b.dp, r.X1-margin*b.dp
		if k == A {
			r.Y0 += axisRoom * b.dp
			r.Y1 -= b.cede(k, r.H(), free)
		} else {
			r.Y1 -= axisRoom * b.dp
			r.Y0 += b.cede(k, r.H(), free)
		}
		if r.Empty() || r.H() < edge*b.dp || !(sd.Focus.Len() > 0) {
			continue
		}
		h.Bounds, h.Icicle = bounds[k], r
		h.Axis = geom.Axis{Span: sd.Focus, X0: r.X0, X1: r.X1}
	}
}

// side draws one side: its axis, its stacks, and over them what is marked and the badge.
func (b *builder) side(k int) {
	b.axis(k)
	h, sd, s := &b.v.Sides[k], &b.st.Sides[k], b.v.Scene
	p := b.plot(k)
	h.Row = p.Row
	h.MaxScroll = max(0, p.Height(&b.a.icicles[k])-p.View.H())
	p.Scroll = min(max(sd.Scroll, 0), h.MaxScroll)
	h.Drawing = p.Draw(s.Layer(p.View), &b.a.icicles[k])

	over := s.Layer(p.View)
	if sd.Loading != nil {
		b.unread(k)
		b.badge(k)
		return
	}
	b.repeats(k, over)
	for _, ref := range sd.Hover {
		h.Drawing.Outline(over, ref, b.dp, icicle.Hovered)
	}
	for _, ref := range sd.Selected {
		h.Drawing.Outline(over, ref, 2*b.dp, icicle.Selected)
	}
	b.scrollbar(k, p.Scroll)
	b.badge(k)
}

func (b *builder) plot(k int) icicle.Plot {
	h, sd := &b.v.Sides[k], &b.st.Sides[k]
	p := icicle.Plot{
		Trace: sd.Trace, Threads: sd.Tracks, Axis: h.Axis, View: h.Icicle,
		Row: b.row, Levels: sd.Levels, Deeper: sd.Deeper, Fold: b.folded[k], FoldRow: b.strip,
		Palette: b.st.Palette, Detail: b.st.Detail, Emphasis: sd.Emphasis,
	}
	if p.Row >= labelRow*b.dp {
		p.TextSize = textSize * b.dp
	}
	if k == B {
		p.Dir = icicle.Up
	}
	if sd.Headers {
		p.Header, p.Gap, p.Tail = headRoom*b.dp, trackGap*b.dp, sd.Tail
	}
	p.View = inner(h.Icicle, k, edge*b.dp)
	return p
}

// inner returns the viewport of a side's stacks without the coloured line at its root edge.
func inner(r geom.Rect, k int, edge float32) geom.Rect {
	if k == A {
		r.Y0 += edge
	} else {
		r.Y1 -= edge
	}
	return r
}

// Pick returns what is drawn at p.
func (v *View) Pick(p geom.Point) (Hit, bool) {
	for k := range v.Sides {
		if d := v.Sides[k].Drawing; d != nil {
			if hit, ok := d.Pick(p); ok {
				return Hit{k, hit}, true
			}
		}
	}
	return Hit{}, false
}

// Repeats are the repetitions of a side: runs of like siblings. The zero value is none.
type Repeats struct {
	Calls *match.Calls // what runs count their calls in
	// In yields the first and the last call of each run in a window, as match.Repeats does.
	In func(w match.Window, yield func(first, last int) bool)
}

// leastRepeat is the width in dp from which on a run is outlined.
const leastRepeat = 6

// repeats outlines the runs that are wide enough, each around all of its calls.
func (b *builder) repeats(k int, over *scene.Layer) {
	r, d := &b.st.Sides[k].Repeats, b.v.Sides[k].Drawing
	if r.Calls == nil || r.In == nil {
		return
	}
	w := match.Window{
		From: int64(d.Axis.Span.Start), To: int64(d.Axis.Span.End),
		Least: int64(leastRepeat * float64(b.dp) * d.Axis.NsPerPx()),
	}
	r.In(w, func(first, last int) bool {
		in, call := r.Calls.At(first)
		if thread := threadOf(d.Trace, r.Calls, in); thread >= 0 {
			b.outline(k, over, thread, call, call+last-first)
		}
		return true
	})
}

// threadOf returns the trace's index of thread k of a scope, or −1.
func threadOf(t *trace.Trace, calls *match.Calls, k int) int {
	if k < len(t.Threads) && t.Threads[k] == calls.Threads[k] {
		return k
	}
	return slices.Index(t.Threads, calls.Threads[k])
}

// outline marks the siblings from first to last where they are visible.
func (b *builder) outline(k int, over *scene.Layer, thread, first, last int) {
	d := b.v.Sides[k].Drawing
	from, ok := d.CallRect(trace.CallRef{Thread: int32(thread), Call: int32(first)})
	to, _ := d.CallRect(trace.CallRef{Thread: int32(thread), Call: int32(last)})
	r := geom.Rect{X0: max(from.X0, d.View.X0), Y0: from.Y0, X1: min(to.X1, d.View.X1), Y1: from.Y1}
	if ok && r.W() >= leastRepeat*b.dp && !r.Intersect(d.View).Empty() {
		over.Border(r, b.st.Palette.Far, b.dp)
	}
}
