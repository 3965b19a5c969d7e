//go:build unix

package jaeger_test

import (
	"encoding/json"
	"testing"

	"diptych/internal/peers"
)

// BenchmarkPeerEncodingJSON loads requests, and has encoding/json decode them.
func BenchmarkPeerEncodingJSON(b *testing.B) {
	data := manySpans(50_000)
	peers.Race(b, func() {
		if _, err := loadBytes(data, ""); err != nil {
			b.Fatal(err)
		}
	}, func() {
		var into struct{ Data []jsonTrace }
		if err := json.Unmarshal(data, &into); err != nil {
			b.Fatal(err)
		}
	})
}
