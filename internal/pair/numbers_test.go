package pair

import (
	"testing"

	"pgregory.net/rapid"
)

// TestNumbers holds a table against a map, with keys that are close together and far apart.
func TestNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var n Numbers
		want := map[uint64]int32{}
		key := rapid.Custom(func(t *rapid.T) uint64 {
			return KeyOf(rapid.Uint32Range(0, 40).Draw(t, "x"), ^rapid.Uint32Range(0, 40).Draw(t, "y"))
		})
		for _, k := range rapid.SliceOfN(key, 0, 500).Draw(t, "keys") {
			if of, known := want[k]; n.Find(k) != of && known || !known && n.Find(k) != -1 {
				t.Fatalf("found %d for %x, want %d", n.Find(k), k, of)
			} else if !known {
				want[k] = int32(len(want))
			}
			if got := n.Of(k); got != want[k] {
				t.Fatalf("%x has number %d, want %d", k, got, want[k])
			}
		}
		n.Clear()
		for k := range want {
			if n.Find(k) != -1 {
				t.Fatalf("%x is still there", k)
			}
		}
	})
}
