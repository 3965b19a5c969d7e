package match

import "math/bits"

// Between two synthetic traces of ten million calls, more than half of the pairs of a row and a
// panel hold no match. So before the panels of a tile are compared, a sieve finds out which rows
// may match something in which panels. It counts the identities that rows share with the unions of
// blocks, which are inBlock kinds beside each other; see blocks.go. 512 blocks have a lane each.

const (
	panelBlocks = inLanes / inBlock // in a panel
	mostInTile  = inLanes / panelBlocks
)

type sieve struct {
	counter laneCounter
	sizes   []uint32 // of A's rows that are counted: those of at most mostCount identities
	of      []uint32 // by size of A: index into sizes
	needs   []digits // by index into sizes: a row that shares more with a block may match it
	may     []uint16 // by row: a bit for each panel that it, or a row below it, may match
}

func newSieve(c *comparison) *sieve {
	s := &sieve{counter: newLaneCounter(), of: make([]uint32, len(c.x.sizes)),
		may: make([]uint16, len(c.x.nodes))}
	counted := make([]bool, len(c.x.sizes))
	for row, size := range c.x.size {
		counted[size] = counted[size] || c.x.core[row] <= mostCount
	}
	for k, is := range counted {
		s.of[k] = uint32(len(s.sizes))
		if is {
			s.sizes = append(s.sizes, c.x.sizes[k])
		}
	}
	s.needs = make([]digits, len(s.sizes))
	return s
}

// sift finds which rows may match something in the panels of the tile.
func (s *sieve) sift(p *panels) {
	clear(s.needs) // no row shares so much with a lane that nobody has set
	s.counter.has = append(s.counter.has[:0], make([]lanes, 1+len(p.codes.ids))...)
	for k := range p.tile {
		of := &p.tile[k]
		for code := range of.has {
			s.counter.has[code].setBlocks(k, &of.has[code])
		}
		for from := 0; from < len(of.kinds); from += inBlock {
			s.setNeeds(p, k*panelBlocks+from/inBlock, of.kinds[from:min(from+inBlock, len(of.kinds))])
		}
	}
	for i := range p.rows {
		row := &p.rows[i]
		if row.core > mostCount {
			s.may[i] = p.mayMatchWide(row)
			continue
		}
		s.counter.reach(row.depth)
		words := p.count(&s.counter, row.depth, p.added[row.from:row.to], &s.needs[s.of[row.size]])
		may := uint16(0)
		for ; words != 0; words &= words - 1 {
			w := bits.TrailingZeros8(words)
			may |= uint16(anyHalf(s.counter.above[w%laneWords])) << (2 * w)
		}
		s.may[i] = may
	}
	for k := len(s.may) - 1; k >= 0; k-- {
		if base := p.x.nodes[k].base; base != none {
			s.may[base] |= s.may[k]
		}
	}
}

// mayMatchWide returns a bit for each panel of the tile that a row of more than mostCount
// identities may match, as far as sizes tell.
func (p *panels) mayMatchWide(row *panelRow) (may uint16) {
	for k := range p.tile {
		of := &p.tile[k]
		if p.enough[p.x.sizes[row.size]+of.sizes[0].size] < min(row.core, of.core) {
			may |= 1 << k
		}
	}
	return may
}

// anyHalf returns a bit for each half of a word that is not 0.
func anyHalf(w uint64) uint8 {
	any := uint8(0)
	if uint32(w) != 0 {
		any = 1
	}
	if w>>32 != 0 {
		any |= 2
	}
	return any
}

// setBlocks sets the lanes of the blocks of panel k of which any kind is among those given.
func (l *lanes) setBlocks(k int, kinds *lanes) {
	blocks := uint64(0)
	for w, kinds := range kinds {
		kinds |= kinds >> 8
		kinds |= kinds >> 4
		kinds |= kinds >> 2
		kinds |= kinds >> 1
		blocks |= (kinds&1 | kinds>>15&2 | kinds>>30&4 | kinds>>45&8) << (4 * w)
	}
	l[k/2] |= blocks << (k % 2 * panelBlocks)
}

// setNeeds notes what the lane of a block needs to know. No row matches any of its kinds if it
// has to share more with the smallest than the largest core has.
func (s *sieve) setNeeds(p *panels, lane int, block []uint32) {
	smallest, largest := p.y.Size[block[0]], uint32(0)
	for _, kind := range block {
		smallest, largest = min(smallest, p.y.Size[kind]), max(largest, p.y.core[kind])
	}
	for i, size := range s.sizes {
		if need := p.enough[size+smallest]; need < largest {
			s.needs[i].complement(lane, need)
		}
	}
}
