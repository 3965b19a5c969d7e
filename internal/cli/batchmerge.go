package cli

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"diptych/internal/batch"
	"diptych/internal/escape"
	"diptych/internal/geom"
	"diptych/internal/plural"
)

func batchMergeCommand() *cobra.Command {
	var shards int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "merge DIR",
		Short: "Join the parts of a batch, and add them up",
		Long: `Merge joins the parts of a batch: it writes the tables pairs, functions, findings, waits and timeline
of all pairs into DIR, and totals.json, totals-functions.parquet and totals-findings.parquet.

It writes nothing unless all parts are there and belong to this batch. It names those that are
missing and, with --shards, the shares that have to be run again; files that are damaged or of
another batch it names with the reason. The exit status is then 1, as it is if all is written but
some pairs could not be compared.`,
		Example: `  diptych batch merge out
  diptych batch merge out --shards 8 --json`,
		Args: func(cmd *cobra.Command, args []string) error { return takes(cmd, args, 1, 1) },
		RunE: func(cmd *cobra.Command, args []string) error {
			if shards < 0 {
				return usageError{fmt.Errorf("--shards %d: want how many shares there are", shards)}
			}
			d, err := batch.OpenDirectory(args[0])
			if err != nil {
				return err
			}
			b := newBar(cmd.ErrOrStderr(), "merging "+filepath.Base(args[0]))
			t, err := batch.Merge(cmd.Context(), d, b.report)
			b.done()
			return writeMerge(cmd, d, t, err, shards, asJSON)
		},
	}
	f := cmd.Flags()
	f.IntVar(&shards, "shards", 0, "how many shares the batch was divided into, to name those that miss parts")
	f.BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// mergeOutcome is the JSON object of `diptych batch merge`. Ranges are from the first to the last,
// of parts counted from 0, as they are called, and of pairs from 1, as in the manifest. Shards are
// given only if it is known how many there are.
type mergeOutcome struct {
	Directory     string        `json:"directory"`
	Complete      bool          `json:"complete"`
	MissingParts  [][2]int      `json:"missingParts,omitempty"`
	MissingPairs  [][2]int      `json:"missingPairs,omitempty"`
	MissingShards []string      `json:"missingShards,omitempty"`
	Damaged       []damagedFile `json:"damaged,omitempty"`
	*batch.Totals `json:",inline"`
}

// damagedFile is a file of a part that cannot be merged.
type damagedFile struct {
	File   string `json:"file"` // below the directory of the batch
	Reason string `json:"reason"`
}

// writeMerge prints what came of a merge, and returns the error that the command ends with.
func writeMerge(cmd *cobra.Command, d *batch.Directory, t *batch.Totals, err error, shards int, asJSON bool) error {
	out := mergeOutcome{Directory: d.Path, Complete: err == nil, Totals: t}
	var incomplete *batch.Incomplete
	var damaged *batch.Damaged
	switch {
	case errors.As(err, &incomplete):
		out.MissingParts, out.MissingPairs = incomplete.Ranges()
		if shards > 0 {
			for _, s := range incomplete.Shards(shards) {
				out.MissingShards = append(out.MissingShards, s.String())
			}
		}
	case errors.As(err, &damaged):
		for _, f := range damaged.Files {
			out.Damaged = append(out.Damaged, damagedFile{below(d.Path, f.Path), f.Err.Error()})
		}
	case err != nil:
		return err
	}
	if asJSON {
		if err := writeJSON(cmd.OutOrStdout(), out); err != nil {
			return err
		}
	} else if err := writeMergeText(cmd.OutOrStdout(), &out); err != nil {
		return err
	}
	if err != nil {
		return err
	}
	return failedError(t)
}

// below returns a path as seen from a folder.
func below(dir, path string) string {
	if rel, err := filepath.Rel(dir, path); err == nil {
		return filepath.ToSlash(rel)
	}
	return path
}

// failedError returns the error of a batch in which pairs could not be compared; nil if there are
// none.
func failedError(t *batch.Totals) error {
	var names []string
	for _, f := range t.FailedPairs {
		names = append(names, f.Pair)
	}
	return brokenError(names, int(t.Failed), int(t.Pairs))
}

