package ui

import (
	"image"
	"testing"

	"gioui.org/io/key"
	"gioui.org/io/pointer"

	"diptych/internal/pair"
	scene "diptych/internal/scene/aggregate"
	"diptych/internal/session"
	aggview "diptych/internal/ui/aggregate"
	"diptych/internal/ui/dock"
	"diptych/internal/ui/uitest/viewtest"
)

// aggregation returns a session in which the aggregation of a pair of the goldens has been found.
func aggregation(t *testing.T, show string) *session.Session {
	t.Helper()
	return viewtest.Prepared(t, "aggregated", func(s *session.Session) {
		New(s) // which makes the view known
		s.SetView(aggview.View)
	}, pairs[show]...)
}

// aggregated shows the aggregation of the queue pair, in the window.
func aggregated(t *testing.T) (*bench, *aggview.Pane) {
	t.Helper()
	b := benchOf(t, New(aggregation(t, "queue")), image.Pt(1280, 800))
	b.press("3", 0)
	b.press("7", 0)
	p, ok := b.app.Pane().(*aggview.Pane)
	if !ok || b.state().View != aggview.View || len(p.Shown().Plots) != 3 {
		t.Fatal("the aggregation is not shown")
	}
	return b, p
}

// TestAggregateWindowGolden shows the view with its controls, the curves and the tab of states.
func TestAggregateWindowGolden(t *testing.T) {
	golden(t, "window-aggregate", snapshot(t, New(aggregation(t, "queue")), image.Pt(1400, 800), 1))
}

// TestStatesStayWithTheirView: the tab of states leads beside the aggregation, and goes with it.
func TestStatesStayWithTheirView(t *testing.T) {
	b, _ := aggregated(t)
	if tab := b.app.dock.Tab(); tab != aggview.StatesTab {
		t.Errorf("tab %q beside the aggregation", tab)
	}
	b.press("4", 0)
	if tab := b.app.dock.Tab(); tab != dock.Findings {
		t.Errorf("tab %q beside the alignment", tab)
	}
	b.press("8", key.ModCtrl)
	if b.state().View != aggview.View || b.app.dock.Tab() != aggview.StatesTab {
		t.Errorf("the key shows %s, tab %q", b.state().View, b.app.dock.Tab())
	}
}

// TestAggregateLeadsToItsCalls: a click zooms, the calls are those of its thread, and a step back in the
// history shows the aggregates again.
func TestAggregateLeadsToItsCalls(t *testing.T) {
	b, p := aggregated(t)
	before := b.state().Sides[pair.A].Focus
	a := longest(p.Shown().Plots[0].Areas)
	middle := centre(a.Rect)
	at := image.Pt(int(middle.X), int(middle.Y)).Add(p.Area().Min)
	b.pic.Click(at, pointer.ButtonPrimary, 0)
	b.settle()
	zoomed := b.state().Sides[pair.A].Focus
	if zoomed.Len() >= before.Len() || b.state().View != aggview.View {
		t.Errorf("a click leads from %v to %v", before, zoomed)
	}
	b.press(key.NameLeftArrow, key.ModAlt)
	if got := b.state().Sides[pair.A].Focus; got != before {
		t.Errorf("a step back shows %v, want %v", got, before)
	}
	b.press("3", 0)
	b.settle()
	b.press("7", 0)
	b.settle()
	b.pic.DoubleClick(at)
	b.settle()
	if st := b.state(); st.View != session.Matches || st.Process || st.Sides[pair.A].Focus != zoomed {
		t.Errorf("a double click shows %s of %v, want %v", st.View, st.Sides[pair.A].Focus, zoomed)
	}
}

// longest returns the aggregate of one thread with the most slices, but for all of them.
func longest(list []scene.Area) (best scene.Area) {
	for _, a := range list {
		if a.Leaves[1]-a.Leaves[0] == 1 && a.To-a.From < 99 && (!best.OK || a.To-a.From > best.To-best.From) {
			best = a
		}
	}
	return best
}
