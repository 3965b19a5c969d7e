package ui

import (
	"image"
	"path/filepath"
	"strings"
	"testing"

	"gioui.org/io/key"

	"diptych/internal/command"
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/trace"
	"diptych/internal/traceio/input"
	"diptych/internal/ui/kit"
)

func TestZoomHoldsTheTimeUnderThePointer(t *testing.T) {
	b := queuePair(t)
	at := image.Pt(500, 400)
	b.move(at)
	axis := b.main().Shown().Sides[pair.A].Axis
	x := float32(at.X - b.main().Area().Min.X)
	before := axis.T(x)
	b.pic.Scroll(at, 0, -3, 0)
	b.settle()
	after := b.main().Shown().Sides[pair.A].Axis
	if got := after.T(x); kit.Abs(float32(got-before)) > float32(axis.NsPerPx()) {
		t.Errorf("the time under the pointer moved from %v to %v", before, got)
	}
	if after.Span.Len() >= axis.Span.Len() {
		t.Error("the wheel did not zoom in")
	}
	if f := b.state().Sides[pair.B]; f.Focus != f.Whole() {
		t.Error("B moved although the sides are not locked")
	}
}

func TestDragPans(t *testing.T) {
	b := queuePair(t)
	b.app.S.SetFocus(pair.B, geom.Span{Start: 1e6, End: 2e6})
	b.settle()
	before := b.state().Sides[pair.B].Focus
	y := b.main().Area().Max.Y - 100
	b.drag(image.Pt(500, y), image.Pt(400, y), 0)
	after := b.state().Sides[pair.B].Focus
	h := b.main().Shown().Sides[pair.B].Icicle
	want := before.Start + 100*before.Len()/float64(h.W())
	if kit.Abs(float32(after.Start-want)) > 1 || kit.Abs(float32(after.Len()-before.Len())) > 1 {
		t.Errorf("panned from %v to %v, want a start of %v", before, after, want)
	}
}

func TestShiftDragSelectsARangeThatFits(t *testing.T) {
	b := queuePair(t)
	b.drag(image.Pt(300, 400), image.Pt(500, 400), key.ModShift)
	if r := b.state().Range; !r.OK || r.Side != pair.A || b.state().Sides[pair.A].Focus != b.state().Sides[pair.A].Whole() {
		t.Errorf("selected %v", r)
	}
	b.press("F", 0)
	got := b.state().Sides[pair.A].Focus
	whole := b.state().Sides[pair.A].Whole()
	h := b.main().Shown().Sides[pair.A].Icicle
	if want := whole.Len() * 200 / float64(h.W()); kit.Abs(float32(got.Len()-want)) > float32(want/50) {
		t.Errorf("shows %v ns, want %v", got.Len(), want)
	}
}

func TestClickSelectsAndDoubleClickFits(t *testing.T) {
	b := queuePair(t)
	at := b.callAt(pair.A, 1)
	b.clickAt(at)
	st := b.state()
	if !st.Selected.OK || st.Selected.Side != pair.A {
		t.Fatal("nothing is selected")
	}
	th, i := st.Call(st.Selected)
	if th.Depth(i) != 1 {
		t.Errorf("selected a call on level %d", th.Depth(i))
	}
	b.pic.DoubleClick(at)
	b.settle()
	f := b.state().Sides[pair.A].Focus
	if want := float64(th.Dur(i)) * 1.2; kit.Abs(float32(f.Len()-want)) > float32(want/100) {
		t.Errorf("fitting shows %v ns, want %v", f.Len(), want)
	}
	b.press("F", 0)
	b.press(key.NameUpArrow, 0)
	if _, j := b.state().Call(b.state().Selected); j != int(th.Parent(i)) {
		t.Error("the arrow up did not select the caller")
	}
	b.press(key.NameEscape, 0)
	if b.state().Selected.OK {
		t.Error("Escape kept the selection")
	}
}

func TestSearchListsAndJumps(t *testing.T) {
	b := queuePair(t)
	b.press("/", 0)
	b.write("sem_w")
	st := b.state()
	if st.Search.Query != "sem_w" || len(st.Search.Hits) != 1 || st.Search.Hits[0].Name != "sem_wait" {
		t.Fatalf("found %+v", st.Search.Hits)
	}
	h := st.Search.Hits[0]
	if h.Calls != [2]int{244, 246} { // testdata/facts.json
		t.Errorf("sem_wait is called %v times", h.Calls)
	}
	b.press(key.NameReturn, 0)
	first := b.state().Selected
	if !first.OK || name(b.state(), first) != "sem_wait" {
		t.Fatal("Enter did not go to a hit")
	}
	b.press(key.NameEscape, 0)
	if b.state().Search.Query != "" {
		t.Error("Escape did not clear the search")
	}
}

