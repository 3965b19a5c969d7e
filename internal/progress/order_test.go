package progress

import (
	"testing"

	"pgregory.net/rapid"
)

// TestOrder holds that what follows from pieces of work comes in their order, each once, one at a
// time, and before all of them are waited for.
func TestOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 100).Draw(t, "n")
		work := rapid.Permutation(numbersBelow(n)).Draw(t, "work")
		var got []int // nothing but the order protects it
		o := NewOrder(n, func(i int) { got = append(got, i) })
		if err := Spread(t.Context(), n, func(i int) error { o.Done(work[i]); return nil }); err != nil {
			t.Fatal(err)
		}
		if len(got) != n {
			t.Fatalf("%d followed from %d", len(got), n)
		}
		for k, i := range got {
			if k != i {
				t.Fatalf("%d follows as number %d", i, k)
			}
		}
	})
}

func numbersBelow(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}
