package wait

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// meter adds up work done by several goroutines and forwards it.
type meter struct {
	mu          sync.Mutex
	done, total int64
	progress    Progress
}

func (m *meter) add(n int) {
	if m.progress == nil || n == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.done += int64(n)
	m.progress(m.done, m.total)
}

// finish reports a piece of work that had nothing to do as done.
func (m *meter) finish() {
	if m.progress != nil && m.total == 0 {
		m.progress(0, 0)
	}
}

// spread runs work for every number below n on all processors, until one fails or ctx is done.
func spread(ctx context.Context, n int, work func(i int)) error {
	var next atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	for range min(n, runtime.GOMAXPROCS(0)) {
		group.Go(func() error {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				if err := ctx.Err(); err != nil {
					return err
				}
				work(i)
			}
			return nil
		})
	}
	return group.Wait()
}
