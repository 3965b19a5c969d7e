//go:build unix

package loadtest

import (
	"runtime"
	"syscall"
	"time"
)

// Fastest returns the processor time of the fastest of n runs: on a busy machine elapsed time says
// little. What the collector does meanwhile on other processors counts as well.
func Fastest(n int, run func()) time.Duration {
	best := time.Duration(1 << 62)
	for range n {
		runtime.GC()
		began := ProcessorTime()
		run()
		best = min(best, ProcessorTime()-began)
	}
	return best
}

// ProcessorTime is what this process has used so far.
func ProcessorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
