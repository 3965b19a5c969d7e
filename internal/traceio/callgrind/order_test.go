package callgrind

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestEqualCycles holds that a cycle that nobody calls begins with the same one of two functions that
// cost as much, and that what cannot be split evenly goes the same way.
func TestEqualCycles(t *testing.T) {
	first, second := "fn=f0\n+1 1\ncfn=f1\ncalls=1 0\n* 1\n", "fn=f1\n+1 1\ncfn=f0\ncalls=1 0\n* 1\n"
	for _, text := range []string{first + second, second + first} {
		if got, want := rows(load(t, "events: Ir\n"+text)), []string{"f0 2", " f1 1"}; !slices.Equal(got, want) {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// TestOrderDoesNotMatter holds that files that say the same in another order have the same trees:
// equal runs of a program write such.
func TestOrderDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		head, rest, _ := strings.Cut(string(costsOf(drawRun(t)).write(false)), "fn=")
		rest, _, _ = strings.Cut(rest, "totals:")
		functions := strings.Split(rest, "\nfn=")
		for i, text := range functions {
			functions[i] = "fn=" + strings.TrimSuffix(text, "\n") + "\n"
		}
		trees := [2][]string{}
		for k, order := range [2][]string{functions, rapid.Permutation(functions).Draw(t, "order")} {
			tr, err := tryLoad([]byte(head+strings.Join(order, "")), "")
			if err != nil {
				t.Fatal(err)
			}
			trees[k] = rows(tr)
		}
		if !slices.Equal(trees[0], trees[1]) {
			t.Fatalf("%q\nand in another order\n%q", trees[0], trees[1])
		}
	})
}
