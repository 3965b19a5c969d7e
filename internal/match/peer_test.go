//go:build unix

package match

import (
	"context"
	"testing"

	"diptych/internal/peers"
)

// BenchmarkPeerQuadratic compares every call of one side with every call of the other, as TraceDiff
// does, though by bit sets. There are few calls, since its time grows with their square.
func BenchmarkPeerQuadratic(b *testing.B) {
	g := simulated(b, *benchPlain)
	ours := func() {
		if _, err := g.Match(context.Background(), DefaultTau, nil); err != nil {
			b.Fatal(err)
		}
	}
	peers.Race(b, ours, func() { quadratic(g, DefaultTau) })
}
