package traceio_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"diptych/internal/testtrace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/input/inputtest"
)

// countdown is a context that is cancelled when it has been asked so many times, which makes every
// point where a load looks at its context a test of its own, and needs no clock.
type countdown struct {
	context.Context
	left atomic.Int64
	stop context.CancelFunc
	once sync.Once
}

func newCountdown(n int64) *countdown {
	ctx, stop := context.WithCancel(context.Background())
	c := &countdown{Context: ctx, stop: stop}
	c.left.Store(n)
	return c
}

func (c *countdown) Err() error {
	if c.left.Add(-1) < 0 {
		c.once.Do(c.stop)
	}
	return c.Context.Err()
}

// TestCancelAnywhere cancels the load of each format at each of the first points where it asks, and
// at ever rarer ones: it fails with context.Canceled and leaves nothing behind.
func TestCancelAnywhere(t *testing.T) {
	inTestdata(t)
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	paths := slices.Collect(maps.Values(smallest(t)))
	small := smallChrome(t)
	rarer := testtrace.Sized(int64(1), 6)
	paths = append(paths, put(t, "a.xz", inputtest.Xz(t, small)), put(t, "a.zip", zipped(t, "", []member{
		{"n", []byte("text")}, {"a", small}})), put(t, "a.zip", zipped(t, "",
		unrolled(t, gunzipped(t, read(t, family))))))
	for _, path := range append(paths, "chrome/edge/object-form.json.zst") {
		cancelled := 0
		for n, err := int64(0), context.Canceled; err != nil; n += 1 + n/rarer {
			_, err = traceio.Load(newCountdown(n), path, input.Options{})
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Errorf("%s, cancelled when asked %d times: %v", path, n, err)
			}
			cancelled++
			if left, _ := os.ReadDir(tmp); len(left) > 0 {
				t.Fatalf("%s, cancelled when asked %d times: left %v", path, n, left)
			}
		}
		if cancelled < 3 {
			t.Errorf("%s: the context is asked %d times only", path, cancelled)
		}
	}
}

// TestCancelIsPrompt cancels the load of a long file early: most of it is never read.
func TestCancelIsPrompt(t *testing.T) {
	path := put(t, "long.json", longTrace(32<<20))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var p progress
	_, err := traceio.Load(ctx, path, input.Options{Progress: func(done, total int64) {
		p.report(done, total)
		if done > total/8 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	if p.most > p.total/2 {
		t.Errorf("read %d of %d", p.most, p.total)
	}
}
