package finding

import (
	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/trace"
)

// trust is what a call's duration says about the function.
type trust uint8

const (
	own     trust = iota // it is what the function takes
	sampled              // its borders are those of samples
	device               // it is up to a file or a device
	others               // it is up to other threads
	system               // it is up to the system
	trusts
)

// trustIn returns what each call's duration says. What is called while a thread waits, or by the
// system, says no more than what is around it; nor does what samples leave of a call whose callees
// they have found. A span of its own lane lasts until whoever it stands for is done. A wait that was
// over before it began is none.
func trustIn(t *trace.Trace, th *trace.Thread, over map[int32]bool) []trust {
	says := make([]trust, th.Len())
	merged, total := t.Kind == trace.Profile, th.Kind == trace.Sums
	for i, fn := range th.Fn {
		switch {
		case th.Kind == trace.AsyncTrack:
			says[i] = others
		case total || byNature(t.Functions[fn].Kind):
			says[i] = system
		case merged || th.Flags(i)&trace.Sampled != 0:
			says[i] = sampled
			if up := th.Parent[i]; up >= 0 {
				says[up] = max(says[up], sampled)
			}
		}
	}
	for _, b := range th.Blocks {
		switch {
		case b.Kind == trace.IO:
			says[b.Call] = max(says[b.Call], device)
		case b.Kind == trace.Wait && !over[b.Call]:
			says[b.Call] = others
		}
	}
	for i, up := range th.Parent {
		if up >= 0 && says[up] >= device {
			says[i] = max(says[i], says[up])
		}
	}
	return says
}

// overAtOnce returns, by thread, the calls that wait for nothing but what was released before they
// began, such as a step of a build that its inputs precede.
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

// byNature reports whether a tracer shows what the system does to a thread, rather than what that
// calls.
func byNature(k trace.FuncKind) bool { return k == trace.State || k == trace.Event }

// byChance reports whether how often such a call is recorded, and under which caller, is a matter of
// chance: it was inferred from samples, or it is what the system did, such as a pre-emption.
func (s *study) byChance(r *align.Result, sd pair.Side, i int32) bool {
	t, th := s.p.Trace(sd), r.Threads[sd]
	return byNature(t.Functions[th.Fn[i]].Kind) || th.Flags(int(i))&trace.Sampled != 0 ||
		t.Kind == trace.Profile
}
