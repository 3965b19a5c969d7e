package align

import (
	"context"
	"math/bits"
	"slices"

	"diptych/internal/progress"
)

// The alignment is found in what a sweep has left (sweep.go).
//
// The sweep gives the penalty of the best alignments, not the alignments. The trail is the cells
// that the one meant by the rule for ties can pass. It is followed from the front of the
// sequences, which is the last row and column of the sweeper, and computes tiles again as it
// reaches them:
//
//  1. explore marks the cells that optimal moves lead to. In a cell of equal callees only pairing
//     them is followed, since that is optimal, makes the most equal pairs, and pairs earliest: if
//     they had other partners, these could be exchanged. So only cells of different callees
//     branch, and the trail is narrow where the sequences have something in common.
//  2. countEqual goes back over the trail, and keeps in each cell the move that leads to the most
//     equal pairs, of equally good ones the first of a pair, a gap B, a gap A.
//  3. follow reads the alignment off.
//
// Time is that of the tiles the trail touches, usually a narrow strip along the diagonal. Memory
// is 40 bytes for a column of a block that it crosses.

// trail is the cells of a level's matrix that the alignment can pass, as rows of columns of
// blocks.
type trail struct {
	s          *sweeper
	crossings  []crossing  // by block
	eq         [][2]uint64 // of one block
	border     [tileCols]uint8
	moves      [tileCols]moves
	passedCols []crossed // of one block, from right to left
	t          progress.Ticker
	words      int  // columns of blocks that it has crossed
	most       int  // of these that it may cross
	greedy     bool // only the first of several optimal moves is followed
}

// crossing is the trail in one block of rows, from column lo+1 on.
type crossing struct {
	lo   int
	cols []crossed
}

// crossed is one column of a block: the rows that are on the trail, and the moves from there.
type crossed struct {
	rows uint64
	moves
}

// mostCrossed is the number of columns of blocks that a trail may cross, at 40 bytes each. Two
// long sequences with almost nothing in common have more. For these the alignment is the first in
// order, and the number of equal pairs does not count (Ties.Broad).
const mostCrossed = 8 << 20

func (s *sweeper) trail(m *progress.Meter) *trail {
	return &trail{s: s, crossings: make([]crossing, len(s.blocks)), eq: noRows(s.symbols),
		t: newTicker(m), most: mostCrossed}
}

// explore marks the trail, from the last block to the first.
func (t *trail) explore(ctx context.Context) error {
	enter := []int{t.s.cols} // columns at which the block below is left, descending
	for k := len(t.s.blocks) - 1; k >= 0 && len(enter) > 0; k-- {
		var err error
		if enter, err = t.exploreBlock(ctx, k, enter); err != nil {
			return err
		}
		if t.words > t.most && !t.greedy {
			t.words, t.greedy = 0, true
			return t.explore(ctx)
		}
	}
	return t.t.Flush(ctx)
}

// exploreBlock marks the trail in block k, which is entered in its last row at the given columns.
// It returns the columns at which the trail enters the block above.
func (t *trail) exploreBlock(ctx context.Context, k int, enter []int) (leave []int, err error) {
	b := &t.s.blocks[k]
	symbols := t.s.rowsOf(k)
	markRows(t.eq, symbols, 0)
	defer unmarkRows(t.eq, symbols)
	var rows uint64 // entered from the column to the right
	var tile []moves
	t.passedCols = t.passedCols[:0]
	at := b.hi // the tile's first column
	right := enter[0]
	for j := enter[0]; j > b.lo && (rows != 0 || len(enter) > 0); j-- {
		if j-1 < at {
			at = b.tileOf(j - 1)
			tile = t.tile(k, at, j)
			if err := t.t.Add(ctx, int64(blockRows*len(tile))); err != nil {
				return nil, err
			}
		}
		if len(enter) > 0 && enter[0] == j {
			rows |= 1 << (len(symbols) - 1)
			enter = enter[1:]
		}
		mv := t.allowed(tile[j-1-at])
		rows = climb(rows, mv.onlyA)
		t.passedCols = append(t.passedCols, crossed{rows, mv})
		pairs := rows & (mv.equal | mv.different)
		if n := len(leave); rows&mv.onlyA&1 != 0 && (n == 0 || leave[n-1] != j) {
			leave = append(leave, j)
		}
		if pairs&1 != 0 && j > 1 {
			leave = append(leave, j-1)
		}
		rows = rows&mv.onlyB | pairs>>1
	}
	cols := slices.Clone(t.passedCols)
	slices.Reverse(cols)
	t.crossings[k] = crossing{lo: right - len(cols), cols: cols}
	t.words += len(cols)
	return leave, nil
}

