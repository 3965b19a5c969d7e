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
	"diptych/internal/escape"
	"diptych/internal/progress"
	"diptych/internal/report"
)

// The values of --to and --table.
var (
	exportFormats = []string{"perfetto", "chrome", "speedscope", "folded", "pprof", "csv", "parquet",
		"json"}
	exportTables = tableNames()
)

func tableNames() (names []string) {
	for _, t := range report.Tables {
		names = append(names, t.Name)
	}
	return names
}

// export holds the flags of an export.
type export struct {
	to, table, pairs, out, side string
	walk, noArgs                bool

	sides report.Sides
}

func exportCommand() *cobra.Command {
	var (
		opts loading
		e    export
	)
	cmd := &cobra.Command{
		Use:   "export A B --to FORMAT -o OUT",
		Short: "Write the aligned pair for other tools: as a trace, stacks or tables",
		Long:  exportHelp(),
		Example: `  diptych export before.json.gz after.json.gz --to perfetto -o diff.pftrace.gz
  diptych export a.gotrace b.gotrace --to pprof -o diff.pb.gz && go tool pprof -top diff.pb.gz
  diptych export a.json b.json --to folded -o - | flamegraph.pl --countname ns > diff.svg
  diptych export a.json b.json --to speedscope -o diff.speedscope.json
  diptych export a.gotrace b.gotrace --to csv --table pairs -o pairs.csv
  diptych export a.data.tar.gz b.data.tar.gz --to parquet --table calls -o calls.parquet
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
	f.StringVar(&e.side, "side", report.Difference.String(),
		"folded, pprof, speedscope: diff for the difference, a or b for one side alone")
	f.StringVar(&e.table, "table", "functions", "csv, parquet: "+strings.Join(exportTables, ", "))
	f.BoolVar(&e.noArgs, "no-args", false,
		"chrome: no arguments, so that tools which group slices by name and arguments find equal ones")
	f.BoolVar(&e.walk, "walk", false, "json: also every call and its state")
	offer(cmd, "to", exportFormats...)
	offer(cmd, "side", report.SideNames()...)
	offer(cmd, "table", exportTables...)
	offer(cmd, "pairs", autoPairs)
	sideLoadFlags(cmd, &opts)
	identityFlags(cmd)
	strictFlag(cmd)
	return cmd
}

// check returns what is wrong with the flags.
func (e *export) check(cmd *cobra.Command) error {
	formats := strings.Join(exportFormats, ", ")
	switch {
	case e.to == "":
		return errors.New("export needs --to " + formats)
	case !slices.Contains(exportFormats, e.to):
		return fmt.Errorf("--to %s: want %s", e.to, formats)
	}
	for _, f := range []struct {
		flag string
		of   []string
	}{
		{"table", []string{"csv", "parquet"}},
		{"walk", []string{"json"}},
		{"no-args", []string{"chrome"}},
		{"side", []string{"folded", "pprof", "speedscope"}},
	} {
		if cmd.Flags().Changed(f.flag) && !slices.Contains(f.of, e.to) {
			return fmt.Errorf("--%s is for --to %s", f.flag, strings.Join(f.of, ", "))
		}
	}
	var err error
	e.sides, err = report.SidesNamed(e.side)
	switch {
	case err != nil:
		return fmt.Errorf("--side %w", err)
	case !slices.Contains(exportTables, e.table):
		return fmt.Errorf("--table %s: want %s", e.table, strings.Join(exportTables, ", "))
	case e.pairs == allPairs:
		return errors.New("--pairs all: want auto or TID:TID")
	case e.out == "":
		return errors.New("export needs -o OUT")
	case e.to == "parquet" && strings.HasSuffix(e.out, ".gz"):
		return errors.New("-o " + e.out + ": Parquet is compressed by itself, and readers want it as it is")
	}
	return nil
}

// run loads the pair, aligns it and writes what is asked for.
func (e *export) run(cmd *cobra.Command, paths []string, opts loading) error {
	out, err := newOutput(e.out, filesRead(paths, opts.Options), cmd.OutOrStdout())
	if err != nil {
		return err
	}
	if slices.Contains([]string{"perfetto", "pprof", "parquet"}, e.to) {
		if err := out.binary(); err != nil {
			return err
		}
	}
	out.packed = e.to == "pprof"
	p, err := readCompared(cmd, paths, opts)
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
	var lost report.Loss
	b := newBar(cmd.ErrOrStderr(), e.out)
	err = out.write(func(w io.Writer) (err error) {
		lost, err = e.write(cmd.Context(), w, results, b.report)
		return err
	})
	if b.done(); err != nil {
		return err
	}
	for _, text := range lost {
		escape.Printf(cmd.ErrOrStderr(), "diptych: %s: %s\n", e.out, text)
	}
	return nil
}

// write writes the results, and returns what the format could not hold.
func (e *export) write(ctx context.Context, w io.Writer, results []*align.Result,
	tell progress.Func) (report.Loss, error) {
	switch e.to {
	case "perfetto":
		return nil, report.WritePerfetto(ctx, w, results, tell)
	case "chrome":
		return nil, report.WriteChrome(ctx, w, results, e.noArgs, tell)
	case "speedscope":
		return nil, report.WriteSpeedscope(ctx, w, results, e.sides, tell)
	case "folded":
		return report.WriteFolded(ctx, w, results, e.sides, tell)
	case "pprof":
		return report.WritePprof(ctx, w, results, e.sides, tell)
	case "csv":
		return nil, report.TableNamed(e.table).WriteCSV(ctx, w, results, tell)
	case "parquet":
		return nil, report.TableNamed(e.table).WriteParquet(ctx, w, results, tell)
	}
	a, err := report.NewAlign(ctx, results)
	if err != nil {
		return nil, err
	}
	if !e.walk {
		results = nil
	}
	return nil, report.WriteAlign(ctx, w, a, results)
}
