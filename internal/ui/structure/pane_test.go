package structure

import (
	"image"
	"slices"
	"testing"

	"gioui.org/f32"
	"gioui.org/io/key"
	"gioui.org/io/pointer"

	"diptych/internal/command"
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/palette"
	scene "diptych/internal/scene/structure"
	"diptych/internal/session"
	"diptych/internal/structure"
	"diptych/internal/ui/view"
)

// longest returns the longest call on a level of the first thread shown on a side, and a point over it.
func (b *bench) longest(side pair.Side, depth int) (call session.Target, at image.Point) {
	b.T.Helper()
	th := b.State().Tracks[side][0]
	tr := b.State().Sides[side].Trace.Threads[th]
	best := -1
	for i := range tr.Len() {
		if int(tr.Depth(i)) == depth && (best < 0 || tr.Dur(i) > tr.Dur(best)) {
			best = i
		}
	}
	call = session.Target{Side: side, OK: true}
	call.Ref.Thread, call.Ref.Call = int32(th), int32(best)
	h := &b.pane.Shown().Sides[side]
	r, ok := h.Drawing.CallRect(call.Ref)
	if !ok {
		b.T.Fatal("the call is not drawn")
	}
	return call, b.in(middle(r.Intersect(h.Icicle)))
}

func TestDragPansAndSelects(t *testing.T) {
	b := newBench(t, queue...)
	for _, side := range []pair.Side{pair.A, pair.B} {
		b.C.S.SetFocus(side, geom.Span{Start: 1e6, End: 2e6})
	}
	b.Settle()
	for _, side := range []pair.Side{pair.A, pair.B} {
		h := &b.pane.Shown().Sides[side]
		from := b.in(middle(h.Icicle))
		before := b.State().Sides[side].Focus
		b.Drag(from, from.Sub(image.Pt(80, 0)), 0)
		got, want := b.State().Sides[side].Focus.Start-before.Start, 80*before.Len()/float64(h.Icicle.W())
		if got < .9*want || got > 1.1*want {
			t.Errorf("%v: 80 px pan %v ns, want %v", side, got, want)
		}
		b.Drag(from, from.Add(image.Pt(60, 0)), key.ModShift)
		if r := b.State().Range; !r.OK || r.Side != side {
			t.Errorf("%v: selected is %+v", side, r)
		}
	}
}

func TestWheelPansZoomsAndScales(t *testing.T) {
	b := newBench(t, queue...)
	at := b.in(middle(b.pane.Shown().Sides[pair.A].Icicle))
	whole := b.State().Sides[pair.A].Focus
	b.Scroll(at, 0, -3, 0)
	zoomed := b.State().Sides[pair.A].Focus
	if zoomed.Len() >= whole.Len() {
		t.Error("the wheel does not zoom")
	}
	b.Scroll(at, 0, 2, key.ModShift)
	if f := b.State().Sides[pair.A].Focus; f.Start <= zoomed.Start || f.Len() != zoomed.Len() {
		t.Errorf("Shift and the wheel lead from %v to %v", zoomed, f)
	}
	b.Scroll(at, 0, -2, key.ModCtrl)
	if b.State().Rows <= 1 {
		t.Error("Control and the wheel do not make rows taller")
	}
	b.Do(command.ZoomOut)
	if b.State().Sides[pair.A].Focus.Len() <= zoomed.Len() {
		t.Error("the key does not zoom out")
	}
	b.Do(command.ScrollDown)
	if h := b.pane.Shown().Sides[pair.A]; h.MaxScroll > 0 && b.State().Scroll[pair.A] == 0 {
		t.Error("the key does not scroll")
	}
}

func TestClickSelectsACallAndNothing(t *testing.T) {
	b := newBench(t, queue...)
	call, at := b.longest(pair.B, 1)
	b.ClickAt(at)
	if got := b.State().Selected; got != call || b.Turned != "details" {
		t.Fatalf("selected is %+v, want %+v; the tab is %q", got, call, b.Turned)
	}
	b.Do(command.FitSelection)
	th, i := b.State().Call(call)
	if f := b.State().Sides[pair.B].Focus; f.Len() > 1.3*float64(th.Dur(i)) {
		t.Error("what is selected is not fitted")
	}
	b.C.S.ShowAll()
	b.Settle()
	b.ClickAt(b.in(geom.Point{X: 5, Y: b.pane.Shown().Treemap.Y1 + 2}))
	if b.State().Selected.OK {
		t.Error("a click beside everything keeps the selection")
	}
	again, at := b.longest(pair.A, 1)
	b.DoubleClick(at)
	th, i = b.State().Call(again)
	if f := b.State().Sides[pair.A].Focus; f.Len() > 1.3*float64(th.Dur(i)) {
		t.Error("a double click does not fit the call")
	}
}

