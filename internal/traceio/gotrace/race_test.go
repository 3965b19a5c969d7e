//go:build unix

package gotrace

import (
	"runtime"
	"runtime/debug"
	"sync"
	"testing"

	"diptych/internal/peers"
)

// BenchmarkPlainRead races the way from a recording to a finished trace against reading its events
// with the library that decodes them. The files are short, so much of their time goes to what is
// new in them: threads, stacks, functions. The others are recorded here, and are long.
func BenchmarkPlainRead(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	all := recordings(b)
	all["channels"] = recorded(b, func(done *sync.WaitGroup) { exchange(done, 8, 50_000) })
	all["requests"] = recorded(b, func(done *sync.WaitGroup) { serve(done, 5_000) })
	for name, data := range all {
		b.Run(name, func(b *testing.B) {
			debug.SetGCPercent(garbage())
			peers.Race(b, func() { load(b, data) }, func() { drain(b, data) })
		})
	}
}

// garbage returns at which percentage the command line has garbage collected in a heap as small as
// this one: when that is 64 MB.
func garbage() int {
	const small = 64 << 20
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	live := max(m.HeapAlloc, 4<<20)
	return max(25, int(100*(small-min(live, small))/live))
}
