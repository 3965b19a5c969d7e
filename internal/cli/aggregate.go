package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"diptych/internal/aggregate"
	"diptych/internal/aggregate/bycode"
	"diptych/internal/escape"
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/plural"
	"diptych/internal/report"
	"diptych/internal/structure"
	"diptych/internal/trace"
)

// aggregateOptions are the flags of `diptych aggregate`.
type aggregateOptions struct {
	load                              loading
	slices                            int
	by, states, p, operator, timeSpan string
	asJSON                            bool

	// What the flags say.
	kind  aggregate.States
	op    aggregate.Operator
	fixed float64 // p, NaN for the best one
	span  *aggregate.Span
}

func aggregateCommand() *cobra.Command {
	var o aggregateOptions
	cmd := &cobra.Command{
		Use:   "aggregate A [B]",
		Short: "Show the whole trace as few homogeneous areas of threads and time",
		Long: `Aggregate cuts time into equal slices, measures how long each thread is in each
state in each slice, and joins neighbouring slices and related threads whose states are alike into
aggregates (Ocelotl). --p weighs simplicity against detail: 0 loses no information, 1 is simplest;
auto is the p whose gain is nearest to 1 with a loss nearest to 0. With two traces it prints both
under the same p, and the aggregates of their difference under a p of its own.

With --by structure the functions of the code take the place of the threads, and running is the only
state. The curve in --json has the partitions that are optimal for some p, found from the widest gap
to the narrowest, 64 searches a curve; curveComplete says whether none is missing. The p of auto is
exact in any case.`,
		Example: `  diptych aggregate app.gotrace
  diptych aggregate --states blocking --slices 200 before.json.gz after.json.gz
  diptych aggregate --range 1s:2.5s --json app.gotrace | jq .curve`,
		Args: traces(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.parse(cmd); err != nil {
				return usageError{err}
			}
			return runAggregate(cmd, args, &o)
		},
	}
	f := cmd.Flags()
	f.IntVar(&o.slices, "slices", 100, "number of timeslices, 1 to 1000")
	f.StringVar(&o.by, "by", "thread", "what is aggregated: thread or structure (the code)")
	f.StringVar(&o.states, "states", aggregate.ByFunction.String(),
		"state of a thread: function, package or blocking")
	f.StringVar(&o.p, "p", "auto", "weight of simplicity, 0 to 1, or auto")
	f.StringVar(&o.operator, "operator", aggregate.Sum.String(), "sum or mean")
	f.StringVar(&o.timeSpan, "range", "", "FROM:TO, such as 1s:2.5s; a number alone is ns")
	f.BoolVar(&o.asJSON, "json", false, "print one JSON object")
	offer(cmd, "by", "thread", "structure")
	offer(cmd, "states", "function", "package", "blocking")
	offer(cmd, "operator", "sum", "mean")
	sideLoadFlags(cmd, &o.load)
	identityFlags(cmd)
	return cmd
}

func (o *aggregateOptions) parse(cmd *cobra.Command) (err error) {
	var ok bool
	if o.kind, ok = aggregate.ParseStates(o.states); !ok {
		return fmt.Errorf("--states %s: want function, package or blocking", o.states)
	}
	if o.op, ok = aggregate.ParseOperator(o.operator); !ok {
		return fmt.Errorf("--operator %s: want sum or mean", o.operator)
	}
	if o.by != "thread" && o.by != "structure" {
		return fmt.Errorf("--by %s: want thread or structure", o.by)
	}
	if o.by == "structure" && cmd.Flags().Changed("states") {
		return errors.New("--states: by structure, running is the only state")
	}
	if o.slices < aggregate.FewestSlices || o.slices > aggregate.MostSlices {
		return fmt.Errorf("--slices %d: want %d to %d", o.slices, aggregate.FewestSlices,
			aggregate.MostSlices)
	}
	if o.fixed = math.NaN(); o.p != "auto" {
		if o.fixed, err = strconv.ParseFloat(o.p, 64); err != nil || !(o.fixed >= 0 && o.fixed <= 1) {
			return fmt.Errorf("--p %s: want auto or a number from 0 to 1", o.p)
		}
	}
	if o.timeSpan != "" {
		from, to, _ := strings.Cut(o.timeSpan, ":")
		a, okA := parseTime(from)
		b, okB := parseTime(to)
		if !okA || !okB || a < 0 || b <= a {
			return fmt.Errorf("--range %s: want FROM:TO, such as 1s:2.5s", o.timeSpan)
		}
		o.span = &aggregate.Span{From: a, To: b}
	}
	return nil
}

