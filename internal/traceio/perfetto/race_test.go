//go:build unix

package perfetto_test

import (
	"testing"

	"diptych/internal/peers"
)

// BenchmarkPlainRead races the way from a file to a finished trace against a plain walk over all
// fields of the file.
func BenchmarkPlainRead(b *testing.B) {
	file := manyCalls(400_000)
	peers.Race(b, func() { mustLoad(b, file) }, func() {
		if n, ok := walk(file); !ok || n == 0 {
			b.Fatal("not a file of fields")
		}
	})
}
