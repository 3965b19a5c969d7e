package align

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"diptych/internal/progress"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// repetitive is a forest of copies of another, most of them with few changes, some of them
// together below one call: so subtrees are met again that are small, and that are larger than
// those with sums.
func repetitive(r *rand.Rand, base []*testtrace.Tree, functions int) (list []*testtrace.Tree) {
	for range 2 + r.IntN(8) {
		part := testtrace.Edit(r, base, functions, []float64{0, 0.001, 0.05}[r.IntN(3)])
		if r.IntN(2) == 0 {
			part = append(part, testtrace.Edit(r, base, functions, 0)...)
			part = []*testtrace.Tree{{Fn: r.IntN(functions), Below: part}}
		}
		list = append(list, part...)
	}
	testtrace.Number(list)
	return list
}

// stackOf is a stack of so many calls, few of which call something else before or after the next.
func stackOf(r *rand.Rand, depth, functions int) (list []*testtrace.Tree) {
	for range depth {
		list = []*testtrace.Tree{{Fn: r.IntN(functions), Below: list}}
		switch aside := (&testtrace.Tree{Fn: r.IntN(functions)}); r.IntN(300) {
		case 0:
			list = append(list, aside)
		case 1:
			list = append([]*testtrace.Tree{aside}, list...)
		}
	}
	testtrace.Number(list)
	return list
}

// renamed is a forest in which functions have the names of others.
func renamed(list []*testtrace.Tree, to []uint32) (out []*testtrace.Tree) {
	for _, x := range list {
		out = append(out, &testtrace.Tree{Fn: int(to[x.Fn]), Below: renamed(x.Below, to), At: x.At})
	}
	return out
}

// somePassed is a set of calls that have callees.
func somePassed(r *rand.Rand, th *trace.Thread, rate float64) (passed Calls) {
	for i := range th.Len() {
		if th.Size(i) > 1 && r.Float64() < rate {
			passed.add(int32(i), th.Len())
		}
	}
	return passed
}

// TestNumberingReadsForests: from the class of a thread's roots one can read its forest again,
// without the calls that are set aside or passed through, and no two classes of several threads
// are the same. Functions may have one identity.
func TestNumberingReadsForests(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 4))
	for round := range sized(20, 200) {
		functions := 1 + r.IntN(6)
		identity := make([]uint32, functions)
		for fn := range identity {
			identity[fn] = uint32(fn)
			if r.IntN(5) == 0 {
				identity[fn] = uint32(r.IntN(functions))
			}
		}
		off, asides := make([]bool, functions), map[int]bool{}
		if round%3 == 0 {
			off[0], asides[0] = true, true
		}
		base := testtrace.Grow(r, 1+r.IntN(600), functions, r.Float64())
		if round%13 == 6 {
			base = stackOf(r, mostSummed+100, functions)
		}
		var forests [][]*testtrace.Tree
		for range 1 + r.IntN(4) {
			forests = append(forests, repetitive(r, base, functions))
		}
		tr := testtrace.Record(t, nil, forests...)
		ids := make([]uint32, len(tr.Functions))
		for k, f := range tr.Functions {
			fn, _ := strconv.Atoi(f.Name[1:])
			ids[k] = identity[fn]
		}
		n := newNumbering(ids, off)
		if round%2 == 0 {
			n.aheadFrom = 0
		}
		names := names{}
		var want [][]int // of the roots of each thread
		var roots []uint32
		for k, forest := range forests {
			th, passed := tr.Threads[k], Calls(nil)
			if round%4 == 1 {
				passed = somePassed(r, th, 0.01)
			}
			root, _, err := n.numberThread(t.Context(), th, passed, progress.NewMeter(nil, 0))
			if err != nil {
				t.Fatal(err)
			}
			roots = append(roots, root)
			want = append(want, names.ofForest(without(renamed(forest, identity), passed, asides)))
		}
		of := names.ofClasses(n.classTable)
		for k, root := range roots {
			for i, class := range n.callees(root) {
				if i >= len(want[k]) || of[class] != want[k][i] {
					t.Fatalf("round %d, thread %d: root %d is of class %d, another", round, k, i, class)
				}
			}
			if len(n.callees(root)) != len(want[k]) {
				t.Fatalf("round %d, thread %d: %d roots of %d", round, k, len(n.callees(root)), len(want[k]))
			}
		}
		slices.Sort(of)
		if len(slices.Compact(of)) != len(n.fn) {
			t.Fatalf("round %d: two classes are the same", round)
		}
	}
}