// parseTime reads ns, or a number with a unit of time.
func parseTime(text string) (int64, bool) {
	if ns, err := strconv.ParseInt(text, 10, 64); err == nil {
		return ns, true
	}
	d, err := time.ParseDuration(text)
	return d.Nanoseconds(), err == nil
}

// spanOf returns the range of a trace that is shown.
func (o *aggregateOptions) spanOf(t *trace.Trace, path string) (aggregate.Span, error) {
	span := aggregate.Span{To: max(t.Duration, 1)}
	if o.span != nil {
		span = aggregate.Span{From: o.span.From, To: min(o.span.To, span.To)}
	}
	if span.To <= span.From {
		return span, fmt.Errorf("%s: --range %s is after its end at %s", path, o.timeSpan,
			geom.FormatValue(float64(t.Duration), string(t.Unit)))
	}
	return span, nil
}

func runAggregate(cmd *cobra.Command, paths []string, o *aggregateOptions) error {
	began := time.Now()
	p, err := readOneOrTwo(cmd, paths, o.load)
	if err != nil {
		return err
	}
	loaded := time.Now()
	r := aggregation{o: o, p: p}
	if err := r.find(cmd, paths); err != nil {
		return err
	}
	if !o.asJSON {
		return r.table(cmd.OutOrStdout())
	}
	out := r.report()
	out.ElapsedNs = report.Elapsed{Load: loaded.Sub(began).Nanoseconds(),
		Compute: time.Since(loaded).Nanoseconds()}
	return writeJSON(cmd.OutOrStdout(), out)
}

// aggregation is what is found.
type aggregation struct {
	o      *aggregateOptions
	p      *pair.Pair
	code   *structure.Tree // by structure
	places []int           // node by index into Code.Places
	models *aggregate.Models
	apart  *aggregate.Difference // of two traces

	sides, difference searched
}

// searched is what remains of a curve. The curve itself also holds all that was measured of its
// sources, which may be as much as everything else together.
type searched struct {
	curve []report.AggregatePoint
	whole bool // no optimum is missing
	best  aggregate.Point
}

func (r *aggregation) find(cmd *cobra.Command, paths []string) error {
	var spans [2]aggregate.Span
	for s := range paths {
		var err error
		if spans[s], err = r.o.spanOf(r.p.Trace(pair.Side(s)), paths[s]); err != nil {
			return err
		}
	}
	options := aggregate.Options{Slices: r.o.slices, States: r.o.kind}
	if r.o.by == "structure" {
		var err error
		if r.code, err = findStructure(cmd, r.p, ""); err != nil {
			return err
		}
		options.Code, r.places = bycode.Places(r.code)
	}
	b := newBar(cmd.ErrOrStderr(), "aggregate")
	defer b.done()
	var err error
	if r.models, err = aggregate.New(cmd.Context(), r.p, spans, options, b.report); err != nil {
		return err
	}
	sources := []aggregate.Source{r.models.Sides[pair.A]}
	if r.p.B != nil {
		r.apart = r.models.Difference()
		if r.difference, err = r.search(cmd.Context(), r.apart); err != nil {
			return err
		}
		sources = append(sources, r.models.Sides[pair.B])
	}
	r.sides, err = r.search(cmd.Context(), sources...)
	return err
}

// search finds the curve of some sources, and the partition that the flags ask for.
func (r *aggregation) search(ctx context.Context, of ...aggregate.Source) (found searched,
	err error) {
	var list []*aggregate.Quality
	for _, s := range of {
		q, err := aggregate.Measure(ctx, s, r.o.op)
		if err != nil {
			return found, err
		}
		list = append(list, q)
	}
	c, err := aggregate.NewCurve(ctx, list...)
	if err != nil {
		return found, err
	}
	p := r.o.fixed
	if math.IsNaN(p) {
		nearest, err := c.Nearest(ctx)
		if err != nil {
			return found, err
		}
		p = nearest.P
	}
	found.best, err = c.Best(ctx, p)
	if err == nil && r.o.asJSON { // no more of the curve is in the table
		err = refine(ctx, c)
	}
	found.curve, found.whole = report.AggregatePoints(c.Points()), c.Whole()
	return found, err
}

