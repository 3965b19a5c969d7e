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
// time m·n; Needleman and Wunsch's needs a byte a cell, Hirschberg's 53 bytes a column. Tests hold
// the engine Auto against them, which uses them itself for small levels beyond the tie budget.
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
	took  [2][]int64
	space *workspace
	// Without classes: who numbers subtrees, nil if they have numbers, and the callees.
	unnumbered *placer
	calls      [2][]int32
	offset     [2]int // where the level begins in what callees have in common, by side
}

// run is a stretch of an alignment in which callees i, i+1, … of A are paired with j, j+1, … of B.
// An alignment is a list of runs in order; callees in no run are gaps.
type run struct{ i, j, n int32 }

// newLevel returns the level of the callees of two classes. It holds until the next one is made in
// the same workspace.
func (t *classTable) newLevel(ca, cb uint32, o Options, w *workspace) *level {
	lv := &w.level
	*lv = level{a: t.callees(ca), b: t.callees(cb), size: min(t.size[ca], t.size[cb]), space: w}
	w.fns[pair.A] = t.appendFunctions(w.fns[pair.A][:0], lv.a)
	w.fns[pair.B] = t.appendFunctions(w.fns[pair.B][:0], lv.b)
	lv.fa, lv.fb = w.fns[pair.A], w.fns[pair.B]
	if lv.full = lv.cells() <= o.TieCells && lv.fitCommon(); !lv.full {
		lv.fitEqual()
	}
	return lv
}

func (t *classTable) appendFunctions(fns, list []uint32) []uint32 {
	for _, c := range list {
		fns = append(fns, t.fn[c])
	}
	return fns
}

// sublevel returns the level of a stretch of both sequences, under the same rule for ties.
func (lv *level) sublevel(i0, i1, j0, j1 int) *level {
	q := new(level)
	lv.cutTo(q, i0, i1, j0, j1)
	return q
}

// cutTo is sublevel in the memory of another level.
func (lv *level) cutTo(q *level, i0, i1, j0, j1 int) {
	*q = *lv
	q.a, q.fa = lv.a[i0:i1], lv.fa[i0:i1]
	q.b, q.fb = lv.b[j0:j1], lv.fb[j0:j1]
	q.offset[pair.A], q.offset[pair.B] = lv.offset[pair.A]+i0, lv.offset[pair.B]+j0
	if lv.unnumbered != nil {
		q.calls[pair.A], q.calls[pair.B] = lv.calls[pair.A][i0:i1], lv.calls[pair.B][j0:j1]
	}
	if lv.timed() {
		q.took[pair.A], q.took[pair.B] = lv.took[pair.A][i0:i1], lv.took[pair.B][j0:j1]
	}
}

// cells returns the size of the level's matrix.
func (lv *level) cells() int64 { return int64(len(lv.a)) * int64(len(lv.b)) }

// timed reports whether times decide ties among identical callees.
func (lv *level) timed() bool { return lv.full && lv.took[pair.A] != nil }

// common returns how many calls callees i of A and j of B have in common.
func (lv *level) common(i, j int) int64 {
	return int64(lv.space.shares.between(lv.offset[pair.A]+i, lv.offset[pair.B]+j, lv.a[i], lv.b[j]))
}

// compareCallees makes what callees of these stretches have in common available. It must be called
// before common is.
func (lv *level) compareCallees(i0, i1, j0, j1 int) {
	if lv.full {
		lv.space.shares.reset(lv.a[i0:i1], lv.b[j0:j1])
		lv.offset = [2]int{-i0, -j0}
	}
}

// rank is what an alignment is judged by, the smaller the better: first the key, then the others
// in order. A key holds the penalty in its high bits, and subtracts from it the calls that pairs
// have in common. For example, with 12 bits below the penalty, 1 gap and two equal pairs that have
// 10 and 3 calls in common make 2<<12 − 13, and a different pair with 4 adds 3<<12 − 4. Where ties
// go by the last two criteria, the key alone is the rank, and subtracts the number of equal pairs
// from the penalty.
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

