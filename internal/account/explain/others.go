package explain

import (
	"slices"

	"diptych/internal/account"
)

// The sample types of a profile but the default (pair.SampleTypes) have a difference each. What is
// sure in it is told after what the default says, under the name of its type, unless the default
// says the same. Nothing of it is a part of the default's difference, so it owns nothing of that.
// For example, if a heap profile is of memory in use,
//
//	keep takes 12.5 MiB instead of 3.1 MiB
//	alloc_space: keep takes 12.6 MiB instead of 3.1 MiB     the same: not told
//	alloc_space: churn takes 141 MiB instead of 16 MiB      none of it is in use: told

// sameAmount is the part of what another sample type says that the default must say of the same
// function, for it to be the same.
const sameAmount = 0.5

// tellOthers adds what other sample types say.
func (d *Difference) tellOthers() {
	if len(d.Others) == 0 {
		return
	}
	for _, x := range d.Others {
		at := make([]int, len(x.Findings)) // index in d.Findings, −1 for what is not told
		for i := range x.Findings {
			f := x.Findings[i]
			if at[i] = -1; f.Section != Timed || d.says(&f) {
				continue
			}
			if at[i] = len(d.Findings); f.Under >= 0 {
				f.Under = at[f.Under]
			}
			f.Own, f.SampleType = account.Delta{}, x.Found.SampleType
			f.words = f.SampleType + ": " + f.words
			f.say()
			d.Findings = append(d.Findings, f)
		}
	}
	d.Findings = rankFindings(d.Balance, d.Found.Noise, d.Findings)
}

// says reports whether the default has a finding that says what a finding of another type does.
func (d *Difference) says(f *Finding) bool {
	return slices.ContainsFunc(d.Findings, func(g Finding) bool {
		return g.SampleType == "" && !g.byChance() && g.Function == f.Function &&
			(g.Kind == f.Kind || f.Function != "") && (g.DeltaNs > 0) == (f.DeltaNs > 0) &&
			float64(magnitude(g.DeltaNs)) >= sameAmount*float64(magnitude(f.DeltaNs))
	})
}

// SampleTypes returns how much each sample type has in all, the default first; nil if all threads
// count the same.
func (d *Difference) SampleTypes() (list []Quantity) {
	if d.Found.SampleType == "" {
		return nil
	}
	for _, x := range slices.Concat([]*Difference{d}, d.Others) {
		if x.Balance.Elapsed != [2]int64{} || x == d {
			list = append(list, Quantity{x.Found.SampleType, x.Balance.Elapsed})
		}
	}
	return list
}
