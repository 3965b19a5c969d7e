package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"diptych/internal/align/finding"
	"diptych/internal/report"
)

// threshold is a limit of --fail-over: the most that something may be.
type threshold struct {
	text string // as it was given
	kind string
	unit limitUnit
	most float64 // a share, ns or a number of findings
}

type limitUnit uint8

const (
	asShare limitUnit = iota
	asTime
	asCount
)

// accountLimits are the kinds of limit that concern the account, by how much there is of them: in
// ns, and as a share. A change for the better is no excess.
var accountLimits = map[string]func(d *report.Diff) (ns int64, share float64){
	"elapsed": func(d *report.Diff) (int64, float64) { return growth(d.Account.ElapsedNs) },
	"total":   func(d *report.Diff) (int64, float64) { return growth(d.Account.WorkNs) },
	"waits": func(d *report.Diff) (int64, float64) {
		ns := d.Account.WaitNs.B - d.Account.WaitNs.A
		return ns, ofRun(d, ns)
	},
	"unexplained": func(d *report.Diff) (int64, float64) {
		ns := d.Account.Unexplained.ElapsedNs
		return max(ns, -ns), ofRun(d, max(ns, -ns))
	},
	"pace": paceExcess,
}

// growth returns how much more B has, and as a share of A.
func growth(ns report.Both[int64]) (int64, float64) {
	return ns.B - ns.A, float64(ns.B-ns.A) / float64(max(ns.A, 1))
}

// ofRun returns a time as a share of the longer run.
func ofRun(d *report.Diff, ns int64) float64 {
	return float64(ns) / float64(max(d.Account.ElapsedNs.A, d.Account.ElapsedNs.B, 1))
}

// paceExcess returns by how much the pace is off, in either direction: 0.5 for 1.5× and for 1/1.5×.
func paceExcess(d *report.Diff) (ns int64, share float64) {
	for i := range d.Findings {
		if f := &d.Findings[i]; f.Kind == "pace" && f.Factor > 0 {
			return max(f.DeltaNs, -f.DeltaNs), max(f.Factor, 1/f.Factor) - 1
		}
	}
	return 0, 0
}

// limitKinds are the kinds that --fail-over knows, besides those of finding.Kind.
func limitKinds() []string {
	kinds := []string{"wait", "io", "idle", "offCpu", "overlap"}
	for k := range accountLimits {
		kinds = append(kinds, k)
	}
	slices.Sort(kinds)
	return kinds
}

// timeless are kinds of finding that take no time: only their number can be limited.
var timeless = []string{finding.Divergence.String(), finding.Renamed.String()}

// parseThresholds reads lists of thresholds such as slower=5%,missing=1ms,moved=3. An empty list is
// an error: it comes from a variable that is not set, and a gate that lets all pass says nothing.
func parseThresholds(lists []string) (all []threshold, err error) {
	for _, list := range lists {
		all, err = appendThresholds(all, list)
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

func appendThresholds(all []threshold, list string) ([]threshold, error) {
	for text := range strings.SplitSeq(list, ",") {
		text = strings.TrimSpace(text)
		kind, size, ok := strings.Cut(text, "=")
		if !ok {
			return nil, fmt.Errorf("--fail-over %s: want kind=size, like slower=5%%, missing=1ms or "+
				"moved=3", cmp.Or(text, list, `""`))
		}
		if _, err := finding.KindNamed(kind); err != nil && !slices.Contains(limitKinds(), kind) {
			return nil, fmt.Errorf("--fail-over %s: %w", text, err)
		}
		t, err := parseLimit(kind, size)
		if err != nil {
			return nil, fmt.Errorf("--fail-over %s: %w", text, err)
		}
		t.text = text
		all = append(all, t)
	}
	return all, nil
}

// parseLimit reads a share, a time or a number.
func parseLimit(kind, size string) (threshold, error) {
	t := threshold{kind: kind}
	number, percent := strings.CutSuffix(size, "%")
	n, notCount := strconv.ParseUint(size, 10, 32)
	switch {
	case percent:
		v, err := strconv.ParseFloat(number, 64)
		if err != nil || !(v >= 0) {
			return t, fmt.Errorf("want a share like 5%%")
		}
		t.most = v / 100
	case notCount == nil:
		t.unit, t.most = asCount, float64(n)
		if accountLimits[kind] != nil {
			return t, fmt.Errorf("want a share like 5%% or a time like 1ms: %s has no number", kind)
		}
	default:
		d, err := time.ParseDuration(size)
		if err != nil || d < 0 {
			return t, fmt.Errorf("want a time like 1ms, a share like 5%% or a number like 3")
		}
		t.unit, t.most = asTime, float64(d.Nanoseconds())
	}
	if t.unit != asCount && slices.Contains(timeless, kind) {
		return t, fmt.Errorf("a %s takes no time: want a number of them, like %s=0", kind, kind)
	}
	return t, nil
}

// exceeded reports whether there is more than t allows.
// Findings that could be chance count only if chance is true.
func (t *threshold) exceeded(d *report.Diff, chance bool) bool {
	if amount := accountLimits[t.kind]; amount != nil {
		if x := overRuns(d, t.kind); x != nil {
			return t.exceededBy(d, x, chance)
		}
		return t.less(amount(d))
	}
	count := 0.0
	for i := range d.Findings {
		f := &d.Findings[i]
		if f.Kind != t.kind || f.Certainty == finding.Chance.String() && !chance {
			continue
		}
		count++
		ns := max(f.DeltaNs, -f.DeltaNs)
		if t.unit != asCount && t.less(ns, ofRun(d, ns)) {
			return true
		}
	}
	if t.unit == asCount {
		return count > t.most
	}
	return t.wholeRun(d, chance)
}

// wholeRun reports whether B as a whole is slower or faster than t allows, whatever the cause.
func (t *threshold) wholeRun(d *report.Diff, chance bool) bool {
	ns, share := growth(d.Account.ElapsedNs)
	if x := overRuns(d, "elapsed"); x != nil {
		if x.Certainty == finding.Chance.String() && !chance {
			return false
		}
		ns, share = int64(x.Delta.Value), x.Delta.Value/max(x.Median.A, 1)
	}
	switch t.kind {
	case finding.Slower.String():
		return t.less(ns, share)
	case finding.Faster.String():
		return t.less(-ns, -share)
	}
	return false
}

// less reports whether t allows less than that.
func (t *threshold) less(ns int64, share float64) bool {
	if t.unit == asTime {
		return float64(ns) > t.most
	}
	return share > t.most
}

// exceeded returns the thresholds that are exceeded, as they were given.
func exceeded(limits []threshold, d *report.Diff, chance bool) (all []string) {
	for i := range limits {
		if limits[i].exceeded(d, chance) {
			all = append(all, limits[i].text)
		}
	}
	return all
}
