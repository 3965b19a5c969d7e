package align

// classTable numbers subtrees: two have the same class if and only if the functions of their roots
// and the classes of their callees are the same, so equality of subtrees is one comparison. A class
// has a higher number than the classes below it. Memory is 24 bytes a class and 4 a callee of a
// class.
type classTable struct {
	fn   []uint32 // identity by class
	size []uint32 // calls in the subtree, as in trace.Thread
	from []uint32 // kids[from[c]:from[c+1]] are the classes of the callees
	kids []uint32

	leaf  []uint32 // class by identity of a call without callees, or noClass
	slots []slot   // open addressing, a power of two, at most half full
}

// slot is an entry of the hash table; the hash saves most looks at the callees.
type slot struct{ hash, class uint32 }

const (
	noClass   = ^uint32(0)
	virtualFn = ^uint32(0) // the identity of the virtual call over a thread's roots
)

func newClassTable(identities int) *classTable {
	t := &classTable{from: make([]uint32, 1, 64), leaf: make([]uint32, identities)}
	for i := range t.leaf {
		t.leaf[i] = noClass
	}
	t.slots = emptySlots(1 << 10)
	return t
}

func emptySlots(n int) []slot {
	s := make([]slot, n)
	for i := range s {
		s[i].class = noClass
	}
	return s
}

// callees returns the classes of the callees of class c.
func (t *classTable) callees(c uint32) []uint32 { return t.kids[t.from[c]:t.from[c+1]] }

// intern returns the class of a subtree.
func (t *classTable) intern(fn uint32, kids []uint32) uint32 {
	if len(kids) == 0 && fn != virtualFn {
		if t.leaf[fn] == noClass {
			t.leaf[fn] = t.add(fn, nil)
		}
		return t.leaf[fn]
	}
	h := hash(fn, kids)
	mask := uint32(len(t.slots) - 1)
	k := h & mask
	for ; t.slots[k].class != noClass; k = (k + 1) & mask {
		if s := t.slots[k]; s.hash == h && t.is(s.class, fn, kids) {
			return s.class
		}
	}
	c := t.add(fn, kids)
	t.slots[k] = slot{h, c}
	if 2*len(t.fn) > len(t.slots) {
		t.grow()
	}
	return c
}

func (t *classTable) is(c, fn uint32, kids []uint32) bool {
	if t.fn[c] != fn || int(t.from[c+1]-t.from[c]) != len(kids) {
		return false
	}
	for i, k := range t.callees(c) {
		if k != kids[i] {
			return false
		}
	}
	return true
}

func (t *classTable) add(fn uint32, kids []uint32) uint32 {
	size := uint32(1)
	for _, k := range kids {
		size += t.size[k]
	}
	t.fn = append(t.fn, fn)
	t.size = append(t.size, size)
	t.kids = append(t.kids, kids...)
	t.from = append(t.from, uint32(len(t.kids)))
	return uint32(len(t.fn) - 1)
}

func (t *classTable) grow() {
	old := t.slots
	t.slots = emptySlots(2 * len(old))
	mask := uint32(len(t.slots) - 1)
	for _, s := range old {
		if s.class == noClass {
			continue
		}
		k := s.hash & mask
		for t.slots[k].class != noClass {
			k = (k + 1) & mask
		}
		t.slots[k] = s
	}
}

// absorb adds the classes of u and returns t's class by u's. u's are in bottom-up order, so what is
// below a class has its number already.
func (t *classTable) absorb(u *classTable) []uint32 {
	to := make([]uint32, len(u.fn))
	var kids []uint32
	for c := range u.fn {
		kids = kids[:0]
		for _, k := range u.callees(uint32(c)) {
			kids = append(kids, to[k])
		}
		to[c] = t.intern(u.fn[c], kids)
	}
	return to
}

func hash(fn uint32, kids []uint32) uint32 {
	h := (uint64(fn) + 1) * 0x9E3779B97F4A7C15
	for _, k := range kids {
		h = (h ^ h>>29 ^ uint64(k)) * 0xBF58476D1CE4E5B9
	}
	return uint32(h >> 32)
}
