package match

import "context"

// Witnesses show which classes of X have a match. One is enough, and mostly it can be guessed: the
// class with equal Γ if there is one, that which the base matches, that which the class asked about
// before matches. A guess costs a look at the members of one class. Only if all fail is the class
// compared with all others.
type witnesses struct {
	tau     Tau
	x, y    *Classes
	among   []bool // the classes of Y that count, or nil for all
	equal   map[uint64]int32
	hashes  []uint64 // by class of X
	of      []int32  // by class of X: a class of Y that it matches, or none
	last    int32    // the last of them, or none
	members []bool   // by identity: Γ of the class of X at which
	at      int32
	row     *row
}

func newWitnesses(tau Tau, x, y *Classes, identities int, among []bool) *witnesses {
	w := &witnesses{tau: tau, x: x, y: y, among: among, equal: make(map[uint64]int32, len(y.Size)),
		hashes: x.hashes(), of: make([]int32, len(x.Size)), last: none,
		members: make([]bool, identities), at: none, row: newRow(x, newColumns(y, identities))}
	for k, h := range y.hashes() {
		w.equal[h] = int32(k)
	}
	return w
}

// hashes returns by class the sum of its members' hashes.
func (c *Classes) hashes() []uint64 {
	out := make([]uint64, len(c.Base))
	for k, base := range c.Base {
		if base != none {
			out[k] = out[base]
		}
		for _, id := range c.added[c.from[k]:c.from[k+1]] {
			out[k] += spread(id)
		}
	}
	return out
}

// find returns which of some classes of X, or of all if it is nil, have a match.
func (w *witnesses) find(ctx context.Context, some []bool) ([]bool, error) {
	out := make([]bool, len(w.x.Size))
	for k := range out {
		w.of[k] = none
		if some != nil && !some[k] {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if w.of[k] = w.witness(int32(k)); w.of[k] != none {
			out[k], w.last = true, w.of[k]
		}
	}
	return out, nil
}

// witness returns a class of Y that class k of X matches, or none.
func (w *witnesses) witness(k int32) int32 {
	w.seek(k)
	if y, ok := w.equal[w.hashes[k]]; ok && w.matches(k, y) {
		return y
	}
	if base := w.x.Base[k]; base != none && w.matches(k, w.of[base]) {
		return w.of[base]
	}
	if w.matches(k, w.last) {
		return w.last
	}
	w.row.seek(int(k))
	return w.row.first(w.tau, w.among)
}

// seek makes the members those of class k.
func (w *witnesses) seek(k int32) {
	x := w.x
	for w.at != none && (k < w.at || uint32(k) >= x.End[w.at]) {
		w.mark(w.at, false)
		w.at = x.Base[w.at]
	}
	for c := k; c != w.at; c = x.Base[c] {
		w.mark(c, true)
	}
	w.at = k
}

func (w *witnesses) mark(c int32, is bool) {
	for _, id := range w.x.added[w.x.from[c]:w.x.from[c+1]] {
		w.members[id] = is
	}
}

// matches reports whether class k of X, whose members are marked, matches class y, if that counts.
func (w *witnesses) matches(k, y int32) bool {
	if y == none || w.among != nil && !w.among[y] {
		return false
	}
	size, ySize, common := w.x.Size[k], w.y.Size[y], uint32(0)
	if !w.tau.Exceeded(min(size, ySize), size, ySize) {
		return false
	}
	for c := y; c != none; c = w.y.Base[c] {
		for _, id := range w.y.added[w.y.from[c]:w.y.from[c+1]] {
			if w.members[id] {
				common++
			}
		}
	}
	return w.tau.Exceeded(common, size, ySize)
}

// first returns the first class of Y that the row's class matches, among some or all of them, or
// none.
func (r *row) first(tau Tau, among []bool) int32 {
	size, common := r.x.Size[r.at], int32(0)
	for k, ySize := range r.y.Size {
		common += r.diff[k]
		if tau.Exceeded(uint32(common), size, ySize) && (among == nil || among[k]) {
			return int32(k)
		}
	}
	return none
}