// allowed returns the moves of a cell that are followed.
func (t *trail) allowed(mv moves) moves {
	mv.onlyA &^= mv.equal
	mv.onlyB &^= mv.equal
	if t.greedy {
		mv.onlyA &^= mv.different
		mv.onlyB &^= mv.different | mv.onlyA
	}
	return mv
}

// climb adds the rows that are reached from the given ones by gaps B, which go up.
func climb(rows, onlyA uint64) uint64 {
	run := onlyA >> 1
	for n := 1; n < blockRows; n *= 2 {
		rows |= rows >> n & run
		run &= run >> n
	}
	return rows
}

// tile computes the tile of block k that begins at a column again, up to another column.
func (t *trail) tile(k, at, to int) []moves {
	b, border := &t.s.blocks[k], t.border[:to-at]
	b.unpack(at, border)
	resweep(t.eq, t.s.rb[at:to], border, b.column(at), t.moves[:])
	return t.moves[:to-at]
}

// countEqual finds for each cell of the trail how many equal pairs can follow at most, and leaves
// only the move that leads to them: the first of a pair, a gap B, a gap A.
func (t *trail) countEqual(ctx context.Context) error {
	above := make([]int32, t.s.cols+1) // of the row above the block, by column
	for k := range t.crossings {
		st := &t.crossings[k]
		if len(st.cols) == 0 {
			continue
		}
		last := len(t.s.rowsOf(k)) - 1
		var left, here [blockRows + 1]int32 // [r+1] is row r, [0] the row above
		clear(left[:])
		left[0] = above[st.lo]
		for c := range st.cols {
			j := st.lo + 1 + c
			here[0] = above[j]
			st.cols[c].choose(&left, &here)
			above[j-1], left = left[last+1], here
		}
		above[st.lo+len(st.cols)] = left[last+1]
		if err := t.t.Add(ctx, int64(blockRows*len(st.cols))); err != nil {
			return err
		}
	}
	return t.t.Flush(ctx)
}

// choose computes the numbers of equal pairs in a column, here, from those in the column to its
// left.
func (p *crossed) choose(left, here *[blockRows + 1]int32) {
	var onlyA, onlyB uint64
	for rows := p.rows; rows != 0; rows &= rows - 1 {
		r := bits.TrailingZeros64(rows)
		bit := uint64(1) << r
		if p.equal&bit != 0 {
			here[r+1] = left[r] + 1
			continue
		}
		best := int32(-1)
		if p.different&bit != 0 {
			best = left[r]
		}
		if p.onlyA&bit != 0 && here[r] > best {
			best, onlyA = here[r], onlyA|bit
		}
		if p.onlyB&bit != 0 && left[r+1] > best {
			best, onlyB, onlyA = left[r+1], onlyB|bit, onlyA&^bit
		}
		here[r+1] = best
	}
	p.onlyA, p.onlyB = onlyA, onlyB
}

// follow follows the trail from the front and appends the pairs, counted from (i0, j0).
func (t *trail) follow(runs []run, i0, j0 int) []run {
	for i, j := t.s.rows, t.s.cols; i > 0 && j > 0; {
		st := &t.crossings[(i-1)/blockRows]
		p, bit := &st.cols[j-1-st.lo], uint64(1)<<((i-1)%blockRows)
		switch {
		case p.onlyA&bit != 0:
			i--
		case p.onlyB&bit != 0:
			j--
		default:
			runs = appendRun(runs, run{int32(i0 + t.s.rows - i), int32(j0 + t.s.cols - j), 1})
			i--
			j--
		}
	}
	return runs
}
