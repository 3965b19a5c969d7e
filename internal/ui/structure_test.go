package ui

import (
	"image"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gioui.org/io/key"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/scene/icicle"
	scene "diptych/internal/scene/structure"
	"diptych/internal/session"
	"diptych/internal/structure"
	"diptych/internal/traceio/input"
	structview "diptych/internal/ui/structure"
	"diptych/internal/ui/uitest/viewtest"
	"diptych/internal/ui/view"
)

// structured returns a pane of the structure in a window.
func structured(t *testing.T, files ...string) (*bench, *structview.Pane) {
	t.Helper()
	b := newBench(t, files...)
	b.press("6", 0)
	p, ok := b.app.Pane().(*structview.Pane)
	if !ok || b.state().View != structview.View {
		t.Fatal("the structure is not shown")
	}
	return b, p
}

// buildPair are two builds, whose structure has several packages.
var buildPair = []string{"chrome/go-build-cold.json.gz", "chrome/go-build-warm.json.gz"}

func (b *bench) own() *structview.Own {
	return b.state().OwnOf(structview.View).(*structview.Own)
}

// set carries out settings as the command line does.
func (b *bench) set(keys ...string) {
	b.t.Helper()
	for _, kv := range keys {
		k, v, _ := strings.Cut(kv, "=")
		i := slices.IndexFunc(Settings(), func(s view.Setting) bool { return s.Key == k })
		if i < 0 {
			b.t.Fatalf("there is no setting %q", k)
		}
		if err := Settings()[i].Apply(b.app.S, v); err != nil {
			b.t.Fatalf("%s: %v", kv, err)
		}
	}
	b.settle()
}

// inPane returns a point of the pane in the window.
func inPane(p *structview.Pane, at geom.Point) image.Point {
	return image.Pt(int(at.X), int(at.Y)).Add(p.Area().Min)
}

func centre(r geom.Rect) geom.Point {
	return geom.Point{X: (r.X0 + r.X1) / 2, Y: (r.Y0 + r.Y1) / 2}
}

// cellAt returns a point over a node's cell where no stack is.
func cellAt(p *structview.Pane, node int) image.Point {
	return inPane(p, centre(p.Shown().NodeRect(node)))
}

// freeCell returns a function whose cell shows beside the stacks.
func freeCell(t *testing.T, p *structview.Pane, tree *structure.Tree) int {
	t.Helper()
	v := p.Shown()
	for n := range tree.Nodes {
		r := v.NodeRect(n)
		if tree.Nodes[n].Kind != structure.Function || r.W() < 4 || r.H() < 4 || tree.Nodes[n].Depth < 2 {
			continue
		}
		if hit, ok := v.Pick(centre(r)); ok && hit.Side < 0 && hit.Node == n {
			return n
		}
	}
	t.Fatal("no cell is free")
	return 0
}

