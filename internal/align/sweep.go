package align

import (
	"context"
	"encoding/binary"
	"math"
	"slices"

	"diptych/internal/progress"
)

// The kernel swept over a level, as far as optimal alignments can reach.
//
// A level that is too large for keys (level.go) is scored by the bit-parallel kernel. Its stages:
//
//  1. sweeper.score sweeps a narrow band of diagonals. The result is the penalty of some
//     alignment, and so a limit: the best alignment is not worse. Where one sequence is much
//     longer, even the narrowest band is a large part of the matrix, so its first rows are swept
//     to see whether a wider one will be needed (firstBand).
//  2. With that limit it sweeps a wider band, until no alignment as good can leave the band
//     (Ukkonen 1985: a gap moves by one diagonal and costs 2).
//  3. Within the band, front leaves out the cells that no alignment within the limit passes.
//  4. trail.go computes those tiles again that the alignment may pass, and finds it.
//
// Blocks are swept in pairs, or where the processor has vector instructions and the band is not
// narrow, in strips of eight (strip.go). Where it is wide, several of these are swept at once
// (atonce.go).
//
// For stage 4 the state at the borders of tiles of 63 rows × 256 columns is kept: half a byte for
// each column of a block and 32 bytes for each tile. That is about a hundredth of a byte a cell,
// where a matrix of steps takes a byte, and it is kept only for cells that are swept. The time is
// that of cells within the limit; for sequences that differ in d places it grows with their length
// times d.

const (
	tileCols    = 256
	costlyShare = 8  // a band of more than this part of the matrix is costly, as its reciprocal
	probeShare  = 16 // the part of the rows from which the penalty is guessed, as its reciprocal
	wordCost    = 16 // cells that the kernel takes in the time of one by key
)

// sweeper scores a level. Both sequences are reversed, for the same reason that a plain matrix is
// filled from the end (see step): row i stands for A's i-th callee from the end.
type sweeper struct {
	rows, cols int
	ra, rb     []uint32 // symbols, numbered from 0, reversed
	symbols    int

	from, to int   // the band holds the diagonals column − row of [from, to]
	limit    int64 // the penalty of some alignment in the band
	blocks   []block
	border   []uint8 // w below the rows that are swept, by column
	padded   []uint8 // border, and stripLag more at both ends
	wide     int     // columns from which on several processors sweep
	kernel   stripKernel
	narrow   int // columns up to which there are no strips
}

// block is 63 rows of the matrix, with the columns in which they were computed.
type block struct {
	lo, hi int      // the columns after lo up to hi
	above  []byte   // w above columns lo+1 to hi, two columns a byte
	left   []column // state before the first column of each tile

	strip  *strip // that has it instead, but for w above the first block
	number int    // of the block in the strip
}

// tileOf returns the first column of the tile of a column. In a strip, tiles begin at the same step
// for all blocks.
func (b *block) tileOf(j int) int {
	return b.lo + max((j-b.lo+b.number)/tileCols*tileCols-b.number, 0)
}

// column returns the state before the first column of a tile.
func (b *block) column(at int) column {
	tile := (at - b.lo + b.number) / tileCols
	if b.strip == nil {
		return b.left[tile]
	}
	return b.strip.column(tile, b.number)
}

// unpack restores w above the columns from at on, the first of a tile.
func (b *block) unpack(at int, border []uint8) {
	if b.strip == nil || b.number == 0 {
		unpackBorder(b.above[(at-b.lo)/2:], border)
		return
	}
	b.strip.unpack(b.number-1, at-b.lo+b.number-1, border)
}

func newSweeper(fa, fb []uint32) *sweeper {
	s := &sweeper{rows: len(fa), cols: len(fb), wide: wideSweep}
	s.kernel, s.narrow = fastestStrips()
	most := uint32(0) // identities are small: they number the names of a pair of traces
	for _, x := range slices.Concat(fa, fb) {
		most = max(most, x)
	}
	number := make([]uint32, most+1)
	s.ra, s.rb = s.reversed(fa, number), s.reversed(fb, number)
	return s
}

