package cli

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"

	"diptych/internal/trace"
)

// allowance is how much garbage there may be: a share of what is live, in percent, and at least so
// many bytes.
type allowance struct {
	percent int
	bytes   uint64
}

// The allowances keep the heap close to what is live, unless GOGC says otherwise. Almost all of the
// heap are columns without pointers, which cost the collector nothing to scan. Beside large traces
// garbage in proportion would be as much as an analysis needs, while collections are rare. As many
// bytes as may lie there when most is live may lie there before. Where there is much to scan, as in
// traces of thousands of threads, garbage may be a multiple of that, so that what a byte costs is
// the same. In a heap that is small anyway collections would be frequent, and save nothing that
// matters.
var (
	garbageUsual       = allowance{percent: 25}
	garbageBesideLarge = allowance{percent: 6, bytes: 40 << 20}
)

const (
	largeTrace  = 128 << 20 // bytes
	smallHeap   = 64 << 20  // bytes, live and garbage
	runtimeHeap = 4 << 20   // bytes that the percentage is of, if less is live
	perScanned  = 3         // bytes of garbage for each that a collection scans
)

// garbage is how much of it there may be. The setting is one of the process.
var garbage struct {
	sync.Mutex
	allowed  allowance // beside a heap that is not small
	followed bool
}

// allowGarbage lets there be so much garbage, and more in a small heap.
func allowGarbage(a allowance) {
	if os.Getenv("GOGC") != "" {
		return
	}
	garbage.Lock()
	garbage.allowed = a
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
		allowGarbage(garbageBesideLarge)
	}
}

// collection is garbage at each collection, and so tells when one is over. It has a pointer so that
// it does not share its place with something that lives longer.
type collection struct{ _ *collection }

// setGarbage sets the percentage for the heap as the last collection left it.
func setGarbage(c *collection) {
	heap := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/scan/heap:bytes"}}
	metrics.Read(heap)
	garbage.Lock()
	debug.SetGCPercent(percentFor(heap[0].Value.Uint64(), heap[1].Value.Uint64(), garbage.allowed))
	garbage.Unlock()
	if c != nil {
		runtime.SetFinalizer(c, setGarbage)
	}
}

// percentFor returns the percentage at which a heap of which so many bytes are live, and so many of
// them scanned, grows to smallHeap, or by what is allowed if that is more.
func percentFor(live, scanned uint64, a allowance) int {
	live = max(live, runtimeHeap)
	room := max(a.bytes, perScanned*scanned)
	if live < smallHeap {
		room = max(room, smallHeap-live)
	}
	return max(a.percent, int(100*room/live))
}

// undrawn is when what was closed is not on the screen any more.
const undrawn = time.Second

var givingBack atomic.Bool

// giveBack returns to the system, before long, what closed traces took, or loads that came to
// nothing. A window in which nothing happens has no reason to collect for two minutes, and then
// keeps most of the memory for itself.
func giveBack() {
	if !givingBack.Swap(true) {
		time.AfterFunc(undrawn, func() {
			givingBack.Store(false)
			debug.FreeOSMemory()
		})
	}
}
