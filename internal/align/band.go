package align

import (
	"context"
	"encoding/binary"
	"slices"

	"diptych/internal/progress"
)

// A level that is too large for keys is scored by the kernel, in blocks of 63 rows, as far as
// optimal alignments can reach. Narrow bands of diagonals are swept first: what one yields is the
// penalty of some alignment, a limit on the least. No alignment that is as good leaves a band that
// is wide enough (Ukkonen 1985; a gap moves by one diagonal and costs 2), nor what a front of that
// limit passes.
//
// The states at the borders of tiles are kept, so that any tile can be computed again: half a byte
// for each column of a block, and 32 bytes for each tile. That is a hundredth of a byte for a cell,
// where full matrices of steps need a byte, and only for cells that are swept.

const (
	tileCols = 256
	wordCost = 16 // cells that the kernel takes in the time of one by key
)

// sweeper scores a level. Sequences are reversed: its row i stands for A's i-th callee from the
// end.
type sweeper struct {
	rows, cols int
	ra, rb     []uint32 // symbols, numbered from 0, reversed
	symbols    int

	from, to int   // the band holds the diagonals column − row of [from, to]
	limit    int64 // the penalty of some alignment within
	blocks   []block
	border   []uint8 // w below the rows that are swept, by column
}

// block is 63 rows of the matrix, as far as they are computed.
type block struct {
	lo, hi int      // columns; lo is on the border
	above  []byte   // w above columns lo+1 to hi, two columns a byte
	left   []column // state before the first column of each tile
}

func newSweeper(fa, fb []uint32) *sweeper {
	s := &sweeper{rows: len(fa), cols: len(fb)}
	most := uint32(0) // identities are small: they number the names of a pair of traces
	for _, x := range slices.Concat(fa, fb) {
		most = max(most, x)
	}
	number := make([]uint32, most+1)
	s.ra, s.rb = s.reversed(fa, number), s.reversed(fb, number)
	return s
}

// reversed returns a sequence from its end, with symbols numbered as they come; number holds one
// more than a symbol's, 0 for those that have none yet.
func (s *sweeper) reversed(list, number []uint32) []uint32 {
	out := make([]uint32, len(list))
	for i, x := range list {
		if number[x] == 0 {
			s.symbols++
			number[x] = uint32(s.symbols)
		}
		out[len(list)-1-i] = number[x] - 1
	}
	return out
}

// score sweeps ever wider bands until one holds all optimal alignments, and returns the penalty.
func (s *sweeper) score(ctx context.Context, m *progress.Meter) (int64, error) {
	shift := s.cols - s.rows
	wide := max(shift, -shift)
	s.limit = 3*int64(min(s.rows, s.cols)) + 2*int64(wide)
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
		s.limit = min(s.limit, penalty)
		if e *= 4; int64(e) > s.slack()/64 {
			// The limit leaves hardly more than eight times the cells of such a band.
			e = max(s.rows, s.cols)
		}
	}
}

// slack returns what the limit allows beyond the gaps that any alignment has. It leaves a quarter
// as many cells of a row, or so.
func (s *sweeper) slack() int64 {
	shift := int64(s.cols - s.rows)
	return s.limit - 2*max(shift, -shift)
}

// sweepAll fills the band and returns the penalty of the best alignment within.
func (s *sweeper) sweepAll(ctx context.Context, m *progress.Meter) (int64, error) {
	s.blocks = make([]block, (s.rows+blockRows-1)/blockRows)
	s.border = make([]uint8, s.cols)
	m.Expect(int64(s.rows) * min(int64(s.to-s.from), s.slack()/4) / (64 * wordCost))
	f := front{sweeper: s, hi: s.cols, eq: noRows(s.symbols), t: newTicker(m)}
	var penalty int64
	for k := 0; k < len(s.blocks); k += 2 {
		f.narrow()
		var err error
		if penalty, err = f.sweepTwo(ctx, k); err != nil {
			return 0, err
		}
	}
	return penalty, f.t.Flush(ctx)
}

func newBlock(lo, hi int) block {
	tiles := (hi - lo + tileCols - 1) / tileCols
	return block{lo, hi, make([]byte, (hi-lo+1)/2), make([]column, 0, tiles)}
}

// ofBlock returns the symbols of the rows of block k.
func (s *sweeper) ofBlock(k int) []uint32 {
	return s.ra[min(k*blockRows, s.rows):min((k+1)*blockRows, s.rows)]
}

// pack stores a stretch of a border in half the space.
func pack(packed []byte, border []uint8) {
	for ; len(border) >= 8; packed, border = packed[4:], border[8:] {
		w := binary.LittleEndian.Uint64(border)
		w = (w | w>>4) & 0x00ff00ff00ff00ff
		w = (w | w>>8) & 0x0000ffff0000ffff
		binary.LittleEndian.PutUint32(packed, uint32(w|w>>16))
	}
	for ; len(border) > 1; packed, border = packed[1:], border[2:] {
		packed[0] = border[0] | border[1]<<4
	}
	if len(border) > 0 {
		packed[0] = border[0]
	}
}

// unpack restores a stretch of a border.
func unpack(packed []byte, border []uint8) {
	for ; len(border) > 1; packed, border = packed[1:], border[2:] {
		border[0], border[1] = packed[0]&15, packed[0]>>4
	}
	if len(border) > 0 {
		border[0] = packed[0] & 15
	}
}
