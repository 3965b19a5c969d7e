package finding

import (
	"cmp"
	"slices"
)

// rank puts the findings in order: where the runs part ways first, then what counts by its size in
// time and by calls; what waits comes after what may be the cause of it.
func (s *study) rank() {
	slices.SortFunc(s.report.Findings, func(x, y Finding) int {
		return cmp.Or(
			-cmp.Compare(bit(x.Kind == Divergence), bit(y.Kind == Divergence)),
			cmp.Compare(bit(x.Waiting), bit(y.Waiting)),
			-cmp.Compare(magnitude(x.DeltaNs), magnitude(y.DeltaNs)),
			-cmp.Compare(x.Calls[0]+x.Calls[1], y.Calls[0]+y.Calls[1]),
			cmp.Compare(x.Kind, y.Kind),
			cmp.Compare(x.Function, y.Function),
			cmp.Compare(x.Text, y.Text))
	})
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// add appends a finding whose words are still missing.
func (s *study) add(f Finding) {
	f.Share = s.share(f.DeltaNs)
	s.report.Findings = append(s.report.Findings, f)
}
