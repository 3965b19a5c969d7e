package match

import (
	"math/bits"
	"slices"

	"diptych/internal/huge"
)

// sets are hash-consed sets of identities: two sets have the same number if and only if they are
// equal. A hash finds candidates, and then members are compared. A set is stored as its base, a
// smaller set, and what it adds to it, so a chain of growing sets takes no more memory than the
// largest. Example: {f,g,h} may be stored as {f,g} and h.
type sets struct {
	list  []set
	added []uint32
	table []uint32 // 1 + a set, or 0: open addressing by hash, at most half full

	unions  memo
	stamps  []uint32 // by identity: the last stamp under which it was met
	stamp   uint32
	stamped int32 // the set whose members are stamped, or none
}

// set is half a cache line, since the sets of a chain are far apart.
type set struct {
	hash     uint64
	sketch   uint64 // a bit for each member, which other identities share
	base     int32  // a proper subset with a smaller number, or none
	size     uint32 // number of members, the base's included
	from, to uint32 // added[from:to] is what it adds to its base
}

const none = -1

func newSets(identities int) *sets {
	return &sets{table: make([]uint32, 1024), stamps: make([]uint32, identities), stamped: none}
}

// single returns the set of one identity.
func (s *sets) single(id uint32) uint32 {
	s.freshStamp()
	s.stamps[id] = s.stamp
	from := uint32(len(s.added))
	s.added = append(s.added, id)
	return s.intern(set{hashOf(id), sketchOf(id), none, 1, from, from + 1})
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

// addUnion returns the union of two sets: the larger one, and what only the smaller one has. The
// larger one is often the union before, which is still stamped.
func (s *sets) addUnion(a, b uint32) uint32 {
	if s.list[a].size < s.list[b].size {
		a, b = b, a
	}
	if s.stamped != int32(a) {
		s.stampMembers(int32(a))
	}
	s.added = roomFor(s.added, int(s.list[b].size))
	whole := s.list[a]
	whole.base, whole.from = int32(a), uint32(len(s.added))
	for c := int32(b); c != none; c = s.list[c].base {
		for _, id := range s.added[s.list[c].from:s.list[c].to] {
			if s.stamps[id] != s.stamp {
				s.stamps[id] = s.stamp
				s.added = append(s.added, id)
				whole.hash += hashOf(id)
				whole.sketch |= sketchOf(id)
			}
		}
	}
	whole.to = uint32(len(s.added))
	whole.size += whole.to - whole.from
	if whole.from == whole.to {
		return a
	}
	return s.intern(whole)
}

func (s *sets) stampMembers(of int32) {
	s.freshStamp()
	for c := of; c != none; c = s.list[c].base {
		for _, id := range s.added[s.list[c].from:s.list[c].to] {
			s.stamps[id] = s.stamp
		}
	}
	s.stamped = of
}

// intern returns the number of a set whose members are stamped, and whose last ones are the tail of
// added. If it is known, the tail is dropped.
func (s *sets) intern(x set) uint32 {
	if 2*len(s.list) >= len(s.table) {
		s.growTable()
	}
	at := s.firstSlot(x.hash)
	for ; s.table[at] != 0; at = (at + 1) % len(s.table) {
		k := s.table[at] - 1
		if c := &s.list[k]; c.hash == x.hash && c.size == x.size && s.allStamped(int32(k)) {
			s.added = s.added[:x.from]
			s.stamped = int32(k)
			return k
		}
	}
	k := uint32(len(s.list))
	s.list = append(roomFor(s.list, 1), x)
	s.table[at] = k + 1
	s.stamped = int32(k)
	return k
}

// roomFor returns a slice with room for n more elements. It at least doubles what is too small, so
// that all copies together take no more than twice the last.
func roomFor[T any](s []T, n int) []T {
	if cap(s)-len(s) < n {
		return slices.Grow(s, max(n, len(s)))
	}
	return s
}

// firstSlot returns where in the table the search for a hash begins.
func (s *sets) firstSlot(hash uint64) int { return int(hash>>32) & (len(s.table) - 1) }

func (s *sets) growTable() {
	s.table = huge.Make[uint32](4 * len(s.table))
	for k := range s.list {
		at := s.firstSlot(s.list[k].hash)
		for s.table[at] != 0 {
			at = (at + 1) % len(s.table)
		}
		s.table[at] = uint32(k) + 1
	}
}

// allStamped reports whether the stamped set holds all of c.
func (s *sets) allStamped(c int32) bool {
	for ; c != none; c = s.list[c].base {
		for _, id := range s.added[s.list[c].from:s.list[c].to] {
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
	s.stamped = none
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

// sketchOf returns the bit of one identity in the sketches of sets.
func sketchOf(id uint32) uint64 { return 1 << (id * 0x9e3779b1 >> 26) }

// memo is a hash table from non-zero keys to numbers. Each call looks up one union of sets, so no
// other structure of the engine is used as often: open addressing in one array, at most three
// quarters full, since memory that is touched for the first time costs more than longer searches.
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
	if 4*m.n >= 3*len(m.slots) {
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
	m.slots = huge.Make[slot](max(1024, 2*len(old)))
	for _, s := range old {
		if s.key != 0 {
			m.slots[m.slotOf(s.key)] = s
		}
	}
}
