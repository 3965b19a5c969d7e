package trace

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestCallCounts holds sums of random counts against plain ones, also after a trace was laid open
// and built again.
func TestCallCounts(t *testing.T) {
	noise := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		b, want := NewBuilder("random"), map[[2]FuncID]int64{}
		fns := []FuncID{b.Function(Function{Name: "f"}), b.Function(Function{Name: "g"}), b.Function(Function{Name: "h"})}
		for range noise.IntN(30) {
			ends := [2]FuncID{fns[noise.IntN(3)], fns[noise.IntN(3)]}
			n := noise.Int64N(5) - 1
			b.CountCalls(ends[0], ends[1], n)
			if n > 0 {
				want[ends] += n
			}
		}
		tr, err := b.Build(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		again, err := tr.Form().Build(inOrder)
		if err != nil {
			t.Fatal(err)
		}
		for _, list := range [][]CallCount{tr.CallCounts, again.CallCounts} {
			if len(list) != len(want) || !slices.IsSortedFunc(list, CallCount.compare) {
				t.Fatalf("%v, want %v", list, want)
			}
			for _, c := range list {
				if c.Calls != want[[2]FuncID{c.Caller, c.Callee}] {
					t.Fatalf("%v, want %v", list, want)
				}
			}
		}
	}
}
