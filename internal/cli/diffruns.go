package cli

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"diptych/internal/align/finding"
	"diptych/internal/pair"
	"diptych/internal/report"
	"diptych/internal/runs"
	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

// sideFlags adds the flags that name the runs of each side.
func sideFlags(cmd *cobra.Command, many *[2][]string) {
	cmd.Flags().StringArrayVar(&many[pair.A], "a", nil, "a run of side A; may be repeated, with --b")
	cmd.Flags().StringArrayVar(&many[pair.B], "b", nil, "a run of side B; may be repeated, with --a")
}

// sidesGiven checks which files are named, and sets the runs of each side: those of the flags, or
// the arguments, of which there must be at least so many.
func sidesGiven(cmd *cobra.Command, args []string, many *[2][]string, least int) error {
	a, b := len(many[pair.A]), len(many[pair.B])
	switch {
	case a+b == 0:
		if err := traces(least, 2)(cmd, args); err != nil {
			return err
		}
		for side, path := range args {
			many[side] = []string{path}
		}
		return nil
	case len(args) > 0:
		return usageError{fmt.Errorf("%s: name files with --a and --b, or without any flag, but not both "+
			"ways", args[0])}
	case a == 0 || b == 0:
		return usageError{fmt.Errorf("--a and --b: each side needs a run, got %d and %d", a, b)}
	case several(*many) && slices.ContainsFunc(slices.Concat(many[:]...), input.Once):
		return usageError{errors.New("of several runs a side each is a file, which may be read twice, and neither - nor a pipe")}
	case max(a, b) > runs.Most:
		return usageError{fmt.Errorf("--a and --b: at most %d runs a side, got %d and %d", runs.Most, a, b)}
	}
	return checkFiles(cmd, append(many[pair.A][:a:a], many[pair.B]...))
}

// several reports whether a side has more than one run.
func several(many [2][]string) bool { return max(len(many[pair.A]), len(many[pair.B])) > 1 }

// readRunsShowing loads all runs, with the requests of some ids, and returns also which there are.
func readRunsShowing(cmd *cobra.Command, many [2][]string, opts loading, ids [2][]string) (
	s *runs.Study, lists [2][][]trace.Request, err error) {
	rules, err := identityRules(cmd)
	if err != nil {
		return nil, lists, err
	}
	s = &runs.Study{}
	for _, sd := range []pair.Side{pair.A, pair.B} {
		for k, path := range many[sd] {
			t, err := read(cmd, path, opts.showing(sd, ids[sd][k]).of(sd))
			if err != nil {
				return nil, lists, err
			}
			lists[sd] = append(lists[sd], t.Requests)
			r, err := runs.Summarise(cmd.Context(), path, t, rules, nil)
			if err != nil {
				return nil, lists, err
			}
			if err := s.Add(sd, r); err != nil {
				return nil, lists, err
			}
		}
	}
	return s, lists, nil
}

// totalsOver are the totals over all runs that stand for a limit's kind. A pace and what is
// unexplained are measured in one pair of runs, but mean nothing if these totals could be chance.
var totalsOver = map[string]string{"elapsed": "elapsed", "total": "work", "waits": "waiting",
	"pace": "work", "unexplained": "elapsed"}

// overRuns returns the total that stands for a kind of limit, or nil where there are too few runs
// to say anything.
func overRuns(d *report.Diff, kind string) *report.DiffChange {
	if d.Runs == nil || !d.Runs.Enough {
		return nil
	}
	return d.Runs.Total(totalsOver[kind])
}

// exceededBy reports whether a total over all runs exceeds a limit. If it could be chance, it does
// not, unless chance is true.
func (t *threshold) exceededBy(d *report.Diff, x *report.DiffChange, chance bool) bool {
	if x.Certainty == finding.Chance.String() && !chance {
		return false
	}
	ns := x.Delta.Value
	switch t.kind {
	case "elapsed", "total":
		return t.less(int64(ns), ns/max(x.Median.A, 1))
	case "waits":
		elapsed := d.Runs.Total("elapsed").Median
		return t.less(int64(ns), ns/max(elapsed.A, elapsed.B, 1))
	}
	return t.less(accountLimits[t.kind](d))
}
