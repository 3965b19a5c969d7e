package align

import (
	"context"
	"math/bits"
)

// A level that is too large for keys is scored by the kernel, in blocks of 64 rows, within a band
// of diagonals. What a band yields is the penalty of some alignment, so it bounds the least; once
// no alignment of that penalty can leave the band, the band holds all optimal ones. (Ukkonen 1985;
// a gap moves by one diagonal and costs 2.)
//
// The states at the borders of tiles are kept, so that any tile can be computed again: half a byte
// for each column of a block, and 32 bytes for each tile. That is 1/128 of a byte a cell, and a
// hundredth of what full matrices of steps need.

const (
	blockRows = 64
	tileCols  = 1024
	wordCost  = 8 // cells that the kernel takes in the time of one by key
)

// sweeper scores a level. Sequences are reversed: its row i stands for A's i-th callee from the
// end.
type sweeper struct {
	rows, cols int
	ra, rb     []uint32 // symbols, numbered from 0, reversed
	symbols    int

	from, to int // the band holds the diagonals column − row of [from, to]
	blocks   []block
	border   []uint8
}

// block is 64 rows of the matrix within the band.
type block struct {
	lo, hi int      // columns; lo is on the border
	above  []byte   // w above columns lo+1 to hi, two columns a byte
	left   []column // state before the first column of each tile
}

func newSweeper(fa, fb []uint32) *sweeper {
	s := &sweeper{rows: len(fa), cols: len(fb)}
	number := map[uint32]uint32{}
	s.ra, s.rb = reversed(fa, number), reversed(fb, number)
	s.symbols = len(number)
	return s
}

// reversed returns a sequence from its end, with symbols numbered from 0.
func reversed(list []uint32, number map[uint32]uint32) []uint32 {
	out := make([]uint32, len(list))
	for i, x := range list {
		k, ok := number[x]
		if !ok {
			k = uint32(len(number))
			number[x] = k
		}
		out[len(list)-1-i] = k
	}
	return out
}

// score sweeps ever wider bands until one holds all optimal alignments, and returns the penalty.
func (s *sweeper) score(ctx context.Context, m *meter) (int64, error) {
	shift := s.cols - s.rows
	wide := max(shift, -shift)
	for e := 64; ; {
		s.from, s.to = min(0, shift)-e, max(0, shift)+e
		penalty, err := s.sweepAll(ctx, m)
		if err != nil {
			return 0, err
		}
		// An alignment that leaves the band has this many gaps at least.
		if penalty < 2*int64(wide+2*e+2) || e >= max(s.rows, s.cols) {
			return penalty, nil
		}
		enough := int(penalty/2-int64(wide)-2)/2 + 1
		if e *= 4; e >= enough/2 {
			e = enough
		}
	}
}

// sweepAll fills the band and returns the penalty of the best alignment within.
func (s *sweeper) sweepAll(ctx context.Context, m *meter) (int64, error) {
	s.blocks = make([]block, (s.rows+blockRows-1)/blockRows)
	s.border = make([]uint8, s.cols)
	eq, t := make([][2]uint64, s.symbols), ticker{m: m}
	m.expect(int64(s.rows) * int64(min(s.to-s.from, s.cols)) / (64 * wordCost))
	for k := 0; k < len(s.blocks); k += 2 {
		if err := s.sweepTwo(ctx, k, eq, &t); err != nil {
			return 0, err
		}
	}
	// Down the first column, then along the lowest border that each column has.
	penalty := 2 * int64(s.rows)
	for _, w := range s.border {
		penalty += 2 - int64(bits.OnesCount8(w))
	}
	return penalty, t.flush(ctx)
}

// sweepTwo computes blocks k and k+1. Where the sequence ends with the former, the latter has no
// rows, and what is between them is what is below.
func (s *sweeper) sweepTwo(ctx context.Context, k int, eq [][2]uint64, t *ticker) error {
	upper, lower := s.ofBlock(k), s.ofBlock(k+1)
	mark(eq, upper, 0)
	mark(eq, lower, 1)
	lo := max(k*blockRows+s.from, 0)
	hi := min(k*blockRows+len(upper)+len(lower)+s.to, s.cols)
	two := [2]block{newBlock(lo, hi), newBlock(lo, hi)}
	last := [2]uint{uint(len(upper)) - 1, uint(len(lower)) - 1}
	var c [2]column
	var between [tileCols]uint8
	for j := lo; j < hi; j += tileCols {
		to := min(j+tileCols, hi)
		for h := range two {
			two[h].left = append(two[h].left, c[h])
		}
		pack(two[0].above[(j-lo)/2:], s.border[j:to])
		sweep(eq, s.rb[j:to], s.border[j:to], between[:], &c, last)
		pack(two[1].above[(j-lo)/2:], between[:to-j])
		if len(lower) == 0 {
			copy(s.border[j:to], between[:])
		}
		if err := t.add(ctx, 2*blockRows*(to-j)/wordCost); err != nil {
			return err
		}
	}
	copy(s.blocks[k:], two[:])
	unmark(eq, upper)
	unmark(eq, lower)
	return nil
}

func newBlock(lo, hi int) block {
	tiles := (hi - lo + tileCols - 1) / tileCols
	return block{lo, hi, make([]byte, (hi-lo+1)/2), make([]column, 0, tiles)}
}

// mark sets the rows of a block in eq, by symbol, as its half.
func mark(eq [][2]uint64, rows []uint32, half int) {
	for r, x := range rows {
		eq[x][half] |= 1 << r
	}
}

func unmark(eq [][2]uint64, rows []uint32) {
	for _, x := range rows {
		eq[x] = [2]uint64{}
	}
}

// ofBlock returns the symbols of the rows of block k.
func (s *sweeper) ofBlock(k int) []uint32 {
	return s.ra[min(k*blockRows, s.rows):min((k+1)*blockRows, s.rows)]
}

// pack stores a stretch of a border in half the space.
func pack(packed []byte, border []uint8) {
	for ; len(border) > 1; packed, border = packed[1:], border[2:] {
		packed[0] = border[0] | border[1]<<4
	}
	if len(border) > 0 {
		packed[0] = border[0]
	}
}

// unpack restores a stretch of a border.
func unpack(packed []byte, from int, out []uint8) {
	for j := range out {
		k := from + j
		out[j] = packed[k/2] >> (k % 2 * 4) & 15
	}
}
