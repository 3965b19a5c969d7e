package cli

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"diptych/internal/escape"
	"diptych/internal/plural"
	"diptych/internal/synth"
)

func generateCommand() *cobra.Command {
	g := new(generating)
	cmd := &cobra.Command{
		Use:   "generate OUT_A OUT_B",
		Short: "Write a synthetic pair of traces with its ground truth",
		Long: `Generate simulates a loop-heavy threaded program (functions of uneven popularity, recursion,
phases, mutexes and semaphores) and writes its trace as OUT_A, an edited one as OUT_B, and what was
edited as OUT_B.truth.json. A name ending in .json, .json.gz or .json.zst gives Chrome Trace Event
JSON, any other a uftrace data directory. The result depends on the options and the seed alone.

Edits, as kind:rate with the rate per call of A: ` + strings.Join(synth.KindNames(), ", ") + `.
For rename the rate is per function, for contend (sections that hold a lock take longer) per
section, for shard (locks are split, so that others wait for each other) per mutex.

Situations are threads that are added to the program; each may be given several times:

` + synth.SituationHelp() + `
With --waits, --situation, contend or shard the truth also says who waited on whom on both sides:
how often, how long, for which object, and what was never released.

Machines disturb what they measure: with --noise, --drift and --stalls both sides differ by chance,
as two recordings of one program do, and with --pace B's machine is a slower one. None of this is an
edit, so the truth stays as it is.

The situation perturbation is a run of its own, without the program, edits, noise and other
situations. It is an iterative computation of 64 MPI ranks (--threads), 16 on a node; each node is a
process. On side B one rank computes three times as long for a while, from about 40 % to 55 % of the
run: the ranks beside it wait for its messages in MPI_Wait, and all others wait in MPI_Allreduce. It has
300 iterations, or as many whole ones as are not more than --calls, at 10 calls a rank. Instead of waits
the truth has the key perturbation: the slow rank, the waiting threads, and for each side when the
period begins and ends, how long the slow rank computed in it, and how long the others waited.

With --ranks OUT_A and OUT_B are directories with a trace for each MPI rank (rank-0000.json.gz and so
on), for diptych batch. It is the same computation, again without the program, edits and situations,
in which both sides differ by chance by 3 % a call. On side B three ranks beside each other on a node
(one of eight if there are less than 24) take 2 to 4 times as long in one function (matvec,
precondition or update) for 8 % to 20 % of the iterations; the seed says which. All others wait for
them meanwhile. It has 166 iterations of 12 calls a rank, or as many as --calls of all ranks allow. The
key ranks of the truth has the function, the rate, the names of the files, and of each slow rank when
its slow calls begin and end, in ns since the start of its trace on either side.`,
		Example: `  diptych generate --calls 100000 --edit slow:0.01 --edit insert:0.005 a.json.gz b.json.gz
  diptych generate --calls 10000000 --threads 43 --seed 7 --edit delete:0.001 a.uftrace b.uftrace
  diptych generate --situation hang-monitor --situation lock-convoy --edit shard:1 a.json b.json
  diptych generate --situation perturbation --seed 3 before.json.gz after.json.gz
  diptych generate --ranks 64 --seed 7 runA runB
  diptych generate --calls 14000000 --threads 43 --waits 3000 a.uftrace b.uftrace`,
		Args: func(cmd *cobra.Command, args []string) error {
			if err := takes(cmd, args, 2, 2); err != nil {
				return err
			}
			if slices.Contains(args, toStandard) {
				return usageError{errors.New("-: generate writes three files, so it needs names for them")}
			}
			return nil
		},
		RunE: g.run,
	}
	g.addFlags(cmd)
	return cmd
}

// generating is what the flags of generate say.
type generating struct {
	synth.Options
	edits  []string
	format string
}

func (g *generating) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.IntVar(&g.Calls, "calls", 0, "calls of side A (default 100000, or 300 iterations; 166 with --ranks)")
	f.IntVar(&g.Threads, "threads", 0, "threads, at most 10000 (default 8, or 64 ranks)")
	f.IntVar(&g.Ranks, "ranks", 0, "MPI ranks with a file each, 4 to 1000, see above; OUT_A and OUT_B are directories")
	f.IntVar(&g.Functions, "functions", 3000, "functions of the program, 100 to 200000")
	f.Uint64Var(&g.Seed, "seed", 1, "seed; the same seed gives the same traces")
	f.IntVar(&g.Waits, "waits", 0, "calls of side A that wait (default: as many as the program makes)")
	f.StringArrayVar(&g.Situations, "situation", nil, "threads to add, see above; may be repeated")
	f.StringArrayVar(&g.edits, "edit", nil, "kind:rate; may be repeated")
	f.Float64Var(&g.Noise.Calls, "noise", 0, "how much each call varies by chance, 0.05 for 5 %")
	f.Float64Var(&g.Noise.Drift, "drift", 0, "how much the machine's pace varies over a run, 0.05 for 5 %")
	f.Float64Var(&g.Noise.Stalls, "stalls", 0, "share of calls that are held up, by 10 to 100 usual calls")
	f.Float64Var(&g.Pace, "pace", 0, "everything takes so many times as long in B (default 1)")
	f.StringVar(&g.format, "format", "", "chrome or uftrace (default: by the name)")
	offer(cmd, "format", "chrome", "uftrace")
	offer(cmd, "situation", synth.SituationNames()...)
	var kinds []string
	for _, name := range synth.KindNames() {
		kinds = append(kinds, name+":")
	}
	offer(cmd, "edit", kinds...)
}

// check reads the flags that are texts into the options, and checks all of them.
func (g *generating) check(cmd *cobra.Command) (err error) {
	for _, name := range []string{"calls", "threads", "ranks", "functions", "waits", "pace"} {
		// In the options 0 stands for the default.
		if f := cmd.Flags().Lookup(name); f.Changed && f.Value.String() == "0" {
			return fmt.Errorf("--%s 0: want a number above 0", name)
		}
	}
	if g.Format, err = synth.ParseFormat(g.format); err != nil {
		return err
	}
	g.Edits = map[synth.Kind]float64{}
	for _, e := range g.edits {
		kind, rate, err := synth.ParseEdit(e)
		if err != nil {
			return err
		}
		if _, again := g.Edits[kind]; again {
			return fmt.Errorf("--edit %s: there is another rate for %v", e, kind)
		}
		g.Edits[kind] = rate
	}
	return g.Check()
}

// run writes the pair and its truth.
func (g *generating) run(cmd *cobra.Command, args []string) error {
	if err := g.check(cmd); err != nil {
		return usageError{err}
	}
	if err := keepApart([]string{args[0], args[1], synth.TruthName(args[1])}); err != nil {
		return err
	}
	bar := newBar(cmd.ErrOrStderr(), "calls")
	truth, err := synth.Generate(cmd.Context(), g.Options, args[0], args[1], bar.report)
	bar.done()
	if unfit := synth.UnfitError(""); errors.As(err, &unfit) {
		return usageError{err}
	}
	if err != nil {
		return err
	}
	return summarize(cmd, truth, args)
}

func summarize(cmd *cobra.Command, t *synth.Truth, args []string) error {
	out := cmd.OutOrStdout()
	_, err := escape.Printf(out, "%s  %s\n%s  %s\n%s\n", args[0], plural.Of(t.Calls.A, "call"),
		args[1], plural.Of(t.Calls.B, "call"), synth.TruthName(args[1]))
	for _, kind := range slices.Sorted(maps.Keys(t.Counts)) {
		_, err = escape.Printf(out, "  %-7s %d\n", kind, t.Counts[kind])
	}
	return err
}
