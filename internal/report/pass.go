package report

import (
	"context"

	"diptych/internal/align"
	"diptych/internal/pair"
)

// pass is a run over the calls of alignments. It says how far it has come, and ends early when its
// context is done.
type pass struct {
	ctx         context.Context
	progress    align.Progress
	done, total int64
	said        int64
}

// sayEvery is the number of calls between two reports.
const sayEvery = 1 << 14

// newPass begins a run that meets each call of results so many times.
func newPass(ctx context.Context, results []*align.Result, times int64,
	progress align.Progress) *pass {
	p := &pass{ctx: ctx, progress: progress}
	for _, r := range results {
		p.total += times * int64(r.Threads[pair.A].Len()+r.Threads[pair.B].Len())
	}
	return p
}

// step counts n calls.
func (p *pass) step(n int64) error {
	if p.done += n; p.done-p.said < sayEvery && p.done < p.total {
		return nil
	}
	if p.said = p.done; p.progress != nil {
		p.progress(p.done, p.total)
	}
	return p.ctx.Err()
}