// TestPointerIsHeardElsewhere: a call in focus is the hovered call of all views, code the brushed place;
// both end when the pointer leaves.
func TestPointerIsHeardElsewhere(t *testing.T) {
	b := newBench(t, pipeline...)
	call, at := b.longest(pair.A, 1)
	b.Move(at)
	if b.State().Hover != call || b.State().Brushed.Place != nil || b.Over != pair.A {
		t.Errorf("under the pointer is %+v", b.State().Hover)
	}
	b.Do(SwitchInput)
	node, at := b.free()
	b.Move(at)
	p := b.State().Brushed.Place
	if b.State().Hover.OK || p == nil || !slices.Equal(p.Path, b.tree().Path(node)) {
		t.Errorf("under the pointer is %+v", p)
	}
	b.Point(pointer.Leave, image.Pt(2, 2), 0)
	b.Move(image.Pt(2, 2))
	if b.State().Hover.OK || b.State().Brushed.Place != nil {
		t.Error("something is under a pointer that is away")
	}
	b.C.S.SetHover(call)
	b.Settle()
	if f := b.pane.Shown().Focus; len(f.Items) != 1 || f.Items[0].Pick.Call != int(call.Ref.Call) {
		t.Errorf("a call hovered elsewhere leads to %+v", f)
	}
}

// TestSceneIsBuiltOnce: what the pointer changes in the session alone builds no scene.
func TestSceneIsBuiltOnce(t *testing.T) {
	b := newBench(t, pipeline...)
	_, at := b.longest(pair.A, 1)
	b.Move(at)
	before := b.pane.built.state
	b.Frame(0)
	b.C.S.SetHover(session.Target{})
	if b.Frame(0); b.pane.built.state != before {
		t.Error("it is built anew")
	}
}

func TestCodeIsChosenAndZoomed(t *testing.T) {
	b := newBench(t, pipeline...)
	b.set("target", "treemap")
	tree := b.tree()
	node, at := b.free()
	b.ClickAt(at)
	if p := b.State().Search.Place; p == nil || tree.Find(p.Path) != node {
		t.Fatalf("chosen is %+v", p)
	}
	b.Do(ZoomInto)
	root := tree.Find(b.own().Zoom)
	if !tree.Contains(root, node) || root == 0 || tree.Nodes[root].IsLeaf() {
		t.Errorf("zoomed into %q", b.own().Zoom)
	}
	depth := len(b.own().Zoom)
	for n := 0; len(b.own().Zoom) > 0; n++ {
		if n > depth {
			t.Fatal("zooming out does not end")
		}
		b.Do(ZoomOut)
	}
	b.Scroll(at, 0, -2, 0)
	up := b.pane.Shown().Focus.Subtree
	b.DoubleClick(at)
	if got := tree.Find(b.own().Zoom); got != tree.ChainEnd(up) {
		t.Errorf("a double click zooms into %q, want %q", tree.FullName(got), tree.FullName(up))
	}
	for k, s := range steps(tree, tree.Find(b.own().Zoom)) {
		if _, ok := b.Find("Show " + s.label); !ok {
			t.Errorf("step %d, %q, is not in the trail", k, s.label)
		}
	}
}

// TestSmallPanes: in a small pane the bars fold into one.
func TestSmallPanes(t *testing.T) {
	b := newBench(t, queue...)
	b.Area = image.Rect(12, 80, 312, 280)
	b.Settle()
	if b.pane.Area().Empty() || b.pane.Area().Dy() < 100 {
		t.Errorf("the view has %v", b.pane.Area())
	}
	if _, ok := b.Find("Show all threads"); ok {
		t.Error("there is a toolbar")
	}
	b.Click("More settings of the structure")
	if _, ok := b.Find("Colour by package"); !ok || !b.pane.style.flow.Open() {
		t.Error("the settings do not open")
	}
	if !b.pane.Dismiss() || b.pane.Dismiss() {
		t.Error("they are not dismissed once")
	}
	b.Area = image.Rect(12, 80, 312, 90)
	b.Settle()
	if b.pane.Scenes() != nil {
		t.Error("a pane without room has a scene")
	}
}

