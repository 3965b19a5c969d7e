package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"diptych/internal/batch"
	"diptych/internal/batch/trend"
	"diptych/internal/batch/trend/multiples"
	"diptych/internal/escape"
	"diptych/internal/geom"
	"diptych/internal/plural"
)

// trendOptions are the flags of `diptych batch trend`.
type trendOptions struct {
	by, measure, out string
	limit            atMost
	asJSON           bool
}

// mostTrends is how many changes and drifts are printed unless --limit says otherwise; JSON has
// all.
const mostTrends = 30

// orders are what --by takes.
var orders = []string{"order", "name"}

func batchTrendCommand() *cobra.Command {
	var o trendOptions
	cmd := &cobra.Command{
		Use:   "trend DIR…",
		Short: "Find the commits at which functions became slower or faster, over many batches",
		Long: `Trend reads one batch a commit (or a night), in the order in which the folders are given, and finds
at which commits functions changed for good. With --by name the folders are put in the order of their
names, in which run9 comes before run10. Times are those of side B, added up over the pairs that all
commits have; pairs that failed or are missing at a commit are left out at all, and named.

If side A is recorded anew for each commit, --measure ratio follows B's times over A's: what slows the
machine slows both. --measure a follows side A.

Levels are found by PELT (Killick, Fearnhead, Eckley 2012) on the logarithms of times, with a level
lasting 3 commits or more; one or two slow nights are outliers and no change, and what rises or falls
all the time, or by steps too small to tell from that, is a drift. Each claim has a q, from random
orders of the commits (Tusher, Tibshirani, Chu 2001) and allowing for all functions (Benjamini and
Hochberg 1995), and each change a range of commits among which the true one is. On average at most 5 %
of the printed claims are false. Functions that never have 0.1 % of the work are not tested.`,
		Example: `  diptych batch trend nightly/*/ --by name -o trend.svg
  diptych batch trend c1 c2 c3 c4 c5 c6 c7 --json | jq '.changes[0]'`,
		Args: func(cmd *cobra.Command, args []string) error { return trendArgs(cmd, args) },
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(); err != nil {
				return usageError{err}
			}
			return runTrend(cmd, args, &o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.by, "by", orders[0], "order of the commits: order (as given) or name (of the folders)")
	f.StringVar(&o.measure, "measure", string(trend.OfB), "what is followed: b, a or ratio (b over a)")
	f.StringVarP(&o.out, "output", "o", "", "picture to write, an .svg or .png file; - is SVG on standard output")
	f.Var(&o.limit, "limit", "changes and drifts to print; 0 for all (default: 30, with --json all)")
	f.BoolVar(&o.asJSON, "json", false, "print one JSON object")
	offer(cmd, "by", orders...)
	offer(cmd, "measure", trend.Measures()...)
	return cmd
}

func (o *trendOptions) check() error {
	switch {
	case !slices.Contains(orders, o.by):
		return fmt.Errorf("--by %s: it is order or name", o.by)
	case !slices.Contains(trend.Measures(), o.measure):
		return fmt.Errorf("--measure %s: it is one of %s", o.measure, strings.Join(trend.Measures(), ", "))
	case o.out == toStandard && o.asJSON:
		return errors.New("-o - and --json: standard output takes one of them")
	case o.out != "" && o.out != toStandard && !promisesSVG(o.out) && !promisesPNG(o.out):
		return fmt.Errorf("-o %s: pictures are SVG or PNG: the name has to end in .svg, .svg.gz or .png", o.out)
	}
	return nil
}

// promisesSVG reports whether a name promises SVG, which may be compressed.
func promisesSVG(name string) bool {
	return strings.EqualFold(filepath.Ext(strings.TrimSuffix(name, ".gz")), ".svg")
}

// promisesPNG reports whether a name promises PNG.
func promisesPNG(name string) bool { return strings.EqualFold(filepath.Ext(name), ".png") }

func runTrend(cmd *cobra.Command, args []string, o *trendOptions) error {
	paths := slices.Clone(args)
	if o.by == orders[1] {
		slices.SortStableFunc(paths, func(x, y string) int {
			return cmp.Or(batch.Naturally(filepath.Base(x), filepath.Base(y)), batch.Naturally(x, y))
		})
	}
	list, err := openBatches(paths)
	if err != nil {
		return err
	}
	if x, y := disorder(commitNames(paths)); o.by == orders[0] && x != "" {
		escape.Printf(cmd.ErrOrStderr(), "diptych: %s is given before %s: --by name puts commits in the order of "+
			"their numbers\n", x, y)
	}
	var to *outputFile
	if o.out != "" {
		if to, err = newOutput(o.out, paths, cmd.OutOrStdout()); err != nil {
			return err
		}
	}
	b := newBar(cmd.ErrOrStderr(), "following "+plural.Of(len(list), "commit"))
	t, err := trend.Of(cmd.Context(), list, commitNames(paths),
		trend.Options{Measure: trend.Measure(o.measure), Report: b.report})
	b.done()
	if err != nil {
		return err
	}
	if to != nil {
		write := multiples.Write
		if promisesPNG(o.out) {
			write = writeTrendPNG
		}
		if err := to.write(func(w io.Writer) error { return write(w, t) }); err != nil {
			return err
		}
	}
	switch {
	case o.asJSON:
		t.Changes = t.Changes[:upTo(o.limit.or(0), len(t.Changes))]
		t.Drifts = t.Drifts[:upTo(o.limit.or(0), len(t.Drifts))]
		err = writeJSON(cmd.OutOrStdout(), t)
	case o.out != toStandard:
		err = writeTrend(cmd.OutOrStdout(), t, o.limit.or(mostTrends))
	}
	if err == nil && !t.Enough {
		err = fmt.Errorf("%s: a change needs at least %d, one a commit, so nothing was tested",
			plural.Of(len(list), "batch", "batches"), trend.Least)
	}
	return err
}

// trendArgs checks that there are folders.
func trendArgs(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usageError{fmt.Errorf("trend takes the folders of batches, one a commit: at least %d to find changes",
			trend.Least)}
	}
	return nil
}

