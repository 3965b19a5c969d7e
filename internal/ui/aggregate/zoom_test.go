package aggregate

import (
	"slices"
	"strings"
	"testing"
	"time"

	"diptych/internal/command"
	"diptych/internal/geom"
	"diptych/internal/pair"
	scene "diptych/internal/scene/aggregate"
	"diptych/internal/session"
	"diptych/internal/trace"
)

// partOf returns an aggregate of some threads for some time: not all there is.
func (b *bench) partOf(of int, want func(scene.Area) bool) scene.Area {
	b.T.Helper()
	a, _ := b.area(of, func(a scene.Area) bool {
		return want(a) && a.To-a.From < b.own().Slices-1 && leavesOf(a) < len(b.overview().parts[of].of)
	})
	return a
}

// TestClickZoomsAndBackRestores: an aggregate becomes the whole, on both sides; going back by the
// trail, by the key or through the history shows exactly what was there before.
func TestClickZoomsAndBackRestores(t *testing.T) {
	for name, back := range map[string]func(b *bench){
		"trail":   func(b *bench) { b.Click("Show all resources") },
		"key":     func(b *bench) { b.Strike("Shift-Backspace") },
		"history": func(b *bench) { b.Do(command.Back) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, queue...)
			b.set("p", "0.3")
			b.C.S.SetFocus(pair.A, geom.Span{Start: 1e6, End: 3e6})
			b.C.S.SetFocus(pair.B, geom.Span{Start: 5e5, End: 4e6})
			b.Settle()
			before, own := b.foci(), *b.own()
			a := b.partOf(scene.A, single)
			x := b.spotAt(scene.A, a)
			b.ClickAt(b.in(middle(a.Rect)))
			if b.foci() != x.spans() {
				t.Errorf("the sides show %v, want %v", b.foci(), x.spans())
			}
			if got := b.own().resources(); !slices.Equal(got, x.resources()) {
				t.Errorf("resources are %v, want %v", got, x.resources())
			}
			if b.overview() == x.of || len(b.overview().parts[scene.A].of) != leavesOf(a) {
				t.Error("the grid has other resources")
			}
			if back(b); b.foci() != before || !b.own().same(&own) {
				t.Errorf("back at %v, %+v, want %v", b.foci(), b.own(), before)
			}
			if _, ok := b.Find("Show all resources"); ok {
				t.Error("there is still a trail")
			}
			if len(b.overview().parts[scene.A].of) != len(x.of.parts[scene.A].of) {
				t.Error("not all resources are back")
			}
		})
	}
}

// TestTimesOfASpotDiffer: a short spot late in the run does not begin and end at the same text.
func TestTimesOfASpotDiffer(t *testing.T) {
	b := newBench(t, queue...)
	b.C.S.SetFocus(pair.A, geom.Span{Start: 1e6, End: 1e6 + 5000})
	b.Settle()
	a, _ := b.area(scene.A, single)
	x := b.spotAt(scene.A, a)
	x.place.To = x.place.From
	text := x.time(b.State())
	if from, to, ok := strings.Cut(text, " – "); !ok || from == to {
		t.Errorf("a timeslice is said to go from when to when: %q", text)
	}
}

