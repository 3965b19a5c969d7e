package chrome

import (
	"context"
	"errors"
	"io"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

// stuck is a stream that delivers no more, and whose last read ends a little after the load is
// cancelled.
type stuck struct {
	ctx     context.Context
	text    io.Reader
	reading *atomic.Bool
}

func (s stuck) Read(p []byte) (int, error) {
	s.reading.Store(true)
	defer s.reading.Store(false)
	if n, _ := s.text.Read(p); n > 0 {
		return n, nil
	}
	<-s.ctx.Done()
	time.Sleep(5 * time.Millisecond)
	return 0, s.ctx.Err()
}

// TestCancel holds that nothing is read any more once a load has ended: the file is closed then.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	var reading atomic.Bool
	done := make(chan error)
	go func() {
		text := `[{"ph":"X","name":"a","ts":0,"pid":1},`
		src := &input.Source{Stream: stuck{ctx, strings.NewReader(text), &reading}}
		err := Load(ctx, src, input.Options{}, trace.NewBuilder("chrome"))
		if reading.Load() {
			t.Error("it is still being read")
		}
		done <- err
	}()
	for !reading.Load() {
		runtime.Gosched()
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
