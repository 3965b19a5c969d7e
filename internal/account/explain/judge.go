package explain

import (
	"math"
	"slices"

	"diptych/internal/align/finding"
	"diptych/internal/pair"
	"diptych/internal/runs"
)

// Judge lets several runs a side decide how sure each finding is, and ranks them anew. The pair is
// one run of each side; what a finding says of its numbers stays. Findings that no test speaks of
// keep their certainty: where calls are, and what takes too little time to be tested. Where there
// are too few runs for any change to be significant, a finding keeps its certainty, but is no more
// than likely, if all runs of one side are beyond all of the other; else it could be chance. Of a
// number of calls that is the same in all runs of a side, it keeps its certainty as it is.
func (d *Difference) Judge(c *runs.Comparison) {
	for i := range d.Findings {
		f := &d.Findings[i]
		if x := changeOf(c, f, d.Balance.Pair.Profile()); x != nil && !lacking(x, f) {
			f.certify(sureness(c, x, f))
		}
	}
	d.Findings = rankFindings(d.Balance, d.Found.Noise, d.Findings)
}

// totals are the totals of whole runs by which findings about them are judged.
var totals = map[string]string{"pace": "work", "overlap": "elapsed", "idle": "idle",
	"offCpu": "off CPU"}

// changeOf returns what was tested of that which a finding is about, or nil.
func changeOf(c *runs.Comparison, f *Finding, profile bool) *runs.Change {
	if f.SampleType != "" {
		return nil // the runs' sums are of the default
	}
	if total := slices.Index(runs.Totals, totals[f.Kind]); total >= 0 {
		return &c.Total[total]
	}
	q := runs.Time
	switch f.Kind {
	case finding.New.String(), finding.Missing.String(), finding.Called.String(),
		finding.Repeat.String():
		q = runs.Calls
	case finding.Slower.String(), finding.Faster.String(), finding.Burst.String(), "wait", "io":
	default:
		return nil
	}
	if f.Function == "" { // it is about several
		return nil
	}
	list := c.ByFunction
	if f.Caller != "" {
		list = c.ByPlace
	}
	own := largest(list, func(x *runs.Change) bool {
		whole := q == runs.Calls || profile
		return x.Quantity == q && x.Site.Function == f.Function && x.Site.Caller == f.Caller &&
			(f.Caller != "" || (x.Site.Kind == runs.Whole) == whole)
	})
	if own != nil || f.Caller != "" {
		return own
	}
	return largest(list, func(x *runs.Change) bool { // of threads that the account leaves out
		return x.Quantity == q && x.Site.Function == f.Function
	})
}

// largest returns the largest change among those that are wanted, or nil.
func largest(list []runs.Change, want func(x *runs.Change) bool) (most *runs.Change) {
	for i := range list {
		x := &list[i]
		if want(x) && (most == nil || math.Abs(x.Delta.Value) > math.Abs(most.Delta.Value)) {
			most = x
		}
	}
	return most
}

// lacking reports whether all runs of one side lack a function that the finding counts on both, as
// runs do if it was renamed: they know functions by their names alone.
func lacking(x *runs.Change, f *Finding) bool {
	for sd, values := range x.Values {
		if f.Calls[sd] > 0 && slices.Max(values) == 0 {
			return true
		}
	}
	return false
}

// sureness returns how sure a finding is, given the change over all runs. If they go the other way
// than the pair, the finding is chance.
func sureness(c *runs.Comparison, x *runs.Change, f *Finding) finding.Certainty {
	more := f.DeltaNs
	if x.Quantity == runs.Calls {
		more = f.Calls[pair.B] - f.Calls[pair.A]
	}
	switch {
	case x.Delta.Value*float64(more) <= 0 || contradicted(c, x, f):
		return finding.Chance
	case !c.Possible() && x.P > runs.Smallest(c.Runs[pair.A], c.Runs[pair.B])*(1+1e-9):
		return finding.Chance
	case !c.Possible() && x.Quantity == runs.Calls && repeats(x):
		return f.Certainty
	case !c.Possible():
		return max(f.Certainty, finding.Likely)
	}
	return map[runs.Certainty]finding.Certainty{runs.Chance: finding.Chance,
		runs.Likely: finding.Likely, runs.Certain: finding.Certain}[x.Certainty]
}

// repeats reports whether the runs of each side are several and have the same number of calls. What
// a program does alike each time is not made less sure by looking again, however often.
func repeats(x *runs.Change) bool {
	const least = 3
	for _, values := range x.Values {
		if len(values) < least || slices.Min(values) < slices.Max(values) {
			return false
		}
	}
	return true
}

// contradicted reports whether a finding about a number of calls tells a time that goes the other
// way in all runs. For example, f has 46 instead of 42 calls in all runs and takes 30 % less time,
// but in the pair it takes longer.
func contradicted(c *runs.Comparison, x *runs.Change, f *Finding) bool {
	if x.Quantity != runs.Calls {
		return false
	}
	own := largest(c.ByFunction, func(y *runs.Change) bool {
		return y.OwnTime() && y.Site.Function == f.Function
	})
	return own != nil && own.Certainty != runs.Chance && own.Delta.Value*float64(f.DeltaNs) < 0
}

// certify sets how sure a finding is. Its sentence says so where it could be chance.
func (f *Finding) certify(c finding.Certainty) {
	f.Certainty = c
	f.say()
}
