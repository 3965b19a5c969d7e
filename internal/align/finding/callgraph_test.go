package finding

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/pair"
)

// TestCallGraph holds callers and callees against the edges of both sides.
func TestCallGraph(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := recorded(t, nil, someCalls(t, "A")), recorded(t, nil, someCalls(t, "B"))
		p, results := alignedPair(t, a, b)
		s := newStudy(t.Context(), p, results, Options{}, nil)
		if err := s.gatherTotals(); err != nil {
			t.Fatal(err)
		}
		g := newCallGraph(s.totals, len(p.Names))
		var keys []uint64
		for _, of := range s.totals {
			keys = append(keys, of.keys...)
		}
		slices.Sort(keys)
		keys = slices.Compact(keys)
		var down, up []uint64
		for id := range uint32(len(p.Names)) {
			for _, e := range g.calleesOf(id) {
				down = append(down, pair.KeyOf(e.caller, e.id))
			}
			last := -1
			for e := range g.callersOf(id) {
				up = append(up, pair.KeyOf(e.caller, e.id))
				if e.id != id || int(e.caller) <= last || e.of != s.both(e.caller, id) {
					t.Fatalf("edge %+v among the callers of %d", e, id)
				}
				last = int(e.caller)
			}
		}
		slices.Sort(up)
		inFunctions, _ := slices.BinarySearch(keys, pair.KeyOf(atRoot, 0))
		if !slices.Equal(up, keys) || !slices.Equal(down, keys[:inFunctions]) ||
			len(g.inFunctions()) != inFunctions {
			t.Fatalf("callers of %d, callees of %d, want %d", up, down, keys)
		}
	})
}
