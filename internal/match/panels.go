package match

import (
	"context"
	"encoding/binary"
	"math/bits"
	"slices"

	"diptych/internal/progress"
)

// laneKernels are what depends on the processor.
type laneKernels struct {
	count laneKernel
	// add adds the matches of a row with the panel at hand, which are the lanes above. words has a
	// bit for each word of them that is not 0.
	add  func(p *panels, row int, words uint8)
	wide wideKernel
}

// panels compares all rows with one tile after the other. It sets the columns of the tile's kinds,
// and the rows that have a match.
type panels struct {
	*comparison
	laneKernels
	rows     []panelRow
	matching []bool // by row: it has a match
	sieve    *sieve
	enough   []uint32 // by the sum of two sizes: Tau.least − 1

	gathering *gathering
	tile      []panel
	codes     codes    // of the identities that its kinds have
	added     []uint32 // added[from:to] of a row is what it adds, as codes
	// for the panel at hand:
	*panel
	counter laneCounter
	wider   wideCounter
	needs   []digits // a row that shares more than this with a kind matches it
	known   []uint32 // by size of A: 1 + its index in needs, or 0
	*panelSums
}

// panel is up to 512 kinds beside each other in the order of the blocks.
type panel struct {
	has    []lanes // see laneCounter
	kinds  []uint32
	sizes  []laneSize // ascending
	digits int        // that what is shared with a kind takes, at most mostDigits
	core   uint32     // members of the largest core
}

// isWide reports whether a row may share more with a kind than digits count. So may all rows below
// it.
func (p *panel) isWide(row *panelRow) bool { return p.core > mostCount && row.core > mostCount }

// laneSize is a size of kinds of a panel.
type laneSize struct {
	size   uint32
	orMore lanes // of the kinds that are as large or larger
}

// panelRow is what is read of a row for every panel.
type panelRow struct {
	end, from, to uint32
	depth         uint32 // rows around it in the forest
	size          uint32 // index into the sizes of A
	core          uint32
}

// laneFloats is a number for each lane, in vectors of eight.
type laneFloats [inLanes / 8][8]float64

// at returns where the number of a lane is.
func (f *laneFloats) at(lane int) *float64 { return &f[lane/8%len(f)][lane%8] }

// panelSums is numbers for each kind of a panel. It holds no pointers and nothing else, so that
// it begins at a cache line, and no vector crosses from one to the next.
type panelSums struct {
	size, calls, similarities laneFloats // the latter two are what each kind matches
	common                    [64]uint8  // of a row and the kinds of a word, for adding
}

