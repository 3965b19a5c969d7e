package align

import (
	"context"
	"slices"

	"diptych/internal/progress"
)

// How the engine Auto aligns one level.
//
// One level within the tie budget goes through these steps (solve). Each leaves a region in which
// there is a choice to the next, mostly a small one or none (region.go):
//
//  1. Callees at both ends that are of one function, and of a function that no other callee has,
//     are paired for certain, and taken off.
//  2. The penalty alone, in a band of diagonals that is widened until no better alignment can lie
//     outside. 2e+1 diagonals around the shortest way cost (m+n)·e, where m·n would be the matrix:
//     little if the sequences are alike.
//  3. The calls that pairs have in common.
//  4. Times are those of calls, not of classes. So what identical callees leave undecided is kept
//     as a pocket, and decided whenever two calls of these classes are placed (decide). Until then
//     a pocket is aligned without times, to find which pairs of callees need aligning next.
//
// Where steps 2 and 3 concern few callees, one matrix does the work of both (few.go).
//
// Loops that call one thing again and again, here more often than there, are so frequent that they
// have a way of their own: if all callees of both sides are identical, only step 4 is left.
//
// A level beyond the tie budget is different (alignLarge). Callees at the front that are of one
// function are paired for certain and taken off; of the rest, what has at most 4,096 cells goes to
// the plain matrix, and anything larger to the bit-parallel kernel (sweep.go, trail.go).
//
// Memory is a byte a cell of the band, and of the pockets that are kept.

// solved is the alignment of a pair of classes.
type solved struct {
	runs        []run    // in pockets only a guess, which says what may need aligning next
	pockets     []pocket // what times decide, in order
	full, broad bool
	apart       bool // a different pair whose callees are not aligned
}

// pocket is a region in which times decide among paths that are equally good by a criterion. If
// all callees are identical, these are all paths with as few gaps as possible, and there are no
// options.
type pocket struct {
	filled
	by    criterion
	alike bool
}

// fewCells is the size of a matrix up to which preparing a band or the kernel costs more than it
// saves.
const fewCells = 1 << 12

// solve aligns a level in the way that should be the cheapest. It may use the memory of runs.
func (lv *level) solve(ctx context.Context, m *progress.Meter, runs []run) (s solved, err error) {
	s.full, s.runs = lv.full, runs[:0]
	if !lv.full {
		s.runs, err = lv.alignLarge(ctx, m, s.runs)
		s.broad = lv.broad
		return s, err
	}
	front, back := lv.certain()
	if front > 0 {
		s.runs = append(s.runs, run{0, 0, int32(front)})
	}
	rest := &lv.space.rest
	lv.cutTo(rest, front, len(lv.a)-back, front, len(lv.b)-back)
	done, err := rest.solveQuickly(&s, front)
	if err != nil {
		return s, err
	}
	lv.space = rest.space
	if !done {
		var part solved
		if err := rest.solveRest(ctx, m, &part); err != nil {
			return s, err
		}
		lv.space = rest.space
		part.shift(int32(front))
		s.runs, s.pockets = append(s.runs, part.runs...), part.pockets
	}
	if i, j := len(lv.a)-back, len(lv.b)-back; back > 0 {
		s.runs = appendRun(s.runs, run{int32(i), int32(j), int32(back)})
	}
	return s, nil
}

// certain returns how many callees in front and at the back are paired for certain: pairs of a
// function that occurs once on both sides. Any other partner would be of another function, which
// is worse than a gap beside this pair.
func (lv *level) certain() (front, back int) {
	calls := lv.space.each
	defer lv.space.forget(lv.fa, lv.fb)
	for _, fn := range lv.fa {
		calls[fn]++
	}
	for _, fn := range lv.fb {
		calls[fn]++
	}
	m, n := len(lv.a), len(lv.b)
	for front < min(m, n) && lv.fa[front] == lv.fb[front] && calls[lv.fa[front]] == 2 {
		front++
	}
	for back < min(m, n)-front && lv.fa[m-1-back] == lv.fb[n-1-back] && calls[lv.fa[m-1-back]] == 2 {
		back++
	}
	return front, back
}

// solveRest aligns what is not paired for certain.
func (lv *level) solveRest(ctx context.Context, m *progress.Meter, s *solved) error {
	if shift := len(lv.b) - len(lv.a); lv.alike() {
		s.runs = lv.addAlike(s, s.runs, lv.band(min(shift, 0), max(shift, 0)))
		return nil
	}
	f, err := lv.leastPenalty(ctx, m)
	if err == nil && lv.unnumbered != nil {
		err = lv.numberChoices(f)
	}
	if err != nil {
		return err
	}
	s.runs, err = f.refine(s.runs, func(runs []run, w *walker, g region) ([]run, error) {
		return lv.mostCommon(ctx, m, s, runs, w, g)
	})
	return err
}

