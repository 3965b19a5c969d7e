// Package spans holds what the recordings of slices with free names share, whatever they are
// encoded as: Chrome's trace events in JSON and in Perfetto's protocol buffers come from the same
// macros, so a slice of either must become the same function, and a flow the same link. It knows no
// encoding.
package spans

import (
	"strings"

	"diptych/internal/trace"
)

// Unnamed is the name of what has none.
const Unnamed = "(unnamed)"

// Function returns the function of a slice, or the kind of an instant: its package is its category.
// Kind k is what the place of the slice says; a Routine can turn out to be something else by its
// name and category.
func Function(name, category string, k trace.FuncKind) trace.Function {
	if name == "" {
		name = Unnamed
	}
	return trace.Function{Name: name, Package: category, Kind: KindOf(name, category, k),
		Off: offCPU(name)}
}

// Names of the time between two context switches, as uftrace calls it.
const (
	Switched  = "linux:schedule"
	Preempted = "linux:schedule (pre-empted)"
)

// Schedule returns the function of the time that a thread has no processor.
func Schedule(preempted bool) trace.Function {
	name := Switched
	if preempted {
		name = Preempted
	}
	return Function(name, "linux", trace.Event)
}

// offCPU tells context switches, as uftrace and perf show them, from code.
func offCPU(name string) trace.Off {
	switch {
	case name == Preempted:
		return trace.Ready
	case name == Switched, strings.HasSuffix(name, "sched_switch"):
		return trace.Switched
	}
	return trace.NotOff
}

// KindOf returns the kind of a function that would be of kind k by its place.
func KindOf(name, category string, k trace.FuncKind) trace.FuncKind {
	switch {
	case k != trace.Routine:
		return k
	case strings.HasPrefix(name, "linux:"), offCPU(name) != trace.NotOff:
		return trace.Event
	case strings.Contains(category, "user_timing"), strings.Contains(category, "user_annotation"):
		return trace.Region
	}
	return k
}

// PlainID replaces what the command line and other tools could not take in an id.
func PlainID(s string) string {
	if s == "" {
		return "-"
	}
	out := []byte(s) // not its runes, which bytes that are no UTF-8 would not survive as
	for i, c := range out {
		if c <= ' ' || c == ':' || c == 0x7f {
			out[i] = '_'
		}
	}
	return string(out)
}
