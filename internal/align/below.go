package align

import (
	"slices"
	"sync"

	"diptych/internal/huge"
)

// below decides for which different pairs the callees are aligned: those that reach similar sets
// of functions, Γ. The sets are computed when they are asked for, and equal sets are stored once,
// so that a long chain of callers of the same functions shares one.
type below struct {
	mu    sync.Mutex
	t     *classTable
	setOf []int32            // set by class, plus one; or 0
	sets  [][]uint32         // ascending identities
	named map[uint64][]int32 // sets by hash
	todo  []uint32

	round         uint32 // of uniteCallees; marks what it has met
	seen, seenSet []uint32
}

func newBelow(t *classTable) *below {
	return &below{t: t, setOf: huge.Make[int32](len(t.fn)), named: map[uint64][]int32{},
		seen: make([]uint32, len(t.leaf))}
}

// alike reports whether the Jaccard index of Γ(x)∖{F(x)} and Γ(y)∖{F(y)} is at least a half, and
// neither set is empty: a renamed function is recognised by what it calls.
func (g *below) alike(x, y uint32) bool {
	if len(g.t.callees(x)) == 0 || len(g.t.callees(y)) == 0 {
		return false
	}
	g.mu.Lock()
	a, b := g.sets[g.findSet(x)], g.sets[g.findSet(y)]
	g.mu.Unlock()
	fx, fy := g.t.fn[x], g.t.fn[y]
	na, nb := len(a)-1, len(b)-1 // each holds its own function
	if na == 0 || nb == 0 {
		return false
	}
	common := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			if a[i] != fx && a[i] != fy {
				common++
			}
			i++
			j++
		}
	}
	return 2*common >= na+nb-common
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

// uniteCallees returns the set of a class whose callees' sets are known. It starts from the
// largest of them, which often holds all there is.
func (g *below) uniteCallees(c uint32) int32 {
	largest := int32(-1)
	for _, k := range g.t.callees(c) {
		if s := g.setOf[k] - 1; largest < 0 || len(g.sets[s]) > len(g.sets[largest]) {
			largest = s
		}
	}
	if g.holdsAll(largest, c) {
		return largest
	}
	g.round++
	var all, more []uint32
	if largest >= 0 {
		all = g.sets[largest]
		g.seenSet[largest] = g.round
		more = g.unseen(all, more)[:0]
	}
	more = g.unseen([]uint32{g.t.fn[c]}, more)
	for _, k := range g.t.callees(c) {
		if s := g.setOf[k] - 1; g.seenSet[s] != g.round {
			g.seenSet[s] = g.round
			more = g.unseen(g.sets[s], more)
		}
	}
	if len(more) == 0 {
		return largest
	}
	more = append(more, all...)
	slices.Sort(more)
	return g.setNumber(more)
}

// holdsAll reports whether a set is that of all callees of a class and holds its function, as along
// a chain of calls that call the same functions again and again. It is found out without a look at
// each member, since a chain may be a hundred thousand calls long.
func (g *below) holdsAll(set int32, c uint32) bool {
	for _, k := range g.t.callees(c) {
		if g.setOf[k] != set+1 {
			return false
		}
	}
	if set < 0 {
		return false
	}
	_, found := slices.BinarySearch(g.sets[set], g.t.fn[c])
	return found
}

// unseen marks identities and appends those that were not marked.
func (g *below) unseen(set, to []uint32) []uint32 {
	for _, x := range set {
		if g.seen[x] != g.round {
			g.seen[x] = g.round
			to = append(to, x)
		}
	}
	return to
}

// setNumber returns the number of a set.
func (g *below) setNumber(set []uint32) int32 {
	h := uint64(len(set))
	for _, x := range set {
		h = (h ^ h>>29 ^ uint64(x)) * 0xBF58476D1CE4E5B9
	}
	for _, s := range g.named[h] {
		if slices.Equal(g.sets[s], set) {
			return s
		}
	}
	s := int32(len(g.sets))
	g.sets, g.seenSet = append(g.sets, set), append(g.seenSet, 0)
	g.named[h] = append(g.named[h], s)
	return s
}