// reversed returns a sequence from its end, with its symbols numbered in the order of appearance.
// There are stripLag more beyond its end, which do not matter. number holds each symbol's number
// plus one, or 0 if it has none yet.
func (s *sweeper) reversed(list, number []uint32) []uint32 {
	out := make([]uint32, len(list), len(list)+stripLag)
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
	shift, longer := s.cols-s.rows, max(s.rows, s.cols)
	wide := max(shift, -shift)
	s.limit = 3*int64(min(s.rows, s.cols)) + 2*int64(wide)
	e, err := s.firstBand(ctx, m, wide, longer)
	if err != nil {
		return 0, err
	}
	for {
		s.from, s.to = min(0, shift)-e, max(0, shift)+e
		penalty, err := s.sweepAll(ctx, m)
		if err != nil {
			return 0, err
		}
		if penalty < outside(wide, e) || e >= longer {
			return penalty, nil
		}
		s.limit = min(s.limit, penalty)
		if e *= 4; int64(e) > s.slack()/64 {
			// Such a band would hold an eighth or more of the cells that the limit leaves.
			e = longer
		}
	}
}

// outside returns the least penalty of an alignment that leaves a band of e diagonals on each side
// of those between the ends: it has this many gaps, at 2 each.
func outside(wide, e int) int64 { return 2 * int64(wide+2*e+2) }

// firstBand returns how many diagonals on each side the first band has. If even a narrow one is
// costly, it guesses the penalty from the first rows of the shorter sequence: what they cost beyond
// the gaps that any alignment has may go on like that.
func (s *sweeper) firstBand(ctx context.Context, m *progress.Meter, wide, longer int) (int, error) {
	const narrow = 64
	if min(s.rows, s.cols) == 0 || longer > costlyShare*(wide+2*narrow) {
		return narrow, nil
	}
	probe := &sweeper{rows: s.rows, cols: s.cols, ra: s.ra, rb: s.rb, symbols: s.symbols,
		from: -narrow, to: wide + narrow, limit: s.limit, wide: s.wide, kernel: s.kernel,
		narrow: s.narrow}
	if s.rows > s.cols { // the penalty is the same
		probe.rows, probe.cols, probe.ra, probe.rb = s.cols, s.rows, s.rb, s.ra
	}
	f, _, err := probe.sweepFirst(ctx, m, (probe.rows/probeShare+blockRows)/blockRows)
	if err != nil {
		return 0, err
	}
	excess := (f.least() - 2*int64(wide)) * int64(probe.rows) / int64(f.row)
	// Wide enough for the penalty that this comes to, and a quarter more.
	if e := narrow + int(excess)*5/16; costlyShare*e < longer {
		return e, nil
	}
	return longer, nil
}

// slack returns how much of the limit is left after the gaps that any alignment has, because one
// sequence is longer. About a quarter as many cells of a row lie within the limit.
func (s *sweeper) slack() int64 {
	shift := int64(s.cols - s.rows)
	return s.limit - 2*max(shift, -shift)
}

// sweepAll fills the band and returns the penalty of the best alignment in it.
func (s *sweeper) sweepAll(ctx context.Context, m *progress.Meter) (penalty int64, err error) {
	_, penalty, err = s.sweepFirst(ctx, m, (s.rows+blockRows-1)/blockRows)
	return penalty, err
}

