package threads

import (
	"testing"

	"diptych/internal/session"
	"diptych/internal/ui/uitest/viewtest"
)

// bench shows the view with the table of waits beside it.
type bench struct {
	*viewtest.Bench
	pane  *Pane
	waits *Waits
}

// newBench shows the threads of files of testdata.
func newBench(t testing.TB, files ...string) *bench {
	t.Helper()
	return benchOf(t, viewtest.Opened(t, files...))
}

// benchOf shows the threads of a session.
func benchOf(t testing.TB, s *session.Session) *bench {
	b := unstarted(t, s)
	b.Start()
	return b
}

// unstarted is a bench before the view is shown.
func unstarted(t testing.TB, s *session.Session) *bench {
	pane, waits := New().(*Pane), &Waits{}
	return &bench{viewtest.New(t, s, Row(), pane, waits), pane, waits}
}

// circles shows the threads of the queue pair.
func circles(t *testing.T) *bench {
	t.Helper()
	b := newBench(t, "uftrace/queue-2p2c.data.tar.gz", "uftrace/queue-1p3c.data.tar.gz")
	if b.State().ComparedWaits() == nil {
		t.Fatal("the threads are not shown")
	}
	return b
}
