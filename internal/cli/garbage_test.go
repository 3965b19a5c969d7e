package cli

import "testing"

// TestGarbage holds that a heap grows to smallHeap before it is collected, as the runtime says when
// that is, and a larger one by no more than what is allowed, or than what there is to scan calls for.
func TestGarbage(t *testing.T) {
	for _, a := range []allowance{garbageBesideLarge, garbageUsual} {
		for live := uint64(0); live < 16*smallHeap; live += 1 << 18 {
			for _, scanned := range []uint64{0, live / 50, live / 3, live} {
				percent := uint64(percentFor(live, scanned, a))
				at := max(live+live*percent/100, runtimeHeap*percent/100)
				room := max(live*uint64(a.percent)/100, a.bytes, perScanned*scanned)
				most := max(live+room, smallHeap)
				if at > most || at < most-most/16 {
					t.Fatalf("with %d bytes live, %d scanned and %+v allowed, a collection begins at %d, not at %d",
						live, scanned, a, at, most)
				}
			}
		}
	}
}
