package cli

import "testing"

// TestGarbage holds that a heap grows to smallHeap before it is collected, as the runtime says when
// that is, and a larger one by no more than the percentage that is asked for.
func TestGarbage(t *testing.T) {
	for _, least := range []int{gcPercentLarge, gcPercent} {
		for live := uint64(0); live < 2*smallHeap; live += 1 << 18 {
			percent := uint64(percentFor(live, least))
			at := max(live+live*percent/100, runtimeHeap*percent/100)
			most := max(live+live*uint64(least)/100, smallHeap)
			if at > most || at < most-most/16 {
				t.Fatalf("with %d bytes live and %d %%, a collection begins at %d, not at %d", live, least, at,
					most)
			}
		}
	}
}
