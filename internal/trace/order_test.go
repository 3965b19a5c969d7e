package trace

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestMergeSort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOf(rapid.IntRange(0, 20)).Draw(t, "keys")
		if rapid.Bool().Draw(t, "nearly sorted") {
			for i := range keys {
				keys[i] += 5 * i
			}
		}
		order := make([]uint32, len(keys))
		for i := range order {
			order[i] = uint32(i)
		}
		want := slices.Clone(order)
		slices.SortStableFunc(want, func(x, y uint32) int { return keys[x] - keys[y] })
		before := func(x, y uint32) bool { return keys[x] < keys[y] }
		if err := mergeSort(context.Background(), nil, order, before); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(order, want) {
			t.Fatalf("keys %v in order %v, want %v", keys, order, want)
		}
	})
}

// TestUnwind holds that calls in post-order need no sorting beyond it, and that others are
// permuted.
func TestUnwind(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var starts []int64
		var open []int64
		var w wholeColumns
		for now := range int64(rapid.IntRange(0, 80).Draw(t, "borders")) {
			if len(open) == 0 || rapid.Bool().Draw(t, "down") {
				open = append(open, now)
				continue
			}
			k := len(open) - 1
			starts = append(starts, open[k])
			w.start.push(open[k])
			w.end.push(now)
			open = open[:k]
		}
		order := w.unwind(nil)
		if !slices.IsSortedFunc(order, func(x, y uint32) int { return int(starts[x] - starts[y]) }) {
			t.Fatalf("starts %v in order %v", starts, order)
		}
		for i, at := range rapid.Permutation(starts).Draw(t, "permuted") {
			*w.start.place(i) = at
		}
		order = w.unwind(nil)
		slices.Sort(order)
		for i, x := range order {
			if int(x) != i {
				t.Fatalf("no permutation: %v", order)
			}
		}
	})
}
