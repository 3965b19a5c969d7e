package align

import "math"

// A strip is eight blocks of rows, one below the other, that vector instructions sweep at once.
//
// Each block needs in a column what the block above has computed there. So each is a column behind
// the one above it, and all eight take a step together:
//
//	step 9   block 0 is in column 9, block 1 in column 8, ..., block 7 in column 2
//
// With eight words to a vector the operations are those of the kernel (kernel.go). What a block
// hands to the next one moves up by a word between two steps.
//
// Before a block begins, its column is untouched, no row equals a symbol, and w above is 1. These
// make each other: the next column is untouched again, and w below is 1. After its last column a
// block goes on with whatever comes, and nobody looks at that.

const (
	stripBlocks = 8
	stripLag    = stripBlocks - 1 // columns that the last block is behind the first
	allBits     = math.MaxUint64
)

// perBlock is a word for each block of a strip.
type perBlock = [stripBlocks]uint64

// stripKernel takes a strip through as many steps as there are symbols, at most tileCols. It reads
// w above the first block from border, stripLag columns further right than it writes w below the
// last block there. heads receives for each step which blocks have w ≥ k below them, block 0 as the
// lowest bit of byte k−1.
type stripKernel func(s *stripState, eq []perBlock, symbols []uint32, border []uint8,
	heads []uint32)

// stripState is what a strip hands from step to step.
type stripState struct {
	t    [4]perBlock         // the columns: rows with t < 1, t < 2, t < 3 and t < 4
	w    [4]perBlock         // whether w below the blocks is ≥ 1, 2, 3 and 4, in the highest bit
	late [7]perBlock         // rows that equal earlier symbols, as stagger keeps them
	next [tileCols + 1]uint8 // w between two halves of a strip

	//lint:ignore U1000 only kernels with vector instructions keep something here
	rows [tileCols]perBlock
}

// reset makes it the state before the first step.
func (s *stripState) reset() {
	all := everyBlock(allRows)
	s.t = [4]perBlock{all, all, all, all}
	s.w = [4]perBlock{everyBlock(noRow)}
	for k := range s.late {
		s.late[k] = everyBlock(noRow)
	}
	s.next[0] = 1
}

func everyBlock(w uint64) (all perBlock) {
	for l := range all {
		all[l] = w
	}
	return all
}

// strip is what is kept of eight blocks for the trail.
type strip struct {
	heads []uint32      // by step
	left  [][4]perBlock // the columns before each tile of steps
}

// column returns the column of a block before a tile.
func (s *strip) column(tile, block int) column {
	t := &s.left[tile]
	return column{t[0][block], t[1][block], t[2][block], t[3][block]}
}

// unpack restores w below a block from a step on.
func (s *strip) unpack(block, step int, border []uint8) {
	for j, head := range s.heads[step:][:len(border)] {
		border[j] = uint8(head >> block & 0x01010101 * 0x01010101 >> 24)
	}
}

// stripRows computes strips, one after the other, in the same memory.
type stripRows struct {
	eq    []perBlock // by symbol
	state stripState
	strip *strip
	above []byte // w above, two columns a byte
}

func noStripRows(symbols int) *stripRows {
	r := &stripRows{eq: make([]perBlock, symbols)}
	for x := range r.eq {
		r.eq[x] = everyBlock(noRow)
	}
	return r
}

func (r *stripRows) begin(p *rowPart) {
	for l := range stripBlocks {
		for i, x := range p.rowsOf(p.k + l) {
			r.eq[x][l] |= 1 << i
		}
	}
	r.state.reset()
	steps := p.hi - p.lo + stripLag
	r.strip = &strip{make([]uint32, 0, steps), make([][4]perBlock, 0, (steps+tileCols-1)/tileCols)}
	r.above = make([]byte, (p.hi-p.lo+1)/2)
}

// tile returns the column up to which w below is known.
func (r *stripRows) tile(p *rowPart, j, to int) (done int) {
	packBorder(r.above[(j-p.lo)/2:], p.border[j:to])
	r.advance(p, to-j)
	return to - stripLag
}

// advance takes some steps.
func (r *stripRows) advance(p *rowPart, steps int) {
	for s := r.strip; steps > 0; {
		at := len(s.heads)
		if at%tileCols == 0 {
			s.left = append(s.left, r.state.t)
		}
		n, j := min(steps, tileCols-at%tileCols), p.lo+at
		s.heads = s.heads[:at+n]
		p.kernel(&r.state, r.eq, p.rb[j:j+n], p.padded[j:], s.heads[at:])
		steps -= n
	}
}

// end takes the steps after the first block's last. In the last strip of a matrix it looks at each
// block's last column.
func (r *stripRows) end(p *rowPart) (rise int64) {
	for l := range stripBlocks {
		rows := p.rowsOf(p.k + l)
		t := &r.state.t
		rise += column{t[0][l], t[1][l], t[2][l], t[3][l]}.rise(len(rows))
		if l < stripLag {
			r.advance(p, 1)
		}
		for _, x := range rows {
			r.eq[x] = everyBlock(noRow)
		}
		b := block{lo: p.lo, hi: p.hi, strip: r.strip, number: l}
		if l == 0 {
			b.above = r.above
		}
		copy(p.blocks[min(p.k+l, len(p.blocks)):], []block{b})
	}
	return rise
}
