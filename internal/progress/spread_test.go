package progress

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"sync"
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

// TestSpreadEach holds that each goroutine begins once and works alone with what it began with, and
// that all of them together work on each number once.
func TestSpreadEach(t *testing.T) {
	const n = 1000
	var mu sync.Mutex
	var all []*[]int
	if err := SpreadEach(t.Context(), n, func() func(int) error {
		own := new([]int)
		mu.Lock()
		defer mu.Unlock()
		all = append(all, own)
		return func(i int) error { *own = append(*own, i); return nil }
	}); err != nil {
		t.Fatal(err)
	}
	if most := runtime.GOMAXPROCS(0); len(all) > most {
		t.Errorf("it began %d times on %d processors", len(all), most)
	}
	var done []int
	for _, own := range all {
		done = append(done, *own...)
	}
	if slices.Sort(done); !slices.Equal(done, numbersBelow(n)) {
		t.Errorf("%d were worked on, want each of %d once", len(done), n)
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
