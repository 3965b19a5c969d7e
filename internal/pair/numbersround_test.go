package pair

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestNumbersOfManyRounds clears numbers again and again, also when the count of rounds begins anew:
// no key of an earlier round is found, and those of this one are numbered from 0.
func TestNumbersOfManyRounds(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 1))
	for _, from := range []uint32{0, 1, math.MaxUint32 - 2, math.MaxUint32} {
		n := Numbers{}
		for key := range uint64(25) { // left by the first of all rounds
			n.Of(key)
		}
		n.round = max(from, 1)
		for round := range 6 {
			n.Clear()
			if n.Find(1) != -1 {
				t.Fatalf("from %d, round %d: key 1 is %d", from, round, n.Find(1))
			}
			plain := map[uint64]int32{}
			keys := uint64(25) // too few for the table to grow, which would leave old rounds behind
			if round == 5 {
				keys = 300
			}
			for range 2 * keys {
				key := r.Uint64N(keys)
				want, ok := plain[key]
				if !ok {
					want = int32(len(plain))
					if got := n.Find(key); got != -1 {
						t.Fatalf("from %d, round %d: new key %d is %d", from, round, key, got)
					}
					plain[key] = want
				}
				if got := n.Of(key); got != want || n.Find(key) != want {
					t.Fatalf("from %d, round %d: key %d is %d, want %d", from, round, key, got, want)
				}
			}
		}
	}
}
