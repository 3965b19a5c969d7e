//go:build unix

package gotrace

import (
	"testing"

	"diptych/internal/peers"
)

// BenchmarkPlainRead races the way from a recording to a finished trace against reading its events
// with the library that decodes them.
func BenchmarkPlainRead(b *testing.B) {
	for name, data := range recordings(b) {
		b.Run(name, func(b *testing.B) {
			peers.Race(b, func() { load(b, data) }, func() { drain(b, data) })
		})
	}
}
