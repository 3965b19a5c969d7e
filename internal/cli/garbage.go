package cli

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"

	"diptych/internal/trace"
)

// gcPercent keeps the heap close to what is live, unless GOGC says otherwise. Almost all of the
// heap are columns without pointers, which cost the collector nothing to scan. Beside large traces
// garbage in proportion would be as much as an analysis needs, while collections are rare. In a
// heap that is small anyway they would be frequent, and save nothing that matters.
const (
	gcPercent      = 25
	gcPercentLarge = 10
	largeTrace     = 128 << 20 // bytes
	smallHeap      = 64 << 20  // bytes, live and garbage
	runtimeHeap    = 4 << 20   // bytes that the percentage is of, if less is live
)

// garbage is how much of it there may be. The setting is one of the process.
var garbage struct {
	sync.Mutex
	percent  int // beside a heap that is not small
	followed bool
}

// allowGarbage lets garbage be percent of what is live, and more in a small heap.
func allowGarbage(percent int) {
	if os.Getenv("GOGC") != "" {
		return
	}
	garbage.Lock()
	garbage.percent = percent
	first := !garbage.followed
	garbage.followed = true
	garbage.Unlock()
	setGarbage(nil)
	if first {
		runtime.SetFinalizer(new(collection), setGarbage)
	}
}

// limitGarbage sets how much garbage there may be beside a trace.
func limitGarbage(tr *trace.Trace) {
	if tr.Footprint().Columns >= largeTrace {
		allowGarbage(gcPercentLarge)
	}
}

// collection is garbage at each collection, and so tells when one is over. It has a pointer so that
// it does not share its place with something that lives longer.
type collection struct{ _ *collection }

// setGarbage sets the percentage for the heap as the last collection left it.
func setGarbage(c *collection) {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	garbage.Lock()
	debug.SetGCPercent(percentFor(live[0].Value.Uint64(), garbage.percent))
	garbage.Unlock()
	if c != nil {
		runtime.SetFinalizer(c, setGarbage)
	}
}

// percentFor returns the percentage at which a heap of which so many bytes are live grows to
// smallHeap, or least if that is more.
func percentFor(live uint64, least int) int {
	live = max(live, runtimeHeap)
	if live >= smallHeap {
		return least
	}
	return max(least, int(100*(smallHeap-live)/live))
}
