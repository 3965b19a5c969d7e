package progress

import (
	"runtime"
	"sync/atomic"
)

var spare atomic.Int64

// Processors returns how many goroutines share work that is spread over all processors.
func Processors() int { return max(runtime.GOMAXPROCS(0)-int(spare.Load()), 1) }

// Spare has the runtime run more goroutines at once than Processors tells: as many more as two
// pieces of work and a few others need. It is for a program with a window, and called once.
//
// The goroutine of the window comes back from C some hundred times a frame. If all that run at once
// are at work then, it waits each time until one of them has had its 10 ms, and often until others
// have that were before it. With room for it, the system decides who goes on, and prefers who has
// slept.
func Spare() {
	n := runtime.GOMAXPROCS(0) + 2
	spare.Add(int64(n))
	runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + n)
}
