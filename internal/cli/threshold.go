package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"diptych/internal/align/finding"
	"diptych/internal/report"
)

// thresholdError is that two traces differ by more than was allowed: the work is done, and its
// outcome is an exit status of its own.
type thresholdError struct{ exceeded []string }

func (e thresholdError) Error() string {
	return "more than allowed: " + strings.Join(e.exceeded, ", ")
}

// threshold is the most that a finding of one kind may be.
type threshold struct {
	text  string // as it was given
	kind  string
	share float64 // of the run, where positive or ns is negative
	ns    int64   // negative if the share counts
}

// parseThresholds reads thresholds such as slower=5%,missing=1ms.
func parseThresholds(s string) ([]threshold, error) {
	if s == "" {
		return nil, nil
	}
	var all []threshold
	for text := range strings.SplitSeq(s, ",") {
		kind, size, ok := strings.Cut(text, "=")
		if !ok {
			return nil, fmt.Errorf("--fail-over %s: want kind=size, like slower=5%% or missing=1ms", text)
		}
		if _, err := finding.KindNamed(kind); err != nil {
			return nil, fmt.Errorf("--fail-over %s: %w", text, err)
		}
		t := threshold{text: text, kind: kind, ns: -1}
		if number, percent := strings.CutSuffix(size, "%"); percent {
			v, err := strconv.ParseFloat(number, 64)
			if err != nil || !(v >= 0) {
				return nil, fmt.Errorf("--fail-over %s: want a share of the run like 5%%", text)
			}
			t.share = v / 100
		} else {
			d, err := time.ParseDuration(size)
			if err != nil || d < 0 {
				return nil, fmt.Errorf("--fail-over %s: want a time like 1ms or a share like 5%%", text)
			}
			t.ns = d.Nanoseconds()
		}
		all = append(all, t)
	}
	return all, nil
}

// exceeds reports whether a finding is more than t allows.
func (t *threshold) exceeds(f *report.DiffFinding) bool {
	switch {
	case f.Kind != t.kind:
		return false
	case t.ns >= 0:
		return max(f.DeltaNs, -f.DeltaNs) > t.ns
	}
	return f.Share > t.share
}

// exceeded returns the thresholds that findings exceed, as they were given.
func exceeded(limits []threshold, d *report.Diff) (all []string) {
	for i := range limits {
		for k := range d.Findings {
			if limits[i].exceeds(&d.Findings[k]) {
				all = append(all, limits[i].text)
				break
			}
		}
	}
	return all
}
