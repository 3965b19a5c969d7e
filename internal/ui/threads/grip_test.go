package threads

import (
	"image"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"gioui.org/f32"
	"gioui.org/io/key"
	"gioui.org/io/pointer"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/scene/threads"
	"diptych/internal/session"
	"diptych/internal/testtrace"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/words"
)

func TestWheelZoomsTheThreadAtThePointer(t *testing.T) {
	b := circles(t)
	before := b.State().Sides[pair.A].Focus
	at := b.stacks(pair.A)
	v := b.pane.Shown(pair.A)
	time := v.TimeAt(threads.Main, geom.Point{X: float32(at.X - b.pane.Area(pair.A).Min.X)})
	b.Scroll(at, 0, -3, 0)
	b.Settle()
	after := b.State().Sides[pair.A].Focus
	if after.Len() >= before.Len() {
		t.Fatal("the wheel does not zoom in")
	}
	v = b.pane.Shown(pair.A)
	now := v.TimeAt(threads.Main, geom.Point{X: float32(at.X - b.pane.Area(pair.A).Min.X)})
	if math.Abs(now-time) > v.Axis.NsPerPx() {
		t.Errorf("the time under the pointer moved from %v to %v", time, now)
	}
	b.Scroll(b.ringPoint(pair.A, 1, .5), 0, -3, 0)
	b.Settle()
	th := b.pane.circle.arr.Sections[pair.A][1].Threads[0]
	own, ok := b.State().Circle().Views[pair.A][th]
	if !ok || own.Len() >= after.Len() || b.State().Sides[pair.A].Focus != after {
		t.Errorf("the thread shows %v, the focus %v", own, b.State().Sides[pair.A].Focus)
	}
	if drawn := b.pane.Shown(pair.A).ViewOf(1); drawn != own {
		t.Errorf("%v is drawn of the thread, want %v", drawn, own)
	}
	b.Strike("Home")
	if st := b.State(); st.Sides[pair.A].Focus != before || len(st.Circle().Views[pair.A]) > 0 {
		t.Error("Home does not show all of all threads")
	}
}

func TestDragPansOrFolds(t *testing.T) {
	b := circles(t)
	b.C.S.SetFocus(pair.A, geom.Span{Start: 1e6, End: 2e6})
	b.Settle()
	at := b.stacks(pair.A)
	v := b.pane.Shown(pair.A)
	b.Drag(at, at.Add(image.Pt(-60, 3)), 0)
	f := b.State().Sides[pair.A].Focus
	if want := 1e6 + 60*v.Axis.NsPerPx(); math.Abs(f.Start-want) > 1 {
		t.Errorf("panned to %v, want a start of %v", f, want)
	}
	th := b.pane.circle.arr.Focus[pair.A].Threads[0]
	if len(b.State().Circle().Folds[pair.A]) > 0 {
		t.Error("panning folded levels")
	}
	row := int(v.Row)
	b.Drag(at, at.Add(image.Pt(2, -2*row)), 0)
	if n := b.State().Circle().Folds[pair.A][th]; n != 2 {
		t.Errorf("%d levels are folded, want 2", n)
	}
	if n := b.pane.Shown(pair.A).Folded(threads.Main); n != 2 {
		t.Errorf("%d levels are drawn folded, want 2", n)
	}
	b.Drag(at, at.Add(image.Pt(0, 3*row)), 0)
	if n := b.pane.Shown(pair.A).Folded(threads.Main); n != 0 {
		t.Errorf("%d levels are folded after unfolding", n)
	}
	b.Drag(b.ringPoint(pair.A, 1, .5), b.ringPoint(pair.A, 1, .3), 0)
	before := b.State().Sides[pair.A].Focus
	c := b.pane.Shown(pair.A).Context
	middle := b.on(pair.A, (c.X0+c.X1)/2, c.Y0+2)
	b.Drag(middle, middle.Add(image.Pt(-30, 0)), 0)
	if now := b.State().Sides[pair.A].Focus; now.Start <= before.Start || b.State().Selected.OK {
		t.Errorf("a drag between the threads leads from %v to %v", before, now)
	}
	second := b.pane.circle.arr.Sections[pair.A][1].Threads[0]
	if own := b.State().Circle().Views[pair.A][second]; own.Start <= f.Start {
		t.Errorf("dragging along the ring leads to %v from %v", own, f)
	}
}

