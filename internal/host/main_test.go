package host_test

import (
	"os"
	"runtime"
	"testing"
)

// Windows must live on the main thread, and tests run on other goroutines: TestMain keeps the main
// thread and runs there what onMain is given.

var mainCalls = make(chan func())

func init() { runtime.LockOSThread() }

func TestMain(m *testing.M) {
	code := make(chan int)
	go func() { code <- m.Run() }()
	for {
		select {
		case f := <-mainCalls:
			f()
		case c := <-code:
			stopDisplay()
			os.Exit(c)
		}
	}
}

// onMain runs f on the main thread and returns at once; the channel is closed when f has returned.
func onMain(f func()) <-chan struct{} {
	done := make(chan struct{})
	mainCalls <- func() { defer close(done); f() }
	return done
}
