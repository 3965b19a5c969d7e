package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"diptych/internal/align"
	"diptych/internal/align/finding"
	"diptych/internal/report"
	"diptych/internal/traceio/input"
)

// mostFindings is how many findings are printed unless --limit says otherwise; JSON has all.
const mostFindings = 30

func diffCommand() *cobra.Command {
	var (
		opts           input.Options
		format, limits string
		limit          int
	)
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Say what differs between two traces, most important first",
		Long: `Diff aligns the calls of two traces and lists in sentences what differs: functions whose self
time is higher or lower, calls that are missing, new, moved or repeated, renamed functions, threads
that only one side has, and where the runs first differ. A change within a function's usual
variation is left out, and an effect is listed once, at its cause.

With --fail-over the exit status is 3 if a finding of a kind exceeds a share of the longer run or a
time. Kinds: slower, faster, missing, new, moved, renamed, repeat, divergence, threads.`,
		Example: `  diptych diff before.json.gz after.json.gz
  diptych diff --fail-over slower=5%,new=1ms base.data.tar.gz head.data.tar.gz
  diptych diff --format md a.gotrace b.gotrace >> comment.md`,
		Args: traces(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			allowed, err := parseThresholds(limits)
			if err != nil {
				return usageError{err}
			}
			write, err := diffWriter(cmd, format, limit)
			if err != nil {
				return usageError{err}
			}
			d, err := runDiff(cmd, args, opts)
			if err != nil {
				return err
			}
			d.Exceeded = exceeded(allowed, d)
			if err := write(d); err != nil {
				return err
			}
			if len(d.Exceeded) > 0 {
				return thresholdError{d.Exceeded}
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&format, "format", "text", "text, md or json")
	f.StringVar(&limits, "fail-over", "", "kind=5% or kind=1ms, …: exit status 3 if exceeded")
	f.IntVar(&limit, "limit", 0, "findings to print (default 30, with json all)")
	loadFlags(cmd, &opts)
	cacheFlag(cmd)
	identityFlags(cmd)
	strictFlag(cmd)
	return cmd
}

// diffWriter returns how findings are printed.
func diffWriter(cmd *cobra.Command, format string, limit int) (func(*report.Diff) error, error) {
	if limit < 0 {
		return nil, fmt.Errorf("--limit %d: want a positive number", limit)
	}
	out, most := cmd.OutOrStdout(), limit
	if most == 0 {
		most = mostFindings
	}
	switch format {
	case "text":
		return func(d *report.Diff) error { return d.WriteText(out, most) }, nil
	case "md":
		return func(d *report.Diff) error { return d.WriteMarkdown(out, most) }, nil
	case "json":
		return func(d *report.Diff) error {
			if limit > 0 {
				d.Findings = d.Findings[:min(limit, len(d.Findings))]
			}
			return writeJSON(out, d)
		}, nil
	}
	return nil, fmt.Errorf("--format %s: want text, md or json", format)
}

// runDiff loads the pair, aligns its threads and describes what differs.
func runDiff(cmd *cobra.Command, paths []string, opts input.Options) (*report.Diff, error) {
	began := time.Now()
	p, err := readPair(cmd, paths, opts)
	if err != nil {
		return nil, err
	}
	loaded := time.Now()
	ctx := cmd.Context()
	b := newBar(cmd.ErrOrStderr(), "comparing")
	defer b.done()
	rs, _, err := results(cmd).Alignments(ctx, p, p.Threads, align.Options{Strict: strict(cmd)}, b.report)
	if err != nil {
		return nil, err
	}
	found, err := finding.Find(ctx, p, rs, finding.Options{}, nil)
	if err != nil {
		return nil, err
	}
	d := report.NewDiff(p, found)
	d.ElapsedNs = report.Elapsed{Load: loaded.Sub(began).Nanoseconds(),
		Compute: time.Since(loaded).Nanoseconds()}
	return d, nil
}

// thresholdError says that two traces differ by more than was allowed. The work has been done; its
// outcome has an exit status of its own.
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
