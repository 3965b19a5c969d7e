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

// TestLargestFirst holds the order against a stable sort, in which all small pieces are as large.
func TestLargestFirst(t *testing.T) {
	for _, c := range []struct{ sizes, want []int }{
		{[]int{3, 0, 7, 3, 20, 7, 1, 3}, []int{4, 2, 5, 0, 3, 7, 6, 1}},
		{[]int{0, 2000, 1, 3000, 2, 30}, []int{3, 1, 5, 0, 2, 4}},          // 4 would not be small
		{[]int{5, math.MaxInt64, 4, math.MaxInt32 + 5}, []int{1, 3, 0, 2}}, // beyond 2^31 all are as large
		{nil, nil},
	} {
		if got := LargestFirst(len(c.sizes), func(i int) int { return c.sizes[i] }); !slices.Equal(got, c.want) {
			t.Errorf("order %v, want %v", got, c.want)
		}
	}
}