func (c *comparison) newPanels(k laneKernels) *panels {
	p := &panels{comparison: c, laneKernels: k, rows: make([]panelRow, len(c.x.nodes)),
		matching: make([]bool, len(c.x.nodes)),
		sieve:    newSieve(c), enough: make([]uint32, len(c.least)), gathering: newGathering(c.y.Classes),
		codes: codes{of: make([]uint32, c.identities+1)}, added: make([]uint32, 0, len(c.x.padded)),
		counter: newLaneCounter(), known: make([]uint32, len(c.x.sizes)), panelSums: new(panelSums)}
	for both, least := range c.least {
		p.enough[both] = least - 1
	}
	for k, n := range c.x.nodes {
		row := panelRow{end: n.end, size: c.x.size[k], core: c.x.core[k]}
		if n.base != none {
			row.depth = p.rows[n.base].depth + 1
		}
		p.rows[k] = row
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rows = append(c.rows, p.matching)
	return p
}

// compareTile compares all rows with the panels of a tile.
func (p *panels) compareTile(ctx context.Context, t interval, m *progress.Meter) error {
	p.makeTile(t)
	p.sieve.sift(p)
	for k := range p.tile {
		p.seek(&p.tile[k])
		p.compare(1 << k)
		for lane, kind := range p.kinds {
			p.columns[kind] = matched{*p.calls.at(lane), *p.similarities.at(lane)}
		}
		if err := m.Add(ctx, 1); err != nil {
			return err
		}
	}
	return nil
}

// makeTile makes the panels of a tile. Which of a row's identities any kind has is looked up once
// for the tile, and not for each panel: of hundreds of thousands of kinds, those of a tile have
// about half of them.
func (p *panels) makeTile(t interval) {
	n := int(t.to - t.from)
	p.tile = slices.Grow(p.tile[:0], n)[:n] // panels of the tile before keep their memory
	p.codes.clear()
	for k := range p.tile {
		p.makePanel(&p.tile[k], p.y.panel(int(t.from)+k))
	}
	for k := range p.tile {
		of := &p.tile[k]
		of.has = append(of.has, make([]lanes, 1+len(p.codes.ids)-len(of.has))...)
	}
	p.added = p.added[:0]
	for k, n := range p.x.nodes {
		row := &p.rows[k]
		row.from = uint32(len(p.added))
		p.added = p.codes.appendCodes(p.added, p.x.padded[n.from:n.to])
		row.to = uint32(len(p.added))
	}
}

// makePanel makes a panel of kinds.
func (p *panels) makePanel(out *panel, kinds []uint32) {
	*out = panel{has: append(out.has[:0], lanes{}), kinds: kinds, sizes: out.sizes[:0]}
	for _, kind := range kinds {
		out.core = max(out.core, p.y.core[kind])
		out.addSize(p.y.Size[kind])
	}
	p.gathering.gather(kinds, func(id uint32, of *lanes) {
		code := int(p.codes.code(id))
		for len(out.has) <= code {
			out.has = append(out.has, lanes{})
		}
		has := &out.has[code]
		for w, word := range of {
			has[w] |= word
		}
	})
	for lane, kind := range kinds {
		for k := range out.sizes {
			if s := &out.sizes[k]; s.size <= p.y.Size[kind] {
				s.orMore.set(lane)
			}
		}
	}
	out.digits = min(bits.Len32(out.core), mostDigits)
}

// addSize notes that a panel has kinds of a size.
func (p *panel) addSize(size uint32) {
	at := 0
	for at < len(p.sizes) && p.sizes[at].size < size {
		at++
	}
	if at < len(p.sizes) && p.sizes[at].size == size {
		return
	}
	p.sizes = append(p.sizes, laneSize{})
	copy(p.sizes[at+1:], p.sizes[at:])
	p.sizes[at] = laneSize{size: size}
}

// seek makes a panel the one at hand.
func (p *panels) seek(to *panel) {
	p.panel = to
	p.counter.has, p.counter.digits = to.has, to.digits
	p.needs = p.needs[:0]
	clear(p.known)
	p.calls, p.similarities = laneFloats{}, laneFloats{}
	if to.core > mostCount {
		p.wider.seek(p)
	}
	for lane, kind := range to.kinds {
		*p.size.at(lane) = float64(p.y.Size[kind])
	}
}

// compare adds all matches of the rows that may match something in the panel at hand, whose bit the
// sieve knows.
func (p *panels) compare(bit uint16) {
	may := p.sieve.may
	for i := 0; i < len(p.rows) && i < len(may); i++ {
		row := &p.rows[i]
		if may[i]&bit == 0 {
			i = int(row.end) - 1
			continue
		}
		if p.isWide(row) {
			if p.compareWide(i) {
				p.matching[i] = true
			}
			continue
		}
		p.counter.reach(row.depth)
		words := p.count(&p.counter, row.depth, p.added[row.from:row.to], p.need(row.size))
		if words != 0 {
			p.add(p, i, words)
			p.matching[i] = true
		}
	}
}

// need returns what a row must share more than with each kind of the panel. size is an index into
// the sizes of A. The larger a kind, the more it needs, but never more than a number can be: a row
// that shares as much has no match.
func (p *panels) need(size uint32) *digits {
	if known := p.known[size]; known > 0 {
		return &p.needs[known-1]
	}
	p.needs = append(p.needs, noNumber)
	p.known[size] = uint32(len(p.needs))
	need := &p.needs[len(p.needs)-1]
	enough, most, was := p.enough[p.x.sizes[size]:], uint32(1)<<p.digits-1, uint32(0)
	for k := range p.sizes {
		s := &p.sizes[k]
		now := min(enough[s.size], most)
		for flip := was ^ now; flip != 0; flip &= flip - 1 {
			of := &need[bits.TrailingZeros32(flip)%mostDigits]
			for w := range of {
				of[w] ^= s.orMore[w]
			}
		}
		was = now
	}
	return need
}

// addMatches is laneKernels.add for every processor.
func addMatches(p *panels, row int, words uint8) {
	common := &p.counter.stack[p.rows[row].depth+1]
	calls, size := float64(p.x.Count[row]), float64(p.x.Size[row])
	for ; words != 0; words &= words - 1 {
		w := bits.TrailingZeros8(words) % laneWords
		for m := p.counter.above[w]; m != 0; {
			g := bits.TrailingZeros64(m) / 8
			lanes := uint8(m >> (8 * g))
			m &^= 0xff << (8 * g)
			shared := (*[8]uint8)(p.common[8*g:])
			binary.LittleEndian.PutUint64(shared[:], common.eight(8*w+g, p.digits))
			sums, similarities := &p.calls[8*w+g], &p.similarities[8*w+g]
			for ; lanes != 0; lanes &= lanes - 1 {
				k := bits.TrailingZeros8(lanes)
				sum := matched{sums[k], similarities[k]}
				sum.add(calls, float64(shared[k]), size+p.size[8*w+g][k])
				sums[k], similarities[k] = sum.calls, sum.similarity
			}
		}
	}
}
