package matches

import "diptych/internal/trace"

// What the stacks need and what the matches need is weighed here. Tubes can be followed only where
// no stacks lie over them, so each half leaves its part of the band to them; what then is hidden
// of deep stacks is scrolled to. Rows become lower to fit, as long as they can bear labels.

// Where that does not suffice, the trunk of a stack, calls such as main that last nearly as long as
// their thread, is folded into strips: it says the least and is in the way of all else.

const (
	leastShown = 4  // rows of a stack that the band leaves room for at least
	strip      = 4  // height of a folded level in dp
	trunkShare = .9 // of the thread's time that each call of a trunk lasts
)

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

// fit sets the height of the stack levels, the same on both sides, and how many are folded.
func (b *builder) fit() {
	b.row = b.usualRow()
	if !b.both() || b.st.Links.Rows == nil {
		return
	}
	least, row := min(b.row, labelRow*b.dp), b.row
	for k := range b.st.Sides {
		n, room := b.st.Sides[k].levels(), b.v.Sides[k].Icicle.H()
		if n == 0 {
			continue
		}
		if float32(n)*least > room {
			b.folded[k] = b.trunk(k)
			n -= b.folded[k]
			room -= float32(b.folded[k]) * strip * b.dp
		}
		row = min(row, room/float32(n))
	}
	b.row = max(row, least)
}

// trunk returns how many levels of side k are folded. The last of the trunk stays, as what all else
// is below.
func (b *builder) trunk(k int) int {
	sd, t := &b.st.Sides[k], &b.a.trunks[k]
	th := sd.Trace.Threads[sd.Tracks[0]]
	if t.of != th {
		*t = trunk{th, max(0, th.Trunk(trunkShare)-1)}
	}
	return t.levels
}

// trunk remembers how many levels of a thread are folded.
type trunk struct {
	of     *trace.Thread
	levels int
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
