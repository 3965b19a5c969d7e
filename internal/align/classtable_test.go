package align

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"diptych/internal/pair"
	"diptych/internal/testtrace"
)

// internCall numbers a subtree with or without callees.
func internCall(table *classTable, fn uint32, kids []uint32) uint32 {
	if len(kids) == 0 {
		return table.leafClass(fn)
	}
	return table.intern(fn, kids)
}

// internTree numbers a tree and all below it, and notes what the class of each is by its spelling.
func internTree(t *testing.T, table *classTable, x *testtrace.Tree, classOf map[string]uint32) (
	class uint32, text string) {
	var kids []uint32
	text = fmt.Sprint(x.Fn, "(")
	for i := len(x.Below) - 1; i >= 0; i-- { // calls are numbered backwards
		k, below := internTree(t, table, x.Below[i], classOf)
		kids, text = append(kids, k), text+below
	}
	slices.Reverse(kids)
	text += ")"
	class = internCall(table, uint32(x.Fn), kids)
	if was, ok := classOf[text]; ok && was != class {
		t.Fatalf("%s is class %d and %d", text, was, class)
	}
	classOf[text] = class
	return class, text
}

// TestClassesAreSpellings: two subtrees of either side have the same class if and only if they are
// spelled alike, within a table and after the tables of both sides became one. A class is higher than
// those below it, and its size is that of the subtree.
func TestClassesAreSpellings(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 1))
	for range 25 {
		var tables [2]*classTable
		classOf := [2]map[string]uint32{{}, {}}
		functions := 1 + r.IntN(4)
		for s := range tables {
			tables[s] = newClassTable(make([]bool, functions))
			for _, x := range testtrace.Grow(r, 1+r.IntN(1200), functions, r.Float64()) {
				internTree(t, tables[s], x, classOf[s])
			}
			if len(tables[s].fn) != len(classOf[s]) {
				t.Fatalf("%d classes of %d subtrees", len(tables[s].fn), len(classOf[s]))
			}
		}
		classes := len(tables[1].fn)
		united := joined(t, tables, pair.Side(r.IntN(2)))
		if len(united) != classes {
			t.Fatalf("%d of %d classes have a number", len(united), classes)
		}
		for text, class := range classOf[1] {
			if was, ok := classOf[0][text]; ok && was != united[class] {
				t.Fatalf("%s is class %d in A, and %d in B", text, was, united[class])
			}
			classOf[0][text] = united[class]
		}
		checkClasses(t, tables[0], classOf[0])
	}
}

// joined joins two tables, of which that of the later side grows while it is followed.
func joined(t *testing.T, tables [2]*classTable, later pair.Side) []uint32 {
	x := &twins{later: later, in: tables[1-later]}
	whole := tables[later].published()
	for n := range len(whole.fn) {
		if n%7 == 0 {
			x.follow(published{whole.fn[:n], whole.list[:n], whole.met[:n], whole.kids})
		}
	}
	x.follow(whole)
	to, err := x.join(t.Context(), tables[pair.A], tables[pair.B])
	if err != nil {
		t.Fatal(err)
	}
	return to
}

// TestFollowedWhileNumbered: the twins that are found while the later side is numbered are those
// with the same spelling.
func TestFollowedWhileNumbered(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 3))
	for later := range pair.Side(2) {
		var sides [2]*numbering
		var ended [2]chan bool
		classOf := [2]map[string]uint32{{}, {}}
		for s := range sides {
			sides[s], ended[s] = newNumbering(nil, make([]bool, 3)), make(chan bool, 1)
		}
		number := func(s pair.Side) {
			for range 40 {
				for _, x := range testtrace.Grow(r, 100, 3, r.Float64()) {
					internTree(t, sides[s].classTable, x, classOf[s])
				}
				sides[s].publish()
			}
			ended[s] <- true
		}
		number(1 - later)
		found := make(chan *twins)
		go func() { found <- followLater(sides, ended) }()
		for len(ended[1-later]) > 0 { // until it has heard which side is later
			runtime.Gosched()
		}
		number(later)
		x := <-found
		if x.later != later || len(x.of) != len(classOf[later]) {
			t.Fatalf("%d of %d classes of %v", len(x.of), len(classOf[later]), x.later)
		}
		for text, class := range classOf[later] {
			twin, ok := classOf[1-later][text]
			if !ok {
				twin = noClass
			}
			if x.of[class] != twin {
				t.Errorf("%s is class %d, want %d", text, x.of[class], twin)
			}
		}
	}
}

