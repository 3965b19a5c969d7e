package batch

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"diptych/internal/progress"
)

// Options say how a batch is run.
type Options struct {
	Compared
	Shard   Shard
	Resume  bool              // make the parts that are missing, and leave the others
	Workers int               // pairs that are compared at once
	Depends map[string]string // what the result depends on besides the traces, for batch.json
	Report  progress.Func     // may be nil; told of pairs, also those that were there
}

// Outcome is what a run has done.
type Outcome struct {
	*Directory
	Done   int       // pairs compared
	Before int       // pairs whose parts were there
	Broken []PairRow // of both, those that could not be compared, in the order of the manifest
}

// Run compares the pairs of a manifest that the shard takes and writes their parts. Pairs that cannot
// be compared are told in the outcome. The error is ctx's, or that of a part that cannot be written.
func Run(ctx context.Context, m *Manifest, path string, o Options) (*Outcome, error) {
	want, err := Describe(m, o.Depends)
	if err != nil {
		return nil, err
	}
	d, err := begin(path, m, want)
	if err != nil {
		return nil, err
	}
	r := &run{Options: o, m: m, out: Outcome{Directory: d}, meter: progress.NewMeter(o.Report, 0)}
	parts, err := r.due()
	if err != nil {
		return nil, err
	}
	return &r.out, r.all(ctx, parts)
}

// run is a run of a batch.
type run struct {
	Options
	m     *Manifest
	meter *progress.Meter

	mu  sync.Mutex
	out Outcome
}

// due returns the shard's parts that are to be made.
func (r *run) due() (parts []int, err error) {
	for part := range r.out.Parts() {
		if !r.Shard.Takes(part) {
			continue
		}
		from, to := r.out.span(part)
		r.meter.Expect(int64(to - from))
		there, err := r.out.Has(part)
		switch {
		case err != nil:
			return nil, err
		case there && !r.Resume:
			return nil, fmt.Errorf("%s: it is there already: --resume makes only what is missing",
				r.out.Part(part))
		case there:
			r.out.Before += to - from
			if err := r.recall(part); err != nil {
				return nil, err
			}
		default:
			parts = append(parts, part)
		}
	}
	return parts, r.meter.Add(context.Background(), int64(r.out.Before))
}

// recall notes the pairs of a part that is there which could not be compared.
func (r *run) recall(part int) error {
	for rows, err := range ReadTable[PairRow](r.out.table(part, "pairs")) {
		if err != nil {
			return err
		}
		r.out.note(rows)
	}
	return nil
}

// note notes those of some pairs that could not be compared.
func (o *Outcome) note(rows []PairRow) {
	for _, row := range rows {
		if row.Error != "" {
			o.Broken = append(o.Broken, row)
		}
	}
}

// all makes parts, several at once.
func (r *run) all(ctx context.Context, parts []int) error {
	work, under := errgroup.WithContext(ctx)
	work.SetLimit(max(r.Workers, 1))
	for _, part := range parts {
		work.Go(func() error {
			if err := under.Err(); err != nil {
				return err
			}
			return r.make(under, part)
		})
	}
	err := work.Wait()
	slices.SortFunc(r.out.Broken, func(x, y PairRow) int { return cmp.Compare(x.Number, y.Number) })
	return err
}

// make makes a part.
func (r *run) make(ctx context.Context, part int) error {
	var rows Rows
	from, to := r.out.span(part)
	for k := from; k < to; k++ {
		p := r.m.Pairs[k]
		one, err := r.compare(ctx, k+1, p, r.m.Resolve(p))
		if err != nil {
			return err
		}
		rows.add(one)
		if err := r.meter.Add(ctx, 1); err != nil {
			return err
		}
	}
	if err := r.out.write(part, &rows); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.out.Done += to - from
	r.out.note(rows.Pairs)
	return nil
}
