package align

import (
	"math"
	"slices"

	"diptych/internal/pair"
)

// The last choice in a region: among paths that are equally good by classes, the one that agrees
// best in time, has the most equal pairs, and pairs earliest.
//
// It goes through the region once more, from the end, along the steps that are left in each cell.

// choose takes from the best paths of a region the one that the criteria beyond classes mean: the
// agreement in time of identical pairs, if times are given; the number of equal pairs; and what
// pairs earliest. It appends the pairs.
func (lv *level) choose(runs []run, f *filled) []run {
	cols, timed, space := int(f.last().j), lv.timed(), lv.space
	space.steps = slices.Grow(space.steps[:0], len(f.options))[:len(f.options)]
	for k := range space.ranks {
		space.ranks[k] = slices.Grow(space.ranks[k][:0], cols+2)[:cols+2]
	}
	steps, below, row := space.steps, space.ranks[0], space.ranks[1]
	n := len(steps)
	for r := len(f.lo) - 1; r >= 0; r-- {
		lo, hi := int(f.lo[r]), int(f.hi[r])
		n -= hi - lo + 1
		var right rank
		for j := hi; j >= lo; j-- {
			o, best, how := f.options[n+j-lo], rank{key: beyond}, pairUp
			if o.has(pairUp) {
				best = lv.worth(f.i+r, j, timed)
				best.apart += below[j+1].apart
				best.equal += below[j+1].equal
			}
			if o.has(onlyA) && below[j].less(best) {
				best, how = below[j], onlyA
			}
			if o.has(onlyB) && right.less(best) {
				best, how = right, onlyB
			}
			if o == 0 { // the last cell
				best = rank{}
			}
			right = best
			row[j], steps[n+j-lo] = best, how
		}
		below, row = row, below
	}
	space.rowStarts = f.startRows(space.rowStarts[:0])
	for at, end := (cell{int32(f.i), f.lo[0]}), f.last(); at != end; {
		r := int(at.i) - f.i
		how := steps[space.rowStarts[r]+int(at.j-f.lo[r])]
		if how == pairUp {
			runs = appendRun(runs, run{at.i, at.j, 1})
		}
		at = at.after(how)
	}
	return runs
}

// worth returns the rank of a pair beyond its key.
func (lv *level) worth(i, j int, timed bool) (x rank) {
	if lv.fa[i] == lv.fb[j] {
		x.equal = -1
	}
	if timed && lv.a[i] == lv.b[j] {
		x.apart = -agreement(lv.took[pair.A][i], lv.took[pair.B][j])
	}
	return x
}

// chooseAlike is choose for a region in which all callees are identical: it leaves out callees of
// the longer side so that the others agree best in time with those of the shorter one.
func (lv *level) chooseAlike(runs []run, g region) []run {
	last, space := g.last(), lv.space
	long, short := lv.took[pair.A][g.i:last.i], lv.took[pair.B][g.lo[0]:last.j]
	inB := len(long) < len(short)
	if inB {
		long, short = short, long
	}
	width := len(long) - len(short) + 1
	space.keys[0] = zeroed(space.keys[0], width)
	best := space.keys[0] // by the number of callees left out so far
	space.steps = slices.Grow(space.steps[:0], len(short)*width)[:len(short)*width]
	for j := len(short) - 1; j >= 0; j-- {
		fillAlike(long[j:j+width], short[j], best, space.steps[j*width:(j+1)*width])
	}
	for j, left := 0, 0; j < len(short); {
		if space.steps[j*width+left] != pairUp {
			left++
			continue
		}
		next := run{int32(g.i + j + left), g.lo[0] + int32(j), 1}
		if inB {
			next = run{int32(g.i + j), g.lo[0] + int32(j+left), 1}
		}
		runs = appendRun(runs, next)
		j++
	}
	return runs
}

// fillAlike fills a row of chooseAlike from the row below, in place.
func fillAlike(long []int64, short int64, best []int64, steps []step) {
	best, steps = best[:len(long)], steps[:len(long)]
	right := int64(math.MinInt64)
	for k := len(long) - 1; k >= 0; k-- {
		x, how := agreement(long[k], short)+best[k], pairUp
		if right > x {
			how = onlyA // of the longer side
		}
		right = max(right, x)
		best[k], steps[k] = right, how
	}
}
