package match

import (
	"math/bits"
	"slices"
)

// The second step compares rows with each kind of a block. How much a row shares with the kinds
// takes a byte each, eight in a word. A row's bytes are those of its base, and for each identity
// that the row adds to its base, 1 for the kinds that have it.

const (
	blockWords = inBlock / 8
	mostNarrow = 127 // what a byte counts, so that its highest bit is free to compare
	byteTops   = 0x8080808080808080
	toOneByte  = 0x0102040810204080 // the product with it has the lowest bit of byte k in bit 56+k
)

// byteRow is a byte for each kind of a block.
type byteRow [blockWords]uint64

// setByte makes byte k the given number.
func (r *byteRow) setByte(k int, to uint64) {
	shift := k % 8 * 8
	r[k/8] = r[k/8]&^(0xff<<shift) | to<<shift
}

// byteAt returns byte k.
func (r *byteRow) byteAt(k int) uint8 { return uint8(r[k/8%blockWords] >> (k % 8 * 8)) }

// cells is the second step. One is used for many blocks, one after the other.
type cells struct {
	x     *rowKinds
	y     *blocks
	least []uint32 // see Tau.least

	// Of the block at hand:
	block  []uint32
	number uint32           // counted from 1
	sizes  [inBlock]float64 // by kind
	sums   [inBlock]matched // by kind
	local  []uint32         // by identity: index into has; 0 if the block does not have it
	ids    []uint32         // that the block has
	has    []byteRow        // by local number of an identity: 1 for each kind that has it
	needs  []byteRow        // by size of A: how much a row must share with each kind to match it
	known  []uint32         // by size of A: the number of the block for which needs holds
	stack  []frame          // from stack[1] to stack[top], a row and those around it in the forest
	top    int
	path   []int32  // for seekRow
	shared []uint32 // for addWide
}

// frame is a row on the stack, and how much it shares with each kind if no byte has run over. Its
// size is a power of two.
type frame struct {
	common byteRow
	class  int32
	end    uint32
	_      [3]uint64
}

func newCells(x *rowKinds, y *blocks, least []uint32, identities int) *cells {
	c := &cells{x: x, y: y, least: least, local: make([]uint32, identities+1),
		has: make([]byteRow, 1), needs: make([]byteRow, len(x.sizes)),
		known: make([]uint32, len(x.sizes)), stack: make([]frame, x.depth+1),
		path: make([]int32, x.depth)}
	c.stack[0] = frame{class: none, end: 1<<32 - 1}
	return c
}

// seekBlock makes the block at hand the one of these kinds.
func (c *cells) seekBlock(block []uint32) {
	for _, id := range c.ids {
		c.local[id] = 0
	}
	c.block, c.ids, c.has, c.top = block, c.ids[:0], c.has[:1], 0
	c.number++
	c.sums = [inBlock]matched{}
	for k, kind := range block {
		c.sizes[k] = float64(c.y.Size[kind])
		c.y.Members(int(kind), func(id uint32) bool {
			if c.local[id] == 0 {
				c.local[id] = uint32(len(c.has))
				c.ids, c.has = append(c.ids, id), append(c.has, byteRow{})
			}
			c.has[c.local[id]].setByte(k, 1)
			return true
		})
	}
}

// needed returns how much a row must share with each kind of the block. size is an index into the
// sizes of A.
func (c *cells) needed(size uint32) *byteRow {
	need := &c.needs[size]
	if c.known[size] == c.number {
		return need
	}
	c.known[size] = c.number
	for k := range inBlock {
		least := uint32(mostNarrow + 1) // more than any row shares
		if k < len(c.block) {
			least = min(least, c.least[c.x.sizes[size]+c.y.Size[c.block[k]]])
		}
		need.setByte(k, uint64(least))
	}
	return need
}

// addRow adds the matches between a row and the block to the sums of the kinds, and reports whether
// there are any. Rows are asked for in ascending order.
func (c *cells) addRow(row uint32) bool {
	if row&wide != 0 {
		return c.addWide(row &^ wide)
	}
	common, need := c.seekRow(row), c.needed(c.x.size[row])
	matched := uint32(0) // a bit for each kind
	for w, counts := range common {
		enough := ((counts | byteTops) - need[w]) & byteTops
		matched |= uint32(enough>>7*toOneByte>>56) << (8 * w)
	}
	c.addMatches(row, matched, common)
	return matched != 0
}

// addMatches adds the matches of a row, which are given as bits.
func (c *cells) addMatches(row, matched uint32, common *byteRow) {
	calls, size := float64(c.x.Count[row]), float64(c.x.Size[row])
	for ; matched != 0; matched &= matched - 1 {
		k := bits.TrailingZeros32(matched) % inBlock
		c.sums[k].add(calls, float64(common.byteAt(k)), size+c.sizes[k])
	}
}

// seekRow returns how much a row shares with each kind of the block. Of the rows around it that are
// not on the stack it makes all, from the outermost.
func (c *cells) seekRow(row uint32) *byteRow {
	for c.stack[c.top].end <= row {
		c.top--
	}
	n, at := 0, c.stack[c.top].class
	for k := int32(row); k != at; k = c.x.nodes[k].base {
		c.path[n] = k
		n++
	}
	for n--; n >= 0; n-- {
		c.push(c.path[n])
	}
	return &c.stack[c.top].common
}

// push puts a row on the stack whose base is on top of it. Most rows add few identities, so the
// loop for several at once has a length that the processor predicts.
func (c *cells) push(row int32) {
	node, below := &c.x.nodes[row], &c.stack[c.top].common
	c0, c1, c2, c3 := below[0], below[1], below[2], below[3]
	has, local, added := c.has, c.local, c.x.padded[node.from:node.to]
	for ; len(added) >= padding; added = added[padding:] {
		w, x := &has[local[added[0]]], &has[local[added[1]]]
		y, z := &has[local[added[2]]], &has[local[added[3]]]
		c0 += w[0] + x[0] + y[0] + z[0]
		c1 += w[1] + x[1] + y[1] + z[1]
		c2 += w[2] + x[2] + y[2] + z[2]
		c3 += w[3] + x[3] + y[3] + z[3]
	}
	c.top++
	f := &c.stack[c.top]
	f.class, f.end = row, node.end
	// Word by word, for the processor to find them again when they are read as words.
	f.common[0] = c0
	f.common[1] = c1
	f.common[2] = c2
	f.common[3] = c3
}

// addWide is addRow for a row that may share more with a kind than a byte counts.
func (c *cells) addWide(row uint32) (any bool) {
	c.shared = c.shared[:0]
	c.x.Members(int(row), func(id uint32) bool {
		c.shared = append(c.shared, c.local[id])
		return true
	})
	var common [inBlock]uint32
	for part := range slices.Chunk(c.shared, mostNarrow) {
		var counts byteRow
		for _, local := range part {
			for w, has := range &c.has[local] {
				counts[w] += has
			}
		}
		for k := range common {
			common[k] += uint32(counts.byteAt(k))
		}
	}
	calls, size := float64(c.x.Count[row]), c.x.Size[row]
	for k, kind := range c.block {
		if n, both := common[k], size+c.y.Size[kind]; n >= c.least[both] {
			c.sums[k].add(calls, float64(n), float64(both))
			any = true
		}
	}
	return any
}