// mostSteps bounds the searches for a curve. On a real pair of browser traces, finding all
// partitions that are optimal for some p took thirty times as long.
const mostSteps = 64

func refine(ctx context.Context, c *aggregate.Curve) error {
	for range mostSteps {
		if more, err := c.Step(ctx); err != nil || !more {
			return err
		}
	}
	return nil
}

// leafName names a leaf in JSON: by thread id, or by the identity of a function.
func (r *aggregation) leafName(s pair.Side, of int) string {
	if r.code == nil {
		return r.p.Trace(s).Threads[of].ID
	}
	return r.p.Names[r.code.Nodes[r.places[of]].Identity]
}

func (r *aggregation) report() *report.Aggregate {
	out := report.NewAggregate(r.models, r.apart, r.o.op, r.o.by, r.leafName)
	out.Curve, out.CurveComplete = r.sides.curve, r.sides.whole
	sides := r.models.Sides
	out.A = report.NewAggregatePartition(sides[pair.A], r.sides.best.Partitions[pair.A])
	if r.apart != nil {
		out.DifferenceCurve = r.difference.curve
		out.CurveComplete = out.CurveComplete && r.difference.whole
		out.B = report.NewAggregatePartition(sides[pair.B], r.sides.best.Partitions[pair.B])
		out.Difference = report.NewAggregatePartition(r.apart, r.difference.best.Partitions[0])
	}
	return out
}

// table writes the aggregates of each source, in order of the tree and of time.
func (r *aggregation) table(out io.Writer) error {
	unit := string(r.p.A.Unit)
	var borders [][]int64 // of the difference: its slices are times of both sides
	for sd, p := range r.sides.best.Partitions {
		m := r.models.Sides[sd]
		borders = append(borders, m.Borders)
		if err := writeAggregates(out, pair.Side(sd).String(), unit, m, p, m.Borders); err != nil {
			return err
		}
		if r.apart != nil {
			fmt.Fprintln(out)
		}
	}
	if r.apart == nil {
		return nil
	}
	return writeAggregates(out, "A − B", unit, r.apart, r.difference.best.Partitions[0], borders...)
}

// mostAggregates is how many aggregates of a source the table lists; --json lists all.
const mostAggregates = 40

func writeAggregates(out io.Writer, title, unit string, s aggregate.Source, p *aggregate.Partition,
	borders ...[]int64) error {
	_, err := escape.Printf(sentences(out), "%s: p %.4f, gain %.1f %%, loss %.1f %%, %s of %s\n", title, p.P,
		100*p.Gain, 100*p.Loss, plural.Of(len(p.Aggregates), "aggregate"),
		plural.Of(s.Tree().Leaves*s.Slices(), "cell"))
	if err != nil {
		return err
	}
	w := newTable(out)
	if len(borders) > 1 {
		fmt.Fprint(w, "from A\tto A\tfrom B\tto B\t")
	} else {
		fmt.Fprint(w, "from\tto\t")
	}
	fmt.Fprint(w, "resources\tshare\t  \tstate\t  \twhere\n")
	shares := make([]float64, len(s.States()))
	for i, a := range p.Aggregates {
		if i == mostAggregates && len(p.Aggregates) > i+1 {
			for range borders {
				fmt.Fprint(w, "\t\t")
			}
			escape.Printf(w, "\t\t  \t… %d more\t\t\n", len(p.Aggregates)-i)
			break
		}
		share, state := "–", "none"
		if mode := a.Shares(s, shares); mode >= 0 {
			state = shownName(s.States()[mode])
			share = strings.Replace(fmt.Sprintf("%.1f %%", 100*shares[mode]), "-", "−", 1)
		}
		n := s.Tree().Nodes[a.Node]
		for _, b := range borders {
			escape.Printf(w, "%s\t%s\t", geom.FormatValue(float64(b[a.From]), unit),
				geom.FormatValue(float64(b[a.To+1]), unit))
		}
		escape.Printf(w, "%d\t%s\t  \t%s\t  \t%s\n", n.To-n.From, share, state, shownName(nodeName(n)))
	}
	return w.Flush()
}

func nodeName(n aggregate.Node) string {
	if len(n.Path) == 0 {
		return "(all)"
	}
	return strings.Join(n.Path, " › ")
}