// TestTrailLeadsOutOfAnyStep: the trail has a button for each step, and each leads where it says.
func TestTrailLeadsOutOfAnyStep(t *testing.T) {
	b := newBench(t, pipeline...)
	type at struct {
		foci [2]geom.Span
		of   []int
	}
	var passed []at
	for k := range 2 {
		passed = append(passed, at{b.foci(), b.own().resources()})
		a, at := b.area(scene.A, func(a scene.Area) bool { return single(a) && a.To-a.From < cuts-1 })
		x := b.spotAt(scene.A, a)
		b.ClickAt(at)
		steps := b.own().Zoom
		want := []string{x.name(), x.time(b.State())}[k] // the second one is of the same thread
		if label := steps[len(steps)-1].Label; label != want {
			t.Errorf("the step is %q, want %q", label, want)
		}
		b.Middle("Show " + want)
	}
	here := b.foci()
	b.Click("Show " + b.own().Zoom[1].Label)
	if b.foci() != here || len(b.own().Zoom) != 2 {
		t.Error("a click on the last step leads elsewhere")
	}
	b.Click("Show " + b.own().Zoom[0].Label)
	if b.foci() != passed[1].foci || !slices.Equal(b.own().resources(), passed[1].of) {
		t.Errorf("a step back is %v of %v", b.foci(), b.own().resources())
	}
	b.Do(ZoomBack)
	b.Do(ZoomBack) // one more than there are
	if b.foci() != passed[0].foci || b.own().resources() != nil {
		t.Errorf("all steps back is %v of %v", b.foci(), b.own().resources())
	}
	if Row().Enabled[ZoomBack](b.State()) {
		t.Error("there is still something around")
	}
}

// TestZoomOfAllThreads: an aggregate of all threads of one side for some time leaves those that only
// the other side has; the aggregate of all that is shown leads nowhere.
func TestZoomOfAllThreads(t *testing.T) {
	b := put(t, staged(t, "aaaabbbb", "aaaabbbb"), staged(t, "aaaabbbb", "aaaabbbb", "cccccccc"))
	b.set("slices", "8")
	b.set("p", "0.9")
	all := b.overview().all()
	a, at := b.area(scene.A, func(a scene.Area) bool { return leavesOf(a) == 2 && a.To-a.From < 7 })
	b.ClickAt(at)
	if got := b.own().resources(); !slices.Equal(got, all) || len(all) != 3 {
		t.Errorf("resources are %v, want %v", got, all)
	}
	if f := b.foci()[pair.B]; f.Start != float64(a.From*shift) || f.End != float64((a.To+1)*shift) {
		t.Errorf("B shows %v for slices %d to %d", f, a.From, a.To)
	}
	b.set("p", "1")
	_, at = b.area(scene.A, several)
	b.ClickAt(at)
	if len(b.own().Zoom) != 1 {
		t.Error("what has all there is was zoomed into")
	}
}

// TestZoomUnderALock: where B follows A, A leads; going back is exact, whichever side led before.
func TestZoomUnderALock(t *testing.T) {
	for _, leader := range []pair.Side{pair.A, pair.B} {
		b := newBench(t, queue...)
		whole := b.State().Sides[leader].Whole()
		b.C.S.SetLock(session.FromStart, leader)
		b.C.S.SetFocus(leader, geom.Span{Start: .6 * whole.End, End: whole.End})
		b.Settle()
		before := b.foci()
		a := b.partOf(scene.A, single)
		want := b.spotAt(scene.A, a).spans()[pair.A]
		b.ClickAt(b.in(middle(a.Rect)))
		st := b.State()
		if st.Sides[pair.A].Focus != want || st.Lock != session.FromStart ||
			st.Sides[pair.B].Focus != want.Clamp(st.Sides[pair.B].Whole()) {
			t.Errorf("%v led: locked sides show %v, want %v", leader, b.foci(), want)
		}
		if b.Do(ZoomBack); b.foci() != before {
			t.Errorf("%v led: back at %v, want %v", leader, b.foci(), before)
		}
	}
}

