package stacks

import "diptych/internal/trace"

// UnitOf returns the unit of an axis for values that a recording states in a unit of time or size,
// in lower case, and how many of it one of these is. ok is false for all else, such as counts.
func UnitOf(word string) (unit trace.Unit, per int64, ok bool) {
	if ns := times[word]; ns > 0 {
		return trace.Nanoseconds, ns, true
	}
	if bytes := sizes[word]; bytes > 0 {
		return "bytes", bytes, true
	}
	return "", 0, false
}

var (
	times = map[string]int64{
		"ns": 1, "nsec": 1, "nanoseconds": 1, "us": 1e3, "usec": 1e3, "microseconds": 1e3,
		"ms": 1e6, "msec": 1e6, "milliseconds": 1e6, "s": 1e9, "sec": 1e9, "seconds": 1e9,
	}
	sizes = map[string]int64{
		"b": 1, "bytes": 1, "kb": 1 << 10, "kilobytes": 1 << 10, "mb": 1 << 20, "megabytes": 1 << 20,
	}
)
