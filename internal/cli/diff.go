package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"diptych/internal/account/explain"
	"diptych/internal/align"
	"diptych/internal/align/finding"
	"diptych/internal/pair"
	"diptych/internal/report"
	"diptych/internal/runs"
	"diptych/internal/traceio"
)

// mostFindings is how many findings are printed unless --limit says otherwise; JSON has all.
const mostFindings = 30

func diffCommand() *cobra.Command {
	var (
		opts        loading
		format      string
		limits      []string
		limit       atMost
		all, asJSON bool
		many        [2][]string
	)
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Say what differs between two traces, most important first",
		Long: `Diff aligns the calls of two traces and lists in sentences what differs: functions whose self
time is higher or lower, calls that are missing, new, moved or repeated, renamed functions, threads
that only one side has, and where the runs first differ. A change within a function's usual
variation is left out, and an effect is listed once, at its cause.

It opens with the account: elapsed time and work, which is summed over all threads, of both sides,
and how much of their difference the findings explain. Each finding owns a part of it that no other
has; what is left stands in the last line. Findings that own next to nothing and say no more than
that, or that could be chance and make less than a hundredth of the run, are counted below the list;
--all lists them. JSON has all of them. The number before a finding is its place among all of them,
so it is the same with --all and in reports.

Of a profile with several sample types, such as alloc_space and inuse_space, all this is of its default;
what is sure of another type, and the default does not say, is listed with its name.

With --fail-over the exit status is 3 if a limit is exceeded. A limit is a kind and a share of the
longer run, a time, or a number of findings: slower=5%, new=1ms, moved=3. Kinds: slower (functions,
or the whole run), faster, missing, new, moved, renamed, repeat, divergence, threads, called (a
function is called more or less often), burst (a part of a function's calls takes longer, or less),
and those of the account: elapsed and total (how much longer B takes, and how much more work it does, as a share
of A), waits (how much longer threads wait), pace (the factor by which all takes longer, less 1),
unexplained (what is left of elapsed time), and its findings wait, io, idle, offCpu and overlap.
Findings that could be chance exceed no limit, unless --strict is given.

Several recordings of the same two programs, --a and --b for each run, say what is chance: functions
are compared over all runs, and the run of median elapsed time stands for its side in the findings.
Five runs a side are the least that is of use; record them in turn (A B A B …), so that what the
machine does meanwhile befalls both. With several runs, limits look at elapsed time, work and waiting
over all runs.`,
		Example: `  diptych diff before.json.gz after.json.gz
  diptych diff --fail-over elapsed=5%,new=1ms,moved=3 base.data.tar.gz head.data.tar.gz
  diptych diff --format md a.gotrace b.gotrace >> comment.md
  diptych diff --format github --fail-over elapsed=5% base.json.gz head.json.gz
  diptych diff --a base1.json --a base2.json … --b head1.json --b head2.json …`,
		Args: func(cmd *cobra.Command, args []string) error { return sidesGiven(cmd, args, &many, 2) },
		RunE: func(cmd *cobra.Command, args []string) error {
			allowed, err := parseThresholds(limits)
			if err != nil {
				return usageError{err}
			}
			if asJSON {
				if cmd.Flags().Changed("format") && format != "json" {
					return usageError{fmt.Errorf("--json and --format %s: give one of them", format)}
				}
				format = "json"
			}
			write, err := diffWriter(cmd, format, limit, all, allowed)
			if err != nil {
				return usageError{err}
			}
			d, err := diffSides(cmd, many, opts)
			if err != nil {
				return err
			}
			d.Exceeded = exceeded(allowed, d, strict(cmd))
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
	f.StringVar(&format, "format", "text", "what is printed: text, md, json, github (annotations of a run of GitHub Actions) or junit")
	f.BoolVar(&asJSON, "json", false, "the same as --format json")
	f.StringArrayVar(&limits, "fail-over", nil,
		"kind=5%, kind=1ms or kind=3, …: exit status 3 if exceeded; may be repeated")
	f.Var(&limit, "limit", "findings to print; 0 for all (default: 30, with github 10, with json all)")
	f.BoolVar(&all, "all", false,
		"list also what takes next to no time, may be a little chance, or is minor; the same as --limit 0")
	offer(cmd, "format", diffFormats...)
	offer(cmd, "fail-over", limitStarts()...)
	sideFlags(cmd, &many)
	sideLoadFlags(cmd, &opts)
	identityFlags(cmd)
	strictFlag(cmd)
	return cmd
}

// diffFormats are the values of --format.
var diffFormats = []string{"text", "md", "json", "github", "junit"}

// limitStarts are how the values of --fail-over begin.
func limitStarts() (starts []string) {
	for _, kind := range append(finding.KindNames(), limitKinds()...) {
		starts = append(starts, kind+"=")
	}
	return starts
}

// mostNotices is how many findings are annotations unless --limit says otherwise.
const mostNotices = 10

// diffWriter returns how findings are printed.
func diffWriter(cmd *cobra.Command, format string, limit atMost, all bool, limits []threshold) (
	func(*report.Diff) error, error) {
	if all && limit.or(0) > 0 {
		return nil, errors.New("--limit and --all: give one of them")
	}
	limit.given = limit.given || all
	out, most := cmd.OutOrStdout(), limit.or(mostFindings)
	switch format {
	case "text":
		return func(d *report.Diff) error { return d.WriteText(sentences(out), most) }, nil
	case "md":
		return func(d *report.Diff) error { return d.WriteMarkdown(out, most) }, nil
	case "github":
		return func(d *report.Diff) error { return d.WriteGitHub(out, limit.or(mostNotices)) }, nil
	case "junit":
		var texts []string
		for _, l := range limits {
			texts = append(texts, l.text)
		}
		return func(d *report.Diff) error { return d.WriteJUnit(out, most, texts) }, nil
	case "json":
		return func(d *report.Diff) error {
			if n := limit.or(0); n > 0 {
				d.Findings = d.Findings[:min(n, len(d.Findings))]
			}
			return writeJSON(out, d)
		}, nil
	}
	err := fmt.Errorf("--format %s: want text, md, json, github or junit", format)
	if slices.Contains(traceio.FormatNames(), format) {
		err = fmt.Errorf("%w; --input-format %s says what the traces are", err, format)
	}
	return nil, err
}

// diffSides compares the runs of both sides. With several a side, the findings are those of one run
// of each, and all of them say how sure each finding is.
func diffSides(cmd *cobra.Command, many [2][]string, opts loading) (*report.Diff, error) {
	began := time.Now()
	paths := []string{many[pair.A][0], many[pair.B][0]}
	var all *runs.Study
	var told *runs.Comparison
	if several(many) {
		var err error
		var ids [2][]string
		if all, ids, err = readRuns(cmd, many, opts); err != nil {
			return nil, err
		}
		b := newBar(cmd.ErrOrStderr(), "comparing runs")
		told, err = all.Compare(cmd.Context(), b.report)
		if b.done(); err != nil {
			return nil, err
		}
		for sd := range paths {
			paths[sd] = many[sd][told.Shown[sd]]
			opts = *opts.showing(pair.Side(sd), ids[sd][told.Shown[sd]])
		}
	}
	p, err := readCompared(cmd, paths, opts)
	if err != nil {
		return nil, err
	}
	loaded := time.Now()
	x, err := explained(cmd, p)
	if err != nil {
		return nil, err
	}
	if told != nil {
		x.Judge(told)
	}
	d := report.NewDiff(x)
	if told != nil {
		d.Runs = report.NewDiffRuns(all, told, p)
	}
	d.ElapsedNs = report.Elapsed{Load: loaded.Sub(began).Nanoseconds(),
		Compute: time.Since(loaded).Nanoseconds()}
	return d, nil
}

// readRuns loads all runs, one after the other, and keeps what is needed of each to compare them. A
// run that cannot be read ends it: to leave it out would change what the others say. Of files of
// distributed traces, it returns the ids of the requests that are compared, "" for those asked for.
// These are known once all files have been read, which are then read again.
func readRuns(cmd *cobra.Command, many [2][]string, opts loading) (
	s *runs.Study, ids [2][]string, err error) {
	var stays [2]bool
	for sd, paths := range many {
		ids[sd] = make([]string, len(paths))
		stays[sd] = opts.of(pair.Side(sd)).Trace != ""
	}
	s, lists, err := readRunsShowing(cmd, many, opts, ids)
	if err != nil {
		return nil, ids, err
	}
	ids, others := pair.RunRequests(lists, stays)
	if others {
		s, _, err = readRunsShowing(cmd, many, opts, ids)
	}
	return s, ids, err
}

// explained aligns the threads of a pair and explains what differs.
func explained(cmd *cobra.Command, p *pair.Pair) (*explain.Difference, error) {
	b := newBar(cmd.ErrOrStderr(), "comparing")
	defer b.done()
	rs, _, err := results(cmd).Alignments(cmd.Context(), p, p.Threads,
		align.Options{Strict: strict(cmd)}, b.report)
	if err != nil {
		return nil, err
	}
	return explain.Compare(cmd.Context(), p, rs, nil)
}

// thresholdError says that two traces differ by more than was allowed. The work has been done; its
// outcome has an exit status of its own.
type thresholdError struct{ exceeded []string }

func (e thresholdError) Error() string {
	return "more than allowed: " + strings.Join(e.exceeded, ", ")
}
