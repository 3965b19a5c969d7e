package cli

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"diptych/internal/align"
	"diptych/internal/batch"
	"diptych/internal/escape"
	"diptych/internal/plural"
	"diptych/internal/trace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
)

func batchCommand() *cobra.Command {
	var (
		opts          input.Options
		out, shard    string
		resume, retry bool
		asJSON        bool
	)
	cmd := &cobra.Command{
		Use:   "batch MANIFEST -o DIR",
		Short: "Compare many pairs of traces: the ranks of two runs, the tests of two commits",
		Long: `Batch compares the pairs that a manifest lists, each by itself, and writes what it finds as Parquet
tables into the directory DIR: pairs, functions, findings, waits and timeline. A manifest is a CSV
file with the columns pair, a and b; paths are relative to its folder. Batch plan makes one. From
standard input (-) or a pipe, its paths are relative to the working directory.

A pair that cannot be compared is a row with its error. All others are compared, the broken ones are
named at the end, and the exit status is 1.

Any number of processes can share a batch: --shard 3/8 takes the third of eight shares. Without it a
process in a Slurm array (SLURM_ARRAY_TASK_ID, _MIN, _COUNT) or in an Indexed Job of Kubernetes
(JOB_COMPLETION_INDEX, and JOB_COMPLETIONS, which the Job has to set) takes the share that its number
says. A part appears whole or not at all, so a process that was stopped is simply started again with
--resume, which makes what is missing. With --retry it also compares again what could not be
compared. The same traces give the same bytes, whoever compares them.

As many pairs are compared at once as there are processors, and they share --memory. A pair that
needs more than its share waits for the others to leave it enough; one that needs all of it and more
cannot be compared.

Batch merge joins the parts, batch report makes a page of them.`,
		Example: `  diptych batch plan --a 'runA/rank*.json' --b 'runB/rank*.json' --by rank -o pairs.csv
  diptych batch pairs.csv -o out
  diptych batch pairs.csv -o out --shard 3/8 --resume
  diptych batch plan --a 'A/*' --b 'B/*' -o - | diptych batch - -o out
  diptych batch merge out`,
		Args: traces(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := batchOptions(cmd, opts, shard)
			if err != nil {
				return err
			}
			m, err := readManifest(cmd.Context(), args[0], opts.Memory)
			if err != nil {
				return err
			}
			o.Resume, o.Retry = resume || retry, retry
			b := newBar(cmd.ErrOrStderr(), "comparing "+filepath.Base(input.Name(args[0])))
			b.unit = "pairs"
			o.Report = b.report
			done, err := batch.Run(cmd.Context(), m, out, o)
			b.done()
			if err != nil {
				if done != nil {
					escape.Printf(cmd.ErrOrStderr(), "diptych: %d of %s done; --resume does the rest\n",
						done.Done, plural.Of(done.Due, "pair"))
				}
				return err
			}
			if err := writeBatch(cmd, done, o.Shard, asJSON); err != nil {
				return err
			}
			return brokenError(pairNames(done.Broken), len(done.Broken), done.Done+done.Before)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&out, "output", "o", "", "directory to write into")
	f.StringVar(&shard, "shard", "", "i/n: compare only the i-th of n shares (default: what Slurm or Kubernetes says)")
	f.BoolVar(&resume, "resume", false, "make only the parts that are missing")
	f.BoolVar(&retry, "retry", false, "as --resume, and compare again what could not be compared")
	f.BoolVar(&asJSON, "json", false, "print one JSON object")
	cobra.CheckErr(cmd.MarkFlagRequired("output"))
	batchLoadFlags(cmd, &opts)
	identityFlags(cmd)
	strictFlag(cmd)
	cmd.AddCommand(batchPlanCommand())
	cmd.AddCommand(batchTrendCommand())
	cmd.AddCommand(batchMergeCommand())
	cmd.AddCommand(batchReportCommand())
	return cmd
}

// readManifest reads a manifest: a file, or what can be read only once.
func readManifest(ctx context.Context, path string, m input.Memory) (*batch.Manifest, error) {
	if !input.Once(path) {
		return batch.ReadManifest(path)
	}
	text, err := input.ReadFile(ctx, path, m)
	if err != nil {
		return nil, err
	}
	return batch.ParseManifest(bytes.NewReader(text), input.Name(path))
}

// batchLoadFlags adds the flags that steer loading. Traces of a batch are not kept: thousands would
// drive out those that somebody looks at.
func batchLoadFlags(cmd *cobra.Command, o *input.Options) {
	loadFlags(cmd, o)
	f := cmd.Flags().Lookup(memoryFlag)
	f.Usage = "memory that the pairs may take which are compared at once, such as 2GB or 40% " +
		"(default: 60% of the machine's)"
	cobra.CheckErr(cmd.Flags().MarkHidden(noCache))
}

// batchOptions returns how a batch is run, without progress.
func batchOptions(cmd *cobra.Command, opts input.Options, shard string) (o batch.Options, err error) {
	if o.Rules, err = identityRules(cmd); err != nil {
		return o, err
	}
	if shard == "" {
		o.Shard, err = batch.ShardFrom(os.LookupEnv)
	} else if o.Shard, err = batch.ParseShard(shard); err != nil {
		err = fmt.Errorf("--shard %w", err)
	}
	if err != nil {
		return o, usageError{err}
	}
	o.Workers = runtime.GOMAXPROCS(0)
	memory := cmp.Or(opts.Memory, machine()*6/10)
	o.Room = batch.NewRoom(int64(memory), o.Workers)
	relieve(cmd.Context(), memory, o.Room.Relieve)
	opts.Memory = max(memory/input.Memory(o.Workers), 1)
	o.Load = func(ctx context.Context, path string) (*trace.Trace, error) {
		return traceio.Load(ctx, path, opts)
	}
	if opts.Trace == "" {
		o.LoadRequest = func(ctx context.Context, path, id string) (*trace.Trace, error) {
			of := opts
			of.Trace = id
			return traceio.Load(ctx, path, of)
		}
	}
	o.Check = func(a, b *trace.Trace) error {
		return traceio.CheckSampleType(opts.SampleType, a, b)
	}
	o.Align = align.Options{Strict: strict(cmd)}
	program, _, _ := strings.Cut(version(), "\n")
	o.Settings = batch.Settings{Version: program, Names: o.Rules, Strict: o.Align.Strict,
		SampleType: opts.SampleType, Trace: opts.Trace, Format: opts.Format, RulesFile: opts.RulesFile}
	return o, nil
}

// batchOutcome is the JSON object of `diptych batch`.
type batchOutcome struct {
	Directory string        `json:"directory"`
	Shard     string        `json:"shard"`
	Pairs     int           `json:"pairs"`    // of the whole batch
	Compared  int           `json:"compared"` // by this run, without those that failed
	Before    int           `json:"before"`   // compared by earlier runs
	Failed    []batchFailed `json:"failed"`   // of this run and of earlier ones
}

// batchFailed is a pair that could not be compared.
type batchFailed struct {
	Number int64  `json:"number"`
	Pair   string `json:"pair"`
	Error  string `json:"error"`
}

func writeBatch(cmd *cobra.Command, o *batch.Outcome, s batch.Shard, asJSON bool) error {
	now, before := o.Compared()
	out := batchOutcome{o.Path, s.String(), o.Pairs, now, before, []batchFailed{}}
	for _, row := range o.Broken {
		out.Failed = append(out.Failed, batchFailed{row.Number, row.Pair, row.Error})
	}
	if asJSON {
		return writeJSON(cmd.OutOrStdout(), out)
	}
	w := newEntries(cmd.OutOrStdout())
	escape.Printf(w, "batch\t%s\npairs\t%d\n", o.Path, o.Pairs)
	if s != batch.Whole {
		escape.Printf(w, "share\t%s\n", s)
	}
	escape.Printf(w, "compared\t%d\n", now)
	if before > 0 {
		escape.Printf(w, "compared before\t%d\n", before)
	}
	for _, f := range out.Failed {
		escape.Printf(w, "failed\t%s: %s\n", f.Pair, f.Error)
	}
	return w.Flush()
}

// brokenError returns the error of a batch in which so many pairs could not be compared, of which
// these are the first; nil if there are none.
func brokenError(names []string, broken, of int) error {
	if broken == 0 {
		return nil
	}
	named := slices.Clone(names[:min(len(names), mostNamed)])
	if n := broken - len(named); n > 0 {
		named = append(named, fmt.Sprintf("and %d more", n))
	}
	return fmt.Errorf("%d of %s could not be compared: %s", broken, plural.Of(of, "pair"),
		strings.Join(named, ", "))
}

// pairNames returns what pairs are called.
func pairNames(rows []batch.PairRow) (names []string) {
	for _, r := range rows {
		names = append(names, r.Pair)
	}
	return names
}

// mostNamed is how many broken pairs the last line names.
const mostNamed = 5

func batchPlanCommand() *cobra.Command {
	var patterns [2]string
	var by, out string
	cmd := &cobra.Command{
		Use:   "plan --a 'A/*.json' --b 'B/*.json' -o MANIFEST",
		Short: "Make a manifest of the files of two runs",
		Long: `Plan pairs the files of two runs and writes a manifest for diptych batch: files with the same name
below the folder in which the stars begin (--by name), with the same number in their names (rank),
or the first with the first, the second with the second and so on (order; rank9 comes before
rank10). Files without a partner, and those whose names are not UTF-8, which a manifest cannot hold,
are named; they are in no pair. Quote the patterns, or the shell
replaces them.`,
		Example: `  diptych batch plan --a 'runA/rank*.json.gz' --b 'runB/rank*.json.gz' --by rank -o pairs.csv
  diptych batch plan --a 'main/*/trace.data' --b 'head/*/trace.data' -o pairs.csv`,
		Args: func(cmd *cobra.Command, args []string) error { return takes(cmd, args, 0, 0) },
		RunE: func(cmd *cobra.Command, _ []string) error {
			how, err := batch.ParseBy(by)
			if err != nil {
				return usageError{fmt.Errorf("--by %w", err)}
			}
			p, err := batch.NewPlan(patterns[0], patterns[1], how)
			if err != nil {
				return err
			}
			return writePlan(cmd, p, out)
		},
	}
	f := cmd.Flags()
	f.StringVar(&patterns[0], "a", "", "pattern of the traces of A")
	f.StringVar(&patterns[1], "b", "", "pattern of the traces of B")
	f.StringVar(&by, "by", batch.ByName.String(), "what makes a pair: "+strings.Join(batch.ByNames(), ", "))
	f.StringVarP(&out, "output", "o", "", "manifest to write; - is standard output")
	offer(cmd, "by", batch.ByNames()...)
	for _, name := range []string{"a", "b", "output"} {
		cobra.CheckErr(cmd.MarkFlagRequired(name))
	}
	return cmd
}

// writePlan writes a manifest, in which paths are relative to its folder, and tells what is in no
// pair.
func writePlan(cmd *cobra.Command, p *batch.Plan, path string) error {
	var reads []string
	for _, of := range p.Pairs {
		reads = append(reads, of.A, of.B)
	}
	to, err := newOutput(path, reads, cmd.OutOrStdout())
	if err != nil {
		return err
	}
	if path != toStandard {
		if err := p.MoveTo(filepath.Dir(path)); err != nil {
			return err
		}
	}
	if err := to.write(p.Write); err != nil {
		return err
	}
	for _, r := range p.Refused {
		escape.Printf(cmd.ErrOrStderr(), "diptych: %s, so it is in no pair\n", r.Error())
	}
	for side, files := range p.Alone {
		for _, name := range files {
			escape.Printf(cmd.ErrOrStderr(), "diptych: %s: no trace of %s is its partner\n", name, "BA"[side:side+1])
		}
	}
	if path != toStandard {
		says := plural.Of(len(p.Pairs), "pair")
		if n := len(p.Refused); n > 0 {
			says += "; " + plural.Of(n, "file has a name", "files have names") + " that a manifest cannot hold"
		}
		escape.Printf(cmd.OutOrStdout(), "%s: %s\n", path, says)
	}
	return nil
}
