package aggregate

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestFold holds the folding of cells against sums by slice and state, and its memory against what
// it says. The cells are as threads have them: by slice, in the order of their states.
func TestFold(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 1))
	for range 300 {
		states := 1 + r.IntN(3*mostStates)
		to := make([]uint32, states)
		for i := range to {
			to[i] = r.Uint32N(uint32(min(states, mostStates+1)))
		}
		var cells []Cell
		sums := map[[2]uint32]int64{}
		for slice := range uint32(r.IntN(20)) {
			for state := range uint32(states) {
				if r.IntN(3) > 0 {
					continue
				}
				ns := r.Int64N(1000) + 1
				cells = append(cells, Cell{slice, state, ns})
				sums[[2]uint32{slice, to[state]}] += ns
			}
		}
		n := len(cells)
		got := fold(cells, to)
		if len(got) != len(sums) || !slices.IsSortedFunc(got, Cell.compare) {
			t.Fatalf("%v: %d cells, want %d in order", got, len(got), len(sums))
		}
		for _, c := range got {
			if sums[[2]uint32{c.Slice, c.State}] != c.Ns {
				t.Fatalf("%v, want %d ns", c, sums[[2]uint32{c.Slice, c.State}])
			}
		}
		// In place, it is a part of what was given; in new memory, at most three quarters of that.
		if inPlace := len(got) > 0 && &got[0] == &cells[0]; len(got) > 0 && inPlace != (4*len(got) >= 3*n) {
			t.Fatalf("%d cells of %d in place: %v", len(got), n, inPlace)
		}
		if len(got) != 0 && cap(got) > n {
			t.Fatalf("%d cells have room for %d", len(got), cap(got))
		}
	}
}
