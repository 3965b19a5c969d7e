package matches

// What the stacks need and what the matches need is weighed here. Tubes can be followed only where
// no stacks lie over them, so each half leaves its part of the band to them; what then is hidden
// of deep stacks is scrolled to. Rows become lower to fit, as long as they can bear labels.

// leastShown is how many rows of a stack the band leaves room for at least.
const leastShown = 4

// both reports whether two traces face each other.
func (b *builder) both() bool {
	return b.st.Sides[A].Trace != nil && b.st.Sides[B].Trace != nil
}

// free returns what either half of a view of the given height leaves to the matches, px.
func (b *builder) free(height float32) float32 {
	if !b.both() || b.st.Links.Rows == nil {
		return 0
	}
	return max(0, b.st.Links.Band*height/2-middle/2*b.dp)
}

// cede returns what a half with room px for its stacks gives up of them.
func (b *builder) cede(room, free float32) float32 {
	return min(free, max(0, room-leastShown*b.usualRow()))
}

// usualRow returns the height of a stack level without regard to how many there are, px.
func (b *builder) usualRow() float32 {
	scale := b.st.Rows
	if scale <= 0 {
		scale = 1
	}
	return max(1, rowHeight*scale*b.dp)
}

// rowHeight returns the height of a stack level, px, the same on both sides.
func (b *builder) rowHeight() float32 {
	usual := b.usualRow()
	if !b.both() || b.st.Links.Rows == nil {
		return usual
	}
	row := usual
	for k := range b.st.Sides {
		if n := b.st.Sides[k].levels(); n > 0 {
			row = min(row, b.v.Sides[k].Icicle.H()/float32(n))
		}
	}
	return max(row, min(usual, labelRow*b.dp))
}

// levels returns how many stack levels a side shows, or 0 if it shows several threads.
func (s *Side) levels() int {
	if s.Trace == nil || len(s.Tracks) != 1 {
		return 0
	}
	n := s.Trace.Threads[s.Tracks[0]].MaxDepth()
	if s.Levels > 0 {
		n = min(n, s.Levels)
	}
	return n
}