// TestDoubleClickShowsTheCalls: of one thread, of several, and by code.
func TestDoubleClickShowsTheCalls(t *testing.T) {
	b := newBench(t, queue...)
	a := b.partOf(scene.B, single)
	x := b.spotAt(scene.B, a)
	b.DoubleClick(b.in(middle(a.Rect)))
	st := b.State()
	if st.View != session.Matches || st.Process || st.Current != x.resources()[0] || b.foci() != x.spans() {
		t.Errorf("shown is %s, pair %d of %v, want pair %d of %v", st.View, st.Current, b.foci(),
			x.resources()[0], x.spans())
	}
	b.Do(command.Back)
	if b.State().View != View || len(b.own().Zoom) != 0 || b.foci() == x.spans() {
		t.Error("one step back does not lead to what was clicked")
	}

	b = newBench(t, queue...)
	b.set("p", "0.9")
	a, at := b.area(scene.A, several)
	x = b.spotAt(scene.A, a)
	b.DoubleClick(at)
	if st := b.State(); st.View != session.Matches || !st.Process || b.foci() != x.spans() {
		t.Errorf("several threads show %s of %v", st.View, b.foci())
	}
}

// TestDoubleClickFindsFunctions: by code, the functions of an aggregate are what is searched for.
func TestDoubleClickFindsFunctions(t *testing.T) {
	b := put(t, staged(t, "aaaabbcc", "ddddbbee"), staged(t, "aaaabbcc", "ddddbbee"))
	b.set("slices", "8")
	b.set("resources", "code")
	for p, want := range map[string]func(scene.Area) bool{"0": single, "1": several} {
		b.C.S.SetView(View)
		b.set("p", p)
		a, _ := b.area(scene.A, want)
		x := b.spotAt(scene.A, a)
		c := x.of.cut.of.code
		wanted := map[int32]bool{}
		for _, r := range x.resources() {
			wanted[int32(c.nodes[r])] = true
		}
		b.DoubleClick(b.in(middle(a.Rect)))
		st := b.State()
		if st.View != session.Matches || !st.Process || st.Search.Place == nil {
			t.Fatalf("shown is %s, found %+v", st.View, st.Search.Place)
		}
		for s := range st.Sides {
			for i := range st.Sides[s].Trace.Threads {
				cells := c.tree.Cells(pair.Side(s), i)
				for fn, is := range st.Search.Place.Fns[s][i] {
					if is != wanted[cells.Of(trace.FuncID(fn))] {
						t.Fatalf("%s: found is %v", st.Sides[s].Trace.Functions[trace.FuncID(fn)].Name, is)
					}
				}
			}
		}
		b.C.S.SetView(View)
		b.Do(ZoomBack)
	}
}

// TestTwoClicksAreNoDoubleClick: clicks that are far apart, or whose first one was on nothing, zoom.
func TestTwoClicksAreNoDoubleClick(t *testing.T) {
	b := newBench(t, queue...)
	_, at := b.area(scene.A, single)
	b.ClickAt(at)
	b.Frame(time.Second)
	b.ClickAt(at)
	if b.State().View != View {
		t.Error("two clicks are taken for a double click")
	}
	b = newBench(t, queue...)
	beside := b.in(geom.Point{X: 4, Y: b.plot(scene.A).Plot.Y1 - 2})
	b.DoubleClick(beside)
	if b.State().View != View || len(b.own().Zoom) != 0 {
		t.Error("a double click beside the grid does something")
	}
}

// TestCodeOfBothSides: the words of an aggregate by code name its function or how many there are.
func TestCodeOfBothSides(t *testing.T) {
	b := newBench(t, pipeline...)
	b.set("slices", "12")
	b.Do(ByCode)
	a, at := b.area(scene.B, func(a scene.Area) bool { return true })
	b.Move(at)
	x := b.pane.under
	c := x.of.cut.of.code
	if got, want := b.pane.lines[0], x.name(); got != want || leavesOf(a) != len(x.resources()) {
		t.Errorf("it says %q, want %q", got, want)
	}
	if got := x.of.noun(scene.B, 3); got != "3 functions" {
		t.Errorf("three of them are %q", got)
	}
	if b.pane.built.state.Leaf != "functions" || c.tree.FullName(c.nodes[x.resources()[0]]) == "" {
		t.Error("leaves are no functions")
	}
	if b.Do(ByThreads); b.own().Code || b.pane.built.state.Leaf != "threads" {
		t.Error("threads do not come back")
	}
}
