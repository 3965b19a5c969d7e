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

	leaf []uint32 // class by identity of a call without callees, or noClass
	off  []bool   // by identity: such calls are set aside

	// What follows is there while subtrees are being numbered.
	met   []subtree // by class
	slots slots
	last  uint32 // the class that was found before by its callees
}

// listAt is where a list of n classes is: in a part of kids. Parts do not grow, since to copy long
// lists again and again costs as much as finding them.
type listAt struct{ part, from, n uint32 }

// subtree is one of a class: its sum (sums.go), and where it was met, if all calls of it are on
// levels: the number of the thread plus one, and the root.
type subtree struct {
	sum    uint64
	thread uint32 // or 0
	root   int32
}

const (
	noClass   = ^uint32(0)
	virtualFn = ^uint32(0) // the identity of the virtual call over a thread's roots

	leastPart = 1 << 10 // classes of callees
	mostPart  = 1 << 20

	leastClasses = 1 << 10
	usualRepeats = 20 // calls for each class, in programs that have many classes
)

func newClassTable(off []bool) *classTable {
	return &classTable{leaf: slices.Repeat([]uint32{noClass}, len(off)), off: off,
		slots: newSlots(leastShift)}
}

// callees returns the classes of the callees of class c.
func (t *classTable) callees(c uint32) []uint32 {
	at := t.list[c]
	return t.kids[at.part][at.from:][:at.n:at.n]
}

// leafClass returns the class of a call without callees.
func (t *classTable) leafClass(fn uint32) uint32 {
	if t.leaf[fn] == noClass {
		t.leaf[fn] = t.addClass(fn, 1, nil, sumOfCall(fn, 1))
	}
	return t.leaf[fn]
}

// intern returns the class of a subtree with callees, or of a virtual call.
func (t *classTable) intern(fn uint32, kids []uint32) uint32 {
	if t.follows(fn, kids) {
		t.last++
		return t.last
	}
	size := t.sizeOf(kids)
	return t.internSum(fn, size, kids, t.sumOf(fn, size, kids))
}

// follows reports whether a subtree is of the class after the one that was found before. Classes
// are numbered in the order in which subtrees end. So a stack of a hundred thousand calls that is
// met again is climbed from class to class, and not looked up call by call all over the table.
func (t *classTable) follows(fn uint32, kids []uint32) bool {
	next := int(t.last) + 1
	return next < len(t.fn) && t.fn[next] == fn && slices.Equal(t.callees(uint32(next)), kids)
}

// sizeOf returns the number of calls in a subtree with callees of these classes.
func (t *classTable) sizeOf(kids []uint32) uint32 {
	size := uint32(1)
	for _, k := range kids {
		size += t.size[k]
	}
	return size
}

// internSum is intern if size and sum are known. If a callee is of the class that was added last,
// no other class has such a callee yet: so stacks that are new are not looked up call by call.
func (t *classTable) internSum(fn, size uint32, kids []uint32, sum uint64) uint32 {
	if slices.Contains(kids, uint32(len(t.fn)-1)) {
		return t.addNew(fn, size, kids, sum)
	}
	if class, ok := t.findList(fn, kids, sum); ok {
		t.last = class
		return class
	}
	return t.addNew(fn, size, kids, sum)
}

// addNew adds a class with callees that is not there yet.
func (t *classTable) addNew(fn, size uint32, kids []uint32, sum uint64) uint32 {
	t.last = t.addClass(fn, size, kids, sum)
	t.slots.add(hash(sum), t.last)
	return t.last
}

// findList returns the class of a subtree with callees, if there is one.
func (t *classTable) findList(fn uint32, kids []uint32, sum uint64) (class uint32, ok bool) {
	for s := t.slots.search(hash(sum)); ; {
		class, ok := s.next()
		if !ok || t.is(class, fn, kids) {
			return class, ok
		}
	}
}

func (t *classTable) is(class, fn uint32, kids []uint32) bool {
	return t.fn[class] == fn && slices.Equal(t.callees(class), kids)
}

// addClass adds a class.
func (t *classTable) addClass(fn, size uint32, kids []uint32, sum uint64) uint32 {
	if len(t.fn) == cap(t.fn) {
		t.makeRoom(max(len(t.fn), leastClasses))
	}
	t.fn, t.size = append(t.fn, fn), append(t.size, size)
	t.list = append(t.list, t.keep(kids))
	t.met = append(t.met, subtree{sum: sum})
	return uint32(len(t.fn) - 1)
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

// expect makes room for the classes that so many calls usually have. The system gives what of it is
// not used no pages, but for the slots, which take less than a byte a call.
func (t *classTable) expect(calls int) {
	classes := calls / usualRepeats
	t.slots = newSlots(shiftFor(classes))
	t.makeRoom(classes)
}

// makeRoom makes room for n more classes.
func (t *classTable) makeRoom(n int) {
	t.fn, t.size, t.list = roomFor(t.fn, n), roomFor(t.size, n), roomFor(t.list, n)
	t.met = roomFor(t.met, n)
}

// reset takes out all classes. Small memory is kept.
func (t *classTable) reset() {
	for class, size := range t.size {
		if size == 1 {
			t.leaf[t.fn[class]] = noClass
		}
	}
	t.fn, t.size, t.list, t.met, t.last = t.fn[:0], t.size[:0], t.list[:0], t.met[:0], 0
	if len(t.kids) > 0 {
		t.kids = slices.Delete(t.kids, 1, len(t.kids))
		t.kids[0] = t.kids[0][:0]
	}
	if t.slots.count = 0; t.slots.shift != leastShift {
		t.slots = newSlots(leastShift)
	}
	clear(t.slots.words)
}

// roomFor makes room for n more elements, on huge pages. It makes the room before anything is
// copied to it: slices.Grow touches all of it, and so has it on small pages.
func roomFor[T any](s []T, n int) []T {
	if len(s)+n <= cap(s) {
		return s
	}
	more := huge.Make[T](len(s) + n)[:len(s)]
	copy(more, s)
	return more
}
