//go:build unix

package ctf

import (
	"testing"

	"diptych/internal/peers"
	"diptych/internal/trace"
	"diptych/internal/traceio/loadtest"
)

// BenchmarkPeerBabeltrace2 reads a trace of functions with babeltrace2, which decodes every event and prints
// none, and into a trace of ours.
func BenchmarkPeerBabeltrace2(b *testing.B) {
	peers.Need(b, "babeltrace2")
	r, file := manyCalls(400_000)
	dir, files := r.folder(file), map[string][]byte{}
	for name, f := range dir {
		files[name] = f.Data
	}
	at := peers.OnDisk(b, files)
	ours := func() *trace.Trace { return loadtest.Loader(Load).Trace(b, at) }
	peers.Agree(b, "calls", ours().Calls(), peers.Lines(b, "func_entry", at, "babeltrace2", at))
	peers.Race(b, func() { ours() },
		func() { peers.Run(b, at, "babeltrace2", at, "-c", "sink.utils.dummy") })
}
