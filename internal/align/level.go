package align

import (
	"context"
	"math/bits"

	"diptych/internal/pair"
	"diptych/internal/progress"
)

// One level, and the plain engines that align it.
//
// A level is the callees of two calls that are paired, as two sequences. The plain engines follow
// the definition: Needleman and Wunsch's algorithm fills a matrix of all prefixes or suffixes of
// both, and Hirschberg's does the same in linear memory by halving. For m and n callees both take
// time m·n; Needleman and Wunsch's needs a byte a cell, Hirschberg's 20 bytes a column. The engine
// Auto uses them for small levels, and tests hold the fast kernel (kernel.go) against them.
//
// What makes one alignment better than another, the rule for ties included, is the order of ranks.
// Since the score is M + N − penalty with penalty = 3·different + 2·gaps, the least penalty is the
// highest score.

// level is the callees of two calls that are paired, as sequences to be aligned.
type level struct {
	a, b   []uint32 // classes
	fa, fb []uint32 // identities
	size   uint32   // calls of the smaller subtree: no alignment has more in common
	full   bool     // ties are decided by all criteria
	broad  bool     // not even the number of equal pairs did
	shift  int      // bits of a key below the penalty

	// How long each callee took, by side, ns. Levels of classes have none; then identical callees
	// are equally good in this respect.
	took [2][]int64
	// What callees have in common. It is set up when it is first asked for.
	shares  *shares
	counter *counter
	offset  [2]int // of the level in shares, by side
}

// run is a stretch of an alignment in which callees i, i+1, … of A are paired with j, j+1, … of B.
// An alignment is a list of runs in order; callees in no run are gaps.
type run struct{ i, j, n int32 }

// newLevel returns the level of the callees of two classes.
func (t *classTable) newLevel(ca, cb uint32, o Options, c *counter) *level {
	lv := &level{a: t.callees(ca), b: t.callees(cb), size: min(t.size[ca], t.size[cb]), counter: c}
	lv.fa, lv.fb = t.functions(lv.a), t.functions(lv.b)
	if lv.full = lv.cells() <= o.TieCells && lv.fitKeys(); !lv.full {
		lv.shift = 0
	}
	return lv
}

func (t *classTable) functions(list []uint32) []uint32 {
	fns := make([]uint32, len(list))
	for i, c := range list {
		fns[i] = t.fn[c]
	}
	return fns
}

// sublevel returns the level of a stretch of both sequences, under the same rule for ties.
func (lv *level) sublevel(i0, i1, j0, j1 int) *level {
	q := *lv
	q.a, q.fa = lv.a[i0:i1], lv.fa[i0:i1]
	q.b, q.fb = lv.b[j0:j1], lv.fb[j0:j1]
	q.offset[pair.A], q.offset[pair.B] = lv.offset[pair.A]+i0, lv.offset[pair.B]+j0
	if lv.timed() {
		q.took[pair.A], q.took[pair.B] = lv.took[pair.A][i0:i1], lv.took[pair.B][j0:j1]
	}
	return &q
}

// cells returns the size of the level's matrix.
func (lv *level) cells() int64 { return int64(len(lv.a)) * int64(len(lv.b)) }

// timed reports whether times decide ties among identical callees.
func (lv *level) timed() bool { return lv.full && lv.took[pair.A] != nil }

// common returns how many calls callees i of A and j of B, of one function, have in common.
func (lv *level) common(i, j int) int64 {
	return int64(lv.shares.between(lv.offset[pair.A]+i, lv.offset[pair.B]+j, lv.a[i], lv.b[j]))
}

// compareCallees makes what callees have in common available. It must be called for the whole
// level, before common is.
func (lv *level) compareCallees() {
	if lv.full && lv.shares == nil {
		lv.shares, lv.offset = lv.counter.shares(lv.a, lv.b), [2]int{}
	}
}

// rank is what an alignment is judged by, the smaller the better: first the key, then the others
// in order. A key holds the penalty in its high bits, and subtracts from it the calls that pairs
// have in common. For example, with 12 bits below the penalty, 1 gap and two equal pairs that have
// 10 and 3 calls in common make 2<<12 − 13.
type rank struct {
	key   int64
	apart int64 // of identical pairs, the sum of their agreement in time, negative; ns
	equal int64 // the number of equal pairs, negative
}

