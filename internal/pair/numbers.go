package pair

// Numbers numbers keys in the order in which they are met, from 0. Analyses that look up something
// for each call, such as who calls whom, look it up here and keep what they know in slices. The
// zero value has no keys.
//
// It is a hash table with open addressing, a power of two, at most half full: a lookup is one
// multiplication and, mostly, one line of memory.
type Numbers struct {
	slots []numbered
	round uint32 // slots of other rounds are empty
	shift uint8  // of a hash: 64 less the binary logarithm of len(slots)
	count int32
}

// numbered is a key and its number. A slot of round 0 was never used.
type numbered struct {
	key   uint64
	of    int32
	round uint32
}

// KeyOf makes one key of two numbers.
func KeyOf(x, y uint32) uint64 { return uint64(x)<<32 | uint64(y) }

// Of returns the number of a key. A key that is new gets the number of keys there were.
func (n *Numbers) Of(key uint64) int32 {
	if 2*int(n.count) >= len(n.slots) {
		n.grow()
	}
	s := n.slotOf(key)
	if s.round != n.round {
		*s = numbered{key, n.count, n.round}
		n.count++
	}
	return s.of
}

// Find returns the number of a key, or −1 if it has none.
func (n *Numbers) Find(key uint64) int32 {
	if n.count == 0 {
		return -1
	}
	if s := n.slotOf(key); s.round == n.round {
		return s.of
	}
	return -1
}

// Clear forgets all keys and keeps the memory. It takes no longer for many: what looks at thousands
// of short threads after a long one must not pay for the long one each time.
func (n *Numbers) Clear() {
	n.count = 0
	if n.round++; n.round == 0 {
		clear(n.slots)
		n.round = 1
	}
}

// slotOf returns the slot of a key, or the empty one where it belongs.
func (n *Numbers) slotOf(key uint64) *numbered {
	slots := n.slots
	mask := uint64(len(slots) - 1)
	for at := key * 0x9e3779b97f4a7c15 >> (n.shift & 63); ; at++ {
		if s := &slots[at&mask]; s.round != n.round || s.key == key {
			return s
		}
	}
}

func (n *Numbers) grow() {
	old := n.slots
	if len(old) == 0 {
		n.slots, n.shift, n.round = make([]numbered, 64), 64-6, max(n.round, 1)
		return
	}
	n.slots, n.shift = make([]numbered, 2*len(old)), n.shift-1
	for _, s := range old {
		if s.round == n.round {
			*n.slotOf(s.key) = s
		}
	}
}
