package input

import (
	"math"

	"diptych/internal/trace"
)

// Faults counts what is wrong with a part of a recording, with the first example of each kind.
// Parts that are read at the same time have a list each, and the lists reach the Builder in a fixed
// order: so which example is told does not depend on which part was read first.
type Faults []fault

type fault struct {
	code    trace.Code
	count   uint64
	example trace.Example
}

// Add counts n faults, as Builder.Diagnose does.
func (f *Faults) Add(c trace.Code, n uint64, format string, args ...any) {
	f.AddAs(c, n, trace.NewExample(format, args...))
}

// AddAs counts n faults with an example that was made before.
func (f *Faults) AddAs(c trace.Code, n uint64, example trace.Example) {
	for i := range *f {
		if d := &(*f)[i]; d.code == c {
			d.count += min(n, math.MaxUint64-d.count)
			return
		}
	}
	*f = append(*f, fault{c, n, example})
}

// HandOver counts the faults in the trace.
func (f Faults) HandOver(b *trace.Builder) {
	for _, d := range f {
		b.DiagnoseAs(d.code, d.count, d.example)
	}
}
