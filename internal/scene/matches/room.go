package matches

import "diptych/internal/scene/icicle"

// Stacks and matches share the height of the view. Tubes can be followed only where no stacks lie
// over them, so each half leaves its part of the band to them. Stacks that then do not fit give way
// in this order:
//
//  1. rows get lower, as long as they can still bear labels;
//  2. the stem, the callers that fill the whole focus, is folded into thin strips: it is the same
//     for all that is shown, so it says the least;
//  3. the half keeps more of the height, and the band gets lower;
//  4. in small panes rows get so low that they lose their labels;
//  5. what is left over is scrolled to.
//
// Both sides have rows and strips of one height, and either both fold their stem or none does. For
// example, if the focus of A lies within main → run → loop and that of B within main → run, the
// rows of A begin with two strips and the row of loop, those of B with one strip and the row of
// run.

const (
	leastShown = 4   // usual rows that the band leaves room for at least
	deepStack  = 16  // levels; of a stack that has more
	deepShown  = 8   // so many low rows are left room for at least
	leastBand  = 24  // least height of the band in a small pane, dp
	leastRows  = 5   // rows that lose their labels if no more fit than this
	lowRow     = 6   // least height of a row without labels, dp
	strip      = 4   // greatest height of a folded level, dp
	stripShare = .25 // of a half's height that all strips have at most
)

// both reports whether two traces face each other.
func (b *builder) both() bool {
	return b.st.Sides[A].Trace != nil && b.st.Sides[B].Trace != nil
}

// free returns what either half of a view of the given height leaves to the matches, px.
func (b *builder) free(height float32) float32 {
	if !b.both() || b.st.Links.Graph == nil {
		return 0
	}
	return max(0, b.st.Links.Band*height/2-middle/2*b.dp)
}

// cede returns what the half of side k, with room px for its stacks, gives up of them.
func (b *builder) cede(k int, room, free float32) float32 {
	least := float32(leastShown * rowHeight)
	if b.st.Sides[k].levels() > deepStack {
		least = deepShown * labelRow
	}
	return min(free, max(room-least*b.dp, min(room/4, leastBand/2*b.dp)))
}

// scale returns the vertical scale of the stack levels.
func (b *builder) scale() float32 {
	if b.st.Rows <= 0 {
		return 1
	}
	return b.st.Rows
}

// fit sets the height of the stack levels, the same on both sides, and how many are folded.
func (b *builder) fit() {
	usual := rowHeight * b.dp
	b.row = max(1, usual*b.scale())
	if !b.both() || b.st.Links.Graph == nil {
		return
	}
	row := usual
	b.fold()
	for k := range b.st.Sides {
		if n := b.st.Sides[k].levels() - b.folded[k]; n > 0 {
			room := b.v.Sides[k].Icicle.H() - float32(b.folded[k])*b.strip
			row = min(row, max(room/float32(n), b.leastRow(room)))
		}
	}
	b.row = max(1, row*b.scale())
}

// leastRow returns how low rows become at least before what does not fit in room px is scrolled to.
func (b *builder) leastRow(room float32) float32 {
	return min(max(room/leastRows, lowRow*b.dp), labelRow*b.dp)
}

// fold folds the stems of both sides if the stack of either does not fit in rows that bear labels.
func (b *builder) fold() {
	deep, most, room := false, 0, float32(0)
	for k := range b.st.Sides {
		h := b.v.Sides[k].Icicle.H() - edge*b.dp
		if n := b.st.Sides[k].levels(); float32(n)*labelRow*b.dp > h {
			deep = true
		}
		if k == A || h < room {
			room = h
		}
	}
	if !deep || room <= 0 {
		return
	}
	for k := range b.st.Sides {
		b.folded[k] = b.st.Sides[k].stem()
		most = max(most, b.folded[k])
	}
	if most > 0 {
		b.strip = min(strip*b.dp, stripShare*room/float32(most))
	}
}

// stem returns how many levels are folded at most: all of the stem but the last, below which lies
// what is shown.
func (s *Side) stem() int {
	if s.levels() == 0 {
		return 0
	}
	return max(0, icicle.Stem(s.Trace.Threads[s.Tracks[0]], s.Focus)-1)
}

// levels returns how many stack levels a side shows, or 0 if it shows several threads.
func (s *Side) levels() int {
	if s.Trace == nil || len(s.Tracks) != 1 {
		return 0
	}
	n := s.Trace.Threads[s.Tracks[0]].MaxDepth()
	if s.Levels > 0 {
		n = min(n, max(s.Levels, s.Deeper.Levels(s.Trace, s.Tracks[0])))
	}
	return n
}
