package finding

import (
	"math"
	"math/bits"
	"slices"

	"diptych/internal/align"
	"diptych/internal/huge"
	"diptych/internal/pair"
	"diptych/internal/trace"
)

// Which subtrees of two aligned threads are identical, without regard to what the system does and
// to what only samples found.
//
// Alignment pairs identical subtrees call by call, so a pair's subtrees are mostly told to be
// identical by their partners: they are equally large, and the partner of the k-th call of one is
// the k-th call of the other. For example, with pre-order indices:
//
//	A  3 f, 4 g, 5 h    B  7 f, 8 g, 9 h    partners 3–7, 4–8, 5–9: from 3 on, three in a row
//
// If all calls of one side have partners of their function, sizes alone tell: the calls below one
// are paired with as many calls below its partner, in order. Then nothing in an identical subtree
// is looked at.
//
// Where subtrees are equally large but not paired so, and where calls without partners may be
// identical to others, hashes decide. A subtree is hashed when it is first asked for, with all in
// it; the larger ones are asked for first, so each call is hashed once. Threads in which chance
// decides about some calls are hashed as a whole.

// subtrees are those of a result.
type subtrees struct {
	s      *study
	r      *align.Result
	ids    *[2][]uint32 // identity by side and function
	plain  bool         // nothing is recorded by chance
	hashes [2]hashes    // by side

	differs   [2]bitset // by side: calls that have no partner with an identical subtree
	different []int32   // A's calls that are paired with one of another function
	unlike    [2]bitset // by side: these, while they are paired so; nil if there are none

	sameNumbers bool       // a function that both sides number alike has one identity
	allAlike    bool       // partners are of one function
	sizes       *openSizes // nil if they are not known yet
}

// bitset is a bit for each call of a thread.
type bitset []uint64

func newBitset(calls int) bitset { return huge.Make[uint64]((calls + 63) / 64) }

func (b bitset) has(i int32) bool { return b[uint32(i)/64]>>(uint32(i)%64)&1 != 0 }
func (b bitset) add(i int32)      { b[uint32(i)/64] |= 1 << (uint32(i) % 64) }
func (b bitset) drop(i int32)     { b[uint32(i)/64] &^= 1 << (uint32(i) % 64) }

// addRange adds the calls [from, to).
func (b bitset) addRange(from, to int32) {
	for ; from < to; from++ {
		b.add(from)
	}
}

// next returns the first call of a set from i on, or one that no thread has.
func (b bitset) next(i int32) int32 {
	k := uint32(i) / 64
	if int(k) >= len(b) {
		return math.MaxInt32
	}
	for word := b[k] >> (uint32(i) % 64) << (uint32(i) % 64); ; word = b[k] {
		if word != 0 {
			return int32(64*k) + int32(bits.TrailingZeros64(word))
		}
		if k++; int(k) == len(b) {
			return math.MaxInt32
		}
	}
}

// calls goes through the calls of a set in order. What is added meanwhile may be left out.
func (b bitset) calls(yield func(i int32) bool) {
	for k, word := range b {
		for ; word != 0; word &= word - 1 {
			if !yield(int32(64*k + bits.TrailingZeros64(word))) {
				return
			}
		}
	}
}

// hashes are those of subtrees by their root; 0 where nothing has been asked for. They lie in
// pages, since mostly few are asked for.
type hashes []*[hashPage]uint64

const hashPage = 64 // calls

func newHashes(calls int) hashes { return make(hashes, (calls+hashPage-1)/hashPage) }

// at returns where the hash of a call is kept.
func (h hashes) at(i int32) *uint64 {
	page := &h[uint(i)/hashPage]
	if *page == nil {
		*page = new([hashPage]uint64)
	}
	return &(*page)[uint(i)%hashPage]
}

// newSubtrees compares the subtrees of all pairs.
func newSubtrees(s *study, r *align.Result, ids *[2][]uint32) *subtrees {
	t := &subtrees{s: s, r: r, ids: ids, plain: s.plain(r)}
	for sd, th := range r.Threads {
		t.differs[sd] = newBitset(th.Len())
	}
	if !t.plain {
		for sd, th := range r.Threads {
			t.hashes[sd] = newHashes(th.Len())
			t.hashCalls(pair.Side(sd), 0, int32(th.Len()))
		}
	}
	m, known := s.metrics[r]
	t.sameNumbers, t.allAlike = sameNumbers(ids), known && m.Different == 0
	if t.onLevels() && t.allAlike && (m.GapA == 0 || m.GapB == 0) {
		t.compareSizes(pair.Side(toInt(m.GapB > 0)))
		return t
	}
	unsure := t.comparePairs()
	t.markUnlike()
	for _, i := range unsure { // callers before callees
		if t.hash(pair.A, i) == t.hash(pair.B, r.Partner[pair.A][i]) {
			t.setIdentical(i, r.Partner[pair.A][i])
		}
	}
	return t
}

