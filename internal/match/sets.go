package match

import "math/bits"

// sets are hash-consed sets of identities: equal sets have one number. Each is stored as what it
// adds to another one, its base, so that a chain of ever larger sets costs no more than the
// largest. Hashes only find candidates; members are compared, so numbers are equal if and only if
// the sets are.
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
	s.fresh()
	s.stamps[id] = s.stamp
	s.added = append(s.added, id)
	return s.intern(none, 1, spread(id))
}

// union returns a ∪ b.
func (s *sets) union(a, b uint32) uint32 {
	if a == b {
		return a
	}
	key := uint64(min(a, b))<<32 | uint64(max(a, b))
	c, ok := s.unions.get(key)
	if !ok {
		c = s.join(a, b)
		s.unions.put(key, c)
	}
	return c
}

// join adds what the smaller set has more to the larger.
func (s *sets) join(a, b uint32) uint32 {
	if s.size[a] < s.size[b] {
		a, b = b, a
	}
	s.fresh()
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
				hash += spread(id)
			}
		}
	}
	more := len(s.added) - first
	if more == 0 {
		return a
	}
	return s.intern(int32(a), s.size[a]+uint32(more), hash)
}

// intern returns the set that is stamped. If it is new, it becomes base and the tail of added.
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

// fresh begins a new set of stamps.
func (s *sets) fresh() {
	s.stamp++
	if s.stamp == 0 {
		clear(s.stamps)
		s.stamp = 1
	}
}

// spread hashes one identity; a set's hash is the sum over its members.
func spread(id uint32) uint64 {
	hi, lo := bits.Mul64(uint64(id)+0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
	return (hi ^ lo) * 0xff51afd7ed558ccd
}
