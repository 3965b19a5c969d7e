package otf2

import (
	"math"

	"diptych/internal/trace"
)

// faults counts what is wrong with a part of an archive, with the first example of each kind. Parts
// that are read at the same time have a list each, which reach the Builder in a fixed order.
type faults []fault

type fault struct {
	code    trace.Code
	count   uint64
	example trace.Example
}

func (f *faults) add(c trace.Code, n uint64, format string, args ...any) {
	f.addAs(c, n, trace.NewExample(format, args...))
}

func (f *faults) addAs(c trace.Code, n uint64, example trace.Example) {
	for i := range *f {
		if d := &(*f)[i]; d.code == c {
			d.count += min(n, math.MaxUint64-d.count)
			return
		}
	}
	*f = append(*f, fault{c, n, example})
}

// handOver counts the faults in the trace.
func (f faults) handOver(b *trace.Builder) {
	for _, d := range f {
		b.DiagnoseAs(d.code, d.count, d.example)
	}
}
