package align

// Levels of few callees, which are nearly all that are aligned.
//
// For these, what the general way prepares (bands, regions, one criterion after the other) costs
// more than the matrix. So the matrix is filled by the penalty, and the parts of it in which the
// penalty leaves a choice once more, by the calls in common. Where steps are still equally good and
// one of them pairs identical callees, times may decide, and the choice is kept as a pocket.
// Elsewhere each equal pair has one call in common, the function itself, and each different pair
// none, so the number of equal pairs is the same whatever is chosen, and the first step in the
// order of columns is taken.
//
// Calls in common are known at once if two callees are identical, if both call nothing, and if they
// are of one function and one of them calls nothing. Where others may be paired, their calls must
// be counted, which costs more than the general way, so the level is left to that.

const mostFew = 30 // callees on a side

// few is the matrix of a level of few callees.
type few struct {
	row     [mostFew + 2]int64
	options [(mostFew + 1) * (mostFew + 1)]options
	starts  [mostFew + 1]int
	lo, hi  [mostFew + 1]int32
	part    region // in which the penalty leaves a choice
	scratch region // in which the calls in common leave one, too
}

func (lv *level) isFew() bool { return max(len(lv.a), len(lv.b)) <= mostFew }

// solveQuickly is solveFew that numbers the callees where that is what is missing. Levels without
// callees on a side are done.
func (lv *level) solveQuickly(s *solved, front int) (done bool, err error) {
	if lv.cells() == 0 || !lv.alike() && lv.solveFew(s, front) {
		return true, nil
	}
	if lv.unnumbered == nil || !lv.isFew() {
		return false, nil
	}
	err = lv.numberAll()
	return err == nil && !lv.alike() && lv.solveFew(s, front), err
}

// solveFew aligns the part of a level behind the first callees of both sides, which are paired, if
// it is one of few callees that can be aligned in this way. It appends to what is solved.
func (lv *level) solveFew(s *solved, front int) bool {
	if !lv.isFew() {
		return false
	}
	m, n := len(lv.a), len(lv.b)
	f := &lv.space.few
	lv.fillFew(f)
	for r := range m + 1 {
		f.starts[r], f.lo[r], f.hi[r] = r*(n+1), 0, int32(n)
	}
	all := filled{region: region{lo: f.lo[:m+1], hi: f.hi[:m+1]}, options: f.options[:(m+1)*(n+1)]}
	w := walker{filled: &all, starts: f.starts[:m+1]}
	before, by := s.runs, int32(front)
	for at, end := (cell{}), all.last(); at != end; {
		if o := w.at(at); alongAFirst[o] == alongBFirst[o] {
			at = f.take(s, at, n, by)
			continue
		}
		w.partInto(&f.part, at)
		if lv.unnumbered != nil || !lv.fillFewByCommon(f, &f.part) {
			s.runs = before
			if front > 0 { // a run may have continued this one
				s.runs[0].n = by
			}
			return false
		}
		at = lv.takePart(s, &w, at, by)
	}
	return true
}

// takePart is take from a cell to the end of the part. It notes the pockets in it.
func (lv *level) takePart(s *solved, w *walker, at cell, by int32) cell {
	f, n := &lv.space.few, len(lv.b)
	for end := f.part.last(); at != end; {
		if o := w.at(at); alongAFirst[o] == alongBFirst[o] {
			at = f.take(s, at, n, by)
			continue
		}
		w.partInto(&f.scratch, at)
		if lv.pairsIdentical(w, &f.scratch) {
			lv.keep(s, lv.pocketIn(w, &f.scratch, by))
		}
		for last := f.scratch.last(); at != last; {
			at = f.take(s, at, n, by)
		}
	}
	return at
}

// take takes the first of the best steps from a cell, and returns the next.
func (f *few) take(s *solved, at cell, n int, by int32) cell {
	how := pairFirst[f.options[int(at.i)*(n+1)+int(at.j)]]
	if how == pairUp {
		s.runs = appendRun(s.runs, run{at.i + by, at.j + by, 1})
	}
	return at.after(how)
}

// pocketIn returns the pocket of a region, counted from the level's first callees.
func (lv *level) pocketIn(w *walker, g *region, by int32) pocket {
	p := pocket{filled: filled{options: w.within(*g)}, by: byCommon}
	rows := len(g.lo)
	ends := make([]int32, 2*rows)
	p.i, p.lo, p.hi = g.i+int(by), ends[:rows:rows], ends[rows:]
	for r := range rows {
		p.lo[r], p.hi[r] = g.lo[r]+by, g.hi[r]+by
	}
	return p
}

// fillFew fills the matrix of a level of few callees by the penalty alone.
func (lv *level) fillFew(f *few) {
	m, n := len(lv.a), len(lv.b)
	gap, different := lv.gapKey(), lv.differentKey()
	row, fb := f.row[:n+1], lv.fb[:n]
	lv.fillLast(row, f.options[m*(n+1):])
	for i := m - 1; i >= 0; i-- {
		fx, opts := lv.fa[i], f.options[i*(n+1):][:n+1]
		diagonal := row[n]
		right := diagonal + gap
		row[n], opts[n] = right, 1<<onlyA
		for j := n - 1; j >= 0; j-- {
			up, down, across := diagonal+different, row[j]+gap, right+gap
			if fb[j] == fx {
				up = diagonal
			}
			diagonal = row[j]
			right, opts[j] = best(up, down, across)
			row[j] = right
		}
	}
}

// fillFewByCommon is fillByCommon for a part of the matrix, in place. It reports false if what
// callees have in common is not known at once.
func (lv *level) fillFewByCommon(f *few, g *region) bool {
	n := len(lv.b)
	row := f.row[:n+2]
	for j := range row {
		row[j] = beyond
	}
	clear(row[g.lo[len(g.lo)-1] : g.last().j+1]) // only gaps A are left
	for r := len(g.lo) - 2; r >= 0; r-- {
		lo, hi := int(g.lo[r]), int(g.hi[r])
		row[g.hi[r+1]+1] = beyond
		opts := f.options[(g.i+r)*(n+1):][:n+1]
		diagonal, right := row[hi+1], beyond
		for j := hi; j >= lo; j-- {
			o, below := opts[j], row[j]
			up, down, across := beyond, beyond, beyond
			if o.has(pairUp) {
				common, known := lv.commonAtOnce(g.i+r, j)
				if !known {
					return false
				}
				up = diagonal - common
			}
			if o.has(onlyA) {
				down = below
			}
			if o.has(onlyB) {
				across = right
			}
			right, opts[j] = best(up, down, across)
			row[j], diagonal = right, below
		}
	}
	return true
}

// commonAtOnce returns what callees i of A and j of B have in common, if no calls need counting.
func (lv *level) commonAtOnce(i, j int) (common int64, known bool) {
	x, y, size := lv.a[i], lv.b[j], lv.space.t.size
	same := lv.fa[i] == lv.fb[j]
	switch {
	case x == y:
		return int64(size[x]), true
	case same && (size[x] == 1 || size[y] == 1):
		return 1, true
	}
	return 0, !same && size[x] == 1 && size[y] == 1
}
