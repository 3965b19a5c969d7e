package gotrace

import (
	"slices"
	"strconv"
	"testing"

	xtrace "golang.org/x/exp/trace"
	"pgregory.net/rapid"
)

// numbering draws numbers that are mostly small and near each other, and at times any.
var numbering = rapid.OneOf(rapid.Uint64Range(0, 300), rapid.Uint64Range(1<<20, 1<<20+100),
	rapid.SampledFrom([]uint64{1<<63 - 1, 1 << 63, 1<<64 - 1}))

// TestGoroutinesAreFound holds goroutines by their pages against a map.
func TestGoroutinesAreFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var pages byID[int]
		all := map[xtrace.GoID]int{}
		for i, n := range rapid.SliceOf(numbering).Draw(t, "goroutines") {
			id := xtrace.GoID(n)
			if rapid.Bool().Draw(t, "ends") {
				pages.remove(id)
				delete(all, id)
			} else {
				pages.set(id, &i)
				all[id] = i
			}
			for _, id := range []xtrace.GoID{id, id + 1, id + pageLen, id + pageLen*recentPages} {
				want, ok := all[id]
				if got := pages.get(id); (got != nil) != ok || ok && *got != want {
					t.Fatalf("goroutine %d: %v, want %v, %d", id, got, ok, want)
				}
			}
		}
		var got, want, numbers []int
		for id := range all {
			numbers = append(numbers, int(id))
		}
		for _, id := range slices.Sorted(slices.Values(numbers)) {
			want = append(want, all[xtrace.GoID(id)])
		}
		if pages.all(func(i *int) { got = append(got, *i) }); !slices.Equal(got, want) {
			t.Fatalf("all are %v, want %v", got, want)
		}
	})
}

// TestNamesStay: a text stays as it is while others are made, on both sides of where a piece ends.
func TestNamesStay(t *testing.T) {
	var made names
	var got, want []string
	for i := range int64(2000) {
		n := i * i * i
		got, want = append(got, made.number(n)), append(want, strconv.FormatInt(n, 10))
		got, want = append(got, made.join("a", want[i], "b")), append(want, "a"+want[i]+"b")
	}
	long := string(make([]byte, 3*namesPiece))
	got, want = append(got, made.join(long, "x")), append(want, long+"x")
	if !slices.Equal(got, want) {
		t.Error("texts have changed")
	}
}