func (x rank) less(y rank) bool {
	if x.key != y.key {
		return x.key < y.key
	}
	return x.apart < y.apart || x.apart == y.apart && x.equal < y.equal
}

// agreement says how well two durations agree: the time that both have in common, less half of
// what the longer one has beyond that. Common time alone would not do. It would pair a call of 40
// ms with one of 1.3 ms for the sake of the 0.1 ms that the other choice, 1.2 ms, is short of.
func agreement(a, b int64) int64 {
	common := min(a, b)
	return common - (max(a, b)-common)/2
}

// fitKeys chooses the shift so that the calls in common do not overflow into the penalty, and
// reports whether 61 bits are enough for both. The penalty is at most that of gaps only.
func (lv *level) fitKeys() bool {
	lv.shift = bits.Len32(lv.size)
	return lv.shift+bits.Len(uint(2*(len(lv.a)+len(lv.b))+3)) <= 61
}

// gapKey returns the key of a gap.
func (lv *level) gapKey() int64 { return 2 << lv.shift }

// differentKey returns the key of a pair of calls of different functions.
func (lv *level) differentKey() int64 { return 3 << lv.shift }

// rankPair returns the rank of pairing callees i of A and j of B.
func (lv *level) rankPair(i, j int) rank {
	switch {
	case lv.fa[i] != lv.fb[j]:
		return rank{key: lv.differentKey()}
	case !lv.full:
		return rank{equal: -1}
	case lv.a[i] == lv.b[j] && lv.timed():
		return rank{-lv.common(i, j), -agreement(lv.took[pair.A][i], lv.took[pair.B][j]), -1}
	}
	return rank{-lv.common(i, j), 0, -1}
}

// appendRun appends a run to an alignment; it may continue the last one.
func appendRun(runs []run, r run) []run {
	if k := len(runs) - 1; k >= 0 && runs[k].i+runs[k].n == r.i && runs[k].j+runs[k].n == r.j {
		runs[k].n += r.n
		return runs
	}
	return append(runs, r)
}

// step is the first column of the best alignment from a cell on.
//
// A level's matrix is filled from the end: cell (i, j) is the best rank of aligning A's callees
// from i on with B's from j on. Following the steps from the front then meets every choice between
// columns that are equally good, and the last criterion for ties is simply which of them is
// preferred: a pair, else a gap B, else a gap A. Filled from the front, the matrix would offer
// these choices in reverse.
type step uint8

const (
	pairUp step = iota
	onlyA       // gap B
	onlyB       // gap A
)

// cellsPerCheck is the number of cells between two looks at the context: a few milliseconds.
const cellsPerCheck = 1 << 20

// needleman aligns a level with Needleman and Wunsch's algorithm. It appends to runs, and counts
// callees from i0 and j0. It needs a byte a cell.
func (lv *level) needleman(ctx context.Context, m *progress.Meter, runs []run, i0, j0 int) ([]run,
	error) {
	rows, cols := len(lv.a), len(lv.b)
	steps := make([]step, rows*cols)
	below := lv.lastRow()
	row := make([]rank, cols+1)
	t := newTicker(m)
	lv.compareCallees()
	for i := rows - 1; i >= 0; i-- {
		lv.fillRow(i, below, row, steps[i*cols:])
		below, row = row, below
		if err := t.Add(ctx, int64(cols)); err != nil {
			return nil, err
		}
	}
	return followSteps(steps, rows, cols, runs, i0, j0), t.Flush(ctx)
}

// lastRow returns the ranks of aligning nothing of A.
func (lv *level) lastRow() []rank {
	cols := len(lv.b)
	row := make([]rank, cols+1)
	for j := range row {
		row[j].key = lv.gapKey() * int64(cols-j)
	}
	return row
}

