package finding

import (
	"math/bits"
	"slices"

	"diptych/internal/align"
	"diptych/internal/huge"
	"diptych/internal/pair"
	"diptych/internal/trace"
)

// Which calls of a level may get other partners (reorder.go): those without a partner, and those
// whose subtree is not identical to their partner's. Only those that have a twin among the open
// calls of the other side are of interest, and on most levels there are none.
//
// So first the levels are found on which an open call of A is as large as one of B. For example,
// with callees in brackets:
//
//	A: f(x) g h    B: f(x y) g h        f of 2 calls, f of 3 calls on the level: no twins
//	A: f(x) g h    B: f(x y) f(x) g h   f of 2 calls in both, so this level is looked at

// openSizes are the levels and the sizes of open calls, by side. A level is a call of side of: the
// caller, or its partner. They are known if each call is on the level of its caller.
type openSizes struct {
	of   pair.Side
	keys [2][]uint64
}

func (o *openSizes) add(sd pair.Side, level int32, size uint32) {
	if level != align.None { // that of the roots is always looked at
		o.keys[sd] = append(roomy(o.keys[sd]), pair.KeyOf(uint32(level), size))
	}
}

// findOpenSizes finds the levels and sizes of all open calls.
func (o *reorder) findOpenSizes() *openSizes {
	sizes := &openSizes{of: pair.A}
	for sd, th := range o.r.Threads {
		partner := o.r.Partner[sd]
		for i := range o.differs[sd].calls {
			level := th.Parent(int(i))
			if level == align.None || partner[level] == align.None || o.isUnlike(pair.Side(sd), i) {
				continue
			}
			if j := partner[i]; j != align.None && onlyCallees(th, i, o.r.Threads[1-sd], j) {
				continue
			}
			if sd == int(pair.B) {
				level = partner[level]
			}
			sizes.add(pair.Side(sd), level, th.Size(int(i)))
		}
	}
	return sizes
}

// onlyCallees reports whether two calls are the only callees of their callers: then nothing is to
// choose on their level. So a stack of a hundred thousand calls takes no room.
func onlyCallees(a *trace.Thread, i int32, b *trace.Thread, j int32) bool {
	return i > 0 && j > 0 && a.Size(int(i-1)) == a.Size(int(i))+1 &&
		b.Size(int(j-1)) == b.Size(int(j))+1
}

// levels returns A's calls on whose levels there may be twins. What is done on one of them leaves
// open calls below it as they are, or makes them identical, or takes the partner of their caller,
// and so does not make another level one of these.
func (o *openSizes) levels(r *align.Result) bitset {
	found, keys := newBitset(r.Threads[pair.A].Len()), newKeyTable(len(o.keys[pair.A]))
	for _, key := range o.keys[pair.A] {
		keys.add(key)
	}
	for _, key := range o.keys[pair.B] {
		if keys.mayHave(key) {
			level := int32(key >> 32)
			if o.of == pair.B {
				level = r.Partner[pair.B][level]
			}
			if level != align.None {
				found.add(level)
			}
		}
	}
	return found
}

// keyTable is a set of keys. It seems to have about one of a hundred others too. Each key has two
// bits in one word (Bloom, Space/time trade-offs in hash coding with allowable errors, 1970).
type keyTable struct {
	words []uint64
	shift int
}

// newKeyTable returns a table for so many keys: 16 bits for each or more.
func newKeyTable(keys int) keyTable {
	n := bits.Len(uint(keys / 4))
	return keyTable{huge.Make[uint64](1 << n), 64 - n}
}

func (t *keyTable) add(key uint64) {
	word, bits := t.of(key)
	*word |= bits
}

func (t *keyTable) mayHave(key uint64) bool {
	word, bits := t.of(key)
	return *word&bits == bits
}

func (t *keyTable) of(key uint64) (word *uint64, bits uint64) {
	h := fold(key)
	return &t.words[h>>t.shift], 1<<(h%64) | 1<<(h/64%64)
}