// onLevels reports whether each call is on the level of its caller, and none is recorded by chance.
func (t *subtrees) onLevels() bool {
	return t.plain && len(t.r.Passed[pair.A])+len(t.r.Passed[pair.B]) == 0
}

// compareSizes notes the pairs whose subtrees differ, if all calls of a side have partners of their
// function: those whose sizes differ. The other side's calls between partners have none.
func (t *subtrees) compareSizes(full pair.Side) {
	rest := full.Other()
	partner, th, other := t.r.Partner[full], t.r.Threads[full], t.r.Threads[rest]
	t.sizes = &openSizes{of: rest}
	next := int32(0) // of the other side's calls
	for i := int32(0); int(i) < th.Len(); {
		j := partner[i]
		if next < j {
			t.addAlone(rest, next, j)
		}
		size, others := th.Size(int(i)), other.Size(int(j))
		if size == others {
			i, next = i+int32(size), j+int32(size)
			continue
		}
		if !onlyCallees(th, i, other, j) {
			level := other.Parent(int(j))
			t.sizes.add(full, level, size)
			t.sizes.add(rest, level, others)
		}
		t.differs[full].add(i)
		t.differs[rest].add(j)
		i, next = i+1, j+1
	}
	t.addAlone(rest, next, int32(other.Len()))
}

// addAlone adds calls [from, to) of a side, none of which has a partner while all others have.
func (t *subtrees) addAlone(sd pair.Side, from, to int32) {
	th := t.r.Threads[sd]
	t.differs[sd].addRange(from, to)
	for i := from; i < to; i += int32(th.Size(int(i))) {
		t.sizes.add(sd, th.Parent(int(i)), th.Size(int(i)))
	}
}

// sameNumbers reports whether functions to which both sides give one number have one identity.
func sameNumbers(ids *[2][]uint32) bool {
	n := min(len(ids[pair.A]), len(ids[pair.B]))
	return slices.Equal(ids[pair.A][:n], ids[pair.B][:n])
}

// plain reports whether no call of two threads is recorded by chance.
func (s *study) plain(r *align.Result) bool {
	for sd, th := range r.Threads {
		if s.rules[sd].any || s.p.Trace(pair.Side(sd)).Kind == trace.Profile || th.Flagged() {
			return false
		}
	}
	return true
}

// comparePairs notes the pairs whose subtrees differ, and those of different functions. It returns
// the pairs of which hashes must tell. Pairs in a row are looked at together: where a subtree lies
// in one and its partner's is as large, all pairs in it are identical.
func (t *subtrees) comparePairs() (unsure []int32) {
	markNone(t.differs[pair.B], t.r.Partner[pair.B])
	partner := t.r.Partner[pair.A]
	for i := int32(0); int(i) < len(partner); {
		switch j := partner[i]; {
		case j == align.None:
			t.differs[pair.A].add(i)
			i++
		case !t.alike(i, j):
			t.different = append(t.different, i)
			t.markDiffering(i, j)
			i++
		default:
			end := t.endOfRow(i)
			unsure = t.compareRow(i, end, unsure)
			i = end
		}
	}
	return unsure
}

// alike reports whether calls of A and B are of one function.
func (t *subtrees) alike(i, j int32) bool {
	a, b := t.r.Threads[pair.A].Fn, t.r.Threads[pair.B].Fn
	return t.allAlike || t.ids[pair.A][a[i]] == t.ids[pair.B][b[j]]
}

// endOfRow returns the first call of A from i on that is not in a row with it: the partner of the
// k-th call after i is the k-th after i's partner, and of its function.
func (t *subtrees) endOfRow(i int32) int32 {
	partner := t.r.Partner[pair.A]
	from, fns, others := partner[i]-i, t.r.Threads[pair.A].Fn, t.r.Threads[pair.B].Fn
	end := i
	for (t.sameNumbers || t.allAlike) && int(end)+rowStep <= len(partner) &&
		inRow(partner[end:end+rowStep], end+from) && (t.allAlike ||
		slices.Equal(fns[end:end+rowStep], others[end+from:end+from+rowStep])) {
		end += rowStep
	}
	for int(end) < len(partner) && partner[end] == end+from && t.alike(end, end+from) {
		end++
	}
	return end
}

// rowStep is how many pairs are compared at once.
const rowStep = 16

// inRow reports whether partners ascend one by one, from the first on.
func inRow(partner []int32, first int32) bool {
	off := int32(0)
	for k, j := range partner {
		off |= j - int32(k) - first
	}
	return off == 0
}

