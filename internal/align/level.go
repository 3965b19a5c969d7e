package align

import "math/bits"

// level is one pair of child sequences to align, callees of two calls that are paired.
type level struct {
	a, b   []uint32 // classes
	fa, fb []uint32 // identities
	size   []uint32 // calls by class
	full   bool     // the first criterion for ties applies
	broad  bool     // not even the second was applied
	key    keys
}

// run is a stretch of an alignment in which callees i, i+1, … of A are paired with j, j+1, … of B.
// An alignment is a list of runs in order; what is in none is a gap.
type run struct{ i, j, n int32 }

// newLevel returns the level of the callees of two classes.
func (t *classTable) newLevel(ca, cb uint32, o Options) *level {
	lv := &level{a: t.callees(ca), b: t.callees(cb), size: t.size}
	lv.fa, lv.fb = t.functions(lv.a), t.functions(lv.b)
	m, n := len(lv.a), len(lv.b)
	lv.full = int64(m)*int64(n) <= o.TieCells
	weight := min(t.size[ca], t.size[cb])
	if lv.full && !lv.key.fit(m, n, weight) {
		lv.full = false
	}
	if !lv.full {
		lv.key.fit(m, n, 0)
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

// part returns the level of a stretch of both sequences, under the same rule for ties.
func (lv *level) part(i0, i1, j0, j1 int) *level {
	q := *lv
	q.a, q.fa = lv.a[i0:i1], lv.fa[i0:i1]
	q.b, q.fb = lv.b[j0:j1], lv.fb[j0:j1]
	return &q
}

// cells returns the size of the level's matrix.
func (lv *level) cells() int64 { return int64(len(lv.a)) * int64(len(lv.b)) }

// keys packs what an alignment is judged by into one number, the smaller the better: its penalty
// 3·different + 2·gaps, which falls as the score rises (score = M+N − penalty), then the calls in
// identical pairs, then the number of equal pairs.
type keys struct {
	gap, different int64
	weight         int // shift of the calls in identical pairs
	shift          int // of the penalty
}

// penalty returns the penalty in a key.
func (k *keys) penalty(key int64) int64 { return (key + 1<<k.shift - 1) >> k.shift }

// fit chooses shifts such that no field runs into the next, and reports whether there is room. The
// penalty is at most that of gaps only; a sum of two keys is never formed.
func (k *keys) fit(m, n int, weight uint32) bool {
	equal := bits.Len(uint(min(m, n)))
	shift := equal + bits.Len32(weight)
	if shift+bits.Len(uint(2*(m+n)+3)) > 62 {
		return false
	}
	k.gap, k.different, k.weight, k.shift = 2<<shift, 3<<shift, equal, shift
	return true
}

// pairs returns what pairing callee i of A with one of B costs where the function is the same, and
// where the subtree is.
func (lv *level) pairs(i int) (equal, identical int64) {
	equal = -1
	if !lv.full {
		return equal, equal
	}
	return equal, -1 - int64(lv.size[lv.a[i]])<<lv.key.weight
}

// join appends a pair or a run to an alignment.
func join(runs []run, r run) []run {
	if k := len(runs) - 1; k >= 0 && runs[k].i+runs[k].n == r.i && runs[k].j+runs[k].n == r.j {
		runs[k].n += r.n
		return runs
	}
	return append(runs, r)
}