// fillRow fills row i from the row below, and the steps of all cells but the last.
func (lv *level) fillRow(i int, below, row []rank, steps []step) {
	cols, gap := len(lv.b), lv.gapKey()
	below, row, steps = below[:cols+1], row[:cols+1], steps[:cols]
	right := below[cols]
	right.key += gap
	row[cols] = right
	for j := cols - 1; j >= 0; j-- {
		best, how := lv.rankPair(i, j), pairUp
		best.key += below[j+1].key
		best.apart += below[j+1].apart
		best.equal += below[j+1].equal
		down := below[j]
		down.key += gap
		if down.less(best) {
			best, how = down, onlyA
		}
		right.key += gap
		if right.less(best) {
			best, how = right, onlyB
		}
		right = best
		row[j], steps[j] = best, how
	}
}

// followSteps follows the steps of a full matrix from the front and appends the pairs, counted
// from (i0, j0).
func followSteps(steps []step, rows, cols int, runs []run, i0, j0 int) []run {
	for i, j := 0, 0; i < rows && j < cols; {
		switch steps[i*cols+j] {
		case pairUp:
			runs = appendRun(runs, run{int32(i0 + i), int32(j0 + j), 1})
			i++
			j++
		case onlyA:
			i++
		case onlyB:
			j++
		}
	}
	return runs
}

// newTicker returns a counter of cells. A unit of progress is 64 cells.
func newTicker(m *progress.Meter) progress.Ticker {
	return progress.Ticker{Meter: m, Every: cellsPerCheck, Unit: 64}
}

// hirschberg aligns a level in linear memory (Hirschberg 1975), as Weber et al. do: it finds the
// column at which the alignment enters the middle row, and aligns both halves. Parts of no more
// than the given number of cells are aligned with the full matrix.
//
// The usual way adds the scores of both halves and takes the best column. But several columns may
// be optimal, and the rule for ties means one of them. So each cell of the upper half carries the
// column at which its own best alignment enters the middle row, and one sweep from the end gives
// both the score and the column.
func (lv *level) hirschberg(ctx context.Context, m *progress.Meter, cells int64) ([]run, error) {
	type part struct{ i0, i1, j0, j1 int }
	m.Expect(2 * lv.cells() / 64) // halves, quarters and so on double the first sweep
	var runs []run
	lv.compareCallees()
	todo := []part{{0, len(lv.a), 0, len(lv.b)}}
	for len(todo) > 0 {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if p.i0 == p.i1 || p.j0 == p.j1 {
			continue
		}
		q := lv.sublevel(p.i0, p.i1, p.j0, p.j1)
		var err error
		if p.i1-p.i0 == 1 || q.cells() <= cells {
			if runs, err = q.needleman(ctx, m, runs, p.i0, p.j0); err != nil {
				return nil, err
			}
			continue
		}
		mid := (p.i0 + p.i1) / 2
		at, err := q.enterMiddle(ctx, m, mid-p.i0)
		if err != nil {
			return nil, err
		}
		todo = append(todo, part{mid, p.i1, p.j0 + at, p.j1}, part{p.i0, mid, p.j0, p.j0 + at})
	}
	return runs, nil
}

// enterMiddle returns the column at which the alignment enters row mid.
func (lv *level) enterMiddle(ctx context.Context, m *progress.Meter, mid int) (int, error) {
	cols := len(lv.b)
	below, row := lv.lastRow(), make([]rank, cols+1)
	steps := make([]step, cols)
	enters := make([]int32, cols+1)
	for j := range enters {
		enters[j] = int32(j)
	}
	t := newTicker(m)
	for i := len(lv.a) - 1; i >= 0; i-- {
		lv.fillRow(i, below, row, steps)
		below, row = row, below
		if i < mid {
			carryEntries(enters, steps)
		}
		if err := t.Add(ctx, int64(cols)); err != nil {
			return 0, err
		}
	}
	return int(enters[0]), t.Flush(ctx)
}

// carryEntries takes the columns of entry from a row to the row above.
func carryEntries(enters []int32, steps []step) {
	diagonal := enters[len(steps)]
	for j := len(steps) - 1; j >= 0; j-- {
		below := enters[j]
		switch steps[j] {
		case pairUp:
			enters[j] = diagonal
		case onlyB:
			enters[j] = enters[j+1]
		}
		diagonal = below
	}
}
