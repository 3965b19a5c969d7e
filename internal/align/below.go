package align

import "slices"

// below decides which different pairs are aligned further: those whose callees reach alike sets of
// functions. The sets Γ of classes are computed when asked for and hash-consed, so that a long
// chain of callers of the same functions shares one. It is not for concurrent use.
type below struct {
	t     *classTable
	of    []int32            // set by class, or −1
	sets  [][]uint32         // ascending identities
	named map[uint64][]int32 // sets by hash
	todo  []uint32

	round         uint32 // marks what was met for one class
	seen, seenSet []uint32
}

func newBelow(t *classTable) *below {
	return &below{t: t, of: slices.Repeat([]int32{-1}, len(t.fn)), named: map[uint64][]int32{},
		seen: make([]uint32, len(t.leaf))}
}

// alike reports whether the Jaccard index of Γ(x)∖{F(x)} and Γ(y)∖{F(y)} is at least a half, with
// neither empty.
func (g *below) alike(x, y uint32) bool {
	if len(g.t.callees(x)) == 0 || len(g.t.callees(y)) == 0 {
		return false
	}
	a, b := g.sets[g.set(x)], g.sets[g.set(y)]
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

// set returns the set of a class. Sets of what is below come first, on a stack of our own.
func (g *below) set(class uint32) int32 {
	g.todo = append(g.todo[:0], class)
	for len(g.todo) > 0 {
		c := g.todo[len(g.todo)-1]
		if g.of[c] >= 0 {
			g.todo = g.todo[:len(g.todo)-1]
			continue
		}
		known := true
		for _, k := range g.t.callees(c) {
			if g.of[k] < 0 {
				g.todo, known = append(g.todo, k), false
			}
		}
		if !known {
			continue
		}
		g.of[c] = g.unite(c)
		g.todo = g.todo[:len(g.todo)-1]
	}
	return g.of[class]
}

// unite returns the set of a class whose callees' sets are known: the largest of them, and what is
// in none but others.
func (g *below) unite(c uint32) int32 {
	largest := int32(-1)
	for _, k := range g.t.callees(c) {
		if s := g.of[k]; largest < 0 || len(g.sets[s]) > len(g.sets[largest]) {
			largest = s
		}
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
		if s := g.of[k]; g.seenSet[s] != g.round {
			g.seenSet[s] = g.round
			more = g.unseen(g.sets[s], more)
		}
	}
	if len(more) == 0 {
		return largest
	}
	more = append(more, all...)
	slices.Sort(more)
	return g.number(more)
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

// number returns the number of a set.
func (g *below) number(set []uint32) int32 {
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
