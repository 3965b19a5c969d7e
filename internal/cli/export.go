package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"diptych/internal/align"
	"diptych/internal/progress"
	"diptych/internal/report"
)

// What --to and --table take.
var (
	exportFormats = []string{"perfetto", "chrome", "csv", "json"}
	exportTables  = []string{"functions", "pairs", "calls"}
)

// export holds the flags of an export.
type export struct {
	to, table, pairs, out string
	walk                  bool
}

func exportCommand() *cobra.Command {
	var (
		opts loading
		e    export
	)
	cmd := &cobra.Command{
		Use:   "export A B --to FORMAT -o OUT",
		Short: "Write the aligned pair as a differential trace or as tables",
		Long: `Export aligns two traces and writes the result to a file, gzip-compressed if its name ends
in .gz. It does not write over a file that it reads.

perfetto  one trace in Perfetto's protobuf format: for each pair of threads the tracks A, B and
          status, and the counters skew (ns, how much longer A has run) and dissimilarity (0 to 1)
chrome    the same as Chrome Trace Event JSON
csv       a table (--table): functions, where time was gained and lost by function; pairs, the
          figures of each pair of threads; calls, every call and its state
json      what align --json prints, with --walk also every call and its state

In a trace each pair of threads has a virtual time of its own from 0 on, on which paired calls start
and end together; slices have their real times as arguments. Slices of the status are called as in
align --dump: equal, different, gapA (the call is only in B) and gapB (only in A).`,
		Example: `  diptych export before.json.gz after.json.gz --to perfetto -o diff.pftrace.gz
  diptych export a.gotrace b.gotrace --to csv --table pairs -o pairs.csv
  diptych export a.data.tar.gz b.data.tar.gz --to chrome --pairs 21:17 -o diff.json`,
		Args: traces(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := e.check(cmd); err != nil {
				return usageError{err}
			}
			return e.run(cmd, args, opts)
		},
	}
	f := cmd.Flags()
	f.StringVar(&e.to, "to", "", "format: "+strings.Join(exportFormats, ", "))
	f.StringVarP(&e.out, "output", "o", "", "file to write, or - for standard output")
	f.StringVar(&e.pairs, "pairs", autoPairs, "auto for the paired threads, or TID:TID for two")
	f.StringVar(&e.table, "table", "functions", "csv: "+strings.Join(exportTables, ", "))
	f.BoolVar(&e.walk, "walk", false, "json: also every call and its state")
	offer(cmd, "to", exportFormats...)
	offer(cmd, "table", exportTables...)
	offer(cmd, "pairs", autoPairs)
	sideLoadFlags(cmd, &opts)
	cacheFlag(cmd)
	identityFlags(cmd)
	strictFlag(cmd)
	return cmd
}

// check returns what is wrong with the flags.
func (e *export) check(cmd *cobra.Command) error {
	switch {
	case !slices.Contains(exportFormats, e.to):
		return fmt.Errorf("--to %s: want %s", e.to, strings.Join(exportFormats, ", "))
	case !slices.Contains(exportTables, e.table):
		return fmt.Errorf("--table %s: want %s", e.table, strings.Join(exportTables, ", "))
	case e.to != "csv" && cmd.Flags().Changed("table"):
		return errors.New("--table is for --to csv")
	case e.to != "json" && e.walk:
		return errors.New("--walk is for --to json")
	case e.pairs == allPairs:
		return errors.New("--pairs all: want auto or TID:TID")
	case e.out == "":
		return errors.New("export needs -o OUT")
	}
	return nil
}

// run loads the pair, aligns it and writes what is asked for.
func (e *export) run(cmd *cobra.Command, paths []string, opts loading) error {
	out, err := newOutput(e.out, filesRead(paths, opts.Options), cmd.OutOrStdout())
	if err != nil {
		return err
	}
	if e.to == "perfetto" {
		if err := out.binary(); err != nil {
			return err
		}
	}
	p, err := readPair(cmd, paths, opts)
	if err != nil {
		return err
	}
	chosen, err := choosePairs(p, e.pairs)
	if err != nil {
		return usageError{err}
	}
	results, _, err := alignments(cmd, p, chosen, align.Options{Strict: strict(cmd)})
	if err != nil {
		return err
	}
	b := newBar(cmd.ErrOrStderr(), e.out)
	defer b.done()
	return out.write(func(w io.Writer) error {
		return e.write(cmd.Context(), w, results, b.report)
	})
}

func (e *export) write(ctx context.Context, w io.Writer, results []*align.Result,
	tell progress.Func) error {
	switch {
	case e.to == "perfetto":
		return report.WritePerfetto(ctx, w, results, tell)
	case e.to == "chrome":
		return report.WriteChrome(ctx, w, results, tell)
	case e.to == "csv" && e.table == "calls":
		return report.WriteCalls(ctx, w, results, tell)
	}
	a, err := report.NewAlign(ctx, results)
	switch {
	case err != nil:
		return err
	case e.to == "json" && e.walk:
		return report.WriteAlign(ctx, w, a, results)
	case e.to == "json":
		return report.WriteAlign(ctx, w, a, nil)
	case e.table == "pairs":
		return report.WritePairs(w, a.Pairs)
	}
	return report.WriteFunctions(w, a.Functions)
}