func TestStepThroughHits(t *testing.T) {
	b := queuePair(t)
	b.app.S.Find("sem_wait")
	b.settle()
	b.press("N", 0)
	first := b.state().Selected
	b.press("N", 0)
	second := b.state().Selected
	if !first.OK || first == second || name(b.state(), second) != "sem_wait" {
		t.Errorf("stepped from %v to %v", first, second)
	}
	b.press("N", key.ModShift)
	if b.state().Selected != first {
		t.Error("stepping back did not return")
	}
}

func TestCtrlWheelMakesRowsTaller(t *testing.T) {
	b := queuePair(t)
	before := b.main().Shown().Sides[pair.A].Row
	b.pic.Scroll(image.Pt(400, 400), 0, -2, key.ModCtrl)
	b.settle()
	if got := b.main().Shown().Sides[pair.A].Row; got <= before {
		t.Errorf("rows are %v px high, were %v", got, before)
	}
}

func TestHistoryWalksBackAndForth(t *testing.T) {
	b := queuePair(t)
	whole := b.state().Sides[pair.A].Focus
	b.drag(image.Pt(300, 400), image.Pt(500, 400), key.ModShift)
	b.press("F", 0)
	zoomed := b.state().Sides[pair.A].Focus
	b.press(key.NameLeftArrow, key.ModAlt)
	if got := b.state().Sides[pair.A].Focus; got != whole {
		t.Errorf("back shows %v, want %v", got, whole)
	}
	b.press("Y", key.ModCtrl)
	if got := b.state().Sides[pair.A].Focus; got != zoomed {
		t.Errorf("forward shows %v, want %v", got, zoomed)
	}
}

func TestOverviewHandlesResizeTheFocus(t *testing.T) {
	b := queuePair(t)
	o := b.app.overview
	f := o.Shown().Sides[pair.A].Focus
	y := o.Area().Min.Y + int(f.Y0+f.Y1)/2
	left := image.Pt(o.Area().Min.X+int(f.X0)+2, y)
	b.drag(left, left.Add(image.Pt(200, 0)), 0)
	got := b.state().Sides[pair.A].Focus
	if got.Start <= 0 || got.End != b.state().Sides[pair.A].Whole().End {
		t.Errorf("dragging the left handle shows %v", got)
	}
}

func TestLocksTieTheSides(t *testing.T) {
	b := queuePair(t)
	b.click(b.app.Command(command.LockRelative).Title)
	b.app.S.SetFocus(pair.A, geom.Span{Start: 1e6, End: 2e6})
	st := b.state()
	a, o := st.Sides[pair.A], st.Sides[pair.B]
	if got, want := o.Focus.Start/o.Whole().Len(), a.Focus.Start/a.Whole().Len(); kit.Abs(float32(got-want)) > 1e-6 {
		t.Errorf("B starts at %v of its length, A at %v", got, want)
	}
	b.press("S", 0)
	if b.state().Sides[pair.B].Focus == o.Focus {
		t.Error("zooming A left B where it was")
	}
}

func TestSwapExchangesTheSides(t *testing.T) {
	b := queuePair(t)
	a := b.state().Sides[pair.A].Name
	b.press("X", key.ModShift)
	if got := b.state().Sides[pair.B].Name; got != a {
		t.Errorf("B is %q, want %q", got, a)
	}
	if b.state().Pair == nil || len(b.state().Tracks[pair.A]) == 0 {
		t.Error("the swapped pair shows no threads")
	}
}

// TestSwapUnderThePointer holds that calls on which the pointer rests are not looked for on the other
// side once the sides are exchanged, in any view.
func TestSwapUnderThePointer(t *testing.T) {
	b := newBench(t, "chrome/go-build-cold.json.gz", "chrome/go-build-warm.json.gz")
	for _, view := range []key.Name{"3", "4", "5", "6", "7"} {
		b.press(view, 0)
		b.rest()
		size := b.app.frame.Size
		for _, at := range []image.Point{{size.X / 7, size.Y / 2}, {size.X / 10, size.Y * 3 / 5}, {size.X / 3, size.Y / 4}} {
			b.move(at)
			b.press("X", key.ModShift)
			b.move(at.Add(image.Pt(9, 3)))
			b.rest()
		}
	}
}

