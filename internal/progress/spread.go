package progress

import (
	"context"
	"math"
	"slices"
	"sync/atomic"
)

// Spread runs work for every number below n on all processors, until one fails or ctx is done. If
// work panics, so does Spread.
func Spread(ctx context.Context, n int, work func(i int) error) error {
	return SpreadEach(ctx, n, func() func(int) error { return work })
}

// SpreadEach is Spread where each goroutine has memory of its own, which it uses for one number
// after the other: begin is called once in each, and returns the work. Several goroutines call
// begin, and what it returns, at the same time. For example, with sums that a goroutine adds up
// alone:
//
//	progress.SpreadEach(ctx, len(rows), func() func(i int) error {
//		sum := newSum() // which the caller notes under a lock, to add up all of them
//		return func(i int) error { sum.add(rows[i]); return nil }
//	})
func SpreadEach(ctx context.Context, n int, begin func() func(i int) error) error {
	var next atomic.Int64
	group, ctx := NewGroup(ctx)
	for range min(n, Processors()) {
		group.Go(func() error {
			work := begin()
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

// LargestFirst returns the order in which to work off n pieces: the largest first, so that all
// processors are done at about the same time, and equal ones as they come. So do small ones, on
// which no processor waits long: thousands of them mostly lie in memory as they come.
func LargestFirst(n int, size func(i int) int) []int {
	sizes, all := make([]int, n), 0
	for i := range sizes {
		sizes[i] = min(size(i), math.MaxInt32)
		all += sizes[i]
	}
	var keys []uint64
	for i, size := range sizes { // small for large pieces
		if size > all/smallPiece {
			keys = append(keys, uint64(math.MaxInt32-size)<<32|uint64(i))
		}
	}
	slices.Sort(keys)
	order := make([]int, 0, n)
	for _, key := range keys {
		order = append(order, int(uint32(key)))
	}
	for i, size := range sizes {
		if size <= all/smallPiece {
			order = append(order, i)
		}
	}
	return order
}

// smallPiece is as how much of all work a piece is small.
const smallPiece = 1024
