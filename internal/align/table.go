package align

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"diptych/internal/pair"
)

// Difference is a row of the function time difference table (Weber et al., 4.4): what became of all
// calls of one function. Durations are in ns and include callees.
type Difference struct {
	ID    uint32 // identity, an index into pair.Pair.Names
	Pairs int64  // equal pairs
	// Of those, the ones that A is faster in and the time it gains by them, and the ones that it is
	// slower in and the time it loses.
	PlusCount, PlusNs, MinusCount, MinusNs int64
	// Calls that only one side has, and their durations; the self time of those passed through.
	OnlyA, OnlyB, OnlyANs, OnlyBNs int64
}

// Balance returns the time that A gains on the whole.
func (d *Difference) Balance() int64 { return d.PlusNs - d.MinusNs }

// Differences returns the table over alignments of one pair.Pair: functions with equal pairs or
// with calls on one side only, by what A gains or loses on the whole, most first, then by the time
// of what is missing, then by name.
func Differences(ctx context.Context, results []*Result) ([]Difference, error) {
	if len(results) == 0 {
		return nil, nil
	}
	names := results[0].Pair.Names
	rows, err := tally(ctx, results, len(names))
	if err != nil {
		return nil, err
	}
	rows = slices.DeleteFunc(rows, func(d Difference) bool {
		return d.Pairs+d.OnlyA+d.OnlyB == 0
	})
	slices.SortFunc(rows, func(x, y Difference) int {
		return cmp.Or(cmp.Compare(magnitude(y.Balance()), magnitude(x.Balance())),
			cmp.Compare(y.OnlyANs+y.OnlyBNs, x.OnlyANs+x.OnlyBNs),
			cmp.Compare(names[x.ID], names[y.ID]))
	})
	return rows, nil
}

func magnitude(n int64) int64 { return max(n, -n) }

// piece is a range of one side's calls of a result.
type piece struct {
	r        *Result
	side     pair.Side
	from, to int
}

// tally fills a row for each identity. Pieces of the threads go to as many workers as there are
// processors, each with rows of its own.
func tally(ctx context.Context, results []*Result, ids int) ([]Difference, error) {
	var pieces []piece
	for _, r := range results {
		for s := range r.Threads {
			for from, n := 0, len(r.Partner[s]); from < n; from += checkEvery {
				pieces = append(pieces, piece{r, pair.Side(s), from, min(from+checkEvery, n)})
			}
		}
	}
	workers, taken := min(runtime.GOMAXPROCS(0), len(pieces)), atomic.Int64{}
	rows := make([][]Difference, max(workers, 1))
	work, ctx := errgroup.WithContext(ctx)
	for w := range rows {
		rows[w] = make([]Difference, ids)
		work.Go(func() error {
			for k := taken.Add(1) - 1; int(k) < len(pieces); k = taken.Add(1) - 1 {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				pieces[k].count(rows[w])
			}
			return nil
		})
	}
	if err := work.Wait(); err != nil {
		return nil, err
	}
	for id := range rows[0] {
		rows[0][id].ID = uint32(id)
		for w := range rows[1:] {
			rows[0][id].add(&rows[w+1][id])
		}
	}
	return rows[0], nil
}

// count adds the calls of a piece to the rows of their identities; pairs count with A's.
func (p *piece) count(rows []Difference) {
	th, other := p.r.Threads[p.side], p.r.Threads[p.side.Other()]
	passed := p.r.Passed[p.side]
	ids, others := p.r.Pair.IDs(p.side), p.r.Pair.IDs(p.side.Other())
	for i := p.from; i < p.to; i++ {
		j, d := p.r.Partner[p.side][i], &rows[ids[th.Fn[i]]]
		switch {
		case j == None && passed.Has(int32(i)):
			d.pass(p.side, th.Self(i))
		case j == None && p.side == pair.A:
			d.OnlyA, d.OnlyANs = d.OnlyA+1, d.OnlyANs+th.Dur(i)
		case j == None:
			d.OnlyB, d.OnlyBNs = d.OnlyB+1, d.OnlyBNs+th.Dur(i)
		case p.side == pair.A && ids[th.Fn[i]] == others[other.Fn[j]]:
			d.compare(th.Dur(i), other.Dur(int(j)))
		}
	}
}

// pass adds a call of one side whose callees have partners: only its own time is that side's alone.
func (d *Difference) pass(s pair.Side, self int64) {
	if s == pair.A {
		d.OnlyA, d.OnlyANs = d.OnlyA+1, d.OnlyANs+self
	} else {
		d.OnlyB, d.OnlyBNs = d.OnlyB+1, d.OnlyBNs+self
	}
}

// compare adds an equal pair of these durations.
func (d *Difference) compare(a, b int64) {
	d.Pairs++
	switch {
	case a < b:
		d.PlusCount, d.PlusNs = d.PlusCount+1, d.PlusNs+b-a
	case a > b:
		d.MinusCount, d.MinusNs = d.MinusCount+1, d.MinusNs+a-b
	}
}

func (d *Difference) add(o *Difference) {
	d.Pairs += o.Pairs
	d.PlusCount += o.PlusCount
	d.PlusNs += o.PlusNs
	d.MinusCount += o.MinusCount
	d.MinusNs += o.MinusNs
	d.OnlyA += o.OnlyA
	d.OnlyB += o.OnlyB
	d.OnlyANs += o.OnlyANs
	d.OnlyBNs += o.OnlyBNs
}
