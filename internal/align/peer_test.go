//go:build unix

package align

import (
	"testing"

	"diptych/internal/peers"
)

// BenchmarkPeerHybrid aligns a pair with the hybrid of Weber et al., Needleman-Wunsch where its
// matrix fits and Hirschberg's algorithm elsewhere, level by level as we do.
func BenchmarkPeerHybrid(b *testing.B) {
	p := measured(b)
	peers.Race(b, func() { timed(b, p, Options{}) }, func() { timed(b, p, Options{Engine: Hybrid}) })
}
