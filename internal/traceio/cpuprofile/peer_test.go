//go:build unix

package cpuprofile

import (
	"bytes"
	"encoding/json"
	"testing"

	"diptych/internal/peers"
	"diptych/internal/traceio/loadtest"
)

// BenchmarkPeerEncodingJSON loads profiles of all forms, and has encoding/json decode the same
// fields.
func BenchmarkPeerEncodingJSON(b *testing.B) {
	profile := long(b, 200, 6, 3)
	sampled := long(b, 20, 120, 5)
	var indented bytes.Buffer
	if err := json.Indent(&indented, encoded(profile), "", "  "); err != nil {
		b.Fatal(err)
	}
	for _, form := range []struct {
		name string
		text []byte
		into func() any
	}{
		{"nodes", encoded(profile), func() any { return new(plain) }},
		{"samples", encoded(sampled), func() any { return new(plain) }},
		{"slow", encoded(slow(30_000)), func() any { return new(plain) }},
		{"parents", profile.byParent(), func() any { return new(plain) }},
		{"indented", indented.Bytes(), func() any { return new(plain) }},
		{"nested", profile.nested(), func() any { return new(plainOlder) }},
	} {
		b.Run(form.name, func(b *testing.B) {
			peers.Race(b, loadtest.Loader(Load).Opened(b, form.text), func() {
				if err := json.Unmarshal(form.text, form.into()); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
}