// mostMerged is how many rows a table of totals prints; --json lists more.
const mostMerged = 20

// writeMergeText prints a merge as text.
func writeMergeText(to io.Writer, out *mergeOutcome) error {
	w := newEntries(to)
	escape.Printf(w, "batch\t%s\n", out.Directory)
	if len(out.MissingShards) > 0 {
		escape.Printf(w, "run again\t%s\n", "--shard "+strings.Join(out.MissingShards, ", "))
	}
	for k, r := range out.MissingParts {
		escape.Printf(w, "missing\tparts %05d–%05d, pairs %d–%d\n", r[0], r[1],
			out.MissingPairs[k][0], out.MissingPairs[k][1])
	}
	for _, f := range out.Damaged {
		escape.Printf(w, "damaged\t%s: %s\n", f.File, f.Reason)
	}
	if out.Totals == nil {
		return w.Flush()
	}
	writeSums(w, out.Totals)
	for _, f := range out.FailedPairs {
		escape.Printf(w, "failed\t%s: %s\n", f.Pair, f.Error)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return writeTotals(to, out.Totals)
}

// writeSums prints the sums of all pairs.
func writeSums(w io.Writer, t *batch.Totals) {
	value := func(ns int64) string { return geom.FormatValue(float64(ns), t.Unit) }
	signed := func(ns int64) string { return signed(float64(ns), t.Unit) }
	escape.Printf(w, "pairs\t%d, %d of them failed\n", t.Pairs, t.Failed)
	if t.Unit == "" && t.Pairs > t.Failed {
		escape.Printf(w, "unit\tnot the same for all pairs: the sums mix them\n")
	}
	escape.Printf(w, "calls\tA %d, B %d\n", t.CallsA, t.CallsB)
	escape.Printf(w, "elapsed\tA %s, B %s, B − A %s, of it unexplained %s\n", value(t.ElapsedANs),
		value(t.ElapsedBNs), signed(t.DeltaNs), signed(t.UnexplainedNs))
	escape.Printf(w, "work\tA %s, B %s, B − A %s, of it unexplained %s\n", value(t.WorkANs),
		value(t.WorkBNs), signed(t.DeltaWorkNs), signed(t.UnexplainedWorkNs))
	escape.Printf(w, "waits\tA %s, B %s\n", value(t.WaitANs), value(t.WaitBNs))
	if t.TooLarge > 0 {
		escape.Printf(w, "too large\t%s: the largest or smallest 64-bit number stands for each\n",
			plural.Of(t.TooLarge, "sum"))
	}
}

// writeTotals prints the functions and findings of all pairs.
func writeTotals(to io.Writer, t *batch.Totals) error {
	w := newWaitTables(to, t.Unit)
	functions := t.Functions[:min(len(t.Functions), mostMerged)]
	if len(functions) > 0 {
		escape.Printf(w, "\npairs\tself A\tself B\tB − A\tmean\tdeviation\tleast\tmost\tmost in\t  \tfunction\n")
	}
	for i := range functions {
		f := &functions[i]
		w.row(f.Function, f.Pairs, w.value(f.SelfANs), w.value(f.SelfBNs), w.signed(f.DeltaNs),
			w.signed(rounded(f.MeanNs)), w.value(rounded(f.DeviationNs)), w.signed(f.MinNs),
			w.signed(f.MaxNs), f.MaxPair)
	}
	w.more(t.FunctionCount, len(functions))
	findings := t.Findings[:min(len(t.Findings), mostMerged)]
	if len(findings) > 0 {
		escape.Printf(w, "\npairs\tfindings\telapsed\twork\tkind\t  \tfunction\n")
	}
	for i := range findings {
		f := &findings[i]
		w.row(f.Function, f.Pairs, f.Findings, w.signed(f.ElapsedNs), w.signed(f.WorkNs), f.Kind)
	}
	w.more(t.FindingCount, len(findings))
	return w.Flush()
}

// rounded is a mean or a deviation as it is printed: like all times, without fractions of its unit.
func rounded(v float64) int64 { return int64(math.Round(v)) }

// more says how many rows are not printed.
func (w *waitTables) more(of, printed int) {
	if of > printed {
		escape.Printf(w, "… %d more\n", of-printed)
	}
}