// disorder returns two commits in a row whose names differ in their numbers alone, the larger one
// first; "" if there are none. A shell lists run10 before run9.
func disorder(names []string) (x, y string) {
	for k := 1; k < len(names); k++ {
		x, y = names[k-1], names[k]
		if batch.Naturally(x, y) > 0 && withoutDigits(x) == withoutDigits(y) {
			return x, y
		}
	}
	return "", ""
}

func withoutDigits(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, name)
}

// openBatches opens the directories, each of which may be given once.
func openBatches(paths []string) (list []*batch.Directory, err error) {
	seen := map[string]string{}
	for _, path := range paths {
		at := location(path)
		if first, twice := seen[at]; twice {
			return nil, usageError{fmt.Errorf("%s: this is %s again; each commit has a batch of its own",
				path, first)}
		}
		seen[at] = path
		d, err := batch.OpenDirectory(path)
		if err != nil {
			return nil, err
		}
		list = append(list, d)
	}
	return list, nil
}

// commitNames names commits by their folders, or by their paths where two folders have one name.
func commitNames(paths []string) []string {
	names, seen := make([]string, len(paths)), map[string]bool{}
	for k, path := range paths {
		names[k] = filepath.Base(path)
		if seen[names[k]] {
			for i, path := range paths {
				names[i] = filepath.Clean(path)
			}
			return names
		}
		seen[names[k]] = true
	}
	return names
}

// writeTrend prints what has changed.
func writeTrend(out io.Writer, t *trend.Trend, limit int) error {
	w := newEntries(out)
	first, last := &t.Commits[0], &t.Commits[len(t.Commits)-1]
	escape.Printf(w, "commits\t%s\n", commitSpan(first.Name, last.Name, len(t.Commits)))
	escape.Printf(w, "pairs\t%d that all commits have\n", t.Pairs)
	for k, l := range t.LeftOut {
		if k == mostNamed {
			escape.Printf(w, "left out\tand %d more\n", len(t.LeftOut)-k)
			break
		}
		escape.Printf(w, "left out\t%s: failed at %s, missing at %s\n", l.Pair,
			plural.Of(len(l.Failed), "commit"), plural.Of(len(l.Missing), "commit"))
	}
	writeCommits(w, t)
	if t.Enough {
		escape.Printf(w, "tested\t%d of %s: those with %.3g %% of a commit's work at some commit\n", t.Tested,
			plural.Of(t.Functions, "function"), 100*t.LeastShare)
	} else {
		escape.Printf(w, "tested\tnothing: a change needs at least %d commits\n", trend.Least)
	}
	if t.NoRatio > 0 {
		escape.Printf(w, "no ratio\t%s not tested: side A lacks them at some commit\n",
			plural.Of(t.NoRatio, "function or total is", "functions or totals are"))
	}
	if t.TooLarge > 0 {
		escape.Printf(w, "too large\t%s of times, which count as the largest number of 64 bits\n",
			plural.Of(t.TooLarge, "sum"))
	}
	escape.Printf(w, "measured\t%s\n", measured(t))
	if err := w.Flush(); err != nil || !t.Enough {
		return err
	}
	for _, part := range []func(io.Writer, *trend.Trend, int) error{writeChanges, writeDrifts} {
		if err := part(out, t, limit); err != nil {
			return err
		}
	}
	_, err := escape.Printf(out, "\n%s. On average at most %.0f %% of these claims are false.\n", t.Method,
		100*t.FalseClaims)
	return err
}