// anyTwins reports whether two calls on the level of the pair of a and b that may get other
// partners are identical. On most levels none are of one function and equally large, so nothing
// need be hashed, nor sorted by function.
func (o *reorder) anyTwins(a, b int32) bool {
	for sd, call := range [2]int32{a, b} {
		if o.findOpen(pair.Side(sd), call); len(o.open[sd]) == 0 {
			return false
		}
	}
	return o.keepCommon() && o.keepTwins()
}

// findOpen lists the calls of a level that may get other partners, given the call above, and their
// shapes. Most calls have a partner with an identical subtree, and are skipped with all in it.
func (o *reorder) findOpen(sd pair.Side, call int32) {
	o.open[sd], o.keys[sd] = o.open[sd][:0], o.keys[sd][:0]
	add := func(i int32) {
		if o.isOpen(sd, i) {
			o.open[sd], o.keys[sd] = append(o.open[sd], i), append(o.keys[sd], o.shape(sd, i))
		}
	}
	if len(o.r.Passed[sd]) > 0 {
		eachCallee(o.r, sd, call, add)
		return
	}
	th, differs := o.r.Threads[sd], o.differs[sd]
	last, depth := int32(th.Len()), uint32(0)
	if call != align.None {
		last, depth = int32(th.Next(int(call))), th.Depth(int(call))+1
	}
	for i := differs.next(call + 1); i < last; i = differs.next(i) {
		if th.Depth(int(i)) == depth {
			add(i)
			i += int32(th.Size(int(i)))
		} else {
			i++ // within a call that is identical by its hash
		}
	}
}

// keepCommon keeps the open calls of a level that have a key in common with one of the other side,
// and reports whether there are any.
func (o *reorder) keepCommon() bool {
	for sd, calls := range o.open {
		o.spare = append(o.spare[:0], o.keys[1-sd]...)
		has := o.spare.sorted()
		n := 0
		for k, i := range calls {
			if has(o.keys[sd][k]) {
				calls[n] = i
				n++
			}
		}
		if o.open[sd] = calls[:n]; n == 0 {
			return false
		}
	}
	return true
}

// keepTwins keeps the open calls of a level whose subtree has a twin on the other side, and reports
// whether there are any. Mostly a look at few calls of a large subtree tells that it has none.
func (o *reorder) keepTwins() bool {
	return (!o.plain || o.keepCommonOf(o.sketch)) && o.keepCommonOf(o.hash)
}

// keepCommonOf keeps the open calls of a level that have a number in common with one of the other
// side, and reports whether there are any.
func (o *reorder) keepCommonOf(number func(sd pair.Side, i int32) uint64) bool {
	for sd, calls := range o.open {
		o.keys[sd] = o.keys[sd][:0]
		for _, i := range calls {
			o.keys[sd] = append(o.keys[sd], number(pair.Side(sd), i))
		}
	}
	return o.keepCommon()
}

// keyList is keys that are looked up: few of them one after the other, many once they are sorted.
type keyList []uint64

const fewKeys = 16

func (l keyList) sorted() (has func(key uint64) bool) {
	if len(l) <= fewKeys {
		return func(key uint64) bool { return slices.Contains(l, key) }
	}
	slices.Sort(l)
	return func(key uint64) bool {
		_, found := slices.BinarySearch(l, key)
		return found
	}
}

// hasTwin reports whether a call of the level may still get another partner, and has a twin.
func (o *reorder) hasTwin(sd pair.Side, i int32) bool {
	_, found := slices.BinarySearch(o.open[sd], i)
	return found && o.isOpen(sd, i)
}

// isOpen reports whether a call may get another partner: it has none, or one of its function whose
// subtree differs.
func (o *reorder) isOpen(sd pair.Side, i int32) bool {
	return o.differs[sd].has(i) && !o.isUnlike(sd, i) && !passed(o.r, sd, i) &&
		(o.plain || !o.s.recordedByChance(o.r, sd, i))
}
