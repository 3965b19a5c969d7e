package ui

import (
	"image"
	"testing"

	"gioui.org/io/key"

	"diptych/internal/pair"
	"diptych/internal/scene/threads"
	"diptych/internal/session"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/ui/dock"
	threadview "diptych/internal/ui/threads"
)

// circles returns the pane of the threads of the queue pair, in the window.
func circles(t *testing.T) (*bench, *threadview.Pane) {
	t.Helper()
	b := queuePair(t)
	b.press("5", 0)
	p, ok := b.app.Pane().(*threadview.Pane)
	if !ok || b.state().View != session.Threads || b.state().ComparedWaits() == nil {
		t.Fatal("the threads are not shown")
	}
	return b, p
}

func TestThreadsWindowGolden(t *testing.T) {
	s := opened(t, pairs["pipeline"]...)
	s.SetView(session.Threads)
	s.Settle(t.Context())
	golden(t, "window-threads", snapshot(t, New(s), image.Pt(1280, 800), 1))
}

// TestWaitsStayWithTheirView: the table of waits comes with the threads and goes with them.
func TestWaitsStayWithTheirView(t *testing.T) {
	b, _ := circles(t)
	if tab := b.app.dock.Tab(); tab != threadview.WaitsTab {
		t.Errorf("tab %q beside the threads", tab)
	}
	b.press("4", 0)
	if tab := b.app.dock.Tab(); tab != dock.Findings {
		t.Errorf("tab %q beside the alignment", tab)
	}
}

// TestLongNamesOfThreadsFit: in a window of usual width, long names of threads are shortened
// and stay in the bar, where they tell what is shown.
func TestLongNamesOfThreadsFit(t *testing.T) {
	b := newBench(t)
	for _, side := range []pair.Side{pair.A, pair.B} {
		build := trace.NewBuilder("long")
		for _, id := range []string{"1", "2"} {
			th := build.Thread(id, -1)
			th.SetName("of " + side.String() + ": a worker of the pool that reads from the network " + id)
			th.Begin(0, build.Function(trace.Function{Name: "read"}))
			th.End(100)
		}
		b.app.S.Put(side, "long", testtrace.Build(t, build))
	}
	b.press("1", 0)
	if !b.shows("Choose threads") {
		t.Errorf("it shows %q", b.pic.Labels())
	}
}

func TestThreadsOfOneTrace(t *testing.T) {
	b := newBench(t, "uftrace/queue-2p2c.data.tar.gz")
	b.click("View: threads, who waits on whom")
	if b.state().View != session.Threads || b.state().WaitsOf(pair.A) == nil {
		t.Fatal("the threads are not shown")
	}
	b.press("3", 0)
	if b.state().View != session.Matches {
		t.Error("3 does not lead back")
	}
}

// TestKeysReachTheThreads: the keys of the view act on the thread under the pointer, and J on the
// table of waits, also from another view.
func TestKeysReachTheThreads(t *testing.T) {
	b, p := circles(t)
	lines := len(p.Arrangement().Lines)
	r := p.Shown(pair.A).HitRect(threads.Hit{Part: threads.OnLabel, Place: 1})
	b.move(image.Pt(int(r.X0+r.X1)/2, int(r.Y0+r.Y1)/2).Add(p.Area(pair.A).Min))
	if b.press("H", 0); len(p.Arrangement().Lines) != lines-1 {
		t.Error("H does not hide the thread under the pointer")
	}
	if b.press("H", key.ModShift); len(p.Arrangement().Lines) != lines {
		t.Error("Shift-H does not bring it back")
	}
	b.press("3", 0)
	b.press("J", 0)
	if st := b.state(); st.View != session.Threads || !st.Selected.OK {
		t.Errorf("J leads to %v, with %+v selected", st.View, st.Selected)
	}
}
