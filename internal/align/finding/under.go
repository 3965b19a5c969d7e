package finding

import (
	"slices"
)

// Findings that follow from others, or tell what others tell.

// dropRepeated drops changes of self time that are due to one call which the other side lacks: that
// is told by the number of calls.
func (s *study) dropRepeated() {
	lacking := map[uint32]int64{}
	for _, f := range s.report.Findings {
		if f.counts() {
			lacking[f.ID] = f.DeltaNs
		}
	}
	s.report.Findings = slices.DeleteFunc(s.report.Findings, func(f Finding) bool {
		ns, ok := lacking[f.ID]
		return ok && f.single && near(f.DeltaNs, float64(ns))
	})
}

// findUnder finds the findings that follow from others: calls that a function makes more often, or
// less, follow from a function that is itself called more often, or less. But if it is no chance
// that one side alone makes them, they do not follow from what could be chance. For example, only B
// joins strings in summary, so samples meet summary more often.
func (s *study) findUnder() {
	counted := map[uint32]int{}
	for k := range s.report.Findings {
		f := &s.report.Findings[k]
		if f.Under = -1; f.counts() {
			counted[f.ID] = k
		}
	}
	for k := range s.report.Findings {
		f := &s.report.Findings[k]
		if up, ok := counted[f.caller]; ok && f.counts() && f.Caller != "" &&
			f.grows() == s.report.Findings[up].grows() && !s.follows(up, k) &&
			!(f.ofOneSide() && f.Certainty != Chance && s.report.Findings[up].Certainty == Chance) {
			f.Under = up
		}
	}
	s.findMovedUnder()
}

// ofOneSide reports whether one side lacks the function.
func (f *Finding) ofOneSide() bool { return f.Kind == New || f.Kind == Missing }

// follows reports whether finding k is another one or follows from it: functions that call one
// another are no causes of themselves.
func (s *study) follows(k, other int) bool {
	for ; k >= 0; k = s.report.Findings[k].Under {
		if k == other {
			return true
		}
	}
	return false
}