// checkClasses holds a table against the spellings of its classes.
func checkClasses(t *testing.T, table *classTable, classOf map[string]uint32) {
	if len(table.fn) != len(classOf) {
		t.Fatalf("%d classes of %d subtrees", len(table.fn), len(classOf))
	}
	textOf := make([]string, len(table.fn))
	for text, class := range classOf {
		textOf[class] = text
	}
	for class, fn := range table.fn {
		size, text := uint32(1), fmt.Sprint(fn, "(")
		for _, k := range slices.Backward(table.callees(uint32(class))) {
			if int(k) >= class {
				t.Fatalf("class %d calls class %d", class, k)
			}
			size, text = size+table.size[k], text+textOf[k]
		}
		if text+")" != textOf[class] || table.size[class] != size {
			t.Fatalf("class %d: %s) of %d calls, want %s of %d", class, text, table.size[class],
				textOf[class], size)
		}
	}
}

// TestSlotsFind: classes are found by their hashes, also of many hashes that begin alike, at the end
// of the table or elsewhere, and after it has grown; and none is found that is not there.
func TestSlotsFind(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 8))
	for round := range 20 {
		slots, hashes := newSlots(leastShift), []uint64{}
		for class := range 1 + r.IntN(5000) {
			h := r.Uint64()
			if round%2 == 0 && class%10 == 0 {
				h |= 0xfff << 52
			}
			slots.add(h, uint32(class))
			hashes = append(hashes, h)
		}
		for class, h := range hashes {
			found := false
			for s := slots.search(h); !found; {
				c, ok := s.next()
				if !ok {
					t.Fatalf("class %d of %d is not found", class, len(hashes))
				}
				found = int(c) == class
			}
		}
		for range 100 {
			h := r.Uint64()
			if s := slots.search(h); !slices.Contains(hashes, h) {
				if c, ok := s.next(); ok && hashes[c]>>32 != h>>32 {
					t.Fatalf("class %d is found by another hash", c)
				}
			}
		}
	}
}

// internStack numbers a stack of calls from its innermost function outwards.
func internStack(table *classTable, stack []uint32) (all []uint32) {
	var kids []uint32
	for _, fn := range stack {
		kids = []uint32{internCall(table, fn, kids)}
		all = append(all, kids[0])
	}
	return all
}

// TestStackIsClimbed: the classes of a stack that is met again are found without the hash table but
// for its first call, which leads to the others. So nothing is lost if the table forgets.
func TestStackIsClimbed(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 2))
	stack := make([]uint32, 5000)
	for i := range stack {
		stack[i] = r.Uint32N(6)
	}
	table := newClassTable(make([]bool, 6))
	table.intern(5, []uint32{table.leafClass(4)}) // something before it
	first := internStack(table, stack)
	classes := len(table.fn)
	table.intern(5, []uint32{table.leaf[4]}) // something else between
	begun := internStack(table, stack[:3])
	clear(table.slots.words)
	kids := begun[2:]
	for i, fn := range stack[3:] {
		if kids = []uint32{internCall(table, fn, kids)}; kids[0] != first[3+i] {
			t.Fatalf("call %d has class %d, and had %d", 3+i, kids[0], first[3+i])
		}
	}
	if len(table.fn) != classes {
		t.Errorf("%d classes became %d", classes, len(table.fn))
	}
}

