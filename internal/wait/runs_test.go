package wait

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestMergeRuns holds mergeRuns against the standard library's sort that keeps the order of equals.
func TestMergeRuns(t *testing.T) {
	type entry struct{ key, at int }
	byKey := func(x, y entry) int { return cmp.Compare(x.key, y.key) }
	rapid.Check(t, func(t *rapid.T) {
		list := make([]entry, rapid.IntRange(0, 20).Draw(t, "length"))
		for i := range list {
			list[i] = entry{rapid.IntRange(0, 4).Draw(t, "key"), i}
		}
		for run := range slices.Chunk(list, rapid.IntRange(1, 8).Draw(t, "run")) {
			slices.SortStableFunc(run, byKey)
		}
		got, want := slices.Clone(list), slices.Clone(list)
		mergeRuns(got, byKey)
		slices.SortStableFunc(want, byKey)
		if !slices.Equal(got, want) {
			t.Fatalf("%v in order is %v, want %v", list, got, want)
		}
	})
}
