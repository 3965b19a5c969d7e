package finding

import (
	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/trace"
)

// dependence is what a call's duration depends on.
type dependence uint8

const (
	onFunction dependence = iota // what the function does
	onSamples                    // when samples were taken: they gave the call its borders
	onDevice                     // a file or a device
	onThreads                    // other threads
	onSystem                     // the operating system
	dependences
)

// dependencesIn returns what the duration of each call depends on. Some calls take it from others:
//
//   - whatever is called by a call that waits, or that the system makes, depends on what that
//     does;
//   - a call with sampled callees depends on the samples, for these leave it its self time;
//   - a span of an asynchronous track lasts until the thread that works on it is done;
//   - a wait for something that was released before it began (over) is an ordinary call.
func dependencesIn(t *trace.Trace, th *trace.Thread, over map[int32]bool) []dependence {
	on := make([]dependence, th.Len())
	merged, total := t.Kind == trace.Profile, th.Kind == trace.Sums
	for i, fn := range th.Fn {
		switch {
		case th.Kind == trace.AsyncTrack:
			on[i] = onThreads
		case total || th.Kind == trace.Runtime || byNature(t.Functions[fn].Kind):
			on[i] = onSystem
		case merged || th.Flags(i)&trace.Sampled != 0:
			on[i] = onSamples
			if up := th.Parent[i]; up >= 0 {
				on[up] = max(on[up], onSamples)
			}
		}
	}
	for _, b := range th.Blocks {
		switch {
		case b.Kind == trace.IO:
			on[b.Call] = max(on[b.Call], onDevice)
		case b.Kind == trace.Wait && !over[b.Call]:
			on[b.Call] = onThreads
		}
	}
	for i, up := range th.Parent {
		if up >= 0 && on[up] >= onDevice {
			on[i] = max(on[i], on[up])
		}
	}
	return on
}

// overAtOnce returns, by thread, the waiting calls that had nothing to wait for: all that they
// waited for was released before they began, as the inputs of a build step are.
func overAtOnce(t *trace.Trace) []map[int32]bool {
	over := make([]map[int32]bool, len(t.Threads))
	for _, c := range t.Correspondences {
		k, i := c.Wait.Thread, c.Wait.Call
		if over[k] == nil {
			over[k] = map[int32]bool{}
		}
		late := c.At > t.Threads[k].Start[i]
		if before, known := over[k][i]; !known || before {
			over[k][i] = !late
		}
	}
	return over
}

// byNature reports whether calls of a kind are what the system does to a thread, such as
// pre-emption, rather than what the thread calls.
func byNature(k trace.FuncKind) bool { return k == trace.State || k == trace.Event }

// recordedByChance reports whether chance decides how often such a call is recorded, and under
// which caller: it was inferred from samples, or the system made it.
func (s *study) recordedByChance(r *align.Result, sd pair.Side, i int32) bool {
	t, th := s.p.Trace(sd), r.Threads[sd]
	return byNature(t.Functions[th.Fn[i]].Kind) || th.Flags(int(i))&trace.Sampled != 0 ||
		t.Kind == trace.Profile
}
