package ui

import (
	"fmt"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gioui.org/io/key"
	"gioui.org/io/pointer"

	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/testtrace"
	"diptych/internal/traceio/input"
	"diptych/internal/ui/dock"
	"diptych/internal/ui/words"
)

// halfRead opens a pipe as a side's trace, gives it a part of it, and returns how to give it more.
func halfRead(t *testing.T, s *session.Session, side pair.Side) (more func(calls int), end func()) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "slow.json")
	testtrace.Pipe(t, path)
	s.Open(side, path, input.Options{})
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	at, open := 0, "["
	more = func(calls int) {
		var b strings.Builder
		for b.WriteString(open); calls > 0; calls-- {
			fmt.Fprintf(&b, `{"ph":"X","pid":1,"tid":1,"ts":%d,"dur":10,"name":"f%d"},`, 10*at, at%5)
			at++
		}
		open = ""
		if _, err := f.WriteString(b.String()); err != nil {
			t.Error(err)
		}
	}
	return more, func() { f.Close() }
}

// until makes frames until something is so: one whenever there is news, as the window does it.
func (b *bench) until(what string, done func() bool) {
	b.t.Helper()
	b.pic.Layout()
	for end, n := time.Now().Add(time.Minute), 0; !done(); time.Sleep(time.Millisecond) {
		if n++; b.app.S.Drain() || n%100 == 0 { // now and then, for what waits until the window rests
			b.pic.Layout()
		}
		if time.Now().After(end) {
			b.t.Fatalf("%s does not come about; there are %q", what, b.pic.Labels())
		}
	}
}

// sees reports whether the main pane says so over its scene.
func (b *bench) sees(text string) bool {
	v := b.main().Shown()
	if v == nil {
		return false
	}
	for i := range v.Scene.Layers {
		for _, t := range v.Scene.Layers[i].Texts {
			if strings.Contains(t.Text, text) {
				return true
			}
		}
	}
	return false
}

// TestTracesGrowWhileTheyLoad: both sides show what has been read where they will show all of it,
// nothing in them can be pointed at, and the traces take their place.
func TestTracesGrowWhileTheyLoad(t *testing.T) {
	b := benchOf(t, New(session.New(func() {})), image.Pt(1280, 800))
	var more [2]func(int)
	var end [2]func()
	for side := range more {
		more[side], end[side] = halfRead(t, b.app.S, pair.Side(side))
	}
	b.pic.Settle()
	if b.shows("Open trace A…") || !b.shows("Cancel loading A") || !b.shows("Cancel loading B") || !b.sees("opening") {
		t.Errorf("while nothing is read there are %q", b.pic.Labels())
	}
	before := b.main().Area()
	for side := range more {
		more[side](10_000)
		b.until("a picture", func() bool {
			g := b.state().Sides[side].Growing
			return g != nil && g.Calls > 1_000
		})
	}
	b.pic.Settle()
	if !b.sees("calls so far") || b.sees("opening") || b.main().Area() != before {
		t.Errorf("the pane is at %v, was at %v", b.main().Area(), before)
	}
	b.handle(before)
	if st := b.state(); st.Any() || st.Hover.OK || st.Selected.OK || st.Range.OK || b.app.menu.Open() {
		t.Errorf("something was done to what is loading: %+v %+v %+v", st.Hover, st.Selected, st.Range)
	}

	end[pair.A]()
	b.until("trace A", func() bool { return b.state().Loaded(pair.A) })
	b.pic.Settle()
	if st := b.state(); st.Loaded(pair.B) || !b.sees("calls so far") || b.main().Area() != before {
		t.Errorf("with A loaded the pane is at %v, was at %v", b.main().Area(), before)
	}
	if got := b.state().Tab; got != dock.Findings {
		t.Errorf("with A loaded, and B on its way, the dock turns from the findings to %q", got)
	}
	b.handle(before)
	end[pair.B]()
	b.until("trace B", func() bool { return b.state().Both() })
	b.settle()
	if area := b.main().Area(); b.sees("calls so far") || area.Min != before.Min || area.Max.X != before.Max.X {
		t.Errorf("with both loaded the pane is at %v, was at %v", area, before)
	}
}

