package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"diptych/internal/align"
	"diptych/internal/escape"
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/plural"
	"diptych/internal/report"
)

func alignCommand() *cobra.Command {
	var (
		opts                loading
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
			if asJSON && dump == toStandard {
				return usageError{errors.New("--json and --dump -: standard output takes one of both")}
			}
			o := align.Options{Engine: e, Strict: strict(cmd)}
			a, err := runAlign(cmd, args, opts, pairs, o, dump)
			if err != nil {
				return err
			}
			if dump == toStandard {
				return nil // it takes the place of the table
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
		"also write the state of every call to this file, as JSON lines in virtual order; - writes it to "+
			"standard output, and no table")
	f.BoolVar(&asJSON, "json", false, "print one JSON object")
	offer(cmd, "pairs", autoPairs, allPairs)
	offer(cmd, "engine", align.EngineNames()...)
	sideLoadFlags(cmd, &opts)
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
func runAlign(cmd *cobra.Command, paths []string, opts loading, pairs string,
	o align.Options, dump string) (*alignment, error) {
	var file *outputFile
	if dump != "" {
		var err error
		if file, err = newOutput(dump, filesRead(paths, opts.Options), cmd.OutOrStdout()); err != nil {
			return nil, err
		}
	}
	began := time.Now()
	p, err := readCompared(cmd, paths, opts)
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
	a.Cached, a.Requests = cached, report.RequestsOf(p)
	a.ElapsedNs = report.Elapsed{Load: loaded.Sub(began).Nanoseconds(),
		Compute: time.Since(loaded).Nanoseconds()}
	if file != nil {
		err = file.write(func(w io.Writer) error { return report.WriteDump(ctx, w, results) })
	}
	return &alignment{a, string(p.A.Unit), p.CallNoun()}, err
}

// choosePairs returns the thread pairs that --pairs names, without those that have no calls.
func choosePairs(p *pair.Pair, pairs string) ([]pair.ThreadPair, error) {
	if pairs == autoPairs || pairs == allPairs {
		return p.WithCalls(), nil
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

// alignPairs aligns thread pairs and shows the progress. It stores nothing: alignments of all
// threads of A with all of B would push more useful results out of the store.
func alignPairs(cmd *cobra.Command, p *pair.Pair, pairs []pair.ThreadPair,
	o align.Options) ([]*align.Result, error) {
	b := newBar(cmd.ErrOrStderr(), "aligning")
	defer b.done()
	return align.All(cmd.Context(), p, pairs, o, b.report)
}

// Bounds of the matrix of all thread pairs.
const (
	mostCompared = 64      // threads of each side, those with the most calls
	mostPartners = 1 << 26 // calls of pairs that are aligned together, 4 bytes each
)

// similarities aligns every thread of A with every one of B, some pairs at a time.
func similarities(cmd *cobra.Command, p *pair.Pair, o align.Options) (*report.AlignMatrix, error) {
	as, bs := busiest(p, pair.A), busiest(p, pair.B)
	m := &report.AlignMatrix{A: names(p, pair.A, as), B: names(p, pair.B, bs),
		Similarity: make([][]float64, len(as)), Omitted: report.Both[int]{
			A: withCalls(p, pair.A) - len(as), B: withCalls(p, pair.B) - len(bs)}}
	var batch []pair.ThreadPair
	row, calls := 0, 0
	flush := func() error {
		results, err := alignPairs(cmd, p, batch, o)
		for _, r := range results {
			if len(m.Similarity[row]) == len(bs) {
				row++
			}
			m.Similarity[row] = append(m.Similarity[row], r.Metrics().Similarity())
		}
		batch, calls = batch[:0], 0
		return err
	}
	for _, a := range as {
		for _, b := range bs {
			batch = append(batch, pair.ThreadPair{A: a, B: b})
			if calls += callsOf(p, pair.A, a) + callsOf(p, pair.B, b); calls >= mostPartners {
				if err := flush(); err != nil {
					return nil, err
				}
			}
		}
	}
	if len(batch) > 0 {
		return m, flush()
	}
	return m, nil
}

// busiest returns the mostCompared threads of a side that have the most calls, by their index.
func busiest(p *pair.Pair, s pair.Side) []int {
	var out []int
	for k, th := range p.Trace(s).Threads {
		if th.Len() > 0 {
			out = append(out, k)
		}
	}
	slices.SortStableFunc(out, func(x, y int) int {
		return cmp.Compare(callsOf(p, s, y), callsOf(p, s, x))
	})
	out = out[:min(len(out), mostCompared)]
	slices.Sort(out)
	return out
}

func withCalls(p *pair.Pair, s pair.Side) (n int) {
	for _, th := range p.Trace(s).Threads {
		if th.Len() > 0 {
			n++
		}
	}
	return n
}

func names(p *pair.Pair, s pair.Side, threads []int) []string {
	out := []string{}
	for _, k := range threads {
		out = append(out, p.Trace(s).Threads[k].ID)
	}
	return out
}

// alignment is the description of an aligned pair, the unit of its times, and what its calls are.
type alignment struct {
	*report.Align
	unit, noun string
}

// How many rows the tables list; --json lists all.
const (
	mostPairs     = 20
	mostFunctions = 20
	mostMoved     = 10
	mostColumns   = 12 // of the matrix, and rows
)

func (a *alignment) write(out io.Writer) error {
	writeCompared(out, a.Requests)
	for _, table := range []func(*tabwriter.Writer){a.pairTable, a.functionTable, a.movedTable,
		a.matrixTable} {
		w := newTable(out)
		table(w)
		if err := w.Flush(); err != nil {
			return err
		}
	}
	_, err := escape.Printf(sentences(out), "engine %s, %s aligned, of which %d too large for the first "+
		"rule of ties\n", a.Engine, plural.Of(a.Ties.Levels, "level"), a.Ties.OverBudget)
	return err
}

func (a *alignment) value(ns int64) string { return geom.FormatValue(float64(ns), a.unit) }

func (a *alignment) pairTable(w *tabwriter.Writer) {
	escape.Printf(w, "A\tB\t%ss A\t%[1]ss B\tequal\tdifferent\tonly A\tonly B\tsimilarity\t"+
		"dice\tA − B\t\n", a.noun)
	row := func(x, y string, f *report.AlignFigures) {
		escape.Printf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%.3f\t%.3f\t%s\t\n", x, y, f.M, f.N, f.Equal,
			f.Different, f.GapB, f.GapA, f.Similarity, f.Dice, a.value(f.SkewEndNs))
	}
	for k := range a.Pairs {
		if k == mostPairs {
			escape.Printf(w, "… %d more\t\t\t\t\t\t\t\t\t\t\t\n", len(a.Pairs)-k)
			break
		}
		p := &a.Pairs[k]
		row(orDash(p.A), orDash(p.B), &p.AlignFigures)
	}
	row("all", "", &a.Total)
	fmt.Fprintln(w)
}

func orDash(id *string) string {
	if id == nil {
		return "–"
	}
	return *id
}

func (a *alignment) functionTable(w *tabwriter.Writer) {
	less, more := geom.Comparatives(a.unit)
	escape.Printf(w, "pairs\tA %s\tby\tA %s\tby\tonly A\tfor\tonly B\tfor\t  function\n", less, more)
	for k, f := range a.Functions {
		if k == mostFunctions {
			escape.Printf(w, "\t\t\t\t\t\t\t\t\t  … %d more\n", len(a.Functions)-k)
			break
		}
		escape.Printf(w, "%d\t", f.Pairs)
		for _, c := range [][2]int64{{f.PlusCount, f.PlusNs}, {f.MinusCount, f.MinusNs},
			{f.OnlyA, f.OnlyANs}, {f.OnlyB, f.OnlyBNs}} {
			if c[0] == 0 {
				fmt.Fprint(w, "\t\t")
			} else {
				escape.Printf(w, "%d\t%s\t", c[0], a.value(c[1]))
			}
		}
		escape.Printf(w, "  %s\n", f.Name)
	}
	fmt.Fprintln(w)
}

func (a *alignment) movedTable(w *tabwriter.Writer) {
	if len(a.Moved) == 0 {
		return
	}
	escape.Printf(w, "moved %ss\tthread of A\t%[1]s\tthread of B\t%[1]s\t\n", a.noun)
	for k, m := range a.Moved {
		if k == mostMoved {
			escape.Printf(w, "… %d more\t\t\t\t\t\n", len(a.Moved)-k)
			break
		}
		p := &a.Pairs[m.Pair]
		escape.Printf(w, "%d\t%s\t%d\t%s\t%d\t\n", m.Size, orDash(p.A), m.A, orDash(p.B), m.B)
	}
	fmt.Fprintln(w)
}

func (a *alignment) matrixTable(w *tabwriter.Writer) {
	m := a.Matrix
	if m == nil {
		return
	}
	columns := min(len(m.B), mostColumns)
	fmt.Fprint(w, "similarity\t")
	for _, id := range m.B[:columns] {
		escape.Printf(w, "%s\t", id)
	}
	fmt.Fprintln(w)
	for k, row := range m.Similarity[:min(len(m.A), mostColumns)] {
		escape.Printf(w, "%s\t", m.A[k])
		for _, s := range row[:columns] {
			escape.Printf(w, "%.3f\t", s)
		}
		fmt.Fprintln(w)
	}
	escape.Printf(w, "of %d × %d\t\n\n", len(m.A)+m.Omitted.A, len(m.B)+m.Omitted.B)
}
