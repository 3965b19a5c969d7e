package align

import (
	"math/bits"
)

// The kernel computes 63 rows of a level's matrix at a time, one column after the other, with some
// forty operations on words (Hyyrö and Myers have such kernels for edit distance).
// sweep.go runs it over a level, and trail.go finds the alignment. What it computes are
// differences between neighbouring cells, which are so small that a few bits hold each:
//
// Let D be penalties from the end, so that row i and column j stand for the last i callees of A
// and the last j of B, and D(i, j) = min(D(i−1, j−1) + s, D(i−1, j) + 2, D(i, j−1) + 2) with s = 0
// for equal, 3 for different. Neighbours differ by −2 to 2. With the deficits
//
//	t = 2 − (D(i, j) − D(i−1, j))   w = 2 − (D(i, j) − D(i, j−1))
//
// of 0 to 4, the next ones are, from the t of the column before and the w of the row above,
//
//	different: t' = max([w=0], t−w, 0)   w' = max([t=0], w−t, 0)
//	equal:     t' = 4 − w                w' = 4 − t
//
// For each k of 1 to 4 a word holds the rows with t < k, and another the rows that are entered
// from above with w ≥ k. So one operation on words treats 63 rows. The difficulty is that w runs
// down the column: where t = 0 and the callees differ, w' = w, so a value passes through a run of
// such rows. An addition does that, because a carry passes through a run of ones:
//
//	rows (highest bit is the lowest row)    run = 0111100, w ≥ k enters at its start: 0000100
//	run + enters = 1000000                  it comes out after the run
//
// Within the run the bits of the sum are inverted. That does no harm: t' only asks there whether w
// = 0, and for k = 1 no sum is needed, since w' ≥ 1 wherever t = 0. The bit after the last row
// always counts as equal. So no run reaches it, and it receives what leaves the block at the
// bottom.

const (
	blockRows = 63
	noRow     = 1 << blockRows // the rows of a symbol that does not occur: the bit after the last
	allRows   = noRow - 1
)

// column is the state of a block in one column: the rows with t < 1, t < 2, t < 3 and t < 4.
type column struct{ t1, t2, t3, t4 uint64 }

// untouched is the column in which all t = 0: each row is reached from the row above by a gap.
var untouched = column{allRows, allRows, allRows, allRows}

// rise returns how much larger the penalty is in the given row of a column than above the block.
func (c column) rise(rows int) int64 {
	in := uint64(1)<<rows - 1
	below := bits.OnesCount64(c.t1&in) + bits.OnesCount64(c.t2&in) +
		bits.OnesCount64(c.t3&in) + bits.OnesCount64(c.t4&in)
	return int64(below - 2*rows)
}

// noRows returns a table that holds no rows for any symbol, for two blocks.
func noRows(symbols int) [][2]uint64 {
	eq := make([][2]uint64, symbols)
	for x := range eq {
		eq[x] = [2]uint64{noRow, noRow}
	}
	return eq
}

// markRows enters the rows of a block into eq by symbol; half is 0 for the upper block of two.
func markRows(eq [][2]uint64, rows []uint32, half int) {
	for r, x := range rows {
		eq[x][half] |= 1 << r
	}
}

func unmarkRows(eq [][2]uint64, rows []uint32) {
	for _, x := range rows {
		eq[x] = [2]uint64{noRow, noRow}
	}
}

// sweep takes two blocks of rows, one below the other, through some columns. Two at a time,
// because the operations of one block wait for each other while the processor could compute the
// other's. border holds w above the upper block, and receives w below the lower one. between
// receives w between the two. eq holds the rows of each symbol in both blocks.
func sweep(eq [][2]uint64, symbols []uint32, border, between []uint8, c *[2]column) {
	border, between = border[:len(symbols)], between[:len(symbols)]
	x1, x2, x3, x4 := c[0].t1, c[0].t2, c[0].t3, c[0].t4
	y1, y2, y3, y4 := c[1].t1, c[1].t2, c[1].t3, c[1].t4
	for j, s := range symbols {
		es := &eq[s]
		e, above := es[0], uint64(border[j])
		ne := ^e
		run := x1 & ne
		off := ^run
		w4 := run + (e&x1)<<1 + above>>2
		ew := e | w4&off
		w3 := run + (ew&x2)<<1 + (above+1)>>2
		v3 := w3 & off
		w2 := run + (ew&x3|v3&x2)<<1 + (above+2)>>2
		w1 := (x1|ew&x4|v3&x3|w2&x2)<<1 + (above+3)>>2
		nt := ne & x4
		x1 = (nt | w4) & (x3 | w3) & (x2 | w2) & w1
		x2 = (nt | w3) & (x3 | w2) & (x2 | w1)
		x3 = (nt | w2) & (x3 | w1)
		x4 = nt | w1
		o1, o2, o3, o4 := w1>>63, w2>>63, w3>>63, w4>>63
		between[j] = uint8(o1 + o2 + o3 + o4)

		e = es[1]
		ne = ^e
		run = y1 & ne
		off = ^run
		w4 = run + (e&y1)<<1 + o4
		ew = e | w4&off
		w3 = run + (ew&y2)<<1 + o3
		v3 = w3 & off
		w2 = run + (ew&y3|v3&y2)<<1 + o2
		w1 = (y1|ew&y4|v3&y3|w2&y2)<<1 + o1
		nt = ne & y4
		y1 = (nt | w4) & (y3 | w3) & (y2 | w2) & w1
		y2 = (nt | w3) & (y3 | w2) & (y2 | w1)
		y3 = (nt | w2) & (y3 | w1)
		y4 = nt | w1
		border[j] = uint8(w1>>63 + w2>>63 + w3>>63 + w4>>63)
	}
	c[0], c[1] = column{x1, x2, x3, x4}, column{y1, y2, y3, y4}
}

// moves are, for one column of a block, the rows in which an optimal alignment may end with an
// equal pair, a different pair, a gap B, or a gap A.
type moves struct{ equal, different, onlyA, onlyB uint64 }

// resweep is sweep for one block. It leaves the border as it is, and returns the moves that lead
// to each cell.
func resweep(eq [][2]uint64, symbols []uint32, border []uint8, c column, out []moves) {
	t1, t2, t3, t4 := c.t1, c.t2, c.t3, c.t4
	border, out = border[:len(symbols)], out[:len(symbols)]
	for j, s := range symbols {
		e, above := eq[s][0], uint64(border[j])
		run := t1 &^ e
		w4 := run + (e&t1)<<1 + above>>2
		ew := e | w4&^run
		w3 := run + (ew&t2)<<1 + (above+1)>>2
		v3 := w3 &^ run
		w2 := run + (ew&t3|v3&t2)<<1 + (above+2)>>2
		g1 := t1 | ew&t4 | v3&t3 | w2&t2
		w1 := g1<<1 + (above+3)>>2
		different := t2 &^ (e | w2 ^ run)
		nt := t4 &^ e
		t1 = (nt | w4) & (t3 | w3) & (t2 | w2) & w1
		t2 = (nt | w3) & (t3 | w2) & (t2 | w1)
		t3 = (nt | w2) & (t3 | w1)
		t4 = nt | w1
		out[j] = moves{e, different, t1, ^g1}
	}
}
