package batch

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"

	"golang.org/x/sync/semaphore"
)

// Room is the memory that the pairs share which are compared at once. Each begins with an equal
// share. One that turns out to need more waits until the others have left it enough, so that how
// many are compared at once says nothing about how large a pair may be. Only one that would not fit
// if it were alone is refused.
//
// How much a pair needs is known from its calls only at the least. So somebody should watch what
// the process really takes and call Relieve when that is too much: the largest pair is then given
// up, and compared again once it is alone.
type Room struct {
	all, share int64 // bytes
	free       *semaphore.Weighted

	mu      sync.Mutex
	tenants map[*tenant]bool
	leaving bool // one was given up, and what it took is not freed yet
}

// tenant is a pair while it is compared.
type tenant struct {
	room   *Room
	holds  int64
	calls  int
	cancel context.CancelCauseFunc
}

// callBytes is what comparing takes a call besides the trace, at the least: aligning and telling,
// measured with 20 million calls.
const callBytes = 24

// errGivenUp is why a pair was given up that may fit if it is alone.
var errGivenUp = errors.New("the memory does not suffice for all pairs that are compared at once")

// tooLarge is why a pair cannot be compared.
type tooLarge struct{ of int64 }

func (e *tooLarge) Error() string {
	return fmt.Sprintf("comparing this pair takes more than the %d MB of memory that there are for it",
		e.of>>20)
}

// NewRoom returns a room of so many bytes for so many pairs at once.
func NewRoom(bytes int64, pairs int) *Room {
	return &Room{all: bytes, share: max(bytes/int64(max(pairs, 1)), 1),
		free: semaphore.NewWeighted(bytes), tenants: map[*tenant]bool{}}
}

// compare calls do with room for one pair, and again with all the room if it has to be given up.
// do calls grow once it knows its pair.
func (r *Room) compare(ctx context.Context, do func(context.Context, *tenant) error) error {
	err := r.let(ctx, r.share, do)
	if errors.Is(err, errGivenUp) {
		err = r.let(ctx, r.all, do)
	}
	if errors.Is(err, errGivenUp) {
		return &tooLarge{r.all}
	}
	return err
}

// let calls do with so much room. It returns errGivenUp if do was cancelled by Relieve.
func (r *Room) let(ctx context.Context, bytes int64, do func(context.Context, *tenant) error) error {
	if err := r.free.Acquire(ctx, bytes); err != nil {
		return err
	}
	under, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t := &tenant{room: r, holds: bytes, cancel: cancel}
	r.mu.Lock()
	r.tenants[t] = true
	r.mu.Unlock()
	defer func() { r.free.Release(t.holds) }()
	err := do(under, t)
	r.mu.Lock()
	delete(r.tenants, t)
	r.mu.Unlock()
	if cause := context.Cause(under); ctx.Err() == nil && errors.Is(cause, errGivenUp) {
		err = cause
		r.emptied()
	}
	return err
}

// emptied gives back what a pair took that was given up.
func (r *Room) emptied() {
	debug.FreeOSMemory()
	r.mu.Lock()
	r.leaving = false
	r.mu.Unlock()
}

// grow waits for as much room as a pair of so many calls needs. It holds none while it waits, so
// two cannot wait for each other.
func (t *tenant) grow(ctx context.Context, calls int) error {
	r := t.room
	r.mu.Lock()
	t.calls = calls
	r.mu.Unlock()
	need := callBytes * int64(calls)
	switch {
	case need <= t.holds:
		return nil
	case need > r.all:
		return &tooLarge{r.all}
	}
	r.free.Release(t.holds)
	t.holds = 0
	if err := r.free.Acquire(ctx, need); err != nil {
		return err
	}
	t.holds = need
	return nil
}

// Relieve gives up the pair with the most calls. It reports false if no pair is compared, so that
// nothing can be gained.
func (r *Room) Relieve() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.leaving {
		return true
	}
	var largest *tenant
	for t := range r.tenants {
		if largest == nil || t.calls > largest.calls {
			largest = t
		}
	}
	if largest == nil {
		return false
	}
	r.leaving = true
	largest.cancel(errGivenUp)
	return true
}
