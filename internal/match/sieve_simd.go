//go:build goexperiment.simd && amd64

package match

import "simd/archsimd"

// Of two synthetic traces of ten million calls, three of four pairs of a row and a panel hold no
// match. So before sixteen panels are compared, a sieve finds out which rows may match something in
// which of them. A panel is four blocks, and what a row shares with the union of a block's cores
// bounds what it shares with each kind; see blocks.go. The sieve counts that for 64 blocks in one
// pass over the rows, a byte each that stays at 255 once it is full.

const (
	inSieve   = 64 // blocks
	sieved    = inSieve * inBlock / inPanel
	fullSieve = mostByte - 1 // what a full byte exceeds
)

// sieveBytes is a byte for each block of a sieve. Block k is one of panel k/4, and its byte is
// k%4·16 + k/4, so that the four of a panel are as far from each other as two bytes of a word.
type sieveBytes [inSieve]uint8

func sieveByte(block int) int { return block%(inPanel/inBlock)*sieved + block/(inPanel/inBlock) }

// sieve is used for many groups of blocks, one after the other.
type sieve struct {
	local []uint32     // by identity: index into has; 0 if no block has it
	ids   []uint32     // that the blocks have
	has   []sieveBytes // by local number of an identity: 1 for each block that has it
	needs []sieveBytes // by size of A: a row that shares more than this with a block may match it
	stack []sieveBytes // stack[d+1] is how much the latest row of depth d shares; stack[0] is 0
	may   []uint16     // by row: a bit for each panel that it, or a row below it, may match
}

func newSieve(c *comparison) *sieve {
	return &sieve{local: make([]uint32, c.identities+1), has: make([]sieveBytes, 1),
		needs: make([]sieveBytes, len(c.x.sizes)), stack: make([]sieveBytes, c.x.depth+1),
		may: make([]uint16, len(c.x.nodes))}
}

// half returns 32 bytes of a sieve's.
func (b *sieveBytes) half(k int) archsimd.Uint8x32 {
	return archsimd.LoadUint8x32((*[32]uint8)(b[32*k:]))
}

// sift finds which rows may match something in blocks [from, to).
func (p *panel) sift(from, to uint32) {
	s := p.sieve
	for _, id := range s.ids {
		s.local[id] = 0
	}
	s.ids, s.has = s.ids[:0], s.has[:1]
	for size := range s.needs {
		for k := range s.needs[size] {
			s.needs[size][k] = mostByte
		}
	}
	for k := range int(to - from) {
		p.addToSieve(sieveByte(k), p.y.block(int(from)+k))
	}
	s.count(p.rows, p.added)
	for k := len(s.may) - 1; k >= 0; k-- {
		if base := p.x.nodes[k].base; base != none {
			s.may[base] |= s.may[k]
		}
	}
}

// addToSieve notes what byte k needs to know of a block. No row matches any of its kinds if it
// has to share more with the smallest than the largest core has.
func (p *panel) addToSieve(k int, block []uint32) {
	s, smallest, largest := p.sieve, uint32(1<<32-1), uint32(0)
	for _, kind := range block {
		smallest, largest = min(smallest, p.y.Size[kind]), max(largest, p.y.core[kind])
		p.y.Members(int(kind), func(id uint32) bool {
			if s.local[id] == 0 {
				s.local[id] = uint32(len(s.has))
				s.ids, s.has = append(s.ids, id), append(s.has, sieveBytes{})
			}
			s.has[s.local[id]][k] = 1
			return true
		})
	}
	for i, size := range p.x.sizes {
		least := p.least[size+smallest]
		if least > largest {
			break
		}
		s.needs[i][k] = uint8(min(least-1, fullSieve))
	}
}

// count finds for each row the panels that it may match itself.
func (s *sieve) count(rows []panelRow, added []uint32) {
	for i := range rows {
		row := &rows[i]
		below, common := &s.stack[row.depth], &s.stack[row.depth+1]
		lo, hi := below.half(0), below.half(1)
		for _, id := range added[row.from:row.to] {
			more := &s.has[s.local[id]]
			lo, hi = lo.AddSaturated(more.half(0)), hi.AddSaturated(more.half(1))
		}
		lo.Store((*[32]uint8)(common[:32]))
		hi.Store((*[32]uint8)(common[32:]))
		need := &s.needs[row.size]
		may := exceeds(lo, need.half(0)) | exceeds(hi, need.half(1))
		s.may[i] = uint16(may | may>>sieved)
	}
	archsimd.ClearAVXUpperBits()
}
