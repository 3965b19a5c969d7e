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
	b.t.Helper()
	th := b.state().Tracks[side][0]
	tr := b.state().Sides[side].Trace.Threads[th]
	best := -1
	for i := range tr.Len() {
		if int(tr.Depth[i]) == depth && (best < 0 || tr.Dur(i) > tr.Dur(best)) {
			best = i
		}
	}
	call = session.Target{Side: side, OK: true}
	call.Ref.Thread, call.Ref.Call = int32(th), int32(best)
	h := &b.pane.Shown().Sides[side]
	r, ok := h.Drawing.CallRect(call.Ref)
	if !ok {
		b.t.Fatal("the call is not drawn")
	}
	return call, b.in(middle(r.Intersect(h.Icicle)))
}

func TestDragPansAndSelects(t *testing.T) {
	b := newBench(t, queue...)
	for _, side := range []pair.Side{pair.A, pair.B} {
		b.c.S.SetFocus(side, geom.Span{Start: 1e6, End: 2e6})
	}
	b.settle()
	for _, side := range []pair.Side{pair.A, pair.B} {
		h := &b.pane.Shown().Sides[side]
		from := b.in(middle(h.Icicle))
		before := b.state().Sides[side].Focus
		b.drag(from, from.Sub(image.Pt(80, 0)), 0)
		got, want := b.state().Sides[side].Focus.Start-before.Start, 80*before.Len()/float64(h.Icicle.W())
		if got < .9*want || got > 1.1*want {
			t.Errorf("%v: 80 px pan %v ns, want %v", side, got, want)
		}
		b.drag(from, from.Add(image.Pt(60, 0)), key.ModShift)
		if r := b.state().Range; !r.OK || r.Side != side {
			t.Errorf("%v: selected is %+v", side, r)
		}
	}
}

func TestWheelPansZoomsAndScales(t *testing.T) {
	b := newBench(t, queue...)
	at := b.in(middle(b.pane.Shown().Sides[pair.A].Icicle))
	whole := b.state().Sides[pair.A].Focus
	b.scroll(at, f32.Pt(0, -3), 0)
	zoomed := b.state().Sides[pair.A].Focus
	if zoomed.Len() >= whole.Len() {
		t.Error("the wheel does not zoom")
	}
	b.scroll(at, f32.Pt(0, 2), key.ModShift)
	if f := b.state().Sides[pair.A].Focus; f.Start <= zoomed.Start || f.Len() != zoomed.Len() {
		t.Errorf("Shift and the wheel lead from %v to %v", zoomed, f)
	}
	b.scroll(at, f32.Pt(0, -2), key.ModCtrl)
	if b.state().Rows <= 1 {
		t.Error("Control and the wheel do not make rows taller")
	}
	b.perform(command.ZoomOut)
	if b.state().Sides[pair.A].Focus.Len() <= zoomed.Len() {
		t.Error("the key does not zoom out")
	}
	b.perform(command.ScrollDown)
	if h := b.pane.Shown().Sides[pair.A]; h.MaxScroll > 0 && b.state().Scroll[pair.A] == 0 {
		t.Error("the key does not scroll")
	}
}

func TestClickSelectsACallAndNothing(t *testing.T) {
	b := newBench(t, queue...)
	call, at := b.longest(pair.B, 1)
	b.clickAt(at)
	if got := b.state().Selected; got != call || b.tab != "details" {
		t.Fatalf("selected is %+v, want %+v; the tab is %q", got, call, b.tab)
	}
	b.perform(command.FitSelection)
	th, i := b.state().Call(call)
	if f := b.state().Sides[pair.B].Focus; f.Len() > 1.3*float64(th.Dur(i)) {
		t.Error("what is selected is not fitted")
	}
	b.c.S.ShowAll()
	b.settle()
	b.clickAt(b.in(geom.Point{X: 5, Y: b.pane.Shown().Treemap.Y1 + 2}))
	if b.state().Selected.OK {
		t.Error("a click beside everything keeps the selection")
	}
	again, at := b.longest(pair.A, 1)
	b.doubleClick(at)
	th, i = b.state().Call(again)
	if f := b.state().Sides[pair.A].Focus; f.Len() > 1.3*float64(th.Dur(i)) {
		t.Error("a double click does not fit the call")
	}
}

// TestPointerIsHeardElsewhere: a call in focus is the hovered call of all views, code the brushed place;
// both end when the pointer leaves.
func TestPointerIsHeardElsewhere(t *testing.T) {
	b := newBench(t, pipeline...)
	call, at := b.longest(pair.A, 1)
	b.move(at)
	if b.state().Hover != call || b.state().Brushed.Place != nil || b.aim != pair.A {
		t.Errorf("under the pointer is %+v", b.state().Hover)
	}
	b.perform(SwitchInput)
	node, at := b.free()
	b.move(at)
	p := b.state().Brushed.Place
	if b.state().Hover.OK || p == nil || !slices.Equal(p.Path, b.tree().Path(node)) {
		t.Errorf("under the pointer is %+v", p)
	}
	b.point(pointer.Leave, image.Pt(2, 2), 0)
	b.move(image.Pt(2, 2))
	if b.state().Hover.OK || b.state().Brushed.Place != nil {
		t.Error("something is under a pointer that is away")
	}
	b.c.S.SetHover(call)
	b.settle()
	if f := b.pane.Shown().Focus; len(f.Items) != 1 || f.Items[0].Pick.Call != int(call.Ref.Call) {
		t.Errorf("a call hovered elsewhere leads to %+v", f)
	}
}