// compareRow notes the pairs of a row, A's calls [i, end), whose subtrees differ.
func (t *subtrees) compareRow(i, end int32, unsure []int32) []int32 {
	a, b := t.r.Threads[pair.A], t.r.Threads[pair.B]
	from := t.r.Partner[pair.A][i] - i
	for i < end {
		j := i + from
		if !t.plain {
			if *t.hashes[pair.A].at(i) != *t.hashes[pair.B].at(j) {
				t.markDiffering(i, j)
			}
			i++
			continue
		}
		size := a.Size(int(i))
		if size == b.Size(int(j)) {
			if size <= uint32(end-i) {
				i += int32(size)
				continue
			}
			unsure = append(unsure, i)
		}
		t.markDiffering(i, j)
		i++
	}
	return unsure
}

func (t *subtrees) markDiffering(i, j int32) {
	t.differs[pair.A].add(i)
	t.differs[pair.B].add(j)
}

// markUnlike notes the calls that are paired with one of another function.
func (t *subtrees) markUnlike() {
	if len(t.different) == 0 {
		return
	}
	for sd, th := range t.r.Threads {
		t.unlike[sd] = newBitset(th.Len())
	}
	for _, i := range t.different {
		t.unlike[pair.A].add(i)
		t.unlike[pair.B].add(t.r.Partner[pair.A][i])
	}
}

// setAlone notes that calls of a side and of the other have lost each other as partners.
func (t *subtrees) setAlone(sd pair.Side, i, j int32) {
	t.differs[sd].add(i)
	t.differs[sd.Other()].add(j)
	if len(t.different) > 0 {
		t.unlike[sd].drop(i)
		t.unlike[sd.Other()].drop(j)
	}
}

// isUnlike reports whether call i of a side is paired with one of another function.
func (t *subtrees) isUnlike(sd pair.Side, i int32) bool {
	return len(t.different) > 0 && t.unlike[sd].has(i)
}

// markNone adds the calls without a partner to a set of calls.
func markNone(set bitset, partner []int32) {
	for k := range set {
		word, from := uint64(0), partner[64*k:min(64*k+64, len(partner))]
		for i, j := range from {
			word |= uint64(uint32(j)>>31) << (uint(i) % 64)
		}
		set[k] |= word
	}
}

// identical reports whether call i of A has a partner with an identical subtree.
func (t *subtrees) identical(i int32) bool { return !t.differs[pair.A].has(i) }

// setIdentical notes that calls of A and B are paired, and have identical subtrees.
func (t *subtrees) setIdentical(i, j int32) {
	t.differs[pair.A].drop(i)
	t.differs[pair.B].drop(j)
}

// shape returns what identical subtrees have in common at first sight: the function, and the size
// where that is not left to chance.
func (t *subtrees) shape(sd pair.Side, i int32) uint64 {
	th := t.r.Threads[sd]
	key := pair.KeyOf(t.ids[sd][th.Fn[i]], 0)
	if t.plain {
		key |= uint64(th.Size(int(i)))
	}
	return key
}

// sketch returns a number that identical subtrees have in common if nothing is recorded by chance:
// of the functions and sizes of at most so many of their calls.
func (t *subtrees) sketch(sd pair.Side, i int32) (of uint64) {
	const calls = 32
	th := t.r.Threads[sd]
	size := th.Size(int(i))
	for k, step := uint32(0), 1+size/calls; k < size; k += step {
		at := i + int32(size-1-k)
		of = fold(of ^ pair.KeyOf(t.ids[sd][th.Fn[at]], th.Size(int(at))))
	}
	return of
}

// hash returns the hash of a call's subtree.
func (t *subtrees) hash(sd pair.Side, i int32) uint64 {
	if t.hashes[sd] == nil {
		t.hashes[sd] = newHashes(t.r.Threads[sd].Len())
	}
	h := t.hashes[sd].at(i)
	if *h == 0 {
		t.hashCalls(sd, i, int32(t.r.Threads[sd].Next(int(i))))
	}
	return *h
}

// hashCalls hashes the calls [from, to) of a side, which are whole subtrees.
func (t *subtrees) hashCalls(sd pair.Side, from, to int32) {
	th, ids, states := t.r.Threads[sd], t.ids[sd], t.s.rules[sd].states
	byChance := t.s.p.Trace(sd).Kind == trace.Profile || th.Sampled
	all := t.hashes[sd]
	for i := from; i < to; i++ {
		*all.at(i) = 0
	}
	for i := to - 1; i >= from; i-- {
		fn := th.Fn[i]
		if states[fn] || byChance || th.Flagged() && th.Flags(int(i))&trace.Sampled != 0 {
			continue
		}
		h := all.at(i)
		*h = fold(*h ^ uint64(ids[fn])<<1 ^ 1)
		if up := th.Parent(int(i)); up >= from {
			*all.at(up) = fold(*all.at(up) + *h) // from last callee to first; order matters
		}
	}
}

// fold spreads the bits of x by one multiplication, whose halves it folds into one.
func fold(x uint64) uint64 {
	high, low := bits.Mul64(x^0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9)
	return high ^ low
}
