package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/report"
	"diptych/internal/traceio/input"
)

func alignCommand() *cobra.Command {
	var (
		opts                input.Options
		pairs, engine, dump string
		asJSON              bool
	)
	cmd := &cobra.Command{
		Use:   "align A B",
		Short: "Say of every call whether it is equal, different or missing on one side",
		Long: `Align pairs the calls of two traces level by level (Weber et al.): the callees of two
paired calls are aligned globally by function, with scores of +2 for equal, −1 for different and −1
for missing. A level of calls that only one side has, such as a wrapper, is passed through, unless
--strict says otherwise. It prints how similar each pair of threads is, where time was gained and
lost by function, and what was moved.

With --pairs=all every thread of A is also compared with every one of B, which gives a matrix of
similarities; the rest is still of the paired threads.`,
		Example: `  diptych align before.json.gz after.json.gz
  diptych align --pairs 21:17 --dump calls.jsonl a.gotrace b.gotrace
  diptych align --json a.data.tar.gz b.data.tar.gz | jq .total.similarity`,
		Args: traces(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			e, err := align.EngineNamed(engine)
			if err != nil {
				return usageError{fmt.Errorf("--engine: %w", err)}
			}
			o := align.Options{Engine: e, Strict: strict(cmd)}
			a, err := runAlign(cmd, args, opts, pairs, o, dump)
			if err != nil {
				return err
			}
			if asJSON {
				return report.WriteAlign(cmd.Context(), cmd.OutOrStdout(), a.Align, nil)
			}
			return a.write(cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.StringVar(&pairs, "pairs", autoPairs, "auto for the paired threads, all, or TID:TID for two")
	f.StringVar(&engine, "engine", align.Auto.String(),
		"auto, plain, hirschberg or hybrid; all give the same scores")
	f.StringVar(&dump, "dump", "",
		"also write what became of every call to this file, as JSON lines in virtual order")
	f.BoolVar(&asJSON, "json", false, "print one JSON object")
	loadFlags(cmd, &opts)
	cacheFlag(cmd)
	identityFlags(cmd)
	strictFlag(cmd)
	return cmd
}

// The values of --pairs other than two threads.
const (
	autoPairs = "auto"
	allPairs  = "all"
)

// runAlign loads the pair, aligns it, writes the dump and describes the result.
func runAlign(cmd *cobra.Command, paths []string, opts input.Options, pairs string,
	o align.Options, dump string) (*alignment, error) {
	var file *output
	if dump != "" {
		var err error
		if file, err = newOutput(dump, filesRead(paths, opts)); err != nil {
			return nil, err
		}
	}
	began := time.Now()
	p, err := readPair(cmd, paths, opts)
	if err != nil {
		return nil, err
	}
	loaded := time.Now()
	chosen, err := choosePairs(p, pairs)
	if err != nil {
		return nil, usageError{err}
	}
	ctx := cmd.Context()
	results, cached, err := alignments(cmd, p, chosen, o)
	if err != nil {
		return nil, err
	}
	a, err := report.NewAlign(ctx, results)
	if err != nil {
		return nil, err
	}
	if pairs == allPairs {
		if a.Matrix, err = similarities(cmd, p, o); err != nil {
			return nil, err
		}
	}
	a.Cached = cached
	a.ElapsedNs = report.Elapsed{Load: loaded.Sub(began).Nanoseconds(),
		Compute: time.Since(loaded).Nanoseconds()}
	if file != nil {
		err = file.write(func(w io.Writer) error { return report.WriteDump(ctx, w, results) })
	}
	return &alignment{a, string(p.A.Unit)}, err
}

// choosePairs returns the thread pairs that --pairs names, without those that have no calls.
func choosePairs(p *pair.Pair, pairs string) ([]pair.ThreadPair, error) {
	if pairs == autoPairs || pairs == allPairs {
		var out []pair.ThreadPair
		for _, tp := range p.Threads {
			if callsOf(p, pair.A, tp.A)+callsOf(p, pair.B, tp.B) > 0 {
				out = append(out, tp)
			}
		}
		return out, nil
	}
	a, b, ok := strings.Cut(pairs, ":")
	if !ok {
		return nil, fmt.Errorf("--pairs %s: want auto, all or TID:TID", pairs)
	}
	var threads [2]int
	for s, id := range []string{a, b} {
		side := pair.Side(s)
		if threads[s] = p.Trace(side).ThreadByID(id); threads[s] < 0 {
			return nil, fmt.Errorf("--pairs %s: %s has no thread %q", pairs, side, id)
		}
	}
	return []pair.ThreadPair{{A: threads[pair.A], B: threads[pair.B]}}, nil
}

func callsOf(p *pair.Pair, s pair.Side, thread int) int {
	if thread < 0 {
		return 0
	}
	return p.Trace(s).Threads[thread].Len()
}

// alignPairs aligns thread pairs and shows how far it has got. It keeps nothing: pairs of all threads
// with all would drive out what is of more use.
func alignPairs(cmd *cobra.Command, p *pair.Pair, pairs []pair.ThreadPair,
	o align.Options) ([]*align.Result, error) {
	b := newBar(cmd.ErrOrStderr(), "aligning")
	defer b.done()
	return align.All(cmd.Context(), p, pairs, o, b.report)
}
