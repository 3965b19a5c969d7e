package matches

import (
	"fmt"
	"math"
	"strings"

	"diptych/internal/geom"
	"diptych/internal/scene"
	"diptych/internal/scene/icicle"
	"diptych/internal/scene/links"
	"diptych/internal/typeface"
)

// Where no match joins two visible calls the middle of the view would stay empty, although there
// may be plenty of matches. A hint then says where they are. Three reasons are looked at in turn:
// the calls lie on stack levels that are scrolled out of view; they fill the view, which makes them
// context that is not joined; their partners lie outside the other side's focus. If none of these
// is the reason, the calls that are shown have no match, and the hint says that.

// Where is a direction on the screen from what is shown of a side.
type Where uint8

const (
	Here Where = iota
	Above
	Below
	Left
	Right
)

// Hint says why no match is drawn.
type Hint struct {
	None bool // no match was found: there is nothing to set

	Text string
	Rect geom.Rect // where Text is drawn; empty where there is no room

	Matches uint64 // how many; 0 if they were not counted
	Context bool   // they are of calls that fill the view, which links.State.Frames would join
	// Where the most important of them lies, by side.
	Where [2]Where
	// What to set to see it: the Scroll of a side where it lies above or below, the Focus of a side
	// where it lies left or right. Of other sides they are as they were, within bounds.
	Scroll [2]float32
	Focus  [2]geom.Span
}

// lookout keeps buffers for hints.
type lookout struct {
	layers  [2]scene.Layer
	icicles [2]icicle.Arena
	tubes   scene.Tubes
	links   links.Arena

	// What was found last, for as long as the cells stay as they are.
	found *Hint
	views [2]geom.Rect
	known bool
}

// lookoutReach is how far beyond the viewport hidden stack levels are looked at, dp.
const lookoutReach = 6000

// lookoutEffort is how many pairs of classes are compared at most: about 2 ms, a quarter of what a
// frame is worth.
const lookoutEffort = 100_000

// hint says where matches are, or that there are none. Looking costs as much as a frame of its own,
// so it is done only when the view has changed.
func (b *builder) hint() {
	a := &b.a.lookout
	views := [2]geom.Rect{b.v.Sides[A].Drawing.View, b.v.Sides[B].Drawing.View}
	if !a.known || a.views != views || b.v.Links.Changed {
		a.known, a.views, a.found = true, views, b.lookOut()
	}
	h := *a.found
	b.v.Hint = &h
	b.writeHint(&h)
}

// lookOut looks for matches elsewhere.
func (b *builder) lookOut() *Hint {
	h := &Hint{}
	for k := range b.v.Sides {
		h.Scroll[k], h.Focus[k] = b.v.Sides[k].Drawing.Scroll, b.st.Sides[k].Focus
	}
	switch {
	case b.onLevels(h, b.st.Links.Frames):
	case !b.st.Links.Frames && b.onLevels(h, true):
		h.Context = true
	case b.inTime(h):
	default:
		h.None = true
	}
	return h
}

// onLevels looks for matches on all stack levels of the foci.
func (b *builder) onLevels(h *Hint, frames bool) bool {
	a, st := &b.a.lookout, b.st.Links
	st.Budget, st.Effort = 1, lookoutEffort // the most important one
	st.Frames, st.Brush, st.Marked = frames, nil, nil
	var drawn [2]*icicle.Drawing
	for k := range drawn {
		p := b.v.Sides[k].Drawing.Plot
		p.TextSize, p.Emphasis = 0, nil
		b.widen(k, &p)
		a.layers[k].Quads, a.layers[k].Texts = a.layers[k].Quads[:0], a.layers[k].Texts[:0]
		drawn[k] = p.Draw(&a.layers[k], &a.icicles[k])
	}
	a.tubes = scene.Tubes{Knots: a.tubes.Knots[:0], Tubes: a.tubes.Tubes[:0]}
	found := links.Build(&st, b.pane(), drawn, &a.tubes, &a.links)
	if found.Drawn == 0 {
		return false
	}
	h.Matches = found.Visible
	for k, end := range found.Link(0).Ends {
		h.Where[k], h.Scroll[k] = b.towards(k, end.Rect)
	}
	return true
}

// widen makes the viewport of a plot higher, without moving what is in it, so that it holds levels
// that are scrolled out of view.
func (b *builder) widen(k int, p *icicle.Plot) {
	reach := lookoutReach * b.dp
	before := min(p.Scroll, reach)
	after := min(max(p.Height(&b.a.lookout.icicles[k])-p.Scroll-p.View.H(), 0), reach)
	p.Scroll -= before
	if k == A {
		p.View.Y0, p.View.Y1 = p.View.Y0-before, p.View.Y1+after
	} else {
		p.View.Y0, p.View.Y1 = p.View.Y0-after, p.View.Y1+before
	}
}