// TestStackIsLeft: where a stack goes on another way than before, it has other classes from there on,
// those that the table has or new ones; the old one can still be climbed.
func TestStackIsLeft(t *testing.T) {
	table := newClassTable(make([]bool, 8))
	old := internStack(table, []uint32{0, 1, 2, 3, 4, 5})
	other := internStack(table, []uint32{0, 1, 2, 6, 4, 5})
	if !slices.Equal(old[:3], other[:3]) || slices.ContainsFunc(other[3:], func(c uint32) bool {
		return slices.Contains(old, c)
	}) {
		t.Fatalf("%v, then %v", old, other)
	}
	for _, again := range []struct {
		stack, want []uint32
	}{
		{[]uint32{0, 1, 2, 3, 4, 5}, old},
		{[]uint32{0, 1, 2, 6, 4, 5}, other},
		{[]uint32{0, 1, 2, 3, 4}, old[:5]},
	} {
		if got := internStack(table, again.stack); !slices.Equal(got, again.want) {
			t.Errorf("%v: classes %v, want %v", again.stack, got, again.want)
		}
	}
	// The class after that of the first callee must have the same callees, not only the function.
	two := table.intern(1, []uint32{old[0], old[0]})
	if two == old[1] || table.intern(1, []uint32{old[0]}) != old[1] || table.intern(7, []uint32{two}) == two {
		t.Errorf("1(0 0) is class %d, and 1(0) is %d", two, old[1])
	}
}

// TestAlikeBelow holds the sets of functions that a table shares against those of trees, for all
// pairs of calls of both kinds: chains that repeat functions, and trees.
func TestAlikeBelow(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 3))
	for range 30 {
		functions := 2 + r.IntN(12)
		table, classOf := newClassTable(make([]bool, functions)), map[string]uint32{}
		trees := testtrace.Grow(r, 40, functions, r.Float64())
		for range 2 {
			top := &testtrace.Tree{Fn: r.IntN(functions)}
			for range 12 {
				top = &testtrace.Tree{Fn: r.IntN(min(3, functions)), Below: []*testtrace.Tree{top}}
			}
			trees = append(trees, top)
		}
		classes := make([]uint32, len(trees))
		for i, x := range trees {
			classes[i], _ = internTree(t, table, x, classOf)
		}
		g := newBelow(table)
		for i, x := range trees {
			for k, y := range trees {
				if got, want := g.alike(classes[i], classes[k]), alike(x, y); got != want {
					t.Fatalf("trees %d and %d: alike %v, want %v", i, k, got, want)
				}
			}
		}
	}
}

// TestChainSharesOneSet: a chain of calls that call the same functions again and again has as many
// sets as it has functions, and reaches its top without recursion.
func TestChainSharesOneSet(t *testing.T) {
	const functions, depth = 5, 50_000
	table := newClassTable(make([]bool, functions))
	stack := make([]uint32, depth)
	for i := range stack {
		stack[i] = uint32(i % functions)
	}
	all := internStack(table, stack)
	g := newBelow(table)
	top := g.findSet(all[depth-1])
	if want := []uint32{0, 1, 2, 3, 4}; len(g.sets) != functions || !slices.Equal(g.members(top), want) {
		t.Errorf("%d sets; that of the top is %v, want %v", len(g.sets), g.members(top), want)
	}
	for i, want := range [][]uint32{{0}, {0, 1}, {0, 1, 2}, {0, 1, 2, 3}, {0, 1, 2, 3, 4}, {0, 1, 2, 3, 4}} {
		if got := g.members(g.setOf[all[i]] - 1); !slices.Equal(got, want) {
			t.Errorf("call %d reaches %v, want %v", i, got, want)
		}
	}
}

// members returns the members of a set, ascending.
func (g *below) members(set int32) []uint32 {
	parts := slices.Collect(belowSets{g.sets, g.added}.parts(set))
	return slices.Sorted(slices.Values(slices.Concat(parts...)))
}

// TestChainStoresEachFunctionOnce: of a chain of distinct functions, each set has one more than the
// next, and all together store no more than the largest has.
func TestChainStoresEachFunctionOnce(t *testing.T) {
	const depth = 50_000
	table := newClassTable(make([]bool, depth))
	stack := make([]uint32, depth)
	for i := range stack {
		stack[i] = uint32(i)
	}
	all := internStack(table, stack)
	g := newBelow(table)
	if top := g.findSet(all[depth-1]); len(g.sets) != depth || g.sets[top].size != depth {
		t.Errorf("%d sets, that of the top has %d members; want %d", len(g.sets), g.sets[top].size, depth)
	}
	if len(g.added) != depth {
		t.Errorf("%d members stored, want %d", len(g.added), depth)
	}
}
