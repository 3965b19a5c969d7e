package batch

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestRoomOfLargePairs: pairs that need more than their share are compared, one after the other,
// and small ones beside them; one that needs more than all is refused.
func TestRoomOfLargePairs(t *testing.T) {
	r := NewRoom(100*callBytes, 4)
	var taken, most atomic.Int64
	compare := func(calls int) error {
		return r.compare(t.Context(), func(ctx context.Context, in *tenant) error {
			if err := in.grow(ctx, calls); err != nil {
				return err
			}
			if now := taken.Add(int64(calls)); now > most.Load() {
				most.Store(now)
			}
			time.Sleep(time.Millisecond)
			taken.Add(-int64(calls))
			return nil
		})
	}
	var all sync.WaitGroup
	for k := range 40 {
		all.Go(func() {
			if err := compare([]int{5, 60, 25, 100}[k%4]); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if m := most.Load(); m > 100 {
		t.Errorf("pairs of %d calls were compared at once", m)
	}
	var refused *tooLarge
	if err := compare(101); !errors.As(err, &refused) {
		t.Errorf("a pair that is too large: %v", err)
	}
	if !r.free.TryAcquire(100 * callBytes) {
		t.Error("not all room is free at the end")
	}
}

// TestRelieve gives up the largest pair, which is compared again alone, and refuses one that is too
// large even then.
func TestRelieve(t *testing.T) {
	r := NewRoom(1<<20, 2)
	if r.Relieve() {
		t.Error("there is something to give up before there is a pair")
	}
	small, large := make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		err := r.compare(t.Context(), func(ctx context.Context, in *tenant) error {
			err := in.grow(ctx, 10)
			close(small)
			<-large
			return errors.Join(err, ctx.Err())
		})
		if err != nil {
			t.Errorf("the small pair: %v", err)
		}
	})
	tries := 0
	err := r.compare(t.Context(), func(ctx context.Context, in *tenant) error {
		if tries++; tries == 2 {
			if in.holds != 1<<20 {
				t.Errorf("it has %d bytes when it is alone", in.holds)
			}
			return ctx.Err()
		}
		if err := in.grow(ctx, 100); err != nil {
			return err
		}
		<-small
		for range 2 { // also while it ends
			if !r.Relieve() {
				t.Error("nothing is given up")
			}
		}
		close(large)
		return ctx.Err()
	})
	if err != nil || tries != 2 {
		t.Errorf("%d tries, %v", tries, err)
	}
	all.Wait()
	err = r.compare(t.Context(), func(ctx context.Context, _ *tenant) error {
		r.Relieve()
		return ctx.Err()
	})
	if want := "takes more than the 1 MB of memory"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestLargePairIsARow: a pair that does not fit is a row, and the others are compared.
func TestLargePairIsARow(t *testing.T) {
	m := listing(t, 3, nil)
	out := ran(t, m, filepath.Join(t.TempDir(), "out"), Options{Workers: 2, Shard: Whole,
		Room: NewRoom(1, 2)})
	if len(out.Broken) != 3 || out.Done != 3 {
		t.Errorf("%+v", out)
	}
}