// shift moves an alignment by as many callees on both sides.
func (s *solved) shift(by int32) {
	for k := range s.runs {
		s.runs[k].i += by
		s.runs[k].j += by
	}
	for _, p := range s.pockets {
		for r := range p.lo {
			p.lo[r] += by
			p.hi[r] += by
		}
	}
	for k := range s.pockets {
		s.pockets[k].i += int(by)
	}
}

// auto aligns a level by all criteria.
func (lv *level) auto(ctx context.Context, m *progress.Meter) ([]run, error) {
	s, err := lv.solve(ctx, m, nil)
	if err != nil {
		return nil, err
	}
	return lv.decide(ctx, m, &s)
}

// leastPenalty finds all alignments of the least penalty, in bands of diagonals that get wider
// until one is wide enough. An alignment that leaves a band of e further diagonals on each side has
// at least 2·e + 2 gaps more than the difference of the lengths demands, so it is worse than a
// penalty below theirs (Ukkonen 1985).
func (lv *level) leastPenalty(ctx context.Context, m *progress.Meter) (*filled, error) {
	shift := len(lv.b) - len(lv.a)
	wide := max(shift, -shift)
	for e := 0; ; {
		from, to := min(0, shift)-e, max(0, shift)+e
		if 2*(to-from) >= len(lv.b) {
			return lv.fill(ctx, m, lv.whole())
		}
		f, err := lv.fill(ctx, m, lv.band(from, to))
		if err != nil {
			return nil, err
		}
		penalty := f.key >> lv.shift
		if penalty < 2*int64(wide+2*e+2) {
			return f, nil
		}
		enough := int(penalty/2-int64(wide)-2)/2 + 1
		if e = max(4*e, 8); e >= enough/2 {
			e = enough
		}
	}
}

// mostCommon aligns a region of the alignments of the least penalty by what pairs have in common,
// and appends the pairs. It notes the pockets that are left.
func (lv *level) mostCommon(ctx context.Context, m *progress.Meter, s *solved, runs []run,
	w *walker, g region) ([]run, error) {
	switch {
	case lv.oneClass(g.i, int(g.last().i), int(g.lo[0]), int(g.last().j)):
		return lv.addAlike(s, runs, g), nil
	case lv.settled(w, g):
		lv.keep(s, pocket{filled: filled{region: g, options: w.within(g)}, by: byPenalty})
		return runs, nil
	}
	f, err := lv.fillByCommon(ctx, m, w, g)
	if err != nil {
		return nil, err
	}
	return f.refine(runs, func(runs []run, w *walker, g region) ([]run, error) {
		return lv.addPocket(s, runs, w, g), nil
	})
}

// fillAgain finds the options of a pocket that were not kept.
func (lv *level) fillAgain(ctx context.Context, m *progress.Meter, p *pocket) (*filled, error) {
	f, err := lv.fill(ctx, m, p.region)
	if err != nil || p.by == byPenalty {
		return f, err
	}
	return lv.fillByCommon(ctx, m, &walker{filled: f, starts: f.startRows(nil)}, p.region)
}

// settled reports whether what pairs have in common is the same on all paths of the least penalty
// through a region. It is if there are no more gaps than the lengths demand, so that each callee of
// the shorter side is in an equal pair, and if all callees of one function are identical.
func (lv *level) settled(w *walker, g region) bool {
	from, to := cell{int32(g.i), g.lo[0]}, g.last()
	var gaps [2]int
	for at := from; at != to; {
		switch s := alongAFirst[w.at(at)]; {
		case s == pairUp && lv.fa[at.i] != lv.fb[at.j]:
			return false
		case s != pairUp:
			gaps[s-onlyA]++
		}
		at = at.after(alongAFirst[w.at(at)])
	}
	if gaps[0] > 0 && gaps[1] > 0 {
		return false
	}
	fa, fb := lv.fa[from.i:to.i], lv.fb[from.j:to.j]
	classOf := lv.space.each // plus one, by identity
	defer lv.space.forget(fa, fb)
	return oneClassEach(classOf, fa, lv.a[from.i:to.i]) &&
		oneClassEach(classOf, fb, lv.b[from.j:to.j])
}

// oneClassEach reports whether all callees of one function have one class, given the classes that
// functions are known to have, plus one. It adds those that it meets.
func oneClassEach(classOf, fns, classes []uint32) bool {
	for k, fn := range fns {
		if classOf[fn] != 0 && classOf[fn] != classes[k]+1 {
			return false
		}
		classOf[fn] = classes[k] + 1
	}
	return true
}

// oneClass reports whether all callees of these stretches are identical.
func (lv *level) oneClass(i0, i1, j0, j1 int) bool {
	x := lv.a[i0]
	return allOf(lv.a[i0:i1], x) && allOf(lv.b[j0:j1], x)
}

// alike reports whether all callees are known to be identical.
func (lv *level) alike() bool { return lv.unnumbered == nil && lv.oneClass(lv.all()) }

// allOf reports whether all of a list are x.
func allOf(list []uint32, x uint32) bool {
	return !slices.ContainsFunc(list, func(y uint32) bool { return y != x })
}

