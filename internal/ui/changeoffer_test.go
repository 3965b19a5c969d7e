package ui

import (
	"image"
	"testing"
	"time"

	"gioui.org/io/key"

	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/testtrace"
)

// TestChangedRecordingsAreOffered: who comes back to the window is told that a recording was made
// anew, and can read it, by the offer or by its key, or leave it.
func TestChangedRecordingsAreOffered(t *testing.T) {
	b := benchOf(t, New(session.New(func() {})), image.Pt(1280, 800))
	paths := b.load(t.TempDir())
	anew := func(side pair.Side, work float64) {
		time.Sleep(10 * time.Millisecond) // times have the granularity of the system's clock
		testtrace.WriteScript(t, paths[side], "read", 10., "work", work, "write", 5.)
	}
	duration := func(side pair.Side) int64 { return b.state().Sides[side].Trace.Duration }
	back := func() {
		b.app.Return()
		b.settle()
	}
	back()
	if b.shows("changed") {
		t.Error("something has changed by itself")
	}
	was := [2]int64{duration(pair.A), duration(pair.B)}
	anew(pair.A, 90)
	if back(); !b.shows("A has changed:") {
		t.Fatalf("it is not told: %q", b.pic.Labels())
	}
	b.click("Read again what has changed")
	b.settle()
	if duration(pair.A) <= was[pair.A] || duration(pair.B) != was[pair.B] || b.shows("has changed:") {
		t.Errorf("after reading it again, A lasts %d, B %d", duration(pair.A), duration(pair.B))
	}
	was[pair.A] = duration(pair.A)
	anew(pair.A, 120)
	anew(pair.B, 130)
	if back(); !b.shows("A and B have changed:") {
		t.Errorf("two changes are not told: %q", b.pic.Labels())
	}
	b.click("Leave what is shown as it is")
	if back(); b.shows("have changed:") || duration(pair.A) != was[pair.A] {
		t.Error("what was left alone is offered again, or read")
	}
	b.press(key.NameF5, 0)
	b.settle()
	if duration(pair.A) <= was[pair.A] || duration(pair.B) <= was[pair.B] {
		t.Error("the key does not read both again")
	}
}

// TestChangedText: each side is named that has changed.
func TestChangedText(t *testing.T) {
	for _, x := range []struct {
		a, b bool
		want string
	}{{false, false, ""}, {true, false, "A has changed:"}, {false, true, "B has changed:"},
		{true, true, "A and B have changed:"}} {
		var st session.State
		st.Sides[pair.A].Changed, st.Sides[pair.B].Changed = x.a, x.b
		if got := changedText(&st); got != x.want {
			t.Errorf("%v, %v: %q, want %q", x.a, x.b, got, x.want)
		}
	}
}
