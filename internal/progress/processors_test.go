package progress

import (
	"runtime"
	"testing"
)

// TestSpare: what is spare is for the runtime, and not for work that is spread.
func TestSpare(t *testing.T) {
	was := runtime.GOMAXPROCS(3)
	defer func() {
		runtime.GOMAXPROCS(was)
		spare.Store(0)
	}()
	if n := Processors(); n != 3 {
		t.Errorf("%d processors, want 3", n)
	}
	Spare()
	if n, all := Processors(), runtime.GOMAXPROCS(0); n != 3 || all != 8 {
		t.Errorf("%d processors of %d, want 3 of 8", n, all)
	}
	runtime.GOMAXPROCS(1)
	if n := Processors(); n != 1 {
		t.Errorf("%d processors, want 1", n)
	}
}
