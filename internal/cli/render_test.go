//go:build !nogui

package cli

import (
	"context"
	"errors"
	"image"
	"testing"

	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
	"diptych/internal/ui"
)

// TestCancelledRenderDrawsNothing: a picture of what has been computed so far would look whole.
func TestCancelledRenderDrawsNothing(t *testing.T) {
	s := session.New(func() {})
	tr, err := traceio.Load(context.Background(), queueA(), input.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ui.Register(s)
	s.Put(pair.A, queueA(), tr)
	done, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := picture(done, s, "matches", image.Pt(64, 64), 1); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
