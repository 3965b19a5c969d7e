package account

import (
	"context"
	"fmt"

	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/wait"
)

// Split splits the time of one run by itself, side A of p, whose side B is nil. All of the
// balance's side B is empty. w is the analysis of the run. report, which may be nil, counts calls.
func Split(ctx context.Context, p *pair.Pair, w *wait.Analysis, report progress.Func) (*Balance,
	error) {
	if p.A == nil || p.B != nil {
		return nil, fmt.Errorf("want one trace to split, as side A")
	}
	b := &Balance{Pair: p, Waits: [2]*wait.Analysis{w}, sampleType: p.SampleTypes()[0],
		keep: true}
	for o := range p.A.Objects {
		b.Objects = append(b.Objects, wait.ObjectPair{A: int32(o), B: -1})
	}
	m := progress.NewMeter(report, 0)
	m.Expect(int64(p.A.Calls()))
	known := newScopes(nil)
	if err := b.split(ctx, []*side{b.newSide(pair.A, w, Options{}, known)}, m); err != nil {
		return nil, err
	}
	b.orderCells(known)
	m.Finish()
	return b, ctx.Err()
}

// EachOnThread calls visit with each part of a thread and how much of it is part of the totals. The
// balance is one of Split.
func (b *Balance) EachOnThread(thread int, visit func(Part, Amount)) {
	th := &b.Threads[pair.A][thread]
	for i := range th.entries {
		e := &th.entries[i]
		if a := e.counted(th.Counts); a != (Amount{}) {
			visit(e.part, a)
		}
	}
}
