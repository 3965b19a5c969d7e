// Package wait is the analysis of who waits on whom (DESIGN §7, after SyncTrace): correspondences
// between calls that wait and calls that release, which release ended each wait, what that sums up
// to by thread, pair of threads and object, and what hung together: chains, the critical path,
// deadlocks, and what of all this differs between two sides.
//
// A correspondence of a wait w and a release r exists if they are on different threads, share an
// object, and r starts within w, borders included. What the recording states itself is kept as
// stated. One wait may correspond with very many releases, and its time must be counted once, so
// every wait has at most one release that ended it: a stated one, the last of them if there are
// several; else the last of its correspondences, for a wait ends soon after what lets it end. Pairs
// of threads and objects are credited by that one alone, and only with waits that lie in no other
// wait.
//
// Cost and memory follow the calls that block, whatever the number of other calls. Pairs are
// counted exactly but never stored: a million waits and a million releases of one object are two
// million entries. What is asked for is found again through the same index (Of, Within, Released).
//
// The package holds pure functions of a trace.Trace and a pair.Pair. It knows no files, views or
// other analyses.
package wait

import (
	"context"

	"diptych/internal/progress"
	"diptych/internal/trace"
)

// Analysis is who waited on whom in one trace. It is immutable, so any number of goroutines may
// read it.
type Analysis struct {
	Trace    *trace.Trace
	Waits    Waits
	Releases Releases

	// Correspondences counts pairs of a wait and a release: each once if it follows from an object,
	// else as often as it is Stated.
	Correspondences, Stated uint64

	Threads []ThreadTotal // by thread
	Objects []ObjectTotal // by object
	Edges   []Edge        // most time first
	Pairs   []PairTotal   // most time first

	Unreleased []int32    // waits that the end of the recording found waiting
	Deadlocks  []Deadlock // circles among them

	byObject postings
	stated   []int32    // indices of the trace's correspondences by wait, then time
	spent    [][3]spent // by thread, then kind less 1
}

// Find analyses a trace. report, which may be nil, counts blocking calls. It fails only when ctx
// is done.
func Find(ctx context.Context, tr *trace.Trace, report progress.Func) (*Analysis, error) {
	a := &Analysis{Trace: tr}
	m := progress.NewMeter(report, 0)
	for _, step := range []func(context.Context, *progress.Meter) error{
		a.gather, a.index, a.join, a.total,
	} {
		if err := step(ctx, m); err != nil {
			return nil, err
		}
	}
	a.findDeadlocks()
	m.Finish()
	return a, ctx.Err()
}
