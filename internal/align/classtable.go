package align

import (
	"slices"

	"diptych/internal/huge"
)

// classTable numbers subtrees. Two have the same class if and only if the functions of their roots
// and the classes of their callees are the same. A class has a higher number than the classes
// below it.
type classTable struct {
	fn   []uint32 // identity by class
	size []uint32 // calls in the subtree
	list []listAt // of the callees' classes, by class
	kids [][]uint32

	leaf  []uint32 // class by identity of a call without callees, or noClass
	off   []bool   // by identity: such calls are set aside
	slots []slot   // open addressing, a power of two, at most half full
	climb bool     // the subtree before had the class after that of its first callee
}

// listAt is where a list of n classes is: in a part of kids. Parts do not grow, since to copy long
// lists again and again costs as much as finding them.
type listAt struct{ part, from, n uint32 }

// slot is an entry of the hash table; the hash saves most looks at the callees.
type slot struct{ hash, class uint32 }

const (
	noClass   = ^uint32(0)
	virtualFn = ^uint32(0) // the identity of the virtual call over a thread's roots

	leastPart = 1 << 10 // classes of callees
	mostPart  = 1 << 20
)

func newClassTable(off []bool) *classTable {
	t := &classTable{leaf: slices.Repeat([]uint32{noClass}, len(off)), off: off}
	t.slots = emptySlots(1 << 10)
	return t
}

func emptySlots(n int) []slot {
	s := huge.Make[slot](n)
	for i := range s {
		s[i].class = noClass
	}
	return s
}

// callees returns the classes of the callees of class c.
func (t *classTable) callees(c uint32) []uint32 {
	at := t.list[c]
	return t.kids[at.part][at.from:][:at.n:at.n]
}

// intern returns the class of a subtree.
func (t *classTable) intern(fn uint32, kids []uint32) uint32 {
	if len(kids) == 0 && fn != virtualFn {
		if t.leaf[fn] == noClass {
			t.leaf[fn] = t.addClass(fn, t.keep(nil))
		}
		return t.leaf[fn]
	}
	if t.climb && len(kids) > 0 && t.is(kids[0]+1, fn, kids) {
		return kids[0] + 1
	}
	h := hash(fn, kids)
	k, class := t.find(h, fn, kids)
	t.climb = len(kids) > 0 && class == kids[0]+1
	if class != noClass {
		return class
	}
	class = t.addClass(fn, t.keep(kids))
	t.slots[k] = slot{h, class}
	if 2*len(t.fn) > len(t.slots) {
		t.grow()
	}
	return class
}

// is reports whether the class with a number, if there is one, is that of a subtree. Along a stack
// of calls, each class follows that of its callee, since calls are numbered backwards. So a stack
// of a hundred thousand calls that is met again is climbed from class to class, and not looked up
// call by call all over the table.
func (t *classTable) is(class, fn uint32, kids []uint32) bool {
	return int(class) < len(t.fn) && t.fn[class] == fn && slices.Equal(t.callees(class), kids)
}

// find returns the class of a subtree with callees and its slot, or noClass and the slot that it
// may have.
func (t *classTable) find(h, fn uint32, kids []uint32) (at, class uint32) {
	mask := uint32(len(t.slots) - 1)
	k := h & mask
	for ; t.slots[k].class != noClass; k = (k + 1) & mask {
		if s := t.slots[k]; s.hash == h && t.fn[s.class] == fn && slices.Equal(t.callees(s.class), kids) {
			return k, s.class
		}
	}
	return k, noClass
}

// keep stores a list of classes.
func (t *classTable) keep(list []uint32) listAt {
	k := len(t.kids) - 1
	if k < 0 || len(t.kids[k])+len(list) > cap(t.kids[k]) {
		room := leastPart
		if k >= 0 {
			room = min(2*cap(t.kids[k]), mostPart)
		}
		t.kids = append(t.kids, huge.Make[uint32](max(room, len(list)))[:0])
		k++
	}
	at := listAt{uint32(k), uint32(len(t.kids[k])), uint32(len(list))}
	t.kids[k] = append(t.kids[k], list...)
	return at
}

// addClass adds a class with the callees of a list that is kept.
func (t *classTable) addClass(fn uint32, at listAt) uint32 {
	t.list = append(t.list, at)
	size := uint32(1)
	for _, k := range t.callees(uint32(len(t.list) - 1)) {
		size += t.size[k]
	}
	t.fn = append(t.fn, fn)
	t.size = append(t.size, size)
	return uint32(len(t.fn) - 1)
}

// grow makes room for twice as many classes.
func (t *classTable) grow() {
	old := t.slots
	t.slots = emptySlots(2 * len(old))
	t.fn, t.size = slices.Grow(t.fn, len(old)/2), slices.Grow(t.size, len(old)/2)
	t.list = slices.Grow(t.list, len(old)/2)
	huge.Advise(t.fn)
	huge.Advise(t.size)
	huge.Advise(t.list)
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

// addTable adds the classes of u, whose lists it takes over, and returns t's class for each of
// them. Neither table can number subtrees any more.
//
// The classes of u are in bottom-up order, so those below a class have their numbers already. They
// are different from each other, so one that t does not have need not be found again; and if t does
// not have a callee, it does not have the class.
func (t *classTable) addTable(u *classTable) []uint32 {
	to, own, parts := huge.Make[uint32](len(u.fn)), uint32(len(t.fn)), uint32(len(t.kids))
	t.kids = append(t.kids, u.kids...)
	t.fn, t.size = slices.Grow(t.fn, len(u.fn)), slices.Grow(t.size, len(u.fn))
	t.list = slices.Grow(t.list, len(u.fn))
	for c, fn := range u.fn {
		kids, known := u.callees(uint32(c)), true
		for i, k := range kids {
			kids[i] = to[k]
			known = known && to[k] < own
		}
		to[c] = noClass
		switch {
		case len(kids) == 0 && fn != virtualFn:
			to[c] = t.leaf[fn]
		case known:
			_, to[c] = t.find(hash(fn, kids), fn, kids)
		}
		if to[c] == noClass {
			at := u.list[c]
			at.part += parts
			to[c] = t.addClass(fn, at)
		}
	}
	t.slots, u.slots, u.kids = nil, nil, nil
	return to
}

func hash(fn uint32, kids []uint32) uint32 {
	h := (uint64(fn) + 1) * 0x9E3779B97F4A7C15
	for _, k := range kids {
		h = (h ^ h>>29 ^ uint64(k)) * 0xBF58476D1CE4E5B9
	}
	return uint32(h >> 32)
}
