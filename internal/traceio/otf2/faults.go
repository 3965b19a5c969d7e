package otf2

import (
	"fmt"
	"math"

	"diptych/internal/trace"
)

// faults counts what is wrong with a part of an archive, with the first example of each kind. Parts
// that are read at the same time have a list each, which reach the Builder in a fixed order.
type faults []trace.Diagnostic

func (f *faults) add(c trace.Code, n uint64, format string, args ...any) {
	for i := range *f {
		if d := &(*f)[i]; d.Code == c {
			d.Count += min(n, math.MaxUint64-d.Count)
			return
		}
	}
	*f = append(*f, trace.Diagnostic{Code: c, Count: n, Example: fmt.Sprintf(format, args...)})
}

// handOver counts the faults in the trace.
func (f faults) handOver(b *trace.Builder) {
	for _, d := range f {
		b.Diagnose(d.Code, d.Count, "%s", d.Example)
	}
}
