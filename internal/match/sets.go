package match

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
)

// sets are hash-consed sets of identities: two sets have the same number if and only if they are
// equal. A hash finds candidates, and then members are compared. A set is stored as its base, a
// smaller set, and what it adds to it, so a chain of growing sets takes no more memory than the
// largest. Example: {f,g,h} may be stored as {f,g} and h.
type sets struct {
	base  []int32  // a proper subset with a smaller number, or none
	size  []uint32 // number of members, the base's included
	from  []uint32 // added[from[c]:from[c+1]] is what c adds to its base
	added []uint32
	hash  []uint64
	next  []int32 // the next set of equal hash, or none

	byHash map[uint64]int32
	unions memo
	stamps []uint32 // by identity: the last stamp under which it was met
	stamp  uint32
}

const none = -1

func newSets(identities int) *sets {
	return &sets{from: []uint32{0}, byHash: map[uint64]int32{}, stamps: make([]uint32, identities)}
}

// single returns the set of one identity.
func (s *sets) single(id uint32) uint32 {
	s.freshStamp()
	s.stamps[id] = s.stamp
	s.added = append(s.added, id)
	return s.intern(none, 1, hashOf(id))
}

// union returns a ∪ b.
func (s *sets) union(a, b uint32) uint32 {
	if a == b {
		return a
	}
	key := uint64(min(a, b))<<32 | uint64(max(a, b))
	c, ok := s.unions.lookUp(key)
	if !ok {
		c = s.addUnion(a, b)
		s.unions.store(key, c)
	}
	return c
}

// addUnion returns the union of two sets: the larger one, and what only the smaller one has.
func (s *sets) addUnion(a, b uint32) uint32 {
	if s.size[a] < s.size[b] {
		a, b = b, a
	}
	s.freshStamp()
	for c := int32(a); c != none; c = s.base[c] {
		for _, id := range s.added[s.from[c]:s.from[c+1]] {
			s.stamps[id] = s.stamp
		}
	}
	first, hash := len(s.added), s.hash[a]
	for c := int32(b); c != none; c = s.base[c] {
		for _, id := range s.added[s.from[c]:s.from[c+1]] {
			if s.stamps[id] != s.stamp {
				s.stamps[id] = s.stamp
				s.added = append(s.added, id)
				hash += hashOf(id)
			}
		}
	}
	more := len(s.added) - first
	if more == 0 {
		return a
	}
	return s.intern(int32(a), s.size[a]+uint32(more), hash)
}

// intern returns the set whose members are stamped. If it is new, it is stored as base and the tail
// of added.
func (s *sets) intern(base int32, size uint32, hash uint64) uint32 {
	first, seen := s.byHash[hash]
	if !seen {
		first = none
	}
	for c := first; c != none; c = s.next[c] {
		if s.size[c] == size && s.allStamped(c) {
			s.added = s.added[:s.from[len(s.base)]]
			return uint32(c)
		}
	}
	c := int32(len(s.base))
	s.base = append(s.base, base)
	s.size = append(s.size, size)
	s.from = append(s.from, uint32(len(s.added)))
	s.hash = append(s.hash, hash)
	s.next = append(s.next, first)
	s.byHash[hash] = c
	return uint32(c)
}

// allStamped reports whether the stamped set holds all of c.
func (s *sets) allStamped(c int32) bool {
	for ; c != none; c = s.base[c] {
		for _, id := range s.added[s.from[c]:s.from[c+1]] {
			if s.stamps[id] != s.stamp {
				return false
			}
		}
	}
	return true
}

// freshStamp takes back all stamps: whatever was stamped before no longer is.
func (s *sets) freshStamp() {
	s.stamp++
	if s.stamp == 0 {
		clear(s.stamps)
		s.stamp = 1
	}
}

