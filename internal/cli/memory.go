package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"diptych/internal/escape"
	"diptych/internal/pair"
	"diptych/internal/traceio/input"
)

// Loading keeps to --memory by itself: columns that have no room lie in a file. What analyses take
// besides is watched here: what is more than --memory is told at the end, and an analysis that
// would take all memory of the machine, so that the system would end the process, is cancelled.
const (
	// Looks come this often while memory in use changes. A window in which nothing happens should
	// not wake up a hundred times a second: there they come ever less often, down to watchIdle, as
	// long as half of the memory is free. To take that half takes longer.
	watchEvery = 10 * time.Millisecond
	watchIdle  = 160 * time.Millisecond
	steady     = 1 << 20 // bytes by which memory in use changes meanwhile, at most
	// Shares of the machine's memory; the rest is for other parts of the process. Garbage counts,
	// so the collector has to leave little of it before.
	tightShare = 0.75
	mostShare  = 0.85
)

// tooLarge is why work was cancelled that would have taken all memory.
type tooLarge struct{ took, of input.Memory }

func (e *tooLarge) Error() string {
	return fmt.Sprintf("this needs more than %v of memory, and the machine has %v", e.took, e.of)
}

// outOfMemory returns why work with a context was cancelled, if it would have taken all memory.
func outOfMemory(ctx context.Context) error {
	if why := new(tooLarge); errors.As(context.Cause(ctx), &why) {
		return why
	}
	return nil
}

// memoryInUse and machine are replaced by tests.
var (
	memoryInUse = func() input.Memory {
		sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"},
			{Name: "/memory/classes/heap/released:bytes"}}
		metrics.Read(sample)
		return input.Memory(sample[0].Value.Uint64() - sample[1].Value.Uint64())
	}
	machine = input.Machine
)

// memoryWatch is what watches the memory that a run of Main takes.
type memoryWatch struct {
	most   atomic.Int64 // bytes that were in use at once
	cancel context.CancelCauseFunc
	relief atomic.Pointer[relief] // nil: what takes too much is cancelled
}

// relief is how work goes on with less memory, in place of being cancelled.
type relief struct {
	above input.Memory
	by    func() bool // false: nothing can be given up
}

// watchKey is the key of a context's memoryWatch.
type watchKey struct{}

// relieve has by called whenever more than above is in use. So much the collector keeps to as well.
func relieve(ctx context.Context, above input.Memory, by func() bool) {
	w, ok := ctx.Value(watchKey{}).(*memoryWatch)
	if !ok {
		return
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(int64(tightShare / mostShare * float64(above)))
	}
	w.relief.Store(&relief{above, by})
}

// comparedBytes is what comparing two traces takes a call besides the traces, at the least: 11
// bytes for matching and 13 for aligning and telling, measured with 20 million calls.
const comparedBytes = 11

// readCompared is readPair for commands that match or align all calls. It returns an error if that
// would take all memory, since the watch may come too late for what is taken at once.
func readCompared(cmd *cobra.Command, paths []string, opts loading) (*pair.Pair, error) {
	p, err := readPair(cmd, paths, opts)
	if err != nil {
		return nil, err
	}
	need, has := input.Memory(comparedBytes*(p.A.Calls()+p.B.Calls())), machine()
	if float64(need) > mostShare*float64(has) {
		return nil, fmt.Errorf("%s: %w", cmd.Name(), &tooLarge{need, has})
	}
	return p, nil
}

// watchMemory returns a context that ends when the work that goes with it would take all memory. It
// looks at once, and then ever again until the context ends that it is given.
func watchMemory(ctx context.Context) (context.Context, *memoryWatch) {
	under, cancel := context.WithCancelCause(ctx)
	w := &memoryWatch{cancel: cancel}
	has, inUse := machine(), memoryInUse
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(int64(tightShare * float64(has)))
	}
	look := func() (now, limit input.Memory) {
		now, limit = inUse(), input.Memory(mostShare*float64(has))
		r, grown := w.relief.Load(), w.note(now)
		if r != nil {
			limit = min(limit, r.above)
		}
		switch {
		case r != nil && now > r.above && r.by():
		case grown && float64(now) > mostShare*float64(has):
			cancel(&tooLarge{now, has})
		}
		return now, limit
	}
	was, _ := look()
	go func() {
		wait := watchEvery
		next := time.NewTimer(wait)
		defer next.Stop()
		for under.Err() == nil {
			select {
			case <-next.C:
				now, limit := look()
				wait = nextLook(wait, was, now, limit)
				was = now
				next.Reset(wait)
			case <-under.Done():
			}
		}
	}()
	return context.WithValue(under, watchKey{}, w), w
}

// nextLook returns how long to wait until the next look at the memory in use, given the last wait
// and what was in use before and after it.
func nextLook(last time.Duration, was, now, limit input.Memory) time.Duration {
	if max(was, now)-min(was, now) > steady || now > limit/2 {
		return watchEvery
	}
	return min(2*last, watchIdle)
}

// note keeps the most that was in use, and reports whether it is more than ever.
func (w *memoryWatch) note(now input.Memory) bool {
	if int64(now) <= w.most.Load() {
		return false
	}
	w.most.Store(int64(now))
	return true
}

// tell says if a command took more than its --memory.
func (w *memoryWatch) tell(cmd *cobra.Command) {
	flag := cmd.Flags().Lookup(memoryFlag)
	if flag == nil || !flag.Changed || w.relief.Load() != nil {
		return
	}
	limit, ok := flag.Value.(*input.Memory)
	w.note(memoryInUse())
	if most := input.Memory(w.most.Load()); ok && most > *limit {
		escape.Printf(cmd.ErrOrStderr(), "diptych: %s took %s of memory besides the traces that lie "+
			"in files; --memory=%s is for loading\n", cmd.Name(), most.String(), limit.String())
	}
}