// fitCommon chooses the shift so that the calls in common do not overflow into the penalty, and
// reports whether 61 bits are enough for both. The penalty is at most that of gaps only.
func (lv *level) fitCommon() bool {
	lv.shift = bits.Len32(lv.size)
	return lv.shift+bits.Len(uint(2*(len(lv.a)+len(lv.b))+3)) <= 61
}

// fitEqual chooses the shift so that the number of equal pairs does not overflow.
func (lv *level) fitEqual() { lv.shift = bits.Len(uint(min(len(lv.a), len(lv.b)))) }

// gapKey returns the key of a gap.
func (lv *level) gapKey() int64 { return 2 << lv.shift }

// differentKey returns the key of a pair of calls of different functions.
func (lv *level) differentKey() int64 { return 3 << lv.shift }

// rankPair returns the rank of pairing callees i of A and j of B.
func (lv *level) rankPair(i, j int) rank {
	switch {
	case lv.fa[i] != lv.fb[j]:
		return rank{key: lv.differentKey() - lv.common(i, j)}
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
	f, t := lv.rowFiller(), newTicker(m)
	for i := rows - 1; i >= 0; i-- {
		f.fillRow(i, steps[i*cols:])
		if err := t.Add(ctx, int64(cols)); err != nil {
			return nil, err
		}
	}
	return followSteps(steps, rows, cols, runs, i0, j0), t.Flush(ctx)
}

// rowFiller fills a level's matrix row by row, from the last one up. It keeps two rows: of ranks,
// or of keys where these are all of a rank.
type rowFiller struct {
	*level
	below, row         []rank
	keysBelow, keysRow []int64
}

// rowFiller returns a filler that has filled the row of aligning nothing of A.
func (lv *level) rowFiller() *rowFiller {
	f, cols := &rowFiller{level: lv}, len(lv.b)
	if lv.full {
		f.below, f.row = make([]rank, cols+1), make([]rank, cols+1)
	} else {
		f.keysBelow, f.keysRow = make([]int64, cols+1), make([]int64, cols+1)
	}
	for j := range cols {
		key := lv.gapKey() * int64(cols-j)
		if lv.full {
			f.below[j].key = key
		} else {
			f.keysBelow[j] = key
		}
	}
	return f
}

// fillRow fills row i and the steps of all its cells but the last.
func (f *rowFiller) fillRow(i int, steps []step) {
	if f.full {
		f.fillRanks(i, f.below, f.row, steps[:len(f.b)])
		f.below, f.row = f.row, f.below
	} else {
		f.fillKeys(i, f.keysBelow, f.keysRow, steps[:len(f.b)])
		f.keysBelow, f.keysRow = f.keysRow, f.keysBelow
	}
}

func (lv *level) fillRanks(i int, below, row []rank, steps []step) {
	cols, gap := len(steps), lv.gapKey()
	below, row = below[:cols+1], row[:cols+1]
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

func (lv *level) fillKeys(i int, below, row []int64, steps []step) {
	cols, gap, different := len(steps), lv.gapKey(), lv.differentKey()
	fa, fb := lv.fa[i], lv.fb[:cols]
	below, row = below[:cols+1], row[:cols+1]
	right := below[cols] + gap
	row[cols] = right
	for j := cols - 1; j >= 0; j-- {
		best, how := different, pairUp
		if fb[j] == fa {
			best = -1
		}
		best += below[j+1]
		if x := gap + below[j]; x < best {
			best, how = x, onlyA
		}
		if x := gap + right; x < best {
			best, how = x, onlyB
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
	steps := make([]step, cols)
	enters := make([]int32, cols+1)
	for j := range enters {
		enters[j] = int32(j)
	}
	f, t := lv.rowFiller(), newTicker(m)
	for i := len(lv.a) - 1; i >= 0; i-- {
		f.fillRow(i, steps)
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
