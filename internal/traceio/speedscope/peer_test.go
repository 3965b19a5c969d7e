//go:build unix

package speedscope

import (
	"encoding/json"
	"testing"

	"diptych/internal/peers"
)

// BenchmarkPeerEncodingJSON loads profiles, and has encoding/json decode what is loaded.
func BenchmarkPeerEncodingJSON(b *testing.B) {
	for name, text := range map[string]string{"sampled": sampledFile(), "evented": eventedFile()} {
		b.Run(name, func(b *testing.B) {
			peers.Race(b, func() {
				if tr := mustLoad(b, text); tr.Calls() == 0 {
					b.Fatal("no calls")
				}
			}, func() {
				var d document
				if err := json.Unmarshal([]byte(text), &d); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
}
