package uftrace

import (
	"math"

	"diptych/internal/plural"
	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

// losses are records that a recorder says it lost between two that it kept. The numbers come from
// the file, so they are held against what can have happened: no recorder makes more than a record a
// nanosecond.
type losses struct {
	n     uint64
	began uint64 // time of the first record, ns
}

// add adds n records. So many that they do not fit a number are as many as do.
func (l *losses) add(n uint64) { l.n += min(n, math.MaxUint64-l.n) }

// never is the time of what does not come: a record after the last one.
const never = math.MaxUint64

// tell counts the losses between two times, in ns, of what is named, and starts again. What was
// lost after the last record may have taken as long as all before.
func (l *losses) tell(f *input.Faults, name string, since, until uint64) {
	if l.n == 0 {
		return
	}
	n := l.n
	most := max(until, since) - since
	if until == never {
		most = since - l.began
	}
	most = max(most, 1)
	l.n = 0
	if n > most {
		f.Add(trace.BadRecord, 1, "%s: implausible: %s lost in %v, of which %d count",
			name, plural.Of(n, "record"), trace.Length(most), most)
	}
	f.Add(trace.LostRecords, min(n, most), "%s: after %v", name, trace.Since(since))
}
