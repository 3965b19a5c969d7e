package report

import (
	"context"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/progress"
)

// pass is a run over the calls of alignments. It says how far it has come, and ends early when its
// context is done.
type pass struct {
	ctx   context.Context
	meter *progress.Meter
	calls progress.Ticker
	left  int64 // calls
}

// sayEvery is the number of calls between two reports.
const sayEvery = 1 << 14

// newPass begins a run that meets each call of results so many times.
func newPass(ctx context.Context, results []*align.Result, times int64,
	report progress.Func) *pass {
	p := &pass{ctx: ctx, meter: progress.NewMeter(report, 0)}
	p.calls = progress.Ticker{Meter: p.meter, Every: sayEvery}
	for _, r := range results {
		p.left += times * int64(r.Threads[pair.A].Len()+r.Threads[pair.B].Len())
	}
	p.meter.Expect(p.left)
	return p
}

// step counts n calls.
func (p *pass) step(n int64) error {
	err := p.calls.Add(p.ctx, n)
	if p.left -= n; p.left > 0 || err != nil {
		return err
	}
	return p.calls.Flush(p.ctx)
}
