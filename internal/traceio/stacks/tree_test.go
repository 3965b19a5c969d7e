package stacks

import (
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/trace"
)

// TestTree holds nodes against stacks as texts, with few and with many callees of one caller.
func TestTree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tree, known, texts := NewTree(), map[string]Node{"": Root}, map[Node]string{}
		most := rapid.SampledFrom([]int32{3, 40}).Draw(t, "functions")
		for range rapid.IntRange(1, 60).Draw(t, "stacks") {
			at, text := Root, ""
			for _, fn := range rapid.SliceOfN(rapid.Int32Range(0, most), 0, 3).Draw(t, "stack") {
				n := tree.Child(at, trace.FuncID(fn))
				text += string('a' + rune(fn))
				if before, ok := known[text]; ok && before != n || !ok && texts[n] != "" {
					t.Fatalf("%s is node %d, and was %d", text, n, before)
				}
				if tree.Caller(n) != at || tree.Function(n) != trace.FuncID(fn) || tree.Depth(n) != tree.Depth(at)+1 {
					t.Fatalf("%s is badly linked", text)
				}
				known[text], texts[n], at = n, text, n
			}
		}
		checkRenamed(t, tree, texts, rapid.Bool().Draw(t, "functions fall together"))
	})
}

// checkRenamed renames all functions of a tree, one to one or two to one.
func checkRenamed(t *rapid.T, tree *Tree, texts map[Node]string, together bool) {
	to := func(fn trace.FuncID) trace.FuncID { return 1000 - fn }
	if together {
		to = func(fn trace.FuncID) trace.FuncID { return fn / 2 }
	}
	nodes := tree.Rename(to)
	for n, text := range texts {
		if nodes != nil {
			n = nodes[n]
		}
		var fns []trace.FuncID
		for _, r := range text {
			fns = append(fns, to(trace.FuncID(r-'a')))
		}
		size := tree.Len()
		if got := tree.Stack(fns); got != n || tree.Len() != size {
			t.Fatalf("%s is node %d, want %d", text, got, n)
		}
	}
}
