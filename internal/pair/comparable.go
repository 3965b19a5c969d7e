package pair

import (
	"fmt"

	"diptych/internal/trace"
)

// Comparable returns nil if two traces can be compared, else an error that says why not: amounts of
// different units, such as the bytes of a heap profile and the time of a timeline, have no
// difference. Either trace may be nil.
func Comparable(a, b *trace.Trace) error {
	if a == nil || b == nil || a.Unit == b.Unit {
		return nil
	}
	return fmt.Errorf("A is measured in %s and B in %s, so they cannot be compared", a.Unit, b.Unit)
}
