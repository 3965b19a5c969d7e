package batch

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"diptych/internal/account"
	"diptych/internal/account/explain"
	"diptych/internal/align"
	"diptych/internal/align/finding"
	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/stats"
	"diptych/internal/trace"
	"diptych/internal/wait"
)

// Loader loads the trace of a side.
type Loader func(ctx context.Context, path string) (*trace.Trace, error)

// Compared is how all pairs of a batch are compared.
type Compared struct {
	Load Loader
	// LoadRequest loads another request of a file of distributed traces than the one that is shown
	// by itself (pair.Requests). It is nil if the user has chosen one.
	LoadRequest func(ctx context.Context, path, id string) (*trace.Trace, error)
	Check       func(a, b *trace.Trace) error // says why two traces are none to compare; may be nil
	Rules       pair.Rules
	Align       align.Options
}

// compare returns the rows of a pair. One that cannot be compared has a row that says why, and the
// only error is ctx's: what is wrong with one pair must not end the batch.
func (c *Compared) compare(ctx context.Context, room *Room, number int, of Pair, paths [2]string) (
	*Rows, error) {
	var t *task
	row := PairRow{Number: int64(number), Pair: of.Name, A: of.A, B: of.B}
	do := func(ctx context.Context, in *tenant) error {
		t = &task{row: row}
		return t.run(ctx, c, paths, in)
	}
	var err error
	if room == nil {
		err = do(ctx, nil)
	} else {
		err = room.compare(ctx, do)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err != nil {
		row.Error = asListed(err, of, paths)
		return &Rows{Pairs: []PairRow{row}}, nil
	}
	t.rows.Pairs = []PairRow{t.row}
	return &t.rows, nil
}

// asListed returns the text of an error with the paths as the manifest has them. Where these were
// found depends on the directory that the program was started in, and the rows must not.
func asListed(err error, of Pair, paths [2]string) string {
	text := err.Error()
	for side, path := range []string{of.A, of.B} {
		if path == paths[side] {
			continue
		}
		whole := regexp.MustCompile(`(^|[\s"'(])` + regexp.QuoteMeta(paths[side]) + `($|[\s"'):,/])`)
		text = whole.ReplaceAllString(text, "${1}"+strings.ReplaceAll(path, "$", "$$")+"${2}")
	}
	return text
}

// task is a pair while it is compared.
type task struct {
	pair    *pair.Pair
	results []*align.Result
	waits   [2]*wait.Analysis
	row     PairRow
	rows    Rows
}

// run compares the pair, in a room if there is one. A panic is an error of this pair: it is a
// mistake of the program that one trace has brought to light, and the others are to be compared
// nevertheless. `diptych diff` of the pair has the stack.
func (t *task) run(ctx context.Context, c *Compared, paths [2]string, in *tenant) (err error) {
	defer func() {
		if p := progress.Caught(recover()); p != nil {
			err = fmt.Errorf("the program failed: %w", p)
		}
	}()
	var sides [2]*trace.Trace
	for side, path := range paths {
		if sides[side], err = c.Load(ctx, path); err != nil {
			return err
		}
	}
	if c.LoadRequest != nil {
		for side, id := range pair.Requests(sides[pair.A], sides[pair.B], [2]bool{}) {
			if id == "" {
				continue
			}
			if sides[side], err = c.LoadRequest(ctx, paths[side], id); err != nil {
				return err
			}
		}
	}
	if err := pair.Comparable(sides[pair.A], sides[pair.B]); err != nil {
		return err
	}
	if c.Check != nil {
		if err := c.Check(sides[pair.A], sides[pair.B]); err != nil {
			return err
		}
	}
	if in != nil {
		if err := in.grow(ctx, sides[pair.A].Calls()+sides[pair.B].Calls()); err != nil {
			return err
		}
	}
	return t.analyse(ctx, c, sides)
}

// analyse fills the rows.
func (t *task) analyse(ctx context.Context, c *Compared, sides [2]*trace.Trace) (err error) {
	t.pair = pair.New(sides[pair.A], sides[pair.B], c.Rules)
	if t.results, err = align.All(ctx, t.pair, t.pair.Threads, c.Align, nil); err != nil {
		return err
	}
	for side, tr := range sides {
		if t.waits[side], err = wait.Find(ctx, tr, nil); err != nil {
			return err
		}
	}
	for _, step := range []func(context.Context) error{t.explain, t.countFunctions, t.compareWaits,
		t.sampleTimeline} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// explain fills the row of the pair and those of its findings.
func (t *task) explain(ctx context.Context) error {
	found, err := finding.Find(ctx, t.pair, t.results, finding.Options{}, nil)
	if err != nil {
		return err
	}
	x, err := explain.Find(ctx, t.pair, found, t.waits, nil)
	if err != nil {
		return err
	}
	t.describe(x)
	for i := range x.Findings {
		t.addFinding(i, &x.Findings[i])
	}
	return nil
}

// describe fills the row of the pair.
func (t *task) describe(x *explain.Difference) {
	r, b, a, other := &t.row, x.Balance, t.pair.A, t.pair.B
	r.Unit = string(a.Unit)
	r.CallsA, r.CallsB = int64(a.Calls()), int64(other.Calls())
	r.Threads = int64(len(t.pair.WithCalls()))
	var total align.Metrics
	for _, result := range t.results {
		total = total.Plus(result.Metrics())
	}
	r.Similarity, r.Dice = total.Similarity(), total.Dice()
	work, delta := b.Work(), b.Delta()
	r.ElapsedANs, r.ElapsedBNs, r.DeltaNs = b.Elapsed[pair.A], b.Elapsed[pair.B], delta.ElapsedNs
	r.WorkANs, r.WorkBNs, r.DeltaWorkNs = work[pair.A], work[pair.B], delta.WorkNs
	r.UnexplainedNs, r.UnexplainedWorkNs = x.Left.Delta.ElapsedNs, x.Left.Delta.WorkNs
	r.Explained = explained(r.DeltaNs, r.UnexplainedNs)
	r.ExplainedWork = explained(r.DeltaWorkNs, r.UnexplainedWorkNs)
	r.WaitANs, r.WaitBNs = b.Total[pair.A][account.Wait], b.Total[pair.B][account.Wait]
	r.Findings = int64(len(x.Findings))
	r.DiagnosticsA, r.DiagnosticsB = diagnostics(a), diagnostics(other)
	r.TrustA, r.TrustB = a.Verdict().String(), other.Verdict().String()
}

// explained returns how much of a difference is explained, in [0, 1]. What is left may have either
// sign.
func explained(delta, left int64) float64 {
	if delta == 0 {
		return 1
	}
	return max(0, 1-float64(size(left))/float64(size(delta)))
}

func diagnostics(tr *trace.Trace) (n int64) {
	for _, d := range tr.Diagnostics {
		n += int64(d.Count)
	}
	return n
}

func (t *task) addFinding(i int, f *explain.Finding) {
	r := FindingRow{Number: t.row.Number, Pair: t.row.Pair, Rank: int64(i + 1), Kind: f.Kind,
		Function: f.Function, Caller: f.Caller, CallsA: f.Calls[pair.A], CallsB: f.Calls[pair.B],
		DeltaNs: f.DeltaNs, ElapsedNs: f.Own.ElapsedNs, WorkNs: f.Own.WorkNs, Share: f.Share,
		Certainty: f.Certainty.String(), Under: int64(f.Under + 1), Text: f.Text}
	r.ThreadA, r.CallA, r.StartANs = t.place(pair.A, f.At[pair.A])
	r.ThreadB, r.CallB, r.StartBNs = t.place(pair.B, f.At[pair.B])
	t.rows.Findings = append(t.rows.Findings, r)
}

// place returns the thread, the pre-order index and the start of a call of a side.
func (t *task) place(side pair.Side, at *finding.Place) (thread string, call, start int64) {
	if at == nil {
		return "", -1, -1
	}
	th := t.pair.Trace(side).Threads[at.Thread]
	return th.ID, int64(at.Call), th.Start(int(at.Call))
}

func (t *task) countFunctions(ctx context.Context) error {
	table, err := stats.Count(ctx, t.pair, stats.Everything(t.pair), nil)
	if err != nil {
		return err
	}
	for i := range table.Functions {
		f := &table.Functions[i]
		a, b := &f.Sides[pair.A], &f.Sides[pair.B]
		t.rows.Functions = append(t.rows.Functions, FunctionRow{Number: t.row.Number,
			Pair: t.row.Pair, Function: t.pair.Names[f.ID], CallsA: int64(a.Calls),
			CallsB: int64(b.Calls), SelfANs: a.Self, SelfBNs: b.Self, TotalANs: a.Total,
			TotalBNs: b.Total, WaitANs: a.Wait, WaitBNs: b.Wait, DeltaNs: f.Change()})
	}
	slices.SortFunc(t.rows.Functions, func(x, y FunctionRow) int {
		return cmp.Or(cmp.Compare(size(y.DeltaNs), size(x.DeltaNs)), cmp.Compare(x.Function, y.Function))
	})
	return nil
}

func (t *task) compareWaits(ctx context.Context) error {
	c, err := wait.Compare(ctx, t.waits[pair.A], t.waits[pair.B], t.pair)
	if err != nil {
		return err
	}
	for i := range c.Roles {
		w := &c.Roles[i]
		r := WaitRow{Number: t.row.Number, Pair: t.row.Pair, Waiter: c.Names[w.Waiter],
			CountA: int64(w.Count[pair.A]), CountB: int64(w.Count[pair.B]),
			WaitANs: w.WaitNs[pair.A], WaitBNs: w.WaitNs[pair.B], DeltaNs: w.Delta()}
		if w.Releaser >= 0 {
			r.Releaser = c.Names[w.Releaser]
		}
		if w.Object >= 0 {
			r.Object = t.objectName(c.Objects[w.Object])
		}
		t.rows.Waits = append(t.rows.Waits, r)
	}
	return nil
}

// objectName returns what an object is called on A, or else on B.
func (t *task) objectName(o wait.ObjectPair) string {
	if o.A >= 0 {
		return t.pair.A.Objects[o.A].Name
	}
	return t.pair.B.Objects[o.B].Name
}
