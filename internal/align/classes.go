package align

import (
	"context"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/trace"
)

// Subtrees are numbered, so that equal ones are recognised by one comparison.
//
// All identical subtrees have one number, their class. A class is the function of the root and the
// classes of its callees in order; a table finds the number of such a list (hash-consing). For
// example, if a call of g that calls nothing is class 0:
//
//	f(g g)  f(g)  f(g g)    are classes 1 = (f; 0 0), 2 = (f; 0), and 1 again
//
// Calls that are set aside (aside.go) have no class, and do not belong to that of their caller.
//
// Programs repeat themselves, so there are far fewer classes than calls. Everything after this
// stage works on classes where it can: a pair of identical subtrees is paired without looking into
// it, and a costly level is aligned once, however often it occurs.
//
// Time is linear in the calls; both sides are numbered at once. Memory is 4 bytes a call, 24 bytes
// a class, and 4 bytes for each callee of a class.

// classes are the subtrees of some threads of both sides under one numbering.
type classes struct {
	*classTable
	classOf [2]map[int][]uint32 // class by side, thread and call
	root    [2]map[int]uint32   // class of the virtual call over a thread's roots
	passed  [2]map[int]Calls    // calls that are passed through: their callees stand in their place
	aside   [2]map[int]bool     // by side and thread: some calls are set aside, and have noClass
}

// checkEvery is the number of calls between two looks at the context.
const checkEvery = 1 << 18

// classify numbers the subtrees of the given threads. Both sides are numbered at once, each with a
// table of its own; then B's classes, which are few, get numbers in A's table.
func classify(ctx context.Context, p *pair.Pair, threads [2][]int, passed [2]map[int]Calls,
	off []bool, m *progress.Meter) (*classes, error) {
	c := &classes{passed: passed}
	var tables [2]*classTable
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(runtime.GOMAXPROCS(0))
	for s := range tables {
		c.classOf[s], c.root[s], c.aside[s] = map[int][]uint32{}, map[int]uint32{}, map[int]bool{}
		tables[s] = newClassTable(off)
		work.Go(func() error {
			side := pair.Side(s)
			for _, k := range threads[s] {
				th := p.Trace(side).Threads[k]
				of, root, err := tables[s].numberThread(ctx, th, p.IDs(side), passed[s][k], m)
				if err != nil {
					return err
				}
				c.classOf[s][k], c.root[s][k], c.aside[s][k] = of, root, tables[s].aside
			}
			return nil
		})
	}
	if err := work.Wait(); err != nil {
		return nil, err
	}
	c.classTable = tables[pair.A]
	to := c.addTable(tables[pair.B])
	for k, of := range c.classOf[pair.B] {
		for i, class := range of {
			if class != noClass {
				of[i] = to[class]
			}
		}
		c.root[pair.B][k] = to[c.root[pair.B][k]]
	}
	return c, nil
}

// numberThread returns the classes of a thread's calls and of the virtual call over its roots. It
// goes backwards through pre-order, so that the callees of a call have their classes when it is
// reached, without recursion.
func (t *classTable) numberThread(ctx context.Context, th *trace.Thread, ids []uint32, passed Calls,
	m *progress.Meter) (of []uint32, root uint32, err error) {
	of = make([]uint32, th.Len())
	fns := th.Fn[:len(of)]
	var kids []uint32
	t.aside = false
	for i := len(of) - 1; i >= 0; i-- {
		fn, size := ids[fns[i]], int(th.Size(i))
		if size == 1 && t.off[fn] {
			of[i], t.aside = noClass, true
		} else if size == 1 && t.leaf[fn] != noClass {
			of[i] = t.leaf[fn]
		} else {
			kids = appendCallees(kids[:0], of, th, passed, i+1, i+size)
			of[i] = t.intern(fn, kids)
		}
		if i%checkEvery == 0 {
			if err := m.Add(ctx, int64(min(checkEvery, len(of)-i))); err != nil {
				return nil, 0, err
			}
		}
	}
	kids = appendCallees(kids[:0], of, th, passed, 0, len(of))
	return of, t.intern(virtualFn, kids), nil
}

