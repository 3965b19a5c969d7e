package words

import (
	"testing"

	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/trace"
	"diptych/internal/wait"
)

func TestReading(t *testing.T) {
	read := func(share float64, calls int) *session.Growing {
		return &session.Growing{Glimpse: trace.Glimpse{Calls: calls}, Share: share}
	}
	for _, c := range []struct {
		g    *session.Growing
		want string
	}{
		{nil, "opening"},
		{read(-1, 0), "opening"},
		{read(.07, 0), "7.0 % read"},
		{read(.42, 1), "42 % read  ·  1 call so far"},
		{read(-1, 2), "2 calls so far"},
		{read(1, 2), "2 calls so far"},
	} {
		if got := Reading(c.g); got != c.want {
			t.Errorf("%q is said, want %q", got, c.want)
		}
	}
}

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
