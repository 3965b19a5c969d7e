//go:build unix

package otf2

import (
	"testing"

	"diptych/internal/peers"
	"diptych/internal/trace"
	"diptych/internal/traceio/loadtest"
)

// BenchmarkPeerOTF2Print reads an archive of two ranks with otf2-print, which decodes every event and
// is told to print none, and into a trace of ours.
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
	ours := func() *trace.Trace { return loadtest.Loader(Load).Trace(b, at) }
	peers.Agree(b, "calls", ours().Calls(), peers.Lines(b, "ENTER ", at, "otf2-print", anchor))
	peers.Race(b, func() { ours() }, func() { peers.Run(b, at, "otf2-print", "--silent", anchor) })
}
