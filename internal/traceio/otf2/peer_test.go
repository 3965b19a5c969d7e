//go:build unix

package otf2

import (
	"testing"

	"diptych/internal/peers"
)

// BenchmarkPeerOTF2Print reads an archive of two ranks with otf2-print, which prints every event to nobody,
// and into a trace of ours.
func BenchmarkPeerOTF2Print(b *testing.B) {
	peers.Need(b, "otf2-print")
	dir, files := manyCalls(100_000), map[string][]byte{}
	anchor := ""
	for name, f := range dir {
		files[name] = f.Data
		if len(name) > 5 && name[len(name)-5:] == ".otf2" {
			anchor = name
		}
	}
	at := peers.OnDisk(b, files)
	peers.Race(b, func() { mustLoad(b, dir) },
		func() { peers.Run(b, at, "otf2-print", anchor) })
}
