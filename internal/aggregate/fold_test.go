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
		states := 1 + r.IntN(12)
		to := make([]uint32, states)
		for i := range to {
			to[i] = r.Uint32N(uint32(states))
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

// TestSortStates sorts within slices only: slices stay as they are, even out of order.
func TestSortStates(t *testing.T) {
	for _, c := range []struct{ cells, want []Cell }{
		{nil, nil},
		{[]Cell{{4, 2, 1}}, []Cell{{4, 2, 1}}},
		{[]Cell{{0, 2, 1}, {0, 1, 2}, {0, 0, 3}}, []Cell{{0, 0, 3}, {0, 1, 2}, {0, 2, 1}}},
		{[]Cell{{0, 1, 1}, {1, 0, 2}, {2, 1, 3}, {2, 0, 4}}, []Cell{{0, 1, 1}, {1, 0, 2}, {2, 0, 4}, {2, 1, 3}}},
		{[]Cell{{0, 9, 1}, {0, 8, 2}, {3, 9, 3}, {3, 8, 4}}, []Cell{{0, 8, 2}, {0, 9, 1}, {3, 8, 4}, {3, 9, 3}}},
		{[]Cell{{5, 1, 1}, {5, 0, 2}, {2, 1, 3}, {2, 0, 4}}, []Cell{{5, 0, 2}, {5, 1, 1}, {2, 0, 4}, {2, 1, 3}}},
	} {
		got := slices.Clone(c.cells)
		if sortStates(got); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.cells, got, c.want)
		}
	}
}
