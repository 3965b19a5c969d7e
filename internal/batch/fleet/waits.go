package fleet

import (
	"cmp"
	"context"
	"slices"

	"diptych/internal/batch"
	"diptych/internal/pair"
)

// mostWaits is how many waits a fleet keeps. Objects are named by their addresses in some formats,
// so there may be as many as there are pairs and objects.
const mostWaits = 1000

// waitSum is a wait over the pairs that were read so far.
type waitSum struct {
	Wait
	last  int   // the pair that was added last
	worst int64 // |Δ| of Worst
	cuts  batch.Cuts
}

// readWaits adds up the waits of all pairs by who waited for what, on whom.
func (r *reading) readWaits(ctx context.Context) error {
	sums := map[[3]string]*waitSum{}
	number := func(row *batch.WaitRow) int64 { return row.Number }
	err := eachRow(ctx, r, "waits", number, func(k int, row *batch.WaitRow) {
		if r.row[k] < 0 {
			return
		}
		key := [3]string{row.Waiter, row.Releaser, row.Object}
		w := sums[key]
		if w == nil {
			w = &waitSum{Wait: Wait{Waiter: row.Waiter, Releaser: row.Releaser, Object: row.Object,
				Worst: k}, last: -1}
			sums[key] = w
		}
		w.add(k, row)
	})
	if err != nil {
		return err
	}
	list := make([]Wait, 0, len(sums))
	for _, w := range sums {
		r.fleet.TooLarge += w.cuts.Count()
		list = append(list, w.Wait)
	}
	slices.SortFunc(list, func(x, y Wait) int {
		return cmp.Or(cmp.Compare(y.ChangeNs, x.ChangeNs), cmp.Compare(x.Waiter, y.Waiter),
			cmp.Compare(x.Releaser, y.Releaser), cmp.Compare(x.Object, y.Object))
	})
	r.fleet.Waits = list[:min(len(list), mostWaits)]
	return nil
}

func (w *waitSum) add(k int, row *batch.WaitRow) {
	if k != w.last {
		w.Pairs, w.last = w.Pairs+1, k
	}
	for k, c := range []struct {
		sum *int64
		by  int64
	}{{&w.Count[pair.A], row.CountA}, {&w.Count[pair.B], row.CountB}, {&w.WaitNs[pair.A], row.WaitANs},
		{&w.WaitNs[pair.B], row.WaitBNs}, {&w.ChangeNs, batch.Size(row.DeltaNs)}} {
		w.cuts.Add(k, c.sum, c.by)
	}
	if change := batch.Size(row.DeltaNs); change > w.worst {
		w.worst, w.Worst = change, k
	}
}