func TestLabelsAreDraggedToOtherPlaces(t *testing.T) {
	b := circles(t)
	x, y := b.ids(pair.A), b.ids(pair.B)
	b.Drag(b.label(pair.A, 0), b.label(pair.A, 2), 0)
	for side, was := range map[pair.Side][]string{pair.A: x, pair.B: y} {
		want := slices.Clone(was)
		want[0], want[2] = want[2], want[0]
		if got := b.ids(side); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", side, got, want)
		}
	}
	focus := [2]string{b.focus(pair.A), b.focus(pair.B)}
	moved := b.ids(pair.A)[1]
	b.Drag(b.label(pair.A, 1), b.stacks(pair.A), 0)
	if b.focus(pair.A) != moved || b.ids(pair.A)[1] != focus[0] || b.ids(pair.B)[1] != focus[1] {
		t.Errorf("in the middle is %s, in its place %s and %s", b.focus(pair.A), b.ids(pair.A)[1],
			b.ids(pair.B)[1])
	}
	b.Strike("Alt-Left")
	if b.focus(pair.A) != focus[0] {
		t.Error("the way back does not lead to the thread that was in the middle")
	}
	b.Strike("Alt-Right")
	if b.focus(pair.A) != moved {
		t.Error("nor the way forward")
	}
}

func TestClickWidensAndDoubleClickHides(t *testing.T) {
	b := circles(t)
	v := b.pane.Shown(pair.A)
	bars := len(v.Bars)
	line := b.pane.circle.arr.Lines[1][0]
	b.ClickAt(b.label(pair.A, 1))
	if v := b.pane.Shown(pair.A); len(v.Bars) != bars+1 || !b.State().Circle().Wide[line] {
		t.Fatalf("%d overviews after a click", len(v.Bars))
	}
	bar := b.pane.Shown(pair.A).Bars[1].Bounds
	th := b.pane.circle.arr.Sections[pair.A][1].Threads[0]
	y := (bar.Y0 + bar.Y1) / 2
	b.Drag(b.on(pair.A, bar.X1, y), b.on(pair.A, (bar.X0+bar.X1)/2, y), 0)
	whole := b.State().Sides[pair.A].Whole()
	if own := b.State().Circle().Views[pair.A][th]; math.Abs(own.End-whole.Mid()) > whole.Len()/50 {
		t.Errorf("dragging the end of its overview to the middle leads to %v of %v", own, whole)
	}
	id := b.ids(pair.A)[1]
	b.DoubleClick(b.label(pair.A, 1))
	b.Settle()
	if slices.Contains(b.ids(pair.A), id) || !b.State().Circle().Hidden[line] || b.State().Circle().Wide[line] {
		t.Fatal("a double click did not hide the thread")
	}
	b.Click("List hidden threads")
	b.Click("Bring back " + words.PairName(b.State(), b.State().Pair.Threads[line]))
	if !slices.Contains(b.ids(pair.A), id) {
		t.Error("the list did not bring it back")
	}
	b.Move(b.label(pair.A, 1))
	b.Strike("H")
	if slices.Contains(b.ids(pair.A), id) {
		t.Error("H did not hide the thread at the pointer")
	}
	b.Strike("Shift-H")
	if !slices.Contains(b.ids(pair.A), id) {
		t.Error("Shift-H did not bring it back")
	}
}

// TestDoubleClickHidesWhatMovesAway checks that the second click on a label counts for the thread
// the first one was on, though the first moves it away.
func TestDoubleClickHidesWhatMovesAway(t *testing.T) {
	b := circles(t)
	b.C.S.SetStill(true)
	b.Settle()
	at, line := b.label(pair.A, 0), b.pane.circle.arr.Lines[0][0]
	click := func() { // at one moment, with a picture between two
		e := pointer.Event{Kind: pointer.Press, Source: pointer.Mouse, Buttons: pointer.ButtonPrimary,
			Position: f32.Pt(float32(at.X), float32(at.Y))}
		b.Queue(e)
		e.Kind, e.Buttons = pointer.Release, 0
		b.Queue(e)
		b.Settle()
	}
	click()
	if now := b.label(pair.A, 0).Sub(at); now.X*now.X+now.Y*now.Y < 100 {
		t.Fatalf("the label moved by no more than %v", now)
	}
	click()
	if st := b.State(); !st.Circle().Hidden[line] || st.Circle().Wide[line] {
		t.Error("the thread is not hidden")
	}
}

