package batch

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"diptych/internal/progress"
)

// Options say how a batch is run.
type Options struct {
	Compared
	Settings Settings // what Compared was made of, for batch.json
	Shard    Shard
	Resume   bool          // make the parts that are missing, and leave the others
	Retry    bool          // with Resume: make those again in which a pair could not be compared
	Workers  int           // pairs that are compared at once
	Room     *Room         // the memory that they share; nil: there is enough
	Report   progress.Func // may be nil; told of the pairs that are not there yet
}

// Outcome is what a run has done.
type Outcome struct {
	*Directory
	Done   int       // pairs whose parts it has made
	Before int       // pairs whose parts were there
	Due    int       // pairs whose parts were to be made
	Broken []PairRow // of both, those that could not be compared, in the order of the manifest

	brokenBefore int // of Broken, those whose parts were there
}

// Compared returns how many pairs the run has compared, and how many of those that were there
// before were compared: pairs that could not be compared are in neither.
func (o *Outcome) Compared() (now, before int) {
	return o.Done - (len(o.Broken) - o.brokenBefore), o.Before - o.brokenBefore
}

// Run compares the pairs of a manifest that the shard takes and writes their parts. Pairs that
// cannot be compared are told in the outcome. The error is ctx's, or that of a part that cannot be
// written; the outcome says what was done before, and is nil if nothing was begun.
func Run(ctx context.Context, m *Manifest, path string, o Options) (*Outcome, error) {
	options, rules, err := o.Settings.options()
	if err != nil {
		return nil, err
	}
	want, err := Describe(m, options)
	if err != nil {
		return nil, err
	}
	d, err := begin(path, m, want, rules)
	if err != nil {
		return nil, err
	}
	r := &run{Options: o, m: m, out: Outcome{Directory: d}, meter: progress.NewMeter(o.Report, 0)}
	parts, err := r.due()
	if err != nil {
		return nil, err
	}
	if err := r.all(ctx, parts); err != nil {
		return &r.out, err
	}
	return &r.out, d.unchanged()
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
		there, err := r.keeps(part)
		switch {
		case err != nil:
			return nil, err
		case there:
			r.out.Before += to - from
		default:
			parts = append(parts, part)
			r.out.Due += to - from
		}
	}
	r.meter.Expect(int64(r.out.Due))
	return parts, nil
}

// keeps reports whether a part is there and is to stay, and notes its broken pairs. A part of which
// a table cannot be read, as after a power failure, is one that is missing.
func (r *run) keeps(part int) (bool, error) {
	there, err := r.out.Has(part)
	if err != nil || !there {
		return false, err
	}
	if !r.Resume {
		return false, fmt.Errorf("%s: it is there already: --resume makes only what is missing",
			r.out.Part(part))
	}
	pairs, err := r.out.readPairs(part)
	if err != nil {
		return false, nil
	}
	broken := brokenOf(pairs)
	if r.Retry && len(broken) > 0 {
		return false, nil
	}
	r.out.Broken = append(r.out.Broken, broken...)
	r.out.brokenBefore += len(broken)
	return true, nil
}

// brokenOf returns those of some pairs that could not be compared.
func brokenOf(rows []PairRow) (broken []PairRow) {
	for _, row := range rows {
		if row.Error != "" {
			broken = append(broken, row)
		}
	}
	return broken
}

// all makes parts, several at once.
func (r *run) all(ctx context.Context, parts []int) error {
	if len(parts) > 0 {
		if err := r.out.unmerge(); err != nil {
			return err
		}
	}
	work, under := progress.NewGroup(ctx)
	work.SetLimit(max(r.Workers, 1))
	for _, part := range parts {
		if under.Err() != nil {
			break
		}
		work.Go(func() error {
			if err := under.Err(); err != nil {
				return err
			}
			return r.make(under, part)
		})
	}
	err := work.Wait()
	slices.SortFunc(r.out.Broken, func(x, y PairRow) int { return cmp.Compare(x.Number, y.Number) })
	return cmp.Or(err, ctx.Err())
}

// make makes a part.
func (r *run) make(ctx context.Context, part int) error {
	var rows Rows
	from, to := r.out.span(part)
	for k := from; k < to; k++ {
		one, err := r.compare(ctx, r.Room, k+1, r.m.Pairs[k], r.m.Resolve(r.m.Pairs[k]))
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
	r.out.Broken = append(r.out.Broken, brokenOf(rows.Pairs)...)
	return nil
}
