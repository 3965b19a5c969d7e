package aligned

import (
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/scene/icicle"
)

// What share of a pane each part gets is weighed here. From above: the axis, A's stacks, the
// status, B's stacks, dissimilarity, skew, and the rows of all thread pairs. Both sides have rows
// of one height, are scrolled alike and fold alike, so that paired calls are at the same level in
// sight.
//
// Where a pane is too small for all of it, this gives way, in this order: the names beside the
// parts (in a narrow pane), the height of the stacks' rows, the stem that fills the focus on both
// sides (it becomes thin strips), the rows of all thread pairs, the skew, the dissimilarity, the
// labels in the stacks. What then does not fit is scrolled to.

// Heights in dp.
const (
	heatRoom    = 14
	skewRoom    = 54
	skewMost    = 110
	statusMost  = 9  // of a row
	statusRoomy = 14 // of a row where the stacks leave room
	statusLeast = 3
	lowRow      = 6 // of a row without labels, at least

	statusShare = .22 // of the height that stacks and status have
	pairShare   = .34 // of the pane's height that the rows of thread pairs have at most
	pairLow     = .26 // of one that is low
	lowPane     = 480 // dp
	stripShare  = .25 // of a side's height that strips have at most
	shownRows   = 3   // of a side's stacks, which other parts leave room for
)

// narrowPane is the width in dp below which the parts have no names beside them, and narrowGutter
// what then is left of the gutter. Less than leastWidth shows nothing.
const (
	narrowPane   = 420
	narrowGutter = 32
	leastWidth   = 24 // of the parts
)

// What a pane is wider than widePane is shared with the gutter, which then has room for whole names
// of threads.
const (
	widePane  = 1250 // dp
	wideShare = .1
	widest    = 80 // dp that the gutter gains at most
)

// room is how much of it each part has, px.
type room struct {
	gutter         float32
	row, statusRow float32
	folded         int
	strip          float32 // height of a folded level
	scroll         float32
	statusBounds   geom.Rect
}

// heights are those of the parts that give way, and of what is left to stacks and status.
type heights struct{ pairs, skew, heat, free float32 }

// divide returns the heights of the parts in a pane whose parts have a given height together.
func (b *builder) divide(height float32) heights {
	need := min(float32(b.levels()), shownRows)*labelRow*b.dp + edge*b.dp
	need = 2 * need / (1 - statusShare)
	h := heights{pairs: b.pairsNeed(height)}
	if !b.st.Bare {
		h.heat, h.skew = heatRoom*b.dp, min(skewRoom*b.dp, (height-h.pairs)*.2)
	}
	left := func() float32 {
		gaps := 2 * float32(between)
		if h.heat > 0 {
			gaps += 1.5 * between
		}
		if h.skew > 0 {
			gaps += between
		}
		return height - h.pairs - h.skew - h.heat - gaps*b.dp
	}
	for _, part := range []*float32{&h.pairs, &h.skew, &h.heat} {
		if left() < need {
			*part = 0
		}
	}
	h.free = left()
	return h
}

// place divides the pane and reports whether there is room for anything.
func (b *builder) place(size geom.Size) bool {
	b.gutter = gutter*b.dp + min(max(size.W-widePane*b.dp, 0)*wideShare, widest*b.dp)
	if size.W < narrowPane*b.dp {
		b.gutter = narrowGutter * b.dp
	}
	r := geom.Rect{X0: b.gutter, X1: size.W - margin*b.dp, Y0: axisRoom * b.dp,
		Y1: size.H - between*b.dp}
	if r.W() < leastWidth*b.dp || r.H() <= 0 {
		return false
	}
	b.v.Axis = geom.Axis{Span: b.st.Focus, X0: r.X0, X1: r.X1}
	h := b.divide(r.H())
	if h.free < labelRow*b.dp {
		return false
	}
	half, status := b.share(h.free)
	if most := float32(b.levels()) * statusRoomy * b.dp; b.v.MaxScroll == 0 && status < most {
		status = min(most, h.free-2*half)
		b.statusRow = status / float32(max(b.levels(), 1))
	}
	if h.skew > 0 {
		h.skew += min(h.free-status-2*half, (skewMost-skewRoom)*b.dp)
	}
	b.stack(r, half, status, h)
	return true
}

// stack puts the parts one below the other.
func (b *builder) stack(r geom.Rect, half, status float32, h heights) {
	y := r.Y0
	next := func(h, gap float32) geom.Rect {
		part := geom.Rect{X0: r.X0, X1: r.X1, Y0: y, Y1: y + h}
		if h <= 0 {
			return geom.Rect{}
		}
		y += h + gap*b.dp
		return part
	}
	b.v.Sides[pair.A].Bounds = next(half, between)
	b.statusBounds = next(status, between)
	b.v.Sides[pair.B].Bounds = next(half, between)
	b.v.Dissimilarity = next(h.heat, 1.5*between)
	b.v.Skew = next(h.skew, between)
	if h.pairs > 0 {
		b.placePairs(y, r.Y1)
	}
}

// share sets the rows' heights and returns the heights of a side's stacks and of the status.
func (b *builder) share(free float32) (half, status float32) {
	levels := float32(b.levels())
	if levels == 0 {
		return free / 2, 0
	}
	scale := b.st.Rows
	if scale <= 0 {
		scale = 1
	}
	usual := max(1, rowHeight*scale*b.dp)
	b.row = usual
	status = min(levels*statusMost*b.dp, free*statusShare)
	half = (free - status) / 2
	within := half - edge*b.dp
	if least := min(usual, labelRow*b.dp); levels*least > within {
		b.fold(within)
	}
	folds := float32(b.folded) * b.strip
	if shown := levels - float32(b.folded); shown*b.row > within-folds && scale == 1 {
		least := min(max((within-folds)/shownRows, lowRow*b.dp), labelRow*b.dp)
		b.row = max((within-folds)/shown, least)
	}
	height := folds + (levels-float32(b.folded))*b.row
	if whole := float32(int((within - folds) / b.row)); height > within && whole >= 1 {
		within = folds + whole*b.row // no row is cut at the bottom, and no label
		half = within + edge*b.dp
	}
	b.v.Row, b.v.MaxScroll = b.row, max(0, height-within)
	b.scroll = min(max(b.st.Scroll, 0), b.v.MaxScroll)
	b.statusRow = max(status/levels, statusLeast*b.dp)
	return min(half, height+edge*b.dp), status
}

// fold folds the levels that are the stem on both sides, except for the last, as what all else is
// below.
func (b *builder) fold(within float32) {
	n := -1
	for s, tr := range b.p.Sides {
		if tr == nil {
			continue
		}
		t := icicle.Stem(tr.Threads[b.p.Virtual.Indices[s]], b.st.Focus) - 1
		if n < 0 || t < n {
			n = t
		}
	}
	if n > 0 && within > 0 {
		b.folded, b.strip = n, min(strip*b.dp, stripShare*within/float32(n))
	}
}

// levels returns the number of stack levels of the deeper side.
func (b *builder) levels() int { return b.p.tree().MaxDepth() }
