package cli

import (
	"time"

	"github.com/spf13/cobra"

	"diptych/internal/pair"
	"diptych/internal/report"
	"diptych/internal/trace"
	"diptych/internal/traceio/input"
	"diptych/internal/wait"
)

func waitsCommand() *cobra.Command {
	var (
		opts   input.Options
		asJSON bool
	)
	cmd := &cobra.Command{
		Use:   "waits TRACE | A B",
		Short: "Say who waits on whom, for what and how long",
		Long: `Waits finds which calls wait and which calls on other threads release what they wait for
(SyncTrace): by the objects that both operate on, or as the recording states it. It prints how long
each thread waits, on which other thread, and for which object, waits that never ended, deadlocks,
and how long the critical path is. Of two traces it prints what changed.`,
		Example: `  diptych waits app.data.tar.gz
  diptych waits before.gotrace after.gotrace
  diptych waits --json app.data.tar.gz | jq .pairs`,
		Args: traces(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 2 {
				w, unit, err := runWaitsPair(cmd, args, opts)
				if err != nil {
					return err
				}
				if asJSON {
					return writeJSON(cmd.OutOrStdout(), w)
				}
				return writeWaitsPair(cmd.OutOrStdout(), w, unit)
			}
			w, unit, err := runWaits(cmd, args[0], opts)
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), w)
			}
			return writeWaits(cmd.OutOrStdout(), w, unit)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	identityFlags(cmd)
	loadFlags(cmd, &opts)
	return cmd
}

// findWaits analyses a trace.
func findWaits(cmd *cobra.Command, tr *trace.Trace) (*wait.Analysis, *wait.Path, error) {
	b := newBar(cmd.ErrOrStderr(), "waits")
	defer b.done()
	a, err := wait.Find(cmd.Context(), tr, b.report)
	if err != nil {
		return nil, nil, err
	}
	path, err := a.CriticalPath(cmd.Context())
	return a, path, err
}

// runWaits loads a trace and describes its waits; unit is that of its times.
func runWaits(cmd *cobra.Command, path string, opts input.Options) (*report.Waits, string, error) {
	if _, err := identityRules(cmd); err != nil {
		return nil, "", err
	}
	began := time.Now()
	tr, err := read(cmd, path, opts)
	if err != nil {
		return nil, "", err
	}
	loaded := time.Now()
	a, critical, err := findWaits(cmd, tr)
	if err != nil {
		return nil, "", err
	}
	w := report.NewWaits(a, critical)
	w.ElapsedNs = report.Elapsed{Load: loaded.Sub(began).Nanoseconds(),
		Compute: time.Since(loaded).Nanoseconds()}
	return w, string(tr.Unit), nil
}

// runWaitsPair loads two traces and describes the waits of both.
func runWaitsPair(cmd *cobra.Command, paths []string,
	opts input.Options) (*report.WaitsPair, string, error) {
	began := time.Now()
	p, err := readPair(cmd, paths, opts)
	if err != nil {
		return nil, "", err
	}
	loaded := time.Now()
	c, critical, err := compareWaits(cmd, p)
	if err != nil {
		return nil, "", err
	}
	w := report.NewWaitsPair(c, critical)
	w.ElapsedNs = report.Elapsed{Load: loaded.Sub(began).Nanoseconds(),
		Compute: time.Since(loaded).Nanoseconds()}
	return w, string(p.A.Unit), nil
}

func compareWaits(cmd *cobra.Command,
	p *pair.Pair) (c *wait.Comparison, critical [2]*wait.Path, err error) {
	var sides [2]*wait.Analysis
	for s, tr := range []*trace.Trace{p.A, p.B} {
		if sides[s], critical[s], err = findWaits(cmd, tr); err != nil {
			return nil, critical, err
		}
	}
	c, err = wait.Compare(cmd.Context(), sides[pair.A], sides[pair.B], p)
	return c, critical, err
}
