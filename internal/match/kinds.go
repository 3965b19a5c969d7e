package match

import (
	"slices"

	"diptych/internal/progress"
)

// How a class compares with any class of the other side follows from two things: its core, which is
// the part of Γ that the other side has at all, and |Γ|. Classes that agree in both are one kind,
// and a kind is compared once. For example, if only B has the functions p and q, then {f,p} and
// {f,q} are two classes of B, but of one kind: the core is {f} and the size 2. A class whose core
// is empty matches nothing and has no kind.

// kinds are the classes of one side as the other side sees them: a class for each kind, in the same
// order. Its members are those of the core, but its Size is |Γ|. It has no calls one by one.
type kinds struct {
	*Classes
	of    []int32  // by class of the side: its kind, or none
	first []uint32 // by kind: its first class
	next  []int32  // by class: the next class of the same kind, or none
}

// newKinds groups the classes of c; other is the side that they are compared with.
func newKinds(c, other *Classes, identities int) *kinds {
	n := len(c.Base)
	k := &kinds{Classes: newKindClasses(c), of: make([]int32, n), first: make([]uint32, 0, n),
		next: slices.Repeat([]int32{none}, n)}
	g := newGrouping(c, other.identities(identities))
	before := make([]uint32, n+1) // by class: kinds that begin before it
	for class := range n {
		before[class] = uint32(len(k.first))
		switch core, last := g.seekClass(class); {
		case core == 0:
			k.of[class] = none
			continue
		case last != none:
			k.of[class], k.next[last] = k.of[last], int32(class)
		default:
			k.of[class] = int32(len(k.first))
			k.addKind(g, class)
		}
		k.Count[k.of[class]] += c.Count[class]
		k.Start[k.of[class]] += c.Start[class]
	}
	before[n] = uint32(len(k.first))
	for _, class := range k.first {
		k.End = append(k.End, before[c.End[class]])
	}
	return k
}

// newKindClasses makes room for as many kinds as there are classes.
func newKindClasses(c *Classes) *Classes {
	n := len(c.Base)
	return &Classes{Base: make([]int32, 0, n), End: make([]uint32, 0, n), Size: make([]uint32, 0, n),
		Count: make([]uint64, 0, n), Start: make([]float64, 0, n), from: make([]uint32, 1, n+1),
		added: make([]uint32, 0, len(c.added))}
}

// addKind adds the kind that begins with a class. Its base is the kind of the nearest class around
// it in the forest that began a kind too.
func (k *kinds) addKind(g *grouping, class int) {
	base := int32(class)
	for base == int32(class) || base != none && !k.begins(base) {
		for _, id := range g.added[g.from[base]:g.from[base+1]] {
			if g.inside[id] {
				k.added = append(k.added, id)
			}
		}
		base = g.Base[base]
	}
	if base != none {
		base = k.of[base]
	}
	k.first = append(k.first, uint32(class))
	k.Base, k.Size = append(k.Base, base), append(k.Size, g.Size[class])
	k.Count, k.Start = append(k.Count, 0), append(k.Start, 0)
	k.from = append(k.from, uint32(len(k.added)))
}

// begins reports whether a class is the first of its kind.
func (k *kinds) begins(class int32) bool {
	return k.of[class] != none && k.first[k.of[class]] == uint32(class)
}

// kinds returns the kinds of both sides, and a graph of them.
func (g *Graph) kinds() (of [2]*kinds, small *Graph) {
	var work progress.Group
	for s, c := range g.Sides {
		work.Do(func() { of[s] = newKinds(c, g.Sides[1-s], len(g.Pair.Names)) })
	}
	_ = work.Wait()
	return of, &Graph{Pair: g.Pair, Sides: [2]*Classes{of[0].Classes, of[1].Classes}}
}

// identities returns which identities the classes have.
func (c *Classes) identities(n int) []bool {
	has := make([]bool, n)
	for _, id := range c.added {
		has[id] = true
	}
	return has
}

// grouping finds classes of one kind. A hash of the core finds candidates, and then members are
// compared. A class within the other side's identities is a kind of its own, since no two classes
// are equal; so only classes with other identities are looked up.
type grouping struct {
	*Classes
	inside []bool   // by identity: the other side has it
	core   []uint32 // by class: size of the core
	hash   []uint64 // by class, of the core
	last   []int32  // the latest class of each candidate kind
	later  []int32  // by place in last: the next candidate with the same hash, or none
	byHash map[coreKey]int32
	marks  []bool // by identity: the core of the class at hand
}

// coreKey is what two classes of one kind share.
type coreKey struct {
	hash       uint64
	core, size uint32
}

func newGrouping(c *Classes, inside []bool) *grouping {
	n := len(c.Base)
	return &grouping{Classes: c, inside: inside, core: make([]uint32, n), hash: make([]uint64, n),
		byHash: map[coreKey]int32{}, marks: make([]bool, len(inside))}
}

// seekClass returns the size of the core of a class, and the latest class of the same kind before
// it, or none. Classes are asked for in ascending order.
func (g *grouping) seekClass(class int) (core uint32, same int32) {
	if base := g.Base[class]; base != none {
		g.core[class], g.hash[class] = g.core[base], g.hash[base]
	}
	for _, id := range g.added[g.from[class]:g.from[class+1]] {
		if g.inside[id] {
			g.core[class]++
			g.hash[class] += hashOf(id)
		}
	}
	core = g.core[class]
	if core == 0 || core == g.Size[class] {
		return core, none
	}
	key := coreKey{g.hash[class], core, g.Size[class]}
	first, seen := g.byHash[key]
	if !seen {
		first = none
	}
	if seen {
		g.markCore(class, true)
		defer g.markCore(class, false)
	}
	for k := first; k != none; k = g.later[k] {
		if same = g.last[k]; g.coreMarked(int(same)) {
			g.last[k] = int32(class)
			return core, same
		}
	}
	g.byHash[key] = int32(len(g.last))
	g.last, g.later = append(g.last, int32(class)), append(g.later, first)
	return core, none
}

func (g *grouping) markCore(class int, is bool) {
	g.Members(class, func(id uint32) bool {
		g.marks[id] = is && g.inside[id]
		return true
	})
}

// coreMarked reports whether the core of a class is within the one that is marked.
func (g *grouping) coreMarked(class int) bool {
	all := true
	g.Members(class, func(id uint32) bool {
		all = g.marks[id] || !g.inside[id]
		return all
	})
	return all
}
