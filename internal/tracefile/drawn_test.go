package tracefile

import (
	"context"
	"runtime"
	"testing"
	"time"
)

// TestAwaitDrawn: the check of a file waits for its picture only where processors are few, and not
// for longer than the loading lasts.
func TestAwaitDrawn(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(fewProcessors - 1))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	drawn, went := make(chan struct{}), make(chan struct{}, 1)
	wait := func(ctx context.Context, drawn <-chan struct{}) {
		awaitDrawn(ctx, drawn, time.Hour)
		went <- struct{}{}
	}
	awaitDrawn(ctx, nil, time.Hour)
	go wait(ctx, drawn)
	close(drawn)
	<-went
	awaitDrawn(ctx, make(chan struct{}), time.Nanosecond)
	go wait(ctx, make(chan struct{}))
	cancel()
	<-went
	runtime.GOMAXPROCS(fewProcessors)
	awaitDrawn(t.Context(), make(chan struct{}), time.Hour)
}
