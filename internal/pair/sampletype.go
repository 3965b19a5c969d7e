package pair

import (
	"cmp"
	"slices"

	"diptych/internal/trace"
)

// A profile may count several things, each on a thread of its own (trace.SampleType). A heap
// profile has the bytes that were allocated, and those of them that are still in use: one and the
// same memory, so that their sum means nothing. So whatever adds up threads does so for one sample
// type at a time: for the first one where there is a single result, and for others beside it.

// sampleTypesOf returns the sample types of two traces, in the order in which the recordings ask
// for them: the default comes first. Threads that are not of a type are of the first, which is ""
// if there is none.
func sampleTypesOf(sides ...*trace.Trace) (types []string) {
	for _, t := range sides {
		if t == nil {
			continue
		}
		threads := slices.DeleteFunc(slices.Clone(t.Threads), func(th *trace.Thread) bool {
			return th.Kind != trace.SampleType
		})
		slices.SortStableFunc(threads, func(x, y *trace.Thread) int { return cmp.Compare(x.Sort, y.Sort) })
		for _, th := range threads {
			if of := th.SampleType(); !slices.Contains(types, of) {
				types = append(types, of)
			}
		}
	}
	if len(types) == 0 {
		types = append(types, "")
	}
	return types
}

// SampleTypes returns what the threads of both sides count, the default first. There is one, "", if
// all of them count the same, as in all traces but profiles of several sample types.
func (p *Pair) SampleTypes() []string { return p.sampleTypes }

// SampleTypeOf returns which of SampleTypes a side's thread counts. Two threads that are paired
// count what A's does.
func (p *Pair) SampleTypeOf(s Side, thread int) string {
	if len(p.sampleTypes) == 1 {
		return p.sampleTypes[0]
	}
	for _, sd := range []Side{A, B} {
		if k := p.Threads[p.Of(s, thread)].On(sd); k >= 0 {
			if of := p.Trace(sd).Threads[k].SampleType(); of != "" {
				return of
			}
		}
	}
	return p.sampleTypes[0]
}

// Counted reports whether the calls of a side's thread count where functions are added up over all
// threads. Sums that a tool wrote (trace.Sums) repeat the time of other threads, and of a profile
// only the first sample type counts.
func (p *Pair) Counted(s Side, thread int) bool {
	return p.Trace(s).Threads[thread].Kind != trace.Sums && p.SampleTypeOf(s, thread) == p.sampleTypes[0]
}

// Extent returns how much a side has in all: how long the trace is, or of a profile, whose axis is
// no time, the sum of what all threads of a sample type hold.
func (p *Pair) Extent(s Side, sampleType string) (sum int64) {
	t := p.Trace(s)
	if t.Kind != trace.Profile {
		return t.Duration
	}
	for k, th := range t.Threads {
		if th.Runs() && p.SampleTypeOf(s, k) == sampleType {
			from, to := th.Span()
			sum += to - from
		}
	}
	return sum
}
