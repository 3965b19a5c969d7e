package align

import (
	"context"
	"math/bits"
	"slices"

	"diptych/internal/progress"
)

// trail is the part of a level's matrix that an alignment by the rule for ties can pass, from the
// front of the sequences (the last row and column of a sweeper) on.
//
// Where the callees are equal, to pair them is optimal, makes the most equal pairs, and comes first
// in order: if they were not paired with one another, their partners could be exchanged. So only
// cells of different callees branch, and the trail is narrow where sequences have anything in
// common. Among its alignments one with the most equal pairs is found by a second pass, from the
// far end, over the trail alone.
type trail struct {
	s          *sweeper
	stretch    []stretch   // by block
	eq         [][2]uint64 // of one block
	border     [tileCols]uint8
	moves      [tileCols]moves
	passedCols []crossed // of one block, from right to left
	t          progress.Ticker
	words      int
	most       int  // words that it may take
	greedy     bool // of the optimal moves only the first is followed
}

// stretch is the trail within one block of rows: columns from lo+1 on.
type stretch struct {
	lo   int
	cols []crossed
}

// crossed is the rows of a column that the trail crosses, and the moves from there.
type crossed struct {
	rows uint64
	moves
}

// mostCrossed is how many words a trail may take, 40 bytes each. Beyond it the alignment is the first
// in order, and the number of equal pairs is not looked at: that takes two long sequences that have
// next to nothing in common.
const mostCrossed = 8 << 20

func (s *sweeper) trail(m *progress.Meter) *trail {
	return &trail{s: s, stretch: make([]stretch, len(s.blocks)), eq: noRows(s.symbols),
		t: newTicker(m), most: mostCrossed}
}

// explore marks what can be crossed, from the last block to the first.
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

// exploreBlock marks what is crossed of block k if it is entered, in its last row, at the given
// columns, and returns where the block above is.
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
			at = b.lo + (j-1-b.lo)/tileCols*tileCols
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
	t.stretch[k] = stretch{lo: right - len(cols), cols: cols}
	t.words += len(cols)
	return leave, nil
}

// allowed returns the moves that are followed.
func (t *trail) allowed(mv moves) moves {
	mv.onlyA &^= mv.equal
	mv.onlyB &^= mv.equal
	if t.greedy {
		mv.onlyA &^= mv.different
		mv.onlyB &^= mv.different | mv.onlyA
	}
	return mv
}

// climb adds the rows above those crossed that are reached by gaps B.
func climb(rows, onlyA uint64) uint64 {
	run := onlyA >> 1
	for n := 1; n < blockRows; n *= 2 {
		rows |= rows >> n & run
		run &= run >> n
	}
	return rows
}

// tile computes a tile of block k again, as far as column to.
func (t *trail) tile(k, at, to int) []moves {
	b := &t.s.blocks[k]
	to = min(to, at+tileCols)
	border := t.border[:to-at]
	unpackBorder(b.above[(at-b.lo)/2:], border)
	resweep(t.eq, t.s.rb[at:to], border, b.left[(at-b.lo)/tileCols], t.moves[:])
	return t.moves[:to-at]
}

// count finds, for each cell of the trail, the most equal pairs that can follow, and leaves only the
// move that makes them: the first of a pair, a gap B, a gap A.
func (t *trail) countEqual(ctx context.Context) error {
	above := make([]int32, t.s.cols+1) // of the row above the block, by column
	for k := range t.stretch {
		st := &t.stretch[k]
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

// choose sets here, the values of a column, from those of the column to its left.
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

// walk follows the trail from the front and appends what is paired, counted from (i0, j0).
func (t *trail) follow(runs []run, i0, j0 int) []run {
	for i, j := t.s.rows, t.s.cols; i > 0 && j > 0; {
		st := &t.stretch[(i-1)/blockRows]
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