// towards returns where a cell lies as seen from side k's viewport, and the scroll that brings it
// to the middle.
func (b *builder) towards(k int, cell geom.Rect) (Where, float32) {
	h, d := &b.v.Sides[k], b.v.Sides[k].Drawing
	away := (cell.Y0+cell.Y1)/2 - (d.View.Y0+d.View.Y1)/2
	if k == B {
		away = -away
	}
	scroll := min(max(d.Scroll+away, 0), h.MaxScroll)
	switch {
	case cell.Y1 <= d.View.Y0:
		return Above, scroll
	case cell.Y0 >= d.View.Y1:
		return Below, scroll
	}
	return Here, d.Scroll
}

// inTime looks for the matching call that is nearest in time to the focus of its side.
func (b *builder) inTime(h *Hint) bool {
	at, ok := b.a.lookout.links.Nearest(&b.st.Links)
	if !ok {
		return false
	}
	sd := &b.st.Sides[at.Side]
	start := float64(sd.Trace.Threads[at.Ref.Thread].Start(int(at.Ref.Call)))
	h.Where[at.Side] = Right
	if start < sd.Focus.Mid() {
		h.Where[at.Side] = Left
	}
	h.Focus[at.Side] = sd.Focus.Shift(start - sd.Focus.Mid()).
		Clamp(geom.Span{End: float64(sd.Trace.Duration)})
	return true
}

// texts returns ways to write a hint, the longest first.
func (b *builder) texts(h *Hint) []string {
	for k := range b.st.Sides {
		if b.st.Sides[k].Trace.Calls() == 0 {
			return []string{"There are no calls in " + "AB"[k:k+1]}
		}
		if len(b.st.Sides[k].Tracks) == 0 && len(b.st.Sides[1-k].Tracks) > 0 {
			return []string{"Only " + "BA"[k:k+1] + " has this thread"}
		}
	}
	if h.None {
		tau := fmt.Sprintf("τ = %.2f", b.st.Links.Tau.Float())
		found := []string{"No match above " + tau + " was found here", "No match was found here",
			"No match found"}
		if b.v.Links.Partial {
			return found
		}
		return append([]string{
			"No match: no two calls shown have more than " + tau + " of their functions in common"}, found...)
	}
	n, lie := geom.FormatCount(h.Matches)+" matches", " lie "
	if h.Matches == 1 {
		n, lie = "1 match", " lies "
	}
	if h.Context {
		return []string{n + " only between calls that fill the view (context calls)",
			n + " of context calls"}
	}
	var long, short []string
	for k, w := range h.Where {
		side, unit := "AB"[k:k+1], string(b.st.Sides[k].Trace.Unit)
		switch w {
		case Above, Below:
			way := [...]string{Above: "above", Below: "below"}[w]
			long = append(long, way+" what is shown of "+side)
			short = append(short, way+" "+side)
		case Left, Right:
			way := [...]string{Left: "left", Right: "right"}[w]
			far := geom.FormatValue(math.Abs(h.Focus[k].Mid()-b.st.Sides[k].Focus.Mid()), unit)
			return []string{
				"The nearest match of what is shown lies " + far + " to the " + way + " in " + side,
				"Nearest match: " + far + " " + way + " in " + side, "Matches " + way + " in " + side}
		}
	}
	if len(long) == 0 {
		return []string{n + lie + "in calls too narrow to show: zoom in", n + ": zoom in"}
	}
	return []string{n + lie + strings.Join(long, " and "), n + " " + strings.Join(short, ", ")}
}

// Measures of a hint in dp.
const (
	hintRoom = 22
	hintPad  = 10
)

// writeHint draws a hint in the free band, above its middle if there is room, in the longest way
// that fits.
func (b *builder) writeHint(h *Hint) {
	upper, lower := b.v.Sides[A].Icicle, b.v.Sides[B].Icicle
	size, pal := textSize*b.dp, b.st.Palette
	room := upper.W() - 2*hintPad*b.dp
	for _, text := range b.texts(h) {
		h.Text = text
		if typeface.Width(text, size, false) <= room {
			break
		}
	}
	text := typeface.Clip(h.Text, room, size)
	if lower.Y0-upper.Y1 < hintRoom*b.dp || text == "" {
		return
	}
	w := typeface.Width(text, size, false) + 2*hintPad*b.dp
	x, y := (upper.X0+upper.X1-w)/2, (upper.Y1+lower.Y0-hintRoom*b.dp)/2
	if above := b.v.Sides[A].Bounds.Y1 - hintRoom*b.dp; above >= upper.Y1 {
		y = above // not over the line by which the sides are divided
	}
	h.Rect = geom.Rect{X0: x, X1: x + w, Y0: y, Y1: y + hintRoom*b.dp}
	l := b.v.Scene.Layer(geom.Rect{})
	l.Quads = append(l.Quads,
		scene.Quad{Rect: h.Rect, Fill: pal.Raised, Radius: hintRoom / 2 * b.dp, U1: 1})
	l.Write(scene.Text{Rect: h.Rect, Text: text, Fill: pal.Text, Size: size,
		Align: scene.AlignCentre})
}
