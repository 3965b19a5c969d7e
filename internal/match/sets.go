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

// unite returns the set of an identity and of the members of sets, of which there is at least one.
// It is made of the largest one, and of what that lacks.
func (s *sets) unite(id uint32, of []uint32) uint32 {
	largest := of[0]
	for _, k := range of[1:] {
		if s.list[k].size > s.list[largest].size {
			largest = k
		}
	}
	if s.stamped != int32(largest) {
		s.stampMembers(int32(largest))
	}
	whole := s.list[largest]
	whole.base, whole.from = int32(largest), uint32(len(s.added))
	s.added = roomFor(s.added, 1)
	s.addUnstamped(&whole, id)
	for _, k := range of {
		s.added = roomFor(s.added, int(s.list[k].size))
		for c := int32(k); k != largest && c != none; c = s.list[c].base {
			for _, id := range s.added[s.list[c].from:s.list[c].to] {
				s.addUnstamped(&whole, id)
			}
		}
	}
	whole.to = uint32(len(s.added))
	whole.size += whole.to - whole.from
	if whole.from == whole.to {
		return largest
	}
	return s.intern(whole)
}

// addUnstamped adds an identity to a set that is being made unless it is stamped, and stamps it.
func (s *sets) addUnstamped(to *set, id uint32) {
	if s.stamps[id] != s.stamp {
		s.stamps[id] = s.stamp
		s.added = append(s.added, id)
		to.hash += hashOf(id)
		to.sketch |= sketchOf(id)
	}
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

// intern returns the number of a set whose last members are the tail of added. If it is known, the
// tail is dropped. Either all its members are stamped, or stamped is none.
func (s *sets) intern(x set) uint32 {
	if 2*len(s.list) >= len(s.table) {
		s.growTable()
	}
	at := s.firstSlot(x.hash)
	for ; s.table[at] != 0; at = (at + 1) % len(s.table) {
		k := s.table[at] - 1
		if c := &s.list[k]; c.hash == x.hash && c.size == x.size &&
			(s.madeAlike(c, &x) || s.holds(&x, int32(k))) {
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

// madeAlike reports whether two sets add the same members, in one order, to the same base. Most
// equal sets do, and then their members need not be looked at one by one.
func (s *sets) madeAlike(x, y *set) bool {
	return x.base == y.base && slices.Equal(s.added[x.from:x.to], s.added[y.from:y.to])
}

// holds reports whether a set that is to be numbered holds all of c.
func (s *sets) holds(x *set, c int32) bool {
	if s.stamped == none {
		s.freshStamp()
		for _, id := range s.added[x.from:x.to] {
			s.stamps[id] = s.stamp
		}
		for b := x.base; b != none; b = s.list[b].base {
			for _, id := range s.added[s.list[b].from:s.list[b].to] {
				s.stamps[id] = s.stamp
			}
		}
	}
	return s.allStamped(c)
}

// join adds the sets of o and returns the number of each. Their bases come before them.
func (s *sets) join(o *sets) []uint32 {
	to := make([]uint32, len(o.list))
	s.reserve(len(o.list), len(o.added))
	for k, x := range o.list {
		own := o.added[x.from:x.to]
		if x.base != none {
			x.base = int32(to[x.base])
		}
		x.from = uint32(len(s.added))
		s.added = append(s.added, own...)
		x.to = uint32(len(s.added))
		s.stamped = none
		to[k] = s.intern(x)
	}
	s.stamped = none
	return to
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

// reserve makes room for so many more sets, and what they add.
func (s *sets) reserve(list, added int) {
	s.list, s.added = roomFor(s.list, list), roomFor(s.added, added)
	if need := 2 * (len(s.list) + list); need > len(s.table) {
		s.makeTable(1 << bits.Len(uint(need)))
	}
}

func (s *sets) growTable() { s.makeTable(4 * len(s.table)) }

// makeTable makes the table anew with so many slots, which are a power of two.
func (s *sets) makeTable(slots int) {
	s.table = huge.Make[uint32](slots)
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

// unions are the unions of callees' sets and their callers' identities: a hash table from lists.
type unions struct {
	slots []unionSlot // at most half of them in use
	n     int
	lists []uint32 // union, identity and number of callees' sets, then these, ascending
	seen  []uint32 // by set: the last list in which it was met
	last  uint32   // list
}

type unionSlot struct{ hash, at uint32 } // at is 1 + where its list begins in lists, or 0

// of returns the union of an identity and sets, which it sorts.
func (u *unions) of(s *sets, id uint32, sets []uint32) uint32 {
	if len(sets) > 1 {
		sets = u.distinct(s, sets)
	}
	if 2*u.n >= len(u.slots) {
		u.grow()
	}
	h := uint64(id)
	for _, k := range sets {
		h = (h ^ h>>29 ^ uint64(k)) * 0x9E3779B97F4A7C15
	}
	hash := uint32(h >> 32)
	at := int(hash) & (len(u.slots) - 1)
	for ; u.slots[at].at != 0; at = (at + 1) & (len(u.slots) - 1) {
		if x := u.slots[at]; x.hash == hash {
			list := u.lists[x.at-1:]
			if n := int(list[2]); list[1] == id && n == len(sets) && slices.Equal(list[3:3+n], sets) {
				return list[0]
			}
		}
	}
	set := s.unite(id, sets)
	u.slots[at] = unionSlot{hash, uint32(len(u.lists)) + 1}
	u.n++
	u.lists = append(roomFor(u.lists, 3+len(sets)), set, id, uint32(len(sets)))
	u.lists = append(u.lists, sets...)
	return set
}

// distinct sorts sets and leaves each once.
func (u *unions) distinct(s *sets, sets []uint32) []uint32 {
	if len(u.seen) < len(s.list) {
		u.seen = append(u.seen, make([]uint32, cap(s.list)-len(u.seen))...)
	}
	u.last++
	if u.last == 0 {
		clear(u.seen)
		u.last = 1
	}
	n := 0
	for _, k := range sets {
		if u.seen[k] == u.last {
			continue
		}
		u.seen[k] = u.last
		i := n
		for ; i > 0 && n < 8 && sets[i-1] > k; i-- {
			sets[i] = sets[i-1]
		}
		sets[i] = k
		n++
	}
	if n > 8 {
		slices.Sort(sets[:n])
	}
	return sets[:n]
}

func (u *unions) grow() {
	old := u.slots
	u.slots = huge.Make[unionSlot](max(1024, 2*len(old)))
	for _, x := range old {
		if x.at != 0 {
			at := int(x.hash) & (len(u.slots) - 1)
			for u.slots[at].at != 0 {
				at = (at + 1) & (len(u.slots) - 1)
			}
			u.slots[at] = x
		}
	}
}
