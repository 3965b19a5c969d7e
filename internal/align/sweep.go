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
func (s *sweeper) rowsOf(k int) []uint32 {
	return s.ra[min(k*blockRows, s.rows):min((k+1)*blockRows, s.rows)]
}

// pack stores a stretch of a border in half the space.
func packBorder(packed []byte, border []uint8) {
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
func unpackBorder(packed []byte, border []uint8) {
	for ; len(border) > 1; packed, border = packed[1:], border[2:] {
		border[0], border[1] = packed[0]&15, packed[0]>>4
	}
	if len(border) > 0 {
		border[0] = packed[0] & 15
	}
}

// front goes down a level's matrix and leaves out what no optimal alignment passes.
//
// Through a cell of penalty g every alignment costs at least g + 2·d, where d is how many diagonals
// the cell is from the last one's. That bound grows along alignments and along diagonals. So where
// it is over the limit, no alignment within the limit passes, and the next rows need no columns but
// those between the first and the last where it is not, and to the right as many more as there are
// rows. Penalties of cells on the way of optimal alignments are exact; others may come out too
// large, which leaves none of the former out.
type front struct {
	*sweeper
	row    int   // the last one that is swept
	lo, hi int   // its columns
	at     int64 // penalty at column lo
	eq     [][2]uint64
	t      progress.Ticker
}

// rise returns by how much the penalty grows along the border.
func (f *front) rise() int64 {
	border := f.border[f.lo:f.hi]
	rise := 2 * int64(len(border))
	for ; len(border) >= 8; border = border[8:] {
		// The product's highest byte is the sum of all eight.
		rise -= int64(binary.LittleEndian.Uint64(border) * 0x0101010101010101 >> 56)
	}
	for _, w := range border {
		rise -= int64(w)
	}
	return rise
}

// narrow leaves the columns that alignments within the band and the limit can pass.
func (f *front) narrow() {
	last := f.cols - f.rows
	beyond := func(j int, penalty int64) bool {
		d := j - f.row
		return d < f.from || d > f.to || penalty+2*int64(max(last-d, d-last)) > f.limit
	}
	right := f.at + f.rise()
	for f.lo < f.hi && beyond(f.lo, f.at) {
		f.at += 2 - int64(f.border[f.lo])
		f.lo++
	}
	for f.hi > f.lo && beyond(f.hi, right) {
		f.hi--
		right -= 2 - int64(f.border[f.hi])
	}
}

// sweepTwo computes blocks k and k+1, of which the last may have fewer rows or none. It returns the
// penalty in the last row and column if the matrix ends there.
func (f *front) sweepTwo(ctx context.Context, k int) (penalty int64, err error) {
	upper, lower := f.rowsOf(k), f.rowsOf(k+1)
	markRows(f.eq, upper, 0)
	markRows(f.eq, lower, 1)
	rows := len(upper) + len(lower)
	right := min(f.hi+rows, f.cols)
	clear(f.border[f.hi:right])
	f.hi = right
	penalty = f.at + f.rise()
	two := [2]block{newBlock(f.lo, f.hi), newBlock(f.lo, f.hi)}
	c := [2]column{untouched, untouched}
	var between [tileCols]uint8
	for j := f.lo; j < f.hi; j += tileCols {
		to := min(j+tileCols, f.hi)
		for h := range two {
			two[h].left = append(two[h].left, c[h])
		}
		packBorder(two[0].above[(j-f.lo)/2:], f.border[j:to])
		sweep(f.eq, f.rb[j:to], f.border[j:to], between[:], &c)
		packBorder(two[1].above[(j-f.lo)/2:], between[:to-j])
		if err := f.t.Add(ctx, int64(2*blockRows*(to-j)/wordCost)); err != nil {
			return 0, err
		}
	}
	f.row, f.at = f.row+rows, f.at+2*int64(rows)
	copy(f.blocks[k:], two[:])
	unmarkRows(f.eq, upper)
	unmarkRows(f.eq, lower)
	return penalty + c[0].rise(len(upper)) + c[1].rise(len(lower)), nil
}
