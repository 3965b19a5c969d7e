package progress

import (
	"context"
	"runtime"
	"sync/atomic"
)

// Spread runs work for every number below n on all processors, until one fails or ctx is done. If
// work panics, so does Spread.
func Spread(ctx context.Context, n int, work func(i int) error) error {
	var next atomic.Int64
	group, ctx := NewGroup(ctx)
	for range min(n, runtime.GOMAXPROCS(0)) {
		group.Go(func() error {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := work(i); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}
