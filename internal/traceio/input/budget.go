package input

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/metrics"
	"sync"
	"sync/atomic"
)

// A small file may unpack to more than the machine has, name a device that never ends, or list a
// billion empty records. So all bytes of an input come through the readers of this file, which
// share a budget. Every limit is a part of one number, the memory that a load may take
// (Options.Memory), so that there is one thing to raise:
//
//	the heap while reading           all of it, measured every heapEvery bytes
//	a compressed stream, unpacked    1/4, or 64 times its size as stored if that is more
//	a member that is held whole      1/64, since decoding makes much more of it
//	an archive not yet recognised    1/256
//	a line of text                   1/1024
//	members of a directory, archive  one for each KiB
//
// The heap is what counts in the end. The other limits say sooner and more clearly what is wrong,
// and keep one allocation from taking everything before the heap is measured.
const (
	streamShare  = 4
	memberShare  = 64
	unknownShare = 256
	lineShare    = 1 << 10
	entryBytes   = 1 << 10

	// plainRatio is what compression achieves on real recordings at the very most.
	plainRatio = 64

	heapEvery   = 16 << 20
	mostWeighed = 16 << 20 // above all steps in which memory is weighed
)

// ErrLimit is the cause of every error that says that an input exceeds a limit.
var ErrLimit = errors.New("over the limit")

// overLimit is such an error.
type overLimit struct {
	file, what string
	limit      string // what sets the limit
	memory     Memory // the limit, or what --memory states where that is a part of it
	enough     Memory // what --memory should state instead, as far as that is known
	least      Memory // that it takes, where that is known
}

// withMemory words a limit that --memory sets, or its default.
func withMemory(m Memory) string { return fmt.Sprintf("the limit with --memory=%v", m) }

func (e *overLimit) Error() string {
	// What is weighed on the way exceeds a limit by a step at most: that says nothing of the whole.
	if e.least > 2*e.memory && e.least-e.memory > mostWeighed {
		// A sixteenth more is at least as much when it is rounded.
		return fmt.Sprintf("%s: it takes at least %v to be decoded, which is more than %s; "+
			"--memory=%v raises it", e.file, e.least, e.limit, max(e.enough, e.least+e.least/16))
	}
	return fmt.Sprintf("%s: %s, %s; --memory=%v raises it", e.file, e.what, e.limit, max(e.enough, 2*e.memory))
}

func (e *overLimit) Unwrap() error { return ErrLimit }

// budget is what one load may still read and hold. It is shared by all goroutines of the load.
type budget struct {
	ctx    context.Context
	path   string // as the user named the input
	memory Memory
	stated bool         // the user said how much memory
	read   atomic.Int64 // bytes from all readers together

	mu     sync.Mutex
	broken error // what ended the load, for loaders that go on after a member fails
	fails  atomic.Bool
}

func newBudget(ctx context.Context, path string, m Memory) *budget {
	return &budget{ctx: ctx, path: path, memory: m.Limit(), stated: m > 0}
}

// part returns the limit that is 1/share of the memory, in bytes.
func (b *budget) part(share int64) int64 { return max(int64(b.memory)/share, 1) }

// unpackedMost returns how many bytes a stream of that size as stored may unpack to.
func (b *budget) unpackedMost(stored int64) int64 {
	return max(b.part(streamShare), plainRatio*stored)
}

// over ends the load because a file of it exceeds a limit: all further reading fails.
func (b *budget) over(file, format string, args ...any) error {
	return b.end(&overLimit{file: file, what: fmt.Sprintf(format, args...), limit: withMemory(b.memory),
		memory: b.memory})
}

// end ends the load with an error; the first one counts.
func (b *budget) end(err error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.broken == nil {
		b.broken = err
		b.fails.Store(true)
	}
	return b.broken
}

// err returns why no more may be read, nil if more may.
func (b *budget) err() error {
	if err := b.ctx.Err(); err != nil {
		return err
	}
	if !b.fails.Load() {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.broken
}

// take accounts for n bytes that were read. From time to time it looks at the heap.
func (b *budget) take(n int) error {
	now := b.read.Add(int64(n))
	if now/heapEvery == (now-int64(n))/heapEvery {
		return nil
	}
	if live := liveHeap(); live > int64(b.memory) {
		return b.over(b.path, "what was loaded takes more than %v", b.memory)
	}
	return nil
}

// liveHeap returns the bytes that the last garbage collection left. Garbage does not count: how
// much there is depends on chance, and a load must fail or succeed alike each time.
func liveHeap() int64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return int64(sample[0].Value.Uint64())
}

// reader is the limited reader: it counts bytes, ends with the context, and keeps the budget.
type reader struct {
	from   io.Reader
	budget *budget
	file   string             // what an error names
	most   int64              // bytes that may come, −1 for any number
	n      atomic.Int64       // bytes that came
	failed atomic.Bool        // an error other than the end was returned
	report func(latest int64) // may be nil; told how many bytes came last
}

func (r *reader) Read(p []byte) (int, error) {
	if err := r.budget.err(); err != nil {
		return 0, err
	}
	n, err := r.from.Read(p)
	now := r.n.Add(int64(n))
	if r.report != nil {
		r.report(int64(n))
	}
	if r.most >= 0 && now > r.most {
		return 0, r.budget.over(r.file, "it unpacks to more than %v", Memory(r.most))
	}
	if limit := r.budget.take(n); limit != nil {
		return 0, limit
	}
	if cancelled := r.budget.ctx.Err(); err != nil && cancelled != nil {
		err = cancelled // reading a pipe ends with a deadline
	}
	if err != nil && err != io.EOF {
		r.failed.Store(true)
	}
	return n, err
}
