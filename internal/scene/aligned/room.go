package aligned

import (
	"slices"

	"diptych/internal/geom"
	"diptych/internal/pair"
)

// What share of a pane each part gets is weighed here. From above: the axis, A's stacks, the
// status, B's stacks, dissimilarity, skew, and the rows of all thread pairs. Both sides have rows
// of one height, are scrolled alike and fold alike, so that paired calls are at the same level in
// sight.

// Heights in dp.
const (
	heatRoom    = 14
	skewRoom    = 54
	skewMost    = 110
	statusMost  = 9  // of a row
	statusRoomy = 14 // of a row where the stacks leave room
	statusLeast = 3
	pairMost    = 12 // of a row
	pairLeast   = 2

	statusShare = .22 // of the height that stacks and status have
	pairShare   = .30 // of the pane's height that the rows of thread pairs have at most
	pairLow     = .17 // of one that is low
	lowPane     = 480 // dp
	trunkShare  = .9  // of the thread's time that each call of a trunk lasts
)

// room is how much of it each part has, px.
type room struct {
	row, statusRow float32
	folded         int
	scroll         float32
	statusBounds   geom.Rect
	pairRow        float32
	pairsTop       float32
}

// place divides the pane and reports whether there is room for anything.
func (b *builder) place(size geom.Size) bool {
	r := geom.Rect{X0: gutter * b.dp, X1: size.W - margin*b.dp, Y0: axisRoom * b.dp,
		Y1: size.H - between*b.dp}
	if r.Empty() {
		return false
	}
	b.v.Axis = geom.Axis{Span: b.st.Focus, X0: r.X0, X1: r.X1}
	bottom := r.Y1
	r.Y1 -= b.pairsNeed(r.H())
	heat, skew := heatRoom*b.dp, min(skewRoom*b.dp, r.H()*.2)
	free := r.H() - heat - skew - 4.5*between*b.dp
	if free < labelRow*b.dp {
		return false
	}
	half, status := b.share(free)
	if most := float32(b.levels()) * statusRoomy * b.dp; b.v.MaxScroll == 0 && status < most {
		status = min(most, free-2*half)
		b.statusRow = status / float32(max(b.levels(), 1))
	}
	skew += min(free-status-2*half, (skewMost-skewRoom)*b.dp)

	y := r.Y0
	next := func(h, gap float32) geom.Rect {
		part := geom.Rect{X0: r.X0, X1: r.X1, Y0: y, Y1: y + h}
		y += h + gap*b.dp
		return part
	}
	b.v.Sides[pair.A].Bounds = next(half, between)
	b.statusBounds = next(status, between)
	b.v.Sides[pair.B].Bounds = next(half, between)
	b.v.Dissimilarity = next(heat, 1.5*between)
	b.v.Skew = next(skew, between)
	b.placePairs(y, bottom)
	return true
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
		b.folded = b.trunk()
	}
	folds := float32(b.folded) * strip * b.dp
	if shown := levels - float32(b.folded); shown*b.row > within-folds && scale == 1 {
		b.row = max((within-folds)/shown, labelRow*b.dp)
	}
	height := folds + (levels-float32(b.folded))*b.row
	b.v.Row, b.v.MaxScroll = b.row, max(0, height-within)
	b.scroll = min(max(b.st.Scroll, 0), b.v.MaxScroll)
	b.statusRow = max(status/levels, statusLeast*b.dp)
	return min(half, height+edge*b.dp), status
}

// levels returns the number of stack levels of the deeper side.
func (b *builder) levels() int { return b.p.tree().MaxDepth() }

// trunk returns how many levels are folded: those that are a trunk on both sides, except for the
// last, as what all else is below.
func (b *builder) trunk() int {
	n := -1
	for s, tr := range b.p.Sides {
		if tr == nil {
			continue
		}
		t := max(0, tr.Threads[b.p.Virtual.Indices[s]].Trunk(trunkShare)-1)
		if n < 0 || t < n {
			n = t
		}
	}
	return max(n, 0)
}

// pairsNeed returns how much of a height the rows of thread pairs take from the other parts.
func (b *builder) pairsNeed(height float32) float32 {
	n := len(b.st.Pairs)
	if n < 2 {
		return 0
	}
	share := float32(pairShare)
	if height < lowPane*b.dp {
		share = pairLow
	}
	return min(2*float32(n)*pairMost*b.dp, height*share) + between*b.dp
}

// placePairs sets the height of the rows of thread pairs between top and bottom, how many there is
// room for, and the first: the pair that is shown is among them.
func (b *builder) placePairs(top, bottom float32) {
	n := len(b.st.Pairs)
	half := (bottom - top - between*b.dp) / 2
	b.pairsTop, b.v.pairs = top, min(n, int(half/(pairLeast*b.dp)))
	if n < 2 || b.v.pairs < 1 {
		b.v.pairs = 0
		return
	}
	b.pairRow = min(half/float32(b.v.pairs), pairMost*b.dp)
	current := slices.IndexFunc(b.st.Pairs, func(r Row) bool { return r.Current })
	b.v.firstPair = max(0, current-b.v.pairs+1)
}