// handle does with both halves what a user can do with stacks.
func (b *bench) handle(area image.Rectangle) {
	for _, y := range []int{area.Min.Y + 60, area.Max.Y - 60} {
		at := image.Pt(area.Min.X+200, y)
		b.pic.Move(at, 0)
		b.pic.Click(at, pointer.ButtonPrimary, 0)
		b.pic.DoubleClick(at)
		b.pic.Scroll(at, 0, -3, 0)
		b.pic.Scroll(at, 0, 2, key.ModShift)
		b.pic.Drag(at, at.Add(image.Pt(80, 20)), pointer.ButtonPrimary, 0)
		b.pic.Drag(at, at.Add(image.Pt(80, 0)), pointer.ButtonPrimary, key.ModShift)
		b.pic.Click(at, pointer.ButtonSecondary, 0)
		for range 3 {
			b.pic.Press(key.NameEscape, 0)
		}
	}
	over := image.Pt(area.Min.X+300, 100) // the overview
	b.pic.Drag(over, over.Add(image.Pt(50, 0)), pointer.ButtonPrimary, 0)
	b.pic.Scroll(over, 0, -3, 0)
	for _, name := range []key.Name{"F", "N", "T", key.NameLeftArrow, key.NameDownArrow, "0", "1", "2", "3"} {
		b.pic.Press(name, 0)
	}
	b.pic.Press("1", 0)
}

// TestLoadingIsCancelledWhereItIsShown: each side by itself, and the window is empty after the last.
func TestLoadingIsCancelledWhereItIsShown(t *testing.T) {
	b := benchOf(t, New(session.New(func() {})), image.Pt(1280, 800))
	for _, side := range []pair.Side{pair.A, pair.B} {
		more, _ := halfRead(t, b.app.S, side)
		more(10_000)
	}
	b.until("a picture", func() bool { return b.sees("calls so far") })
	for _, side := range []pair.Side{pair.B, pair.A} {
		r, ok := b.pic.Find("Cancel loading " + side.String())
		if !ok {
			t.Fatalf("loading %s cannot be cancelled; there are %q", side, b.pic.Labels())
		}
		b.pic.Click(middle(r), pointer.ButtonPrimary, 0)
		if b.app.S.Loading(side) != nil || b.state().Sides[side].Growing != nil {
			t.Errorf("%s goes on loading", side)
		}
	}
	if b.pic.Settle(); !slices.Contains(b.pic.Labels(), "Open trace A") || !b.state().Empty() {
		t.Errorf("after cancelling there are %q", b.pic.Labels())
	}
}

// TestWaitingForAWriterIsSaid: nothing can be read of a named pipe to which nobody writes. The window
// says so in place of the trace, as commands do, until there is a writer.
func TestWaitingForAWriterIsSaid(t *testing.T) {
	path, text := filepath.Join(t.TempDir(), "pipe.json"),
		[]byte(`[{"ph":"X","pid":1,"tid":1,"ts":0,"dur":10,"name":"f"}]`)
	testtrace.Pipe(t, path)
	b := benchOf(t, New(session.New(func() {})), image.Pt(1280, 800))
	b.app.S.Open(pair.A, path, input.Options{})
	b.until("the pipe", func() bool {
		g := b.state().Sides[pair.A].Growing
		return g != nil && g.Waits
	})
	if b.pic.Settle(); !b.sees(words.NoWriter) {
		t.Errorf("of a pipe without a writer it says %q", b.texts())
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	b.until("the trace", func() bool { return b.state().Loaded(pair.A) })
	if b.pic.Settle(); b.sees(words.NoWriter) {
		t.Error("of a pipe that was read it says that it waits for a writer")
	}
}
