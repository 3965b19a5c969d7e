package align

// The kernel computes 64 rows of a level's matrix at a time, one column after the other, in some
// fifty operations on words (ALGORITHMS A2, after Hyyrö's and Myers' for edit distance).
//
// Let D be penalties from the end, so that row i and column j stand for the last i callees of A and
// the last j of B, and D(i, j) = min(D(i−1, j−1) + s, D(i−1, j) + 2, D(i, j−1) + 2) with s = 0 for
// equal, 3 for different. Neighbours differ by −2 to 2. With the deficits
//
//	t = 2 − (D(i, j) − D(i−1, j))   w = 2 − (D(i, j) − D(i, j−1))
//
// of 0 to 4, the next ones are, from the t of the column before and the w of the row above,
//
//	different: t' = max([w=0], t−w, 0)   w' = max([t=0], w−t, 0)
//	equal:     t' = 4 − w                w' = 4 − t
//
// A word per threshold k holds the rows with t ≥ k. What w is at each row runs down the column: it
// stays where t = 0 and the callees differ, which is a carry through a run of ones.

// column is the state of 64 rows of one column: the rows whose t is at least 1, 2, 3, 4.
type column struct{ t1, t2, t3, t4 uint64 }

// Borders between two blocks of rows are a byte a column, in which the bits k−1 say w ≥ k.

// carry returns the rows that w ≥ k enters, given those that it enters from a row where it arose.
// A carry through a run of ones leaves zeros behind, and a one after the run's end.
func through(enters, run uint64) uint64 { return enters | ((enters&run + run) ^ run) }

// sweep takes two blocks of rows, one below the other, through some columns: their words do not
// wait for one another, and a processor has room for two. border holds w above the upper block and
// receives w below the lower one; between receives w between them. last is each block's last row; eq
// holds the rows of each symbol in both.
func sweep(eq [][2]uint64, symbols []uint32, border, between []uint8, c *[2]column, last [2]uint) {
	upper, lower := last[0]&63, last[1]&63
	border, between = border[:len(symbols)], between[:len(symbols)]
	x1, x2, x3, x4 := c[0].t1, c[0].t2, c[0].t3, c[0].t4
	y1, y2, y3, y4 := c[1].t1, c[1].t2, c[1].t3, c[1].t4
	for j, s := range symbols {
		es := &eq[s]
		e, above := es[0], uint64(border[j])
		run := ^(e | x1)
		g4 := e &^ x1
		w4 := through(g4<<1|above>>3, run)
		ew := e | w4
		g3 := ew &^ x2
		w3 := through(g3<<1|above>>2&1, run)
		g2 := ew&^x3 | w3&^x2
		w2 := through(g2<<1|above>>1&1, run)
		g1 := ^x1 | ew&^x4 | w2&^x2 | w3&^x3
		w1 := g1<<1 | above&1
		et := e | x4
		x1, x2, x3, x4 = et&^w4|x3&^w3|x2&^w2|^w1, et&^w3|x3&^w2|x2&^w1, et&^w2|x3&^w1, et&^w1
		o1, o2 := g1>>upper&1, (g2|run&w2)>>upper&1
		o3, o4 := (g3|run&w3)>>upper&1, (g4|run&w4)>>upper&1
		between[j] = uint8(o1 | o2<<1 | o3<<2 | o4<<3)

		e = es[1]
		run = ^(e | y1)
		g4 = e &^ y1
		w4 = through(g4<<1|o4, run)
		ew = e | w4
		g3 = ew &^ y2
		w3 = through(g3<<1|o3, run)
		g2 = ew&^y3 | w3&^y2
		w2 = through(g2<<1|o2, run)
		g1 = ^y1 | ew&^y4 | w2&^y2 | w3&^y3
		w1 = g1<<1 | o1
		et = e | y4
		y1, y2, y3, y4 = et&^w4|y3&^w3|y2&^w2|^w1, et&^w3|y3&^w2|y2&^w1, et&^w2|y3&^w1, et&^w1
		border[j] = uint8(g1>>lower&1 | (g2|run&w2)>>lower&1<<1 |
			(g3|run&w3)>>lower&1<<2 | (g4|run&w4)>>lower&1<<3)
	}
	c[0], c[1] = column{x1, x2, x3, x4}, column{y1, y2, y3, y4}
}

// moves are the rows of a block, in one column, from which each last column of an alignment is
// optimal: a pair that is equal, a pair that is different, a gap B, a gap A.
type moves struct{ equal, different, onlyA, onlyB uint64 }

// resweep is sweep, but says how each cell came about and leaves the border as it is.
func resweep(eq [][2]uint64, symbols []uint32, border []uint8, c column, out []moves) {
	t1, t2, t3, t4 := c.t1, c.t2, c.t3, c.t4
	for j, s := range symbols {
		e, above := eq[s][0], uint64(border[j])
		run := ^(e | t1)
		w4 := through((e&^t1)<<1|above>>3, run)
		ew := e | w4
		w3 := through((ew&^t2)<<1|above>>2&1, run)
		w2 := through((ew&^t3|w3&^t2)<<1|above>>1&1, run)
		g1 := ^t1 | ew&^t4 | w2&^t2 | w3&^t3
		w1 := g1<<1 | above&1
		different := ^(e | t2 | w2)
		et := e | t4
		t1 = et&^w4 | t3&^w3 | t2&^w2 | ^w1
		t2 = et&^w3 | t3&^w2 | t2&^w1
		t3 = et&^w2 | t3&^w1
		t4 = et &^ w1
		out[j] = moves{e, different, ^t1, ^g1}
	}
}
