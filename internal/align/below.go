package align

import (
	"sync"

	"diptych/internal/huge"
)

// below decides for which different pairs the callees are aligned: those that reach similar sets
// of functions, Γ. The sets are computed when they are asked for, and equal sets are stored once,
// so that a long chain of callers of the same functions shares one. A set is stored as its base, a
// smaller set, and what it adds to it: the sets of a chain of distinct functions would take memory
// that grows with the square of its length.
type below struct {
	mu     sync.Mutex
	t      *classTable
	setOf  []int32 // set by class, plus one; or 0
	sets   []belowSet
	added  []uint32           // see belowSet
	single []int32            // by identity: the set that has no other, plus one; or 0
	named  map[uint64][]int32 // other sets, by hash
	todo   []uint32

	seen    marked    // of uniteCallees: the members of stamped
	stamped int32     // set, or −1
	united  uint32    // calls of uniteCallees
	last    []uint32  // by set: the last of these that met it
	free    sync.Pool // of *overlap
}

// belowSet is a set of identities.
type belowSet struct {
	base     int32 // a proper subset, which was stored before, or −1
	size     int32
	hash     uint64 // sum over the members
	from, to int    // added[from:to] is what it adds to its base
}

// marked is the identities that are marked: those whose number is that of the round.
type marked struct {
	round uint32
	by    []uint32
}

// clear takes all marks back.
func (m *marked) clear() {
	m.round++
	if m.round == 0 {
		clear(m.by)
		m.round = 1
	}
}

func newBelow(t *classTable) *below {
	identities := len(t.leaf)
	return &below{t: t, setOf: huge.Make[int32](len(t.fn)), named: map[uint64][]int32{},
		single: make([]int32, identities), seen: marked{by: make([]uint32, identities)}, stamped: -1,
		free: sync.Pool{New: func() any {
			return &overlap{sets: [2]int32{-1, -1}, in: make([]uint8, identities)}
		}}}
}

// alike reports whether the Jaccard index of Γ(x)∖{F(x)} and Γ(y)∖{F(y)} is at least a half, and
// neither set is empty: a renamed function is recognised by what it calls.
func (g *below) alike(x, y uint32) bool {
	if len(g.t.callees(x)) == 0 || len(g.t.callees(y)) == 0 {
		return false
	}
	g.mu.Lock()
	a, b := g.findSet(x), g.findSet(y)
	sets := belowSets{g.sets, g.added} // stays as it is while others add to it
	g.mu.Unlock()
	na, nb := sets.list[a].size-1, sets.list[b].size-1 // each holds its own function
	if na == 0 || nb == 0 || 3*min(na, nb) < na+nb {
		return false
	}
	m := g.free.Get().(*overlap)
	defer g.free.Put(m)
	m.move(sets, 0, a)
	m.move(sets, 1, b)
	common, fx, fy := m.common, g.t.fn[x], g.t.fn[y]
	if m.in[fx] == 3 {
		common--
	}
	if fy != fx && m.in[fy] == 3 {
		common--
	}
	return 2*common >= na+nb-common
}

// overlap is how many identities two sets share. From one pair of sets to the next, it looks only
// at what differs: an alignment goes down two chains of calls, whose sets lose one function a call.
type overlap struct {
	sets   [2]int32
	in     []uint8 // by identity: 1 if the first set has it, 2 if the second, 3 if both
	common int32   // identities that both have
}

// move makes a set one of the two. The number of a base is less than that of its set.
func (m *overlap) move(sets belowSets, which int, to int32) {
	bit, at := uint8(1)<<which, m.sets[which]
	for t := to; at != t; {
		if t > at {
			t = sets.list[t].base
			continue
		}
		r := &sets.list[at]
		for _, id := range sets.added[r.from:r.to] {
			if m.in[id] == 3 {
				m.common--
			}
			m.in[id] &^= bit
		}
		at = r.base
	}
	for t := to; t != at; t = sets.list[t].base {
		r := &sets.list[t]
		for _, id := range sets.added[r.from:r.to] {
			m.in[id] |= bit
			if m.in[id] == 3 {
				m.common++
			}
		}
	}
	m.sets[which] = to
}

// belowSets are sets and what they add.
type belowSets struct {
	list  []belowSet
	added []uint32
}

