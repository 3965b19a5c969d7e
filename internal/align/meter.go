package align

import (
	"context"
	"sync"
)

// meter adds up work done by several goroutines and reports it. The total grows as levels are
// found. A unit is a call that is classified or placed, or 64 cells of a level.
type meter struct {
	mu          sync.Mutex
	done, total int64
	next        int64 // the amount to report at: tiny levels add little, very often
	report      Progress
}

// reportEvery is a millisecond's work or so.
const reportEvery = 1 << 13

func newMeter(report Progress) *meter { return &meter{report: report} }

// expect announces work.
func (m *meter) expect(n int64) {
	m.mu.Lock()
	m.total += n
	m.mu.Unlock()
}

// add reports work and says whether to go on.
func (m *meter) add(ctx context.Context, n int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.done += n
	if m.report != nil && m.done >= m.next {
		m.next = m.done + reportEvery
		m.report(m.done, max(m.done, m.total))
	}
	return ctx.Err()
}
