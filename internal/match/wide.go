package match

import "math/bits"

// A row of more than mostCount identities may share more with a kind than digits count. What it
// shares with each kind of a panel is then a whole number a lane, and is counted from one row to
// the next: an identity is counted in before the rows below that which adds it, and out after them.
// So a chain of 10,000 functions, each of which calls the next, costs at most 10,000 additions for
// each kind, though its rows have 50 million members.

// laneNumbers is a whole number for each lane, in vectors of eight.
type laneNumbers [inLanes / 8][8]uint64

// wideCounter counts what rows share with the kinds of the panel at hand.
type wideCounter struct {
	row    int32       // the one that is counted, or none
	common laneNumbers // what it shares
	// A row of size x matches a kind of size y if common·(q+p) > p·x + p·y, where τ is p/q; see
	// Tau.Exceeded.
	times, per uint64      // q+p, p
	needs      laneNumbers // p·y
}

// wideKernel is what depends on the processor.
type wideKernel struct {
	// count adds a number, or its complement, to the lanes that have an identity, for each of some
	// codes.
	count func(c *wideCounter, has []lanes, codes []uint32, by uint64)
	// add adds the matches of the row that is counted, and reports whether there are any.
	add func(p *panels, row int) bool
}

// wordsWide is the wideKernel for every processor.
var wordsWide = wideKernel{countWide, addWide}

// seek begins with the panel at hand.
func (c *wideCounter) seek(p *panels) {
	num, den := p.tau.fraction()
	*c = wideCounter{row: none, times: den + num, per: num}
	for lane, kind := range p.kinds {
		c.needs[lane/8][lane%8] = num * uint64(p.y.Size[kind])
	}
}

// compareWide counts a row, and adds its matches. It reports whether there are any.
func (p *panels) compareWide(row int) bool {
	c := &p.wider
	count := func(row int32, by uint64) {
		r := &p.rows[row]
		p.wide.count(c, p.has, p.added[r.from:r.to], by)
	}
	for c.row != none && row >= int(p.rows[c.row].end) {
		count(c.row, ^uint64(0))
		c.row = p.x.nodes[c.row].base
	}
	for r := int32(row); r != c.row; r = p.x.nodes[r].base {
		count(r, 1)
	}
	c.row = int32(row)
	return p.wide.add(p, row)
}

func countWide(c *wideCounter, has []lanes, codes []uint32, by uint64) {
	for _, code := range codes {
		for w, word := range &has[code] {
			for ; word != 0; word &= word - 1 {
				lane := 64*w + bits.TrailingZeros64(word)
				c.common[lane/8%len(c.common)][lane%8] += by
			}
		}
	}
}

func addWide(p *panels, row int) (any bool) {
	c, calls, size := &p.wider, float64(p.x.Count[row]), float64(p.x.Size[row])
	need := c.per * uint64(p.x.Size[row])
	for g := range c.common {
		sums, similarities := &p.calls[g], &p.similarities[g]
		for k, n := range &c.common[g] {
			if n*c.times <= c.needs[g][k]+need {
				continue
			}
			sum := matched{sums[k], similarities[k]}
			sum.add(calls, float64(n), size+p.size[g][k])
			sums[k], similarities[k], any = sum.calls, sum.similarity, true
		}
	}
	return any
}