// sweepFirst fills the first blocks of the band, in whole parts (atonce.go). It returns where it
// stopped, and the penalty in the last row and column.
func (s *sweeper) sweepFirst(ctx context.Context, m *progress.Meter, blocks int) (f *front,
	penalty int64, err error) {
	s.blocks = make([]block, blocks)
	s.padded = make([]uint8, s.cols+2*stripLag)
	s.border = s.padded[stripLag:][:s.cols]
	rows := min(int64(blocks)*blockRows, int64(s.rows))
	m.Expect(rows * min(int64(s.to-s.from), s.slack()/4) / (64 * wordCost))
	f = &front{sweeper: s, hi: s.cols, m: m}
	for k := 0; k < blocks; {
		f.leaveOut()
		height, n := 2, 1
		if s.kernel != nil && f.hi-f.lo > s.narrow && blocks-k > stripBlocks/2 {
			height = stripBlocks
		}
		if f.hi-f.lo >= s.wide*height/2 {
			n = min(atOnce, (blocks-k+height-1)/height)
		}
		if penalty, err = f.sweepParts(ctx, k, height, n); err != nil {
			return nil, 0, err
		}
		k += height * n
	}
	return f, penalty, nil
}

func newBlock(lo, hi int) block {
	tiles := (hi - lo + tileCols - 1) / tileCols
	return block{lo: lo, hi: hi, above: make([]byte, (hi-lo+1)/2), left: make([]column, 0, tiles)}
}

// rowsOf returns the symbols of the rows of block k.
func (s *sweeper) rowsOf(k int) []uint32 {
	return s.ra[min(k*blockRows, s.rows):min((k+1)*blockRows, s.rows)]
}

// packBorder stores a stretch of a border, two columns in a byte.
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

// unpackBorder restores a stretch of a border.
func unpackBorder(packed []byte, border []uint8) {
	for ; len(border) > 1; packed, border = packed[1:], border[2:] {
		border[0], border[1] = packed[0]&15, packed[0]>>4
	}
	if len(border) > 0 {
		border[0] = packed[0] & 15
	}
}

// front goes down the matrix and leaves out what no alignment within the limit passes.
//
// If a cell has penalty g and is d diagonals away from the last cell's, every alignment through it
// costs at least g + 2·d. This bound never falls along an alignment, nor along a diagonal. So
// after each sweep the columns at both ends with a bound over the limit are dropped, and
// the next blocks begin and end with the rest, plus one column to the right for each row. For
// example, with the limit at 100 and the last cell on diagonal 0:
//
//	a cell on diagonal 12 with penalty 80: 80 + 24 = 104 is dropped; with penalty 70 it stays
//
// Cells next to dropped ones may get too large a penalty. Those of alignments within the limit do
// not, since no such alignment passes a dropped cell.
type front struct {
	*sweeper
	row    int   // the last one that is swept
	lo, hi int   // its columns
	at     int64 // penalty at column lo
	m      *progress.Meter
	pairs  [atOnce]*pairRows
	strips [atOnce]*stripRows
}

// least returns the least penalty that an alignment through the last row that is swept can have.
func (f *front) least() int64 {
	last := f.cols - f.rows
	penalty, least := f.at, int64(math.MaxInt64)
	for j := f.lo; j <= f.hi; j++ {
		d := j - f.row
		least = min(least, penalty+2*int64(max(last-d, d-last)))
		if j < f.hi {
			penalty += 2 - int64(f.border[j])
		}
	}
	return least
}

// riseOf returns how much larger the penalty is at the last column of a border than at the first.
func riseOf(border []uint8) int64 {
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

// leaveOut drops the columns at both ends that no alignment within the band and the limit can pass.
func (f *front) leaveOut() {
	last := f.cols - f.rows
	beyond := func(j int, penalty int64) bool {
		d := j - f.row
		return d < f.from || d > f.to || penalty+2*int64(max(last-d, d-last)) > f.limit
	}
	right := f.at + riseOf(f.border[f.lo:f.hi])
	for f.lo < f.hi && beyond(f.lo, f.at) {
		f.at += 2 - int64(f.border[f.lo])
		f.lo++
	}
	for f.hi > f.lo && beyond(f.hi, right) {
		f.hi--
		right -= 2 - int64(f.border[f.hi])
	}
}
