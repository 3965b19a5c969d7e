//go:build unix

package firefox

import (
	"encoding/json"
	"testing"

	"diptych/internal/peers"
	"diptych/internal/traceio/loadtest"
)

// BenchmarkPeerEncodingJSON loads a profile, and has encoding/json decode the same tables.
func BenchmarkPeerEncodingJSON(b *testing.B) {
	file := long(200_000)
	peers.Race(b, loadtest.Loader(Load).Opened(b, file), func() {
		var p plainProfile
		if err := json.Unmarshal(file, &p); err != nil {
			b.Fatal(err)
		}
	})
}