// TestPictureIsThePane: without a window, the view is the same but for what lies over it.
func TestPictureIsThePane(t *testing.T) {
	b := newBench(t, queue...)
	parts := Picture(b.State(), palette.Light(), image.Pt(800, 500), 1)
	if len(parts) != 1 || parts[0].Scene.Count() < 50 || parts[0].Scene.Size.H != 500 {
		t.Fatalf("%d parts", len(parts))
	}
	small := Picture(b.State(), palette.Light(), image.Pt(300, 60), 1)
	if small[0].Scene.Size.H != 60 {
		t.Errorf("a low picture is %v px high", small[0].Scene.Size.H)
	}
}

func TestWithoutACall(t *testing.T) {
	b := newBench(t)
	if b.pane.Shown() != nil && b.pane.Shown().Focus.Mode != scene.Whole {
		t.Error("something is in focus of nothing")
	}
	if got := empty(b.State()); got == "" {
		t.Error("it does not say why nothing is shown")
	}
}

// TestNodesOfCallsAndPlaces: hovering and choosing know a node by a call as well as by a place.
func TestNodesOfCallsAndPlaces(t *testing.T) {
	b := newBench(t, pipeline...)
	tree := b.tree()
	call, _ := b.longest(pair.B, 1)
	want := tree.NodeOf(pair.B, int(call.Ref.Thread), int(call.Ref.Call))
	b.C.S.SetHover(call)
	b.C.S.Select(call)
	if st := b.State(); hovered(tree, st) != want || selected(tree, st) != want {
		t.Errorf("hovered is %d, selected %d, want %d", hovered(tree, st), selected(tree, st), want)
	}
	up := int(tree.Nodes[want].Parent)
	b.C.S.Brush(placeOf(tree, up))
	b.C.S.FindIn(placeOf(tree, up))
	if st := b.State(); hovered(tree, st) != up || selected(tree, st) != up {
		t.Error("a place does not come before a call")
	}
	if describe(b.State(), call) == "" || describe(b.State(), session.Target{}) != "" {
		t.Error("the status line does not say where a call is")
	}
	var _ view.Raiser = b.pane
	b.pane.Raise(b.C, call)
}

// TestAreasWithoutLines: areas by lines need a source folder, which is asked for.
func TestAreasWithoutLines(t *testing.T) {
	b := newBench(t, pipeline...)
	b.Do(AreaLines)
	if b.Use == nil || areaOf(b.tree(), b.own()) != structure.EqualArea {
		t.Fatal("no folder is asked for")
	}
	b.Use(t.TempDir())
	if b.Settle(); b.own().Source == "" {
		t.Error("the folder is not taken")
	}
	b.Do(DropSource)
	seen := map[structure.Area]bool{}
	for range 3 {
		b.Do(CycleArea)
		seen[b.own().Area] = true
	}
	if len(seen) != 3 || seen[structure.LinesArea] {
		t.Errorf("the next areas are %v", seen)
	}
}

// BenchmarkMove is what a movement of the pointer costs the pane, from the event to the laid out frame.
func BenchmarkMove(b *testing.B) {
	bench := newBench(b, pipeline...)
	r := bench.pane.Area()
	for n := 0; b.Loop(); n++ {
		at := r.Min.Add(image.Pt(n*37%r.Dx(), n*53%r.Dy()))
		bench.Router.Queue(pointer.Event{Kind: pointer.Move, Source: pointer.Mouse,
			Position: f32.Pt(float32(at.X), float32(at.Y))})
		bench.Frame(0)
	}
}

// TestNotesHaveFlags: a note's flag stands at its call, also if it was written after the view was
// built, and a click on it selects the call.
func TestNotesHaveFlags(t *testing.T) {
	b := newBench(t, queue...)
	call, _ := b.longest(pair.A, 1)
	b.C.S.Write(session.SpotOf(call), "look")
	b.C.S.Select(session.Target{})
	b.Settle()
	all := b.pane.Flags()
	row, _ := b.pane.Shown().Sides[pair.A].Drawing.CallRect(call.Ref)
	if len(all) != 1 || all[0].Pole.Y0 != row.Y0 {
		t.Fatalf("the flags are %+v, the call is at %v", all, row)
	}
	b.ClickAt(b.in(middle(all[0].Box)))
	if b.State().Selected != call {
		t.Errorf("a click on the flag selects %+v", b.State().Selected)
	}
	b.C.S.RemoveNote(1)
	b.Settle()
	if len(b.pane.Flags()) != 0 {
		t.Error("the flag stays")
	}
}