func commitSpan(first, last string, n int) string {
	if n == 1 {
		return "1, " + first
	}
	return fmt.Sprintf("%d, %s to %s", n, first, last)
}

// writeCommits prints what is peculiar about commits.
func writeCommits(w io.Writer, t *trend.Trend) {
	told := 0
	for k := range t.Commits {
		c := &t.Commits[k]
		if c.SameAs > 0 {
			told++
			if told <= mostNamed {
				escape.Printf(w, "same\t%s has the times of %s in all pairs: is it the same commit?\n", c.Name,
					t.Commits[c.SameAs-1].Name)
			}
		}
		if c.Differs != "" {
			told++
			if told <= mostNamed {
				escape.Printf(w, "differs\t%s was not compared as %s was: %s\n", c.Name, t.Commits[0].Name, c.Differs)
			}
		}
	}
	if told > mostNamed {
		escape.Printf(w, "\tand %d more such commits\n", told-mostNamed)
	}
}

func measured(t *trend.Trend) string {
	side := "side A differs from commit to commit"
	if t.FixedA {
		side = "side A is the same at all commits"
	}
	switch t.Measure {
	case trend.OfA:
		return "times of side A; " + side
	case trend.Ratio:
		return "times of B over those of A; " + side
	}
	return "times of side B; " + side
}

func writeChanges(out io.Writer, t *trend.Trend, limit int) error {
	if len(t.Changes) == 0 {
		_, err := escape.Printf(out, "\nno change\n")
		return err
	}
	escape.Printf(out, "\n%s\n", plural.Of(len(t.Changes), "change"))
	w := newTable(out)
	escape.Printf(w, "at\trange\tcommit\tbefore\tafter\tfactor\tchange\tq\tpairs\t  of\n")
	for _, c := range t.Changes[:upTo(limit, len(t.Changes))] {
		before, after := levels(t, c.Before, c.After)
		escape.Printf(w, "%d\t%s\t%s\t%s\t%s\t%s\t%s\t%.2g %%\t%d of %d\t  %s\n", c.Commit, commitRange(&c), c.Name, before, after,
			factor(c.Factor), signed(c.ChangeNs, t.Unit), 100*c.Q, c.Pairs, c.PairsOf, what(c.Kind, c.Function))
	}
	return w.Flush()
}

// commitRange writes the numbers of the commits among which that of a change is.
func commitRange(c *trend.Change) string {
	if c.Earliest == c.Latest {
		return fmt.Sprint(c.Earliest)
	}
	return fmt.Sprintf("%d–%d", c.Earliest, c.Latest)
}

func writeDrifts(out io.Writer, t *trend.Trend, limit int) error {
	if len(t.Drifts) == 0 {
		return nil
	}
	escape.Printf(out, "\n%s\n", plural.Of(len(t.Drifts), "drift"))
	w := newTable(out)
	escape.Printf(w, "first\tlast\tfactor\tchange\tq\t  of\n")
	for _, d := range t.Drifts[:upTo(limit, len(t.Drifts))] {
		first, last := levels(t, d.First, d.Last)
		escape.Printf(w, "%s\t%s\t%s\t%s\t%.2g %%\t  %s\n", first, last, factor(d.Factor),
			signed(d.ChangeNs, t.Unit), 100*d.Q, what(d.Kind, d.Function))
	}
	return w.Flush()
}

// upTo returns how many of n are printed; 0 is no limit.
func upTo(limit, n int) int {
	if limit == 0 {
		return n
	}
	return min(limit, n)
}

func levels(t *trend.Trend, before, after float64) (string, string) {
	if t.Measure == trend.Ratio {
		return geom.FormatRatio(before), geom.FormatRatio(after)
	}
	return geom.FormatTwo(before, after, t.Unit)
}

// factor writes a factor, or that there is none: of what was or is nothing.
func factor(f float64) string {
	if f == 0 {
		return "–"
	}
	return geom.FormatRatio(f)
}

// signed writes a difference with its sign, which 0 has not.
func signed(v float64, unit string) string {
	if v > 0 {
		return "+" + geom.FormatValue(v, unit)
	}
	return geom.FormatValue(v, unit)
}

func what(kind trend.Kind, function string) string {
	if kind == trend.Function {
		return function
	}
	return "(total " + string(kind) + ")"
}