func TestSplitterAndRadiusAreDragged(t *testing.T) {
	b := circles(t)
	v := b.pane.Shown(pair.A)
	r := v.Splitter
	at := b.on(pair.A, (r.X0+r.X1)/2, (r.Y0+r.Y1)/2)
	b.Drag(at, at.Add(image.Pt(0, 60)), 0)
	now := b.pane.Shown(pair.A)
	if d := now.Splitter.Y0 - r.Y0; d < 50 || d > 70 {
		t.Errorf("the splitter moved by %v", d)
	}
	if other := b.pane.Shown(pair.B).Splitter; kit.Abs(other.Y0-now.Splitter.Y0) > 1 {
		t.Error("the other side's did not")
	}
	from, ring := b.zero(pair.A), now.Ring
	inwards := image.Pt(0, -kit.Round(.1*ring.Outer))
	b.Drag(from, from.Add(inwards), 0)
	for _, side := range []pair.Side{pair.A, pair.B} {
		r := b.pane.Shown(side).Ring
		if share := r.Zero / r.Outer; share > ring.Zero/ring.Outer-.05 {
			t.Errorf("%s: the zero radius is %v, was %v", side, share, ring.Zero/ring.Outer)
		}
	}
	b.Click("More settings of the threads")
	b.Click(b.Command(ResetCircle).Title)
	if w := b.State().WaitStyle; w.Split != 0 || w.Zero != 0 {
		t.Error("they are not as they were at first")
	}
}

// TestThePointerOutlivesWhatItIsOver swaps, hides and closes while the pointer is over something.
func TestThePointerOutlivesWhatItIsOver(t *testing.T) {
	b := circles(t)
	for _, at := range []image.Point{b.label(pair.A, 3), b.stacks(pair.B), b.ringPoint(pair.A, 3, .5)} {
		b.Move(at)
		b.Strike("Shift-X")
		b.Strike("H")
		b.Scroll(at, 0, -1, 0)
		b.Strike("D")
		b.Settle()
	}
	c := b.pane.Shown(pair.A).Context
	for y := c.Y0; y < c.Y1; y += testtrace.Sized[float32](51, 17) {
		b.Move(b.on(pair.A, (c.X0+c.X1)/2, y))
		b.C.S.Swap()
		b.Frame(time.Second)
		b.C.S.Settle(t.Context())
	}
	b.Strike("Ctrl-W")
	if b.State().Any() {
		t.Error("the traces are not closed")
	}
}

func TestManyWideThreadsShareTheRoomForOverviews(t *testing.T) {
	b := circles(t)
	for _, lines := range b.pane.circle.arr.Lines {
		b.C.S.WidenLine(lines[0], true)
	}
	b.Settle()
	if n := len(b.pane.Shown(pair.A).Bars); n < 2 || n > 3 {
		t.Errorf("there are %d overviews", n)
	}
}

// TestAnyGesturesAreSurvived acts at random places in random ways, and checks that what is shown
// stays within the traces.
func TestAnyGesturesAreSurvived(t *testing.T) {
	b := newBench(t, "gotrace/pipeline-mutex.gotrace", "gotrace/pipeline-chan.gotrace")
	b.Hasty = true
	r := rand.New(rand.NewPCG(5, 11))
	point := func() image.Point { return image.Pt(r.IntN(870), 100+r.IntN(650)) }
	keys := []string{"W", "A", "S", "D", "H", "I", "O", "U", "P", "J", "K", "F", "N", "[", "]",
		"Home", "PageDown", "PageUp", "Up", "Down"}
	mods := []key.Modifiers{0, 0, key.ModShift, key.ModCtrl}
	for range testtrace.Sized(40, 200) {
		switch r.IntN(7) {
		case 0, 1:
			b.Drag(point(), point(), mods[r.IntN(3)])
		case 2:
			b.ClickAt(point())
		case 3:
			b.DoubleClick(point())
		case 4:
			b.Scroll(point(), 0, float32(r.IntN(9)-4), mods[r.IntN(4)])
		case 5:
			b.Strike(keys[r.IntN(len(keys))])
		case 6:
			b.Strike([]string{"Alt-Left", "Alt-Right"}[r.IntN(2)])
		}
		b.C.S.SetView(session.Threads)
		st := b.State()
		for k := range st.Sides {
			whole := st.Sides[k].Whole()
			for _, s := range append(slices.Collect(maps.Values(st.Circle().Views[k])), st.Sides[k].Focus) {
				if s.Start < whole.Start || s.End > whole.End || !(s.Len() > 0) {
					t.Fatalf("side %d shows %v of %v", k, s, whole)
				}
			}
		}
	}
}