// hashOf hashes one identity; a set's hash is the sum over its members.
func hashOf(id uint32) uint64 {
	hi, lo := bits.Mul64(uint64(id)+0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
	return (hi ^ lo) * 0xff51afd7ed558ccd
}

// memo is a hash table from non-zero keys to numbers. Each call looks up one union of sets, so no
// other structure of the engine is used as often: open addressing in one array, at most half full.
type memo struct {
	slots []slot
	n     int
}

type slot struct {
	key   uint64
	value uint32
}

func (m *memo) lookUp(key uint64) (uint32, bool) {
	if m.n == 0 {
		return 0, false
	}
	at := m.slotOf(key)
	return m.slots[at].value, m.slots[at].key == key
}

func (m *memo) store(key uint64, value uint32) {
	if 2*m.n >= len(m.slots) {
		m.grow()
	}
	m.slots[m.slotOf(key)] = slot{key, value}
	m.n++
}

// slotOf returns the slot of key, or the free slot where it is to be stored.
func (m *memo) slotOf(key uint64) int {
	mask := uint64(len(m.slots) - 1)
	at := key * 0x9e3779b97f4a7c15
	at = (at ^ at>>32) & mask
	for m.slots[at].key != 0 && m.slots[at].key != key {
		at = (at + 1) & mask
	}
	return int(at)
}

func (m *memo) grow() {
	old := m.slots
	m.slots = make([]slot, max(1024, 2*len(old)))
	for _, s := range old {
		if s.key != 0 {
			m.slots[m.slotOf(s.key)] = s
		}
	}
}

// A forest gives each set a base that is as large as possible. Every row goes through what sets add
// to their bases, so it pays to search for a larger base than the set that a union was made from.
// Sets are visited by size. Each is filed under the rarest identity it adds: a later set that
// contains it has that identity too, and so finds it there, the largest first.
type forest struct {
	sets *sets
	list []uint32 // the sets used, by size
	base []int32  // by place in list: the base's place, or none

	from, added []uint32 // added[from[k]:from[k+1]] is what the set in place k adds to its base

	rarity  []uint32 // by identity: how many sets add it
	latest  []int32  // by identity: the place filed last under it, or none
	earlier []int32  // by place: the place filed before it under the same identity, or none
	members []uint32 // of the set that is stamped
	steps   int      // members that searches may still look at
}

const (
	worthSearching = 3  // members beyond the known base from which on a larger one is searched for
	mostCandidates = 64 // for one set
	stepsPerCall   = 8
)

// newForest finds bases for the sets of the calls; of is the set of each call.
func newForest(ctx context.Context, s *sets, of []uint32) (*forest, error) {
	used := make([]bool, len(s.base))
	for _, set := range of {
		used[set] = true
	}
	f := &forest{sets: s, from: []uint32{0}, steps: stepsPerCall*len(of) + 1<<20}
	for set, u := range used {
		if u {
			f.list = append(f.list, uint32(set))
		}
	}
	slices.SortFunc(f.list, func(x, y uint32) int {
		return cmp.Or(cmp.Compare(s.size[x], s.size[y]), cmp.Compare(x, y))
	})
	f.rarity = make([]uint32, len(s.stamps))
	for _, id := range s.added {
		f.rarity[id]++
	}
	f.latest = slices.Repeat([]int32{none}, len(s.stamps))
	f.earlier = make([]int32, len(f.list))
	made, place := usedBases(s.base, used), make([]int32, len(s.base))
	for k, set := range f.list {
		if k%batch == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		place[set] = int32(k)
		base := made[set]
		if base != none {
			base = place[base]
		}
		f.addSet(k, base)
	}
	return f, nil
}

// usedBases returns for each set the first of its base, the base's base and so on that is used.
func usedBases(base []int32, used []bool) []int32 {
	out := make([]int32, len(base))
	for set, b := range base {
		if b != none && !used[b] {
			b = out[b]
		}
		out[set] = b
	}
	return out
}

// addSet adds the set in place k, given a base for it.
func (f *forest) addSet(k int, base int32) {
	s, set := f.sets, f.list[k]
	if s.size[set]-f.size(base) >= worthSearching && f.steps > 0 {
		f.stampMembers(set)
		base = f.largerBase(k, base)
		f.addUnstamped(base)
	} else {
		to := int32(none)
		if base != none {
			to = int32(f.list[base])
		}
		for c := int32(set); c != to; c = s.base[c] {
			f.added = append(f.added, s.added[s.from[c]:s.from[c+1]]...)
		}
	}
	f.base = append(f.base, base)
	own := f.added[f.from[k]:]
	f.from = append(f.from, uint32(len(f.added)))
	rarest := slices.MinFunc(own, func(x, y uint32) int {
		return cmp.Compare(f.rarity[x], f.rarity[y])
	})
	f.earlier[k], f.latest[rarest] = f.latest[rarest], int32(k)
}

func (f *forest) size(place int32) uint32 {
	if place == none {
		return 0
	}
	return f.sets.size[f.list[place]]
}

// stampMembers lists the members of a set and stamps them.
func (f *forest) stampMembers(set uint32) {
	s := f.sets
	s.freshStamp()
	f.members = f.members[:0]
	for c := int32(set); c != none; c = s.base[c] {
		f.members = append(f.members, s.added[s.from[c]:s.from[c+1]]...)
	}
	for _, id := range f.members {
		s.stamps[id] = s.stamp
	}
	f.steps -= len(f.members)
}

// largerBase returns the place of a subset of the stamped set, which is in place k. It is at least
// as large as base.
func (f *forest) largerBase(k int, base int32) int32 {
	left, whole := mostCandidates, f.size(int32(k))
	for _, id := range f.members {
		for c := f.latest[id]; c != none && f.size(c) > f.size(base) && left > 0; c = f.earlier[c] {
			left--
			if f.size(c) < whole && f.allStamped(c) {
				base = c
			}
		}
	}
	return base
}

// allStamped reports whether the stamped set holds the one in place k.
func (f *forest) allStamped(k int32) bool {
	for ; k != none; k = f.base[k] {
		for _, id := range f.added[f.from[k]:f.from[k+1]] {
			f.steps--
			if f.sets.stamps[id] != f.sets.stamp {
				return false
			}
		}
	}
	return true
}

// addUnstamped adds the members of the stamped set that are not in the base.
func (f *forest) addUnstamped(base int32) {
	s := f.sets
	for ; base != none; base = f.base[base] {
		for _, id := range f.added[f.from[base]:f.from[base+1]] {
			s.stamps[id] = 0
		}
	}
	for _, id := range f.members {
		if s.stamps[id] == s.stamp {
			f.added = append(f.added, id)
		}
	}
}

// preorder numbers the places in pre-order: a base comes right before the sets under it. It returns
// the numbers, and the size of each subtree.
func (f *forest) preorder() (to, span []uint32) {
	span = make([]uint32, len(f.base))
	for k, b := range slices.Backward(f.base) {
		span[k]++
		if b != none {
			span[b] += span[k]
		}
	}
	to = make([]uint32, len(f.base))
	next, nextRoot := make([]uint32, len(f.base)), uint32(0) // where the next child goes
	for k, b := range f.base {
		at := &nextRoot
		if b != none {
			at = &next[b]
		}
		to[k] = *at
		*at += span[k]
		next[k] = to[k] + 1
	}
	return to, span
}