// tree makes the tree that a pane shows once more: numbers of nodes are the same.
func (b *bench) tree(o structure.Options) *structure.Tree {
	b.t.Helper()
	tree, err := structure.New(b.t.Context(), b.state().Pair, o, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	return tree
}

func TestControlSwitchesTheInput(t *testing.T) {
	b, p := structured(t, buildPair...)
	tap := func() { b.press(key.NameCtrl, 0) }
	if tap(); b.own().Input != scene.Treemap {
		t.Error("a tap of Control does not let the pointer act on the code")
	}
	b.pic.Queue(key.Event{Name: key.NameCtrl, Modifiers: key.ModCtrl, State: key.Press})
	b.pic.Scroll(p.Area().Min.Add(image.Pt(200, 200)), 0, 1, key.ModCtrl)
	b.pic.Queue(key.Event{Name: key.NameCtrl, State: key.Release})
	if b.settle(); b.own().Input != scene.Treemap {
		t.Error("Control with the wheel counts as a tap")
	}
	b.click("The pointer acts on the stacks")
	if b.own().Input != scene.Icicles {
		t.Error("the toolbar does not set it")
	}
	b.press("3", 0)
	if tap(); b.state().View != session.Matches || b.own().Input != scene.Icicles {
		t.Error("a tap of Control acts on a view that is not shown")
	}
}

// TestWheelClimbsTheCode: with code as the target, the wheel sets where the focus begins, and the
// bar says so.
func TestWheelClimbsTheCode(t *testing.T) {
	b, p := structured(t, "gotrace/pipeline-mutex.gotrace", "gotrace/pipeline-chan.gotrace")
	b.set("target=treemap")
	tree := b.tree(structure.Options{})
	node := freeCell(t, p, tree)
	at := cellAt(p, node)
	b.move(at)
	if f := p.Shown().Focus; f.Mode != scene.Subtree || f.Subtree != node {
		t.Fatalf("in focus is %+v, want node %d", f, node)
	}
	b.pic.Scroll(at, 0, -1, 0)
	b.settle()
	up := int(tree.Nodes[node].Parent)
	if f := p.Shown().Focus; b.own().Height != 1 || f.Subtree != up {
		t.Errorf("one notch leads %d levels up, to %q", b.own().Height, f.Name)
	}
	if got, want := p.Tally(b.state()), "1 level up: "+tree.FullName(up); got != want {
		t.Errorf("the bar says %q, want %q", got, want)
	}
	b.pic.Scroll(at, 0, -40, 0)
	b.settle()
	b.pic.Scroll(at, 0, 1, 0)
	b.settle()
	if h := b.own().Height; h >= int(tree.Nodes[node].Depth) {
		t.Errorf("after many notches up one down leads to %d levels", h)
	}
	b.pic.Scroll(at, 0, 60, 0)
	if b.settle(); b.own().Height != 0 {
		t.Error("the wheel does not lead back to the node")
	}
	focus := b.state().Sides[pair.A].Focus
	b.set("target=icicle")
	b.pic.Scroll(at, 0, -2, 0)
	if b.settle(); b.state().Sides[pair.A].Focus.Len()+b.state().Sides[pair.B].Focus.Len() >= 2*focus.Len() {
		t.Error("with the stacks as input target the wheel does not zoom time")
	}
}

// TestCodeIsChosenForAllViews: a click on a cell lists its functions and lights their calls; Escape
// ends that.
func TestCodeIsChosenForAllViews(t *testing.T) {
	b, p := structured(t, buildPair...)
	b.set("target=treemap")
	tree := b.tree(structure.Options{})
	node := freeCell(t, p, tree)
	b.clickAt(cellAt(p, node))
	st := b.state()
	if st.Search.Place == nil || st.Search.Query != tree.FullName(node) {
		t.Fatalf("chosen is %+v", st.Search.Place)
	}
	if n := len(st.Search.Hits); n != 1 {
		t.Errorf("%d functions are listed", n)
	}
	list := b.app.Panel(structview.TreeTab).(*structview.Table)
	if !slices.Contains(list.Lines(), node) {
		t.Error("the table does not show the line")
	}
	b.press(key.NameEscape, 0)
	if st := b.state(); st.Search.Place != nil || st.Search.Query != "" {
		t.Error("Escape keeps the choice")
	}
}

// TestCallsAreChosen: a click on a call selects it, a double click fits it.
func TestCallsAreChosen(t *testing.T) {
	b, p := structured(t, pairs["queue"]...)
	ref := b.longCall(pair.A, 1)
	r, ok := p.Shown().Sides[pair.A].Drawing.CallRect(ref)
	if !ok {
		t.Fatal("the call is not drawn")
	}
	at := inPane(p, centre(r.Intersect(p.Shown().Sides[pair.A].Icicle)))
	b.move(at)
	if st := b.state(); !st.Hover.OK || st.Hover.Ref != ref || p.Shown().Focus.Mode != scene.Detail {
		t.Fatalf("under the pointer is %+v", st.Hover)
	}
	b.pic.DoubleClick(at)
	b.settle()
	st := b.state()
	if !st.Selected.OK || st.Selected.Ref != ref {
		t.Fatalf("selected is %+v", st.Selected)
	}
	th, i := st.Call(st.Selected)
	if f := st.Sides[pair.A].Focus; f.Len() > 1.3*float64(th.Dur(i)) {
		t.Errorf("fitted, %v ns are shown of a call of %d", f.Len(), th.Dur(i))
	}
	b.press("F", 0)
	b.drag(at, at.Add(image.Pt(40, 0)), key.ModShift)
	if !b.state().Range.OK {
		t.Error("Shift and dragging selects no range")
	}
}

// TestTreemapZooms: a double click shows code alone, the way back all. The place survives a swap
// and another load.
func TestTreemapZooms(t *testing.T) {
	files := []string{"gotrace/pipeline-mutex.gotrace", "gotrace/pipeline-chan.gotrace"}
	b, p := structured(t, files...)
	b.set("target=treemap")
	tree := b.tree(structure.Options{})
	node := freeCell(t, p, tree)
	b.pic.DoubleClick(cellAt(p, node))
	b.settle()
	zoom := b.own().Zoom
	if len(zoom) == 0 || tree.Nodes[tree.Find(zoom)].Parent < 0 || !tree.Contains(tree.Find(zoom), node) {
		t.Fatalf("zoomed to %q", zoom)
	}
	if r := p.Shown().NodeRect(tree.Find(zoom)); r != p.Shown().Treemap {
		t.Errorf("its cell is %v of %v", r, p.Shown().Treemap)
	}
	b.press("X", key.ModShift)
	b.app.S.Open(pair.A, filepath.Join(testdata, files[0]), input.Options{})
	b.settle()
	if !slices.Equal(b.own().Zoom, zoom) || p.Shown().Treemap.Empty() {
		t.Errorf("after a swap and a load it is %q", b.own().Zoom)
	}
	b.click("Show all code")
	if len(b.own().Zoom) != 0 {
		t.Error("the trail does not lead back")
	}
	b.press(key.NameLeftArrow, key.ModAlt)
	if !slices.Equal(b.own().Zoom, zoom) {
		t.Error("the way back is no step of the history")
	}
	b.press(key.NameDeleteBackward, 0)
	if len(b.own().Zoom) >= len(zoom) {
		t.Error("Backspace does not zoom out")
	}
}

// TestCodeLightsItsCalls: in another pane, the calls of the code under the pointer stand out, and a call
// under the pointer there is in focus here.
func TestCodeLightsItsCalls(t *testing.T) {
	b, _ := structured(t, pairs["queue"]...)
	b.set("view=structure+matches", "target=treemap")
	var p *structview.Pane
	b.app.S.In(0, func() { p = b.app.Pane().(*structview.Pane) })
	tree := b.tree(structure.Options{})
	node := freeCell(t, p, tree)
	b.move(cellAt(p, node))
	st := b.state()
	if st.Brushed.Place == nil {
		t.Fatal("nothing is brushed")
	}
	strong, pale := 0, 0
	for side := range st.Sides {
		tr := st.Sides[side].Trace
		emphasis := view.Emphasis(st, pair.Side(side))
		for th := range tr.Threads {
			for i := range tr.Threads[th].Len() {
				in := tree.NodeOf(pair.Side(side), th, i) == node
				switch emphasis(th, i, i+1) {
				case icicle.Strong:
					strong++
					if !in {
						t.Fatalf("call %d of thread %d stands out", i, th)
					}
				case icicle.Pale:
					pale++
				}
			}
			if n := tr.Threads[th].Len(); n > 0 && emphasis(th, 0, n) == icicle.Normal {
				t.Fatal("runs of calls are not known")
			}
		}
	}
	if int64(strong) != tree.Gamma(node) || pale == 0 {
		t.Errorf("%d calls stand out of %d", strong, tree.Gamma(node))
	}
	b.move(image.Pt(5, 5))
	if b.state().Brushed.Place != nil {
		t.Error("away from it, the code is still brushed")
	}
	b.set("hover=A:" + st.Sides[0].Trace.Threads[st.Tracks[0][0]].ID + ":1")
	if f := p.Shown().Focus; len(f.Items) == 0 || f.Items[0].Pick.Call != 1 {
		t.Errorf("a call under the pointer elsewhere leads to %+v", f)
	}
}

// TestStructureOfOneTrace: all works with one trace, on either side.
func TestStructureOfOneTrace(t *testing.T) {
	for _, side := range []pair.Side{pair.A, pair.B} {
		b := newBench(t)
		b.app.S.Put(side, "queue", viewtest.Load(t, pairs["queue"][0]))
		b.settle()
		b.press("6", 0)
		p := b.app.Pane().(*structview.Pane)
		if p.Shown().Treemap.Empty() || p.Shown().Sides[side].Drawing == nil {
			t.Errorf("%v alone is not shown", side)
		}
		b.set("target=treemap", "metric-treemap=self:change", "area=lines")
		b.move(p.Area().Min.Add(p.Area().Size().Div(2)))
		if p.Shown().Focus.Mode != scene.Subtree {
			t.Errorf("%v alone has no code under the pointer", side)
		}
		b.press("A", key.ModCtrl) // no command; nothing happens
	}
}

// TestStructureGoldens shows every mode, both input targets and both linkings.
func TestStructureGoldens(t *testing.T) {
	app := New(opened(t, pairs["queue"]...))
	b := benchOf(t, app, image.Pt(840, 480))
	app.dock.Open = false
	b.settle()
	b.set("view=structure", "metric-icicle=self", "metric-treemap=self")
	p := app.Pane().(*structview.Pane)
	v := p.Shown()
	half := &v.Sides[pair.A]
	r, _ := half.Drawing.CallRect(b.longCall(pair.A, 2))
	points := map[string]geom.Point{
		"overview": {X: half.Icicle.X1 - 20, Y: v.Treemap.Y0 + v.Treemap.H()*.47},
		"detail":   centre(r.Intersect(half.Icicle)),
		"approach": between(b, p),
	}
	for mode, at := range points {
		for _, linking := range []string{"in-focus", "outside-focus"} {
			b.set("target=icicle", "linking="+linking)
			b.move(inPane(p, at))
			if got := p.Shown().Focus.Mode.String(); got != mode {
				t.Errorf("at %v the mode is %s, want %s", at, got, mode)
			}
			b.compare("structure-" + mode + "-" + linking)
		}
	}
	for _, linking := range []string{"in-focus", "outside-focus"} {
		b.set("target=treemap", "linking="+linking, "metric-treemap=calls:change")
		b.move(inPane(p, points["overview"]))
		b.compare("structure-subtree-" + linking)
	}
}

// between returns a point between two stacks.
func between(b *bench, p *structview.Pane) geom.Point {
	b.t.Helper()
	h := &p.Shown().Sides[pair.A]
	for x := h.Icicle.X0 + 90; x < h.Icicle.X1; x += 7 {
		at := geom.Point{X: x, Y: h.Icicle.Y0 + 4.5*h.Row}
		b.pic.Move(inPane(p, at), 0)
		if p.Shown().Focus.Mode == scene.Approach {
			return at
		}
	}
	b.t.Fatal("there is no place between two stacks")
	return geom.Point{}
}

// compare holds the window against a golden.
func (b *bench) compare(name string) {
	b.t.Helper()
	m, err := b.pic.Image()
	if err != nil {
		b.t.Fatal(err)
	}
	golden(b.t, name, m)
}
