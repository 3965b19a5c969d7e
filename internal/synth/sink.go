package synth

import "strconv"

// sink writes the calls of a side. Calls of one thread come in order; threads take turns in
// stretches. An error stays until close, which reports it.
type sink interface {
	enter(thread, depth int, c *activation)
	leave(thread, depth int, c *activation, end int64)
	// cut ends the recording of a thread whose calls are still open: the outermost ends.
	cut(thread int, stack []activation, end int64)
	failed() error
	close() error
	// abandon frees what close would; after close it does nothing.
	abandon()
}

const (
	processID   = 4200
	processName = "simulated"
)

// tid is a thread's id in the outputs and the truth; the main thread has the process's.
func tid(thread int) int { return processID + thread }

// fileName and descriptor say what an I/O call works on.
func fileName(object uint32) string {
	return "data/segment-" + strconv.Itoa(int(object)) + ".db"
}

func descriptor(object uint32) uint32 { return 3 + object }

const (
	openFlags = 0x241
	ioBuffer  = 0x7f3a_2000_0000
	ioLength  = 4096
	startAddr = 0x55d0_0000_1000 // of the thread function, as pthread_create names it
)