// TestSceneIsBuiltOnce: what the pointer changes in the session alone builds no scene.
func TestSceneIsBuiltOnce(t *testing.T) {
	b := newBench(t, pipeline...)
	_, at := b.longest(pair.A, 1)
	b.move(at)
	before := b.pane.built.state
	b.frame(0)
	b.c.S.SetHover(session.Target{})
	if b.frame(0); b.pane.built.state != before {
		t.Error("it is built anew")
	}
}

func TestCodeIsChosenAndZoomed(t *testing.T) {
	b := newBench(t, pipeline...)
	b.set("target", "treemap")
	tree := b.tree()
	node, at := b.free()
	b.clickAt(at)
	if p := b.state().Search.Place; p == nil || tree.Find(p.Path) != node {
		t.Fatalf("chosen is %+v", p)
	}
	b.perform(ZoomInto)
	root := tree.Find(b.own().Zoom)
	if !tree.Contains(root, node) || root == 0 || tree.Nodes[root].IsLeaf() {
		t.Errorf("zoomed into %q", b.own().Zoom)
	}
	depth := len(b.own().Zoom)
	for n := 0; len(b.own().Zoom) > 0; n++ {
		if n > depth {
			t.Fatal("zooming out does not end")
		}
		b.perform(ZoomOut)
	}
	b.scroll(at, f32.Pt(0, -2), 0)
	up := b.pane.Shown().Focus.Subtree
	b.doubleClick(at)
	if got := tree.Find(b.own().Zoom); got != tree.ChainEnd(up) {
		t.Errorf("a double click zooms into %q, want %q", tree.FullName(got), tree.FullName(up))
	}
	for k, s := range steps(tree, tree.Find(b.own().Zoom)) {
		if _, ok := b.find("Show " + s.label); !ok {
			t.Errorf("step %d, %q, is not in the trail", k, s.label)
		}
	}
}

// TestSmallPanes: in a small pane the bars fold into one.
func TestSmallPanes(t *testing.T) {
	b := newBench(t, queue...)
	b.area = image.Rect(12, 80, 312, 280)
	b.settle()
	if b.pane.Area().Empty() || b.pane.Area().Dy() < 100 {
		t.Errorf("the view has %v", b.pane.Area())
	}
	if _, ok := b.find("Show all threads"); ok {
		t.Error("there is a toolbar")
	}
	b.click("More settings of the structure")
	if _, ok := b.find("Colour by package"); !ok || !b.pane.style.flow.Open() {
		t.Error("the settings do not open")
	}
	if !b.pane.Dismiss() || b.pane.Dismiss() {
		t.Error("they are not dismissed once")
	}
	b.area = image.Rect(12, 80, 312, 90)
	b.settle()
	if b.pane.Scenes() != nil {
		t.Error("a pane without room has a scene")
	}
}

// TestPictureIsThePane: without a window, the view is the same but for what lies over it.
func TestPictureIsThePane(t *testing.T) {
	b := newBench(t, queue...)
	parts := Picture(b.state(), palette.Light(), image.Pt(800, 500), 1)
	if len(parts) != 1 || parts[0].Scene.Count() < 50 || parts[0].Scene.Size.H != 500 {
		t.Fatalf("%d parts", len(parts))
	}
	small := Picture(b.state(), palette.Light(), image.Pt(300, 60), 1)
	if small[0].Scene.Size.H != 60 {
		t.Errorf("a low picture is %v px high", small[0].Scene.Size.H)
	}
}

func TestWithoutACall(t *testing.T) {
	b := newBench(t)
	if b.pane.Shown() != nil && b.pane.Shown().Focus.Mode != scene.Whole {
		t.Error("something is in focus of nothing")
	}
	if got := empty(b.state()); got == "" {
		t.Error("it does not say why nothing is shown")
	}
}

// TestNodesOfCallsAndPlaces: hovering and choosing know a node by a call as well as by a place.
func TestNodesOfCallsAndPlaces(t *testing.T) {
	b := newBench(t, pipeline...)
	tree := b.tree()
	call, _ := b.longest(pair.B, 1)
	want := tree.NodeOf(pair.B, int(call.Ref.Thread), int(call.Ref.Call))
	b.c.S.SetHover(call)
	b.c.S.Select(call)
	if st := b.state(); hovered(tree, st) != want || selected(tree, st) != want {
		t.Errorf("hovered is %d, selected %d, want %d", hovered(tree, st), selected(tree, st), want)
	}
	up := tree.Up(want, 1)
	b.c.S.Brush(placeOf(tree, up))
	b.c.S.FindIn(placeOf(tree, up))
	if st := b.state(); hovered(tree, st) != up || selected(tree, st) != up {
		t.Error("a place does not come before a call")
	}
	if describe(b.state(), call) == "" || describe(b.state(), session.Target{}) != "" {
		t.Error("the status line does not say where a call is")
	}
	var _ view.Raiser = b.pane
	b.pane.Raise(b.c, call)
}

// TestAreasWithoutLines: areas by lines need a source folder, which is asked for.
func TestAreasWithoutLines(t *testing.T) {
	b := newBench(t, pipeline...)
	b.perform(AreaLines)
	if b.folder == nil || areaOf(b.tree(), b.own()) != structure.EqualArea {
		t.Fatal("no folder is asked for")
	}
	b.folder(t.TempDir())
	if b.settle(); b.own().Source == "" {
		t.Error("the folder is not taken")
	}
	b.perform(DropSource)
	seen := map[structure.Area]bool{}
	for range 3 {
		b.perform(CycleArea)
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
		bench.router.Queue(pointer.Event{Kind: pointer.Move, Source: pointer.Mouse,
			Position: f32.Pt(float32(at.X), float32(at.Y))})
		bench.frame(0)
	}
}
