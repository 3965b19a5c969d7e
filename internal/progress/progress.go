// Package progress says how far long work has come: the one type of function that is told (Func),
// the one meter that adds up the work of several goroutines and tells it (Meter), and a counter of
// steps too small for a lock each (Ticker). Meter and Ticker also return the context's error, so
// that work that counts its steps also ends soon after a cancel. Spread divides such work among the
// processors, and Order runs what follows from its pieces in their order; Group is for goroutines
// whose panics whoever waits for them may recover.
//
//	m := progress.NewMeter(report, 0)
//	m.Expect(int64(len(rows)))
//	for _, r := range rows { // in any number of goroutines
//		compare(r)
//		if err := m.Add(ctx, 1); err != nil {
//			return err
//		}
//	}
//
// The package knows nothing of what is counted, and does not read the clock.
package progress

import (
	"context"
	"sync"
)

// Func is told how much of a piece of work is done, and how much work there is; the total may grow
// as work is found, and is 0 as long as nobody knows. Wherever one is asked for, it may be nil.
// Unless the asker says otherwise, it is never called concurrently, and done never falls.
type Func func(done, total int64)

// Meter adds up work done by several goroutines and reports it.
type Meter struct {
	report Func
	every  int64

	mu          sync.Mutex
	done, total int64
	told        int64 // done at the last report; −1 before it
}

// NewMeter returns a meter that reports the first work that is done, and then whenever at least
// every further units are done.
func NewMeter(report Func, every int64) *Meter {
	return &Meter{report: report, every: every, told: -1}
}

// Expect announces n more units of work.
func (m *Meter) Expect(n int64) {
	m.mu.Lock()
	m.total += n
	m.mu.Unlock()
}

// Add counts n units as done. It returns ctx's error, and reports nothing if ctx was done before.
func (m *Meter) Add(ctx context.Context, n int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.done += n
	if err := ctx.Err(); err != nil {
		return err
	}
	if m.told < 0 && m.done > 0 || m.done > m.told && m.done-m.told >= m.every {
		m.tell()
	}
	return ctx.Err()
}

// Finish reports that all work is done, unless the last report said so. It also reports work of
// which there was none, as 0 of 0.
func (m *Meter) Finish() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.done = max(m.done, m.total); m.done > m.told {
		m.tell()
	}
}

func (m *Meter) tell() {
	m.told = m.done
	if m.report != nil {
		m.report(m.done, max(m.done, m.total))
	}
}

// Ticker counts the small steps of one goroutine and passes them on to a Meter many at a time.
type Ticker struct {
	Meter *Meter
	Every int64 // steps between two calls of the Meter, and so between two looks at the context
	Unit  int64 // steps in a unit of the Meter; 0 stands for 1

	steps int64
}

// Add counts n steps.
func (t *Ticker) Add(ctx context.Context, n int64) error {
	if t.steps += n; t.steps < t.Every {
		return nil
	}
	return t.Flush(ctx)
}

// Flush passes on all steps so far, in whole units.
func (t *Ticker) Flush(ctx context.Context) error {
	unit := max(t.Unit, 1)
	units := t.steps / unit
	t.steps -= units * unit
	return t.Meter.Add(ctx, units)
}