// TestWholeStacks: large subtrees that are met again have the classes that they had, also those with
// sizes that columns keep elsewhere, in other threads, and behind changes. What is compared in vain
// is no more than the calls.
func TestWholeStacks(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 6))
	const functions = 3
	for round := range 5 {
		calls := mostSummed + 50
		base := stackOf(r, calls, functions)
		if round == 4 { // a stack of so many would be deep for the tests' recursion
			calls = 1<<15 + 300
			base = testtrace.Grow(r, calls, functions, 0.3)
			for range 3 {
				base = []*testtrace.Tree{{Fn: 1, Below: base}}
			}
		}
		var forests [][]*testtrace.Tree
		for range 3 {
			var forest []*testtrace.Tree
			for range 1 + r.IntN(3) {
				rate := []float64{0, 0, 0.5 / float64(calls), 0.01}[r.IntN(4)]
				forest = append(forest, testtrace.Edit(r, base, functions, rate)...)
			}
			testtrace.Number(forest)
			forests = append(forests, forest)
		}
		tr := testtrace.Record(t, nil, forests...)
		ids := make([]uint32, len(tr.Functions))
		for k, f := range tr.Functions {
			fn, _ := strconv.Atoi(f.Name[1:])
			ids[k] = uint32(fn)
		}
		n, names, roots := newNumbering(ids, make([]bool, functions)), names{}, []uint32(nil)
		for _, th := range tr.Threads {
			root, _, err := n.numberThread(t.Context(), th, nil, progress.NewMeter(nil, 0))
			if err != nil {
				t.Fatal(err)
			}
			if roots = append(roots, root); n.wholes.spent > 2*th.Len() {
				t.Errorf("round %d: %d calls compared in vain, of %d", round, n.wholes.spent, th.Len())
			}
		}
		of := names.ofClasses(n.classTable)
		for k, forest := range forests {
			want := names.ofForest(forest)
			for i, class := range n.callees(roots[k]) {
				if i >= len(want) || of[class] != want[i] {
					t.Fatalf("round %d, thread %d: root %d is of class %d, another", round, k, i, class)
				}
			}
		}
		slices.Sort(of)
		if len(slices.Compact(of)) != len(n.fn) {
			t.Fatalf("round %d: two classes are the same", round)
		}
	}
}

// TestWholeIsGonePast: of a stack that is met a second time no call is opened.
func TestWholeIsGonePast(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 7))
	stack := stackOf(r, sized(3, 8)*mostSummed, 4)
	twice := append(testtrace.Edit(r, stack, 4, 0), stack...)
	testtrace.Number(twice)
	tr := testtrace.Record(t, nil, twice)
	ids := make([]uint32, len(tr.Functions))
	for k := range ids {
		ids[k] = uint32(k)
	}
	n, th := newNumbering(ids, make([]bool, len(ids))), tr.Threads[0]
	if _, _, err := n.numberThread(t.Context(), th, nil, progress.NewMeter(nil, 0)); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < th.Len(); i += int(th.Size(i)) {
		if size := int(th.Size(i)); size > mostSummed {
			if _, ok := n.findWhole(ids[th.Fn[i]], th, i, size); !ok {
				t.Errorf("call %d, in a subtree of %d calls, is opened", i, size)
			}
		}
	}
}

// names numbers subtrees by their functions and the names of their callees.
type names map[string]int

func (n names) of(fn int, kids []int) int {
	key := binary.NativeEndian.AppendUint64(nil, uint64(fn))
	for _, k := range kids {
		key = binary.NativeEndian.AppendUint64(key, uint64(k))
	}
	name, ok := n[string(key)]
	if !ok {
		name = len(n)
		n[string(key)] = name
	}
	return name
}

func (n names) ofForest(list []*testtrace.Tree) (names []int) {
	for _, x := range list {
		names = append(names, n.of(x.Fn, n.ofForest(x.Below)))
	}
	return names
}

// ofClasses returns the names of the classes of a table.
func (n names) ofClasses(t *classTable) (names []int) {
	for class, fn := range t.fn {
		var kids []int
		for _, k := range t.callees(uint32(class)) {
			kids = append(kids, names[k])
		}
		names = append(names, n.of(int(fn), kids))
	}
	return names
}

// TestSumsOfListsAreThoseOfCalls: the sum of a subtree is the same from running sums as from the
// classes of its callees, and a thread may be gone through with gaps.
func TestSumsOfListsAreThoseOfCalls(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 5))
	summed := 0
	for range 20 {
		functions := 1 + r.IntN(5)
		forest := repetitive(r, testtrace.Grow(r, 1+r.IntN(900), functions, r.Float64()), functions)
		tr := testtrace.Record(t, nil, forest)
		ids := make([]uint32, len(tr.Functions))
		for k := range ids {
			ids[k] = r.Uint32N(1000)
		}
		n, th := newNumbering(ids, make([]bool, 1000)), tr.Threads[0]
		if _, _, err := n.numberThread(t.Context(), th, nil, progress.NewMeter(nil, 0)); err != nil {
			t.Fatal(err)
		}
		var s sums
		s.start(th, ids)
		for i := 0; i < th.Len(); i += 1 + r.IntN(1+r.IntN(500)) {
			if size := int(th.Size(i)); size > 1 && size <= mostSummed {
				class, ok := n.find(s.of(i, size), th, i, size)
				if !ok || n.size[class] != uint32(size) ||
					n.met[class].sum != n.sumOf(n.fn[class], n.size[class], n.callees(class)) {
					t.Fatalf("call %d of %d: class %d, %v", i, size, class, ok)
				}
				summed++
			}
		}
	}
	if summed < 100 {
		t.Errorf("%d subtrees had a sum", summed)
	}
}