// all returns the stretches of both sequences that are all of them.
func (lv *level) all() (i0, i1, j0, j1 int) { return 0, len(lv.a), 0, len(lv.b) }

// addAlike adds the pocket of a region in which all callees are identical.
func (lv *level) addAlike(s *solved, runs []run, g region) []run {
	last := g.last()
	rows, cols := last.i-int32(g.i), last.j-g.lo[0]
	if rows == cols {
		return appendRun(runs, run{int32(g.i), g.lo[0], rows})
	}
	s.pockets = append(s.pockets, pocket{filled: filled{region: g}, alike: true})
	return runs
}

// addPocket aligns a pocket without times, and notes it if times may decide otherwise.
func (lv *level) addPocket(s *solved, runs []run, w *walker, g region) []run {
	p := pocket{filled: filled{region: g, options: w.within(g)}, by: byCommon}
	if lv.pairsIdentical(w, &g) {
		lv.keep(s, p)
	}
	return lv.choose(runs, &p.filled)
}

// keep adds a pocket, with its options if there is room for them.
func (lv *level) keep(s *solved, p pocket) {
	if n := int64(len(p.options)); lv.space.room.Add(-n) < 0 {
		lv.space.room.Add(n)
		p.options = nil
	}
	s.pockets = append(s.pockets, p)
}

// pairsIdentical reports whether a best path through a part of a region may pair identical callees.
// In its last row there are only gaps A, and a pair after its last cell is beyond it.
func (lv *level) pairsIdentical(w *walker, g *region) bool {
	for r, lo := range g.lo[:len(g.lo)-1] {
		for k, o := range w.stretch(g.i+r, int(lo), int(g.hi[r])) {
			if o.has(pairUp) && lv.a[g.i+r] == lv.b[int(lo)+k] {
				return true
			}
		}
	}
	return false
}

// decide returns the alignment of two calls of the classes that were aligned, whose callees took
// the level's times. It holds until the next is decided in the same workspace.
func (lv *level) decide(ctx context.Context, m *progress.Meter, s *solved) (runs []run, err error) {
	if len(s.pockets) == 0 {
		return s.runs, nil
	}
	runs = lv.space.runs[:0]
	next := int32(0) // of A, not yet taken over
	for _, p := range s.pockets {
		runs = appendStretch(runs, s.runs, next, int32(p.i))
		next = p.last().i
		f := &p.filled
		switch {
		case p.alike:
			runs = lv.chooseAlike(runs, p.region)
			continue
		case p.options == nil:
			if f, err = lv.fillAgain(ctx, m, &p); err != nil {
				return nil, err
			}
		}
		runs = lv.choose(runs, f)
	}
	lv.space.runs = appendStretch(runs, s.runs, next, int32(len(lv.a)))
	return lv.space.runs, nil
}

// appendStretch appends the pairs of callees [from, to) of A.
func appendStretch(runs, list []run, from, to int32) []run {
	for _, r := range list {
		lo, hi := max(r.i, from), min(r.i+r.n, to)
		if lo < hi {
			runs = appendRun(runs, run{lo, r.j + lo - r.i, hi - lo})
		}
	}
	return runs
}

// alignLarge aligns a level whose ties go by the last two criteria. If the first callees of both
// sequences are of one function, some optimal alignment pairs them: had they other partners, these
// could be exchanged. It is also the one that pairs earliest. At the end of the sequences the last
// criterion may prefer other pairs, so no suffix is taken off:
//
//	A: x y x    B: x    pairs B's x with the first x of A, not with the last
func (lv *level) alignLarge(ctx context.Context, m *progress.Meter, runs []run) (_ []run, err error) {
	n := 0
	for n < min(len(lv.fa), len(lv.fb)) && lv.fa[n] == lv.fb[n] {
		n++
	}
	if n > 0 {
		runs = append(runs, run{0, 0, int32(n)})
	}
	rest := lv.sublevel(n, len(lv.a), n, len(lv.b))
	switch {
	case rest.cells() == 0:
		return runs, nil
	case rest.cells() <= fewCells:
		m.Expect(rest.cells() / 64)
		return rest.needleman(ctx, m, runs, n, n)
	}
	runs, err = rest.bitParallel(ctx, m, runs, n, n)
	lv.broad = rest.broad
	return runs, err
}

// bitParallel is alignLarge without its shortcuts. It appends to runs, and counts callees from i0
// and j0.
func (lv *level) bitParallel(ctx context.Context, m *progress.Meter, runs []run, i0, j0 int) ([]run,
	error) {
	s := newSweeper(lv.fa, lv.fb)
	if _, err := s.score(ctx, m); err != nil {
		return nil, err
	}
	t := s.trail(m)
	if err := t.explore(ctx); err != nil {
		return nil, err
	}
	if err := t.countEqual(ctx); err != nil {
		return nil, err
	}
	lv.broad = t.greedy
	return t.follow(runs, i0, j0), nil
}
