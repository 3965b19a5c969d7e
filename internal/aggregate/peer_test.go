//go:build unix

package aggregate

import (
	"testing"

	"diptych/internal/peers"
)

// BenchmarkPeerPublished finds an optimal partition by the algorithm of Ocelotl's paper, as the
// library lpaggreg computes it: every aggregate from the formulas, then a cubic recursion.
func BenchmarkPeerPublished(b *testing.B) {
	s := regular(64, 50, 8)
	peers.Race(b, func() { bestOf(b, measured(b, s, Sum), .5) }, func() { published(s, .5) })
}