// parts yields the members of a set, which those of its bases are too.
func (s belowSets) parts(set int32) func(yield func(ids []uint32) bool) {
	return func(yield func(ids []uint32) bool) {
		for ; set >= 0; set = s.list[set].base {
			if r := &s.list[set]; !yield(s.added[r.from:r.to]) {
				return
			}
		}
	}
}

// findSet returns the number of the set of a class. It first finds the sets of the classes below,
// with a stack instead of recursion.
func (g *below) findSet(class uint32) int32 {
	g.todo = append(g.todo[:0], class)
	for len(g.todo) > 0 {
		c := g.todo[len(g.todo)-1]
		if g.setOf[c] > 0 {
			g.todo = g.todo[:len(g.todo)-1]
			continue
		}
		known := true
		for _, k := range g.t.callees(c) {
			if g.setOf[k] == 0 {
				g.todo, known = append(g.todo, k), false
			}
		}
		if !known {
			continue
		}
		g.setOf[c] = g.uniteCallees(c) + 1
		g.todo = g.todo[:len(g.todo)-1]
	}
	return g.setOf[class] - 1
}

// uniteCallees returns the set of a class whose callees' sets are known. It is made of the largest
// of them, which often holds all there is, and of what that lacks.
func (g *below) uniteCallees(c uint32) int32 {
	largest := int32(-1)
	for _, k := range g.t.callees(c) {
		if s := g.setOf[k] - 1; largest < 0 || g.sets[s].size > g.sets[largest].size {
			largest = s
		}
	}
	if largest < 0 {
		return g.singleSet(g.t.fn[c])
	}
	g.stamp(largest)
	g.united++
	g.last[largest] = g.united
	whole := g.sets[largest]
	whole.base, whole.from = largest, len(g.added)
	g.addUnseen(&whole, g.t.fn[c])
	sets := belowSets{g.sets, g.added}
	for _, k := range g.t.callees(c) {
		s := g.setOf[k] - 1
		if g.last[s] == g.united {
			continue
		}
		g.last[s] = g.united
		for part := range sets.parts(s) {
			for _, id := range part {
				g.addUnseen(&whole, id)
			}
		}
	}
	whole.to = len(g.added)
	if whole.from == whole.to {
		return largest
	}
	g.stamped = g.setNumber(whole)
	return g.stamped
}

// singleSet returns the set of one identity.
func (g *below) singleSet(id uint32) int32 {
	if g.single[id] == 0 {
		from := len(g.added)
		g.added = append(g.added, id)
		g.single[id] = g.store(belowSet{-1, 1, hashOf(id), from, from + 1}) + 1
	}
	return g.single[id] - 1
}

// stamp marks the members of a set. Along a chain that was done for the class before.
func (g *below) stamp(set int32) {
	if g.stamped == set {
		return
	}
	g.stamped = set
	g.seen.clear()
	for part := range (belowSets{g.sets, g.added}).parts(set) {
		for _, id := range part {
			g.seen.by[id] = g.seen.round
		}
	}
}

// addUnseen adds an identity to a set that is being made unless it is marked, and marks it.
func (g *below) addUnseen(to *belowSet, id uint32) {
	if g.seen.by[id] != g.seen.round {
		g.seen.by[id] = g.seen.round
		g.added = append(g.added, id)
		to.size++
		to.hash += hashOf(id)
	}
}

// setNumber returns the number of a set whose members are marked, and the last of which are the
// tail of added. If it is known, the tail is dropped.
func (g *below) setNumber(whole belowSet) int32 {
	for _, s := range g.named[whole.hash] {
		if g.sets[s].size == whole.size && g.allMarked(s) {
			g.added = g.added[:whole.from]
			return s
		}
	}
	s := g.store(whole)
	g.named[whole.hash] = append(g.named[whole.hash], s)
	return s
}

func (g *below) store(r belowSet) int32 {
	g.sets, g.last = append(g.sets, r), append(g.last, 0)
	return int32(len(g.sets)) - 1
}

// allMarked reports whether all members of a set are marked.
func (g *below) allMarked(set int32) bool {
	for part := range (belowSets{g.sets, g.added}).parts(set) {
		for _, id := range part {
			if g.seen.by[id] != g.seen.round {
				return false
			}
		}
	}
	return true
}

// hashOf hashes one identity.
func hashOf(id uint32) uint64 {
	h := (uint64(id) + 1) * 0x9E3779B97F4A7C15
	h = (h ^ h>>29) * 0xBF58476D1CE4E5B9
	return h ^ h>>32
}
