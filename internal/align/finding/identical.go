package finding

import (
	"math/bits"
	"slices"

	"diptych/internal/align"
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

	differs   []uint64 // a bit for each of A's calls: it has no partner with an identical subtree
	different []int32  // A's calls that are paired with one of another function
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
	t.differs = make([]uint64, (r.Threads[pair.A].Len()+63)/64)
	if !t.plain {
		for sd, th := range r.Threads {
			t.hashes[sd] = newHashes(th.Len())
			t.hashCalls(pair.Side(sd), 0, int32(th.Len()))
		}
	}
	unsure := t.comparePairs()
	slices.Reverse(t.different)
	for _, i := range slices.Backward(unsure) { // callers before callees
		if t.hash(pair.A, i) == t.hash(pair.B, r.Partner[pair.A][i]) {
			t.setIdentical(i)
		}
	}
	return t
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
// the pairs of which hashes must tell; both lists are in descending order.
func (t *subtrees) comparePairs() (unsure []int32) {
	a, b := t.r.Threads[pair.A], t.r.Threads[pair.B]
	row, after := uint32(0), int32(align.None) // pairs in a row from i+1 on; the first's partner
	for i, j := range slices.Backward(t.r.Partner[pair.A]) {
		same := false
		switch {
		case j == align.None:
			row = 0
		case t.ids[pair.A][a.Fn[i]] != t.ids[pair.B][b.Fn[j]]:
			row, t.different = 0, append(t.different, int32(i))
		default:
			if row++; after != j+1 {
				row = 1
			}
			if !t.plain {
				same = *t.hashes[pair.A].at(int32(i)) == *t.hashes[pair.B].at(j)
			} else if a.Size(i) == b.Size(int(j)) {
				if same = row >= a.Size(i); !same {
					unsure = append(unsure, int32(i))
				}
			}
		}
		if after = j; !same {
			t.differs[i/64] |= 1 << (i % 64)
		}
	}
	return unsure
}

// identical reports whether call i of A has a partner with an identical subtree.
func (t *subtrees) identical(i int32) bool { return t.differs[i/64]&(1<<(i%64)) == 0 }

func (t *subtrees) setIdentical(i int32) { t.differs[i/64] &^= 1 << (i % 64) }

// changed calls yield for A's calls that have no partner with an identical subtree, until it
// returns false.
func (t *subtrees) changed(yield func(i int32) bool) {
	for k := range t.differs {
		for word := t.differs[k]; word != 0; word &= word - 1 {
			i := int32(64*k + bits.TrailingZeros64(word))
			if !t.identical(i) && !yield(i) { // it may have become so
				return
			}
		}
	}
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
