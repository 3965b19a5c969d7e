package batch

import (
	"context"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/wait"
)

// sampleTimeline fills the rows of the timeline.
func (t *task) sampleTimeline(ctx context.Context) error {
	rows := make([]TimelineRow, Buckets)
	for k := range rows {
		rows[k] = TimelineRow{Number: t.row.Number, Pair: t.row.Pair, Bucket: int64(k)}
	}
	if err := t.sampleAligned(ctx, rows); err != nil {
		return err
	}
	if err := t.sampleWaits(ctx, rows); err != nil {
		return err
	}
	t.rows.Timeline = rows
	return nil
}

// sampleAligned samples the alignments of all pairs of threads, each along its own virtual time.
func (t *task) sampleAligned(ctx context.Context, rows []TimelineRow) error {
	most, calls := int64(-1), int64(0)
	for _, r := range t.results {
		n := callsOf(r)
		if calls += n; n == 0 {
			continue
		}
		v, err := r.Virtual(ctx)
		if err != nil {
			return err
		}
		line, err := v.Timeline(ctx, len(rows))
		if err != nil {
			return err
		}
		for k := range rows {
			rows[k].Dissimilarity += float64(n) * line.Dissimilarity[k]
			if n > most {
				at := bucket(2*k+1, v.Length, 2*len(rows))
				rows[k].SkewNs = line.Skew[k]
				rows[k].AtANs, rows[k].AtBNs = v.Real(pair.A, at), v.Real(pair.B, at)
			}
		}
		most = max(most, n)
	}
	for k := range rows {
		rows[k].Dissimilarity /= float64(max(calls, 1))
	}
	return nil
}

// callsOf returns how many calls the threads of an alignment have.
func callsOf(r *align.Result) int64 {
	m := r.Metrics()
	return m.M + m.N
}

// sampleWaits finds what share of the threads waits in each bucket of a side's time.
func (t *task) sampleWaits(ctx context.Context, rows []TimelineRow) error {
	for side, a := range t.waits {
		states, err := a.FindStates(ctx)
		if err != nil {
			return err
		}
		length := t.pair.Trace(pair.Side(side)).Duration
		for k := range rows {
			from, to := bucket(k, length, Buckets), bucket(k+1, length, Buckets)
			share := states.Mean(from, to)[wait.Blocked] / float64(max(states.Threads, 1))
			if pair.Side(side) == pair.A {
				rows[k].WaitA = share
			} else {
				rows[k].WaitB = share
			}
		}
	}
	return nil
}

// bucket returns where the k-th of n buckets begins in a stretch of some length, ns.
func bucket(k int, length int64, n int) int64 {
	whole, rest := length/int64(n), length%int64(n)
	return int64(k)*whole + int64(k)*rest/int64(n)
}
