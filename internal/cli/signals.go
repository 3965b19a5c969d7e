package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"slices"
	"syscall"
)

// interruption is the cause of a context that a signal has ended.
type interruption struct{ os.Signal }

func (i interruption) Error() string { return i.String() }

// untilSignal returns a context that ends with the first signal that asks the program to end. A
// second signal ends the process at once. The returned function frees what this takes.
func untilSignal() (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	received := make(chan os.Signal, 1)
	if heard := endings(); heard != nil { // Notify would take no signals for all signals
		signal.Notify(received, heard...)
	}
	go func() {
		select {
		case s := <-received:
			signal.Stop(received)
			cancel(interruption{s})
		case <-ctx.Done():
			signal.Stop(received)
		}
	}()
	return ctx, func() { cancel(nil) }
}

// endings are the signals that end the work in good order, or nil. Those that whoever started the
// program had it ignore, as nohup does, stay ignored.
func endings() []os.Signal {
	heard := slices.DeleteFunc([]os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP},
		signal.Ignored)
	if len(heard) == 0 {
		return nil
	}
	return heard
}

// cancelled is the exit status of work that was cancelled: as shells have it, 128 and the number of
// the signal, such as 130 for Ctrl-C.
func cancelled(ctx context.Context) int {
	var by interruption
	if errors.As(context.Cause(ctx), &by) {
		if number, ok := by.Signal.(syscall.Signal); ok {
			return 128 + int(number)
		}
	}
	return 1
}