func TestThreadListChoosesAPair(t *testing.T) {
	b := queuePair(t)
	b.press("4", key.ModCtrl)
	b.click("Show threads consumer")
	st := b.state()
	th := st.Sides[pair.A].Trace.Threads[st.Tracks[pair.A][0]]
	if th.Name != "consumer" || st.Process {
		t.Errorf("shows %q", th.Name)
	}
	b.press("2", 0)
	if n := len(b.state().Tracks[pair.A]); n < 4 {
		t.Errorf("all threads are %d", n)
	}
}

func TestPaletteRunsACommand(t *testing.T) {
	b := queuePair(t)
	b.press("P", key.ModCtrl|key.ModShift)
	b.write("dark")
	b.press(key.NameReturn, 0)
	if !b.state().Dark {
		t.Error("the palette did not change the theme")
	}
	if b.app.overlay.page != noPage {
		t.Error("the palette stayed open")
	}
}

func TestKeysPageListsTheTable(t *testing.T) {
	b := queuePair(t)
	b.press("?", key.ModShift)
	if b.app.overlay.page != keysPage {
		t.Fatal("? opened no page")
	}
	b.press(key.NamePageDown, 0)
	if at := b.app.overlay.keys.list.Position; at.First == 0 {
		t.Error("PageDown does not scroll the page")
	}
	b.press(key.NameEscape, 0)
	if b.app.overlay.page != noPage {
		t.Error("Escape kept the page")
	}
}

// TestTroubleOfBothSidesIsSaidOnce: a file of rules that cannot be read keeps both traces from being
// opened, for one reason.
func TestTroubleOfBothSidesIsSaidOnce(t *testing.T) {
	b, rules := newBench(t), filepath.Join(t.TempDir(), "gone")
	for _, side := range []pair.Side{pair.A, pair.B} {
		b.app.S.Open(side, filepath.Join(testdata, "chrome/go-build-cold.json.gz"),
			input.Options{RulesFile: rules})
		b.settle()
		if got := b.app.troubles(b.state()); len(got) != 1 {
			t.Errorf("%q", got)
		}
	}
}

func TestFailedLoadIsShown(t *testing.T) {
	b := newBench(t)
	b.app.Drop([]string{filepath.Join(testdata, "README.md")})
	b.settle()
	err := b.state().Sides[pair.A].Err
	if err == nil || !strings.Contains(err.Error(), "README.md") {
		t.Fatalf("the error is %v", err)
	}
	b.app.Drop([]string{filepath.Join(testdata, "chrome/go-build-cold.json.gz")})
	b.settle()
	if !b.state().Loaded(pair.A) {
		t.Error("a file dropped after a failure is not opened")
	}
}

func TestDropTwoOpensBoth(t *testing.T) {
	b := newBench(t)
	b.app.Drop([]string{filepath.Join(testdata, "gotrace/pipeline-mutex.gotrace"),
		filepath.Join(testdata, "gotrace/pipeline-chan.gotrace")})
	b.settle()
	if !b.state().Both() {
		t.Fatalf("errors: %v, %v", b.state().Sides[0].Err, b.state().Sides[1].Err)
	}
}

func TestFileBoxOpensAFile(t *testing.T) {
	b := newBench(t)
	b.app.overlay.files.dir = filepath.Join(testdata, "chrome")
	b.app.overlay.files.open(ask{side: pair.B, use: func(path string) { b.app.open(pair.B, path) }})
	b.app.overlay.show(filesPage)
	b.settle()
	b.write("build-warm")
	b.press(key.NameReturn, 0)
	if !b.state().Loaded(pair.B) {
		t.Fatal("nothing was opened")
	}
}

func name(st *session.State, t session.Target) string {
	th, i := st.Call(t)
	return st.Sides[t.Side].Trace.FunctionOf(th, i).Name
}

func refOf(thread, call int) trace.CallRef {
	return trace.CallRef{Thread: int32(thread), Call: int32(call)}
}

func TestDividerBetweenTheSides(t *testing.T) {
	b := queuePair(t)
	v := b.main().Shown()
	y := int(v.Sides[pair.A].Bounds.Y1+v.Sides[pair.B].Bounds.Y0)/2 + b.main().Area().Min.Y
	before := v.Sides[pair.A].Bounds.H()
	b.drag(image.Pt(400, y), image.Pt(400, y-60), 0)
	if got := b.main().Shown().Sides[pair.A].Bounds.H(); kit.Abs(got-before+60) > 3 {
		t.Errorf("A is %v px high, was %v", got, before)
	}
}
