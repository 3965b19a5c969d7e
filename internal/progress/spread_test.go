package progress

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync/atomic"
	"testing"
)

// TestSpread holds that each number is worked on once, that an error ends the work, and that none
// begins once the context is done.
func TestSpread(t *testing.T) {
	var done [1000]atomic.Int32
	if err := Spread(t.Context(), len(done), func(i int) error {
		done[i].Add(1)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for i := range done {
		if n := done[i].Load(); n != 1 {
			t.Fatalf("%d was worked on %d times", i, n)
		}
	}
	broken := errors.New("broken")
	if err := Spread(t.Context(), 10, func(int) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("%v, want %v", err, broken)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Spread(ctx, 10, func(int) error { t.Error("it works"); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want that it was cancelled", err)
	}
}

// TestLargestFirst holds the order against a stable sort.
func TestLargestFirst(t *testing.T) {
	sizes := []int{3, 0, 7, 3, math.MaxInt64, 7, 1, math.MaxInt32 + 5, 3}
	want := []int{4, 7, 2, 5, 0, 3, 8, 6, 1} // beyond 2^31 all are as large
	if got := LargestFirst(len(sizes), func(i int) int { return sizes[i] }); !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
}
