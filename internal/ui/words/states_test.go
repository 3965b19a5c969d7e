package words

import (
	"testing"

	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/wait"
)

func TestStatesTip(t *testing.T) {
	a := compared(t, session.Threads).State().WaitsOf(pair.A)
	n := [wait.NumStates]int{wait.Running: 1, wait.Blocked: 12}
	says(t, "a time", StatesTip(a, 1500, n, wait.Blocked, true), []string{"at 1.50 µs",
		"1 thread running", "0 threads runnable", "12 threads waiting", "0 threads in I/O",
		"the thread in the middle: waiting"})
	if got := StatesTip(a, 1500, n, wait.Running, false); len(got) != 5 {
		t.Errorf("where nothing is called it says %q", got)
	}
}