// appendCallees appends the classes of the outermost calls in [from, to) that are not set aside.
func appendCallees(kids, of []uint32, th *trace.Thread, passed Calls, from, to int) []uint32 {
	for k := from; k < to; k = th.Next(k) {
		k = int(passed.First(int32(k)))
		if of[k] != noClass {
			kids = append(kids, of[k])
		}
	}
	return kids
}

// classTable numbers subtrees. Two have the same class if and only if the functions of their roots
// and the classes of their callees are the same. A class has a higher number than the classes
// below it.
type classTable struct {
	fn   []uint32 // identity by class
	size []uint32 // calls in the subtree
	from []uint32 // kids[from[c]:from[c+1]] are the classes of the callees
	kids []uint32

	leaf  []uint32 // class by identity of a call without callees, or noClass
	off   []bool   // by identity: such calls are set aside
	aside bool     // some calls of the thread that was numbered last were
	slots []slot   // open addressing, a power of two, at most half full
}

// slot is an entry of the hash table; the hash saves most looks at the callees.
type slot struct{ hash, class uint32 }

const (
	noClass   = ^uint32(0)
	virtualFn = ^uint32(0) // the identity of the virtual call over a thread's roots
)

func newClassTable(off []bool) *classTable {
	t := &classTable{from: make([]uint32, 1, 64), leaf: make([]uint32, len(off)), off: off}
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
			t.leaf[fn] = t.addClass(fn, nil)
		}
		return t.leaf[fn]
	}
	h := hash(fn, kids)
	mask := uint32(len(t.slots) - 1)
	k := h & mask
	for ; t.slots[k].class != noClass; k = (k + 1) & mask {
		if s := t.slots[k]; s.hash == h && t.sameSubtree(s.class, fn, kids) {
			return s.class
		}
	}
	c := t.addClass(fn, kids)
	t.slots[k] = slot{h, c}
	if 2*len(t.fn) > len(t.slots) {
		t.grow()
	}
	return c
}

func (t *classTable) sameSubtree(c, fn uint32, kids []uint32) bool {
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

func (t *classTable) addClass(fn uint32, kids []uint32) uint32 {
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

// addTable adds the classes of u and returns t's class for each of u's. The classes of u are in
// bottom-up order, so those below a class have their number already.
func (t *classTable) addTable(u *classTable) []uint32 {
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

// below decides for which different pairs the callees are aligned: those that reach similar sets
// of functions, Γ. The sets are computed when they are asked for, and equal sets are stored once,
// so that a long chain of callers of the same functions shares one.
type below struct {
	mu    sync.Mutex
	t     *classTable
	setOf []int32            // set by class, or −1
	sets  [][]uint32         // ascending identities
	named map[uint64][]int32 // sets by hash
	todo  []uint32

	round         uint32 // of uniteCallees; marks what it has met
	seen, seenSet []uint32
}

func newBelow(t *classTable) *below {
	return &below{t: t, setOf: slices.Repeat([]int32{-1}, len(t.fn)), named: map[uint64][]int32{},
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
		if g.setOf[c] >= 0 {
			g.todo = g.todo[:len(g.todo)-1]
			continue
		}
		known := true
		for _, k := range g.t.callees(c) {
			if g.setOf[k] < 0 {
				g.todo, known = append(g.todo, k), false
			}
		}
		if !known {
			continue
		}
		g.setOf[c] = g.uniteCallees(c)
		g.todo = g.todo[:len(g.todo)-1]
	}
	return g.setOf[class]
}

// uniteCallees returns the set of a class whose callees' sets are known. It starts from the
// largest of them, which often holds all there is.
func (g *below) uniteCallees(c uint32) int32 {
	largest := int32(-1)
	for _, k := range g.t.callees(c) {
		if s := g.setOf[k]; largest < 0 || len(g.sets[s]) > len(g.sets[largest]) {
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
		if s := g.setOf[k]; g.seenSet[s] != g.round {
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
