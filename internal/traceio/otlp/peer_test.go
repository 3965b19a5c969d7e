//go:build unix

package otlp

import (
	"bytes"
	"encoding/json"
	"testing"

	"diptych/internal/peers"
)

// BenchmarkPeerEncodingJSON loads requests as lines of JSON and as protocol buffers, and has
// encoding/json decode the lines.
func BenchmarkPeerEncodingJSON(b *testing.B) {
	groups := manySpans(50_000)
	text := toJSON(groups)
	decode := func() {
		for line := range bytes.Lines(text) {
			var into plainSpans
			if err := json.Unmarshal(line, &into); err != nil {
				b.Fatal(err)
			}
		}
	}
	for name, data := range map[string][]byte{"json": text, "wire": toWire(groups, true)} {
		b.Run(name, func(b *testing.B) {
			peers.Race(b, func() {
				if _, err := loadBytes(data); err != nil {
					b.Fatal(err)
				}
			}, decode)
		})
	}
}
