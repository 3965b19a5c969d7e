package ui

import (
	"image"
	"runtime"
	"testing"
	"weak"

	"gioui.org/io/key"

	"diptych/internal/pair"
	"diptych/internal/saved"
	"diptych/internal/session"
	"diptych/internal/trace"
)

// TestClosedTracesAreLetGo visits all views, tabs of the dock, menus and the palette, and closes the
// traces: then nothing holds them any more, and their memory can be given back.
func TestClosedTracesAreLetGo(t *testing.T) {
	b := restarted(t, saved.HomeAt(t.TempDir()))
	told := 0
	b.app.Closed = func() { told++ }
	b.load(t.TempDir())
	b.visitAll()
	traces := b.traces()
	if told != 0 {
		t.Error("told that traces were closed which are open")
	}
	b.press("W", key.ModCtrl)
	b.rest()
	b.areGone(traces)
	if told != 1 {
		t.Errorf("told %d times that traces were closed", told)
	}
}

// TestReplacedTracesAreLetGo visits all views and tabs, and opens other traces instead, in each view in
// turn.
func TestReplacedTracesAreLetGo(t *testing.T) {
	for _, view := range []key.Name{"3", "4", "5", "6", "7"} {
		b := restarted(t, saved.HomeAt(t.TempDir()))
		b.load(t.TempDir())
		b.visitAll()
		b.press(view, 0)
		b.rest()
		traces := b.traces()
		b.load(t.TempDir())
		b.rest()
		b.areGone(traces)
	}
}

// traces returns the traces of both sides, without holding them.
func (b *bench) traces() (traces [2]weak.Pointer[trace.Trace]) {
	for side := range traces {
		traces[side] = weak.Make(b.state().Sides[side].Trace)
	}
	return traces
}

// areGone fails the test for each trace that something holds.
func (b *bench) areGone(traces [2]weak.Pointer[trace.Trace]) {
	b.t.Helper()
	for x := range 8 {
		b.move(image.Pt(300+x, 300)) // Gio's router keeps what the last events were for
	}
	for range 3 {
		runtime.GC()
	}
	for side, tr := range traces {
		if tr.Value() != nil {
			b.t.Errorf("trace %v is still held in view %v", pair.Side(side), b.state().View)
		}
	}
}

// visitAll shows all views, with every tab of the dock, points at something in each, and chooses it.
func (b *bench) visitAll() {
	at := image.Pt(400, 300)
	for _, v := range []key.Name{"3", "4", "5", "6", "7"} {
		b.press(v, 0)
		b.rest()
		b.clickAt(at)
		b.rightClick(at)
		b.press(key.NameEscape, 0)
		b.press("P", key.ModCtrl|key.ModShift)
		b.press(key.NameEscape, 0)
		for _, tab := range "1234567890" {
			b.press(key.Name(tab), key.ModCtrl)
		}
	}
	b.press("2", 0)
	b.rest()
}

// TestWhatIsShownStaysAsItWasSet: if a trace is replaced, the tab and the view that are shown stay as
// the user has set them, and views that are not shown are made anew.
func TestWhatIsShownStaysAsItWasSet(t *testing.T) {
	b := restarted(t, saved.HomeAt(t.TempDir()))
	b.load(t.TempDir())
	b.press("4", 0)
	b.press("3", 0)
	hidden, shown := b.app.contentOf().views[session.Alignment], b.app.Pane()
	if hidden == nil {
		t.Fatal("there is no view that is not shown")
	}
	b.press("5", key.ModCtrl)
	b.load(t.TempDir())
	if b.app.Pane() != shown || b.app.contentOf().views[session.Alignment] == hidden {
		t.Error("the view that is shown is another one, or the one that is not is the same")
	}
	if b.press("4", 0); b.app.Pane() == hidden || b.app.dock.Tab() != "functions" {
		t.Errorf("the view or the tab %s is not as expected", b.app.dock.Tab())
	}
}
