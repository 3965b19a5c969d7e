package aggregate

import (
	"image"
	"math"
	"slices"
	"testing"

	"gioui.org/f32"
	"gioui.org/io/key"
	"gioui.org/io/pointer"

	"diptych/internal/command"
	"diptych/internal/geom"
	"diptych/internal/pair"
	scene "diptych/internal/scene/aggregate"
	"diptych/internal/session"
	"diptych/internal/ui/view"
)

func near(x, y, scale float64) bool { return math.Abs(x-y) <= 1e-6*math.Abs(scale) }

// zoomed shows the middle half of both sides.
func zoomed(t *testing.T, files ...string) *bench {
	b := newBench(t, files...)
	for s := range 2 {
		f := b.State().Sides[s].Whole()
		b.C.S.SetFocus(pair.Side(s), geom.Span{Start: f.End / 4, End: f.End * 3 / 4})
	}
	b.Settle()
	return b
}

// TestDragPansBothSides: in each plot, by the same share of what either side shows.
func TestDragPansBothSides(t *testing.T) {
	for _, of := range []int{scene.A, scene.B, scene.Difference} {
		b := zoomed(t, queue...)
		g, before := *b.plot(of), b.foci()
		from := b.in(middle(g.Plot))
		b.Drag(from, from.Sub(image.Pt(60, 3)), 0)
		for s, f := range b.foci() {
			want := 60 / float64(g.Axis.X1-g.Axis.X0) * before[s].Len()
			if !near(f.Start-before[s].Start, want, before[s].Len()) || !near(f.Len(), before[s].Len(), f.Len()) {
				t.Errorf("in %s: %d moved by %v, want %v", plotNames[of], s, f.Start-before[s].Start, want)
			}
		}
		if len(b.own().Zoom) != 0 {
			t.Error("a drag counts as a click")
		}
	}
}

// TestDragAtTheEnd: a side at the end of its trace stays there, and the other moves with the pointer
// and not on and on.
func TestDragAtTheEnd(t *testing.T) {
	b := zoomed(t, queue...)
	whole := b.State().Sides[pair.A].Whole()
	b.C.S.SetFocus(pair.A, whole)
	b.Settle()
	g, before := *b.plot(scene.A), b.foci()
	from := b.in(middle(g.Plot))
	b.Drag(from, from.Sub(image.Pt(40, 0)), 0)
	want := 40 / float64(g.Axis.X1-g.Axis.X0) * before[pair.B].Len()
	if f := b.foci(); f[pair.A] != whole || !near(f[pair.B].Start-before[pair.B].Start, want, want) {
		t.Errorf("A shows %v; B moved by %v, want %v", f[pair.A], f[pair.B].Start-before[pair.B].Start, want)
	}
	b.Drag(from, from.Sub(image.Pt(40, 0)), 0)
	b.Drag(from, from.Add(image.Pt(80, 0)), 0)
	if f := b.foci(); !near(f[pair.B].Start, before[pair.B].Start, want) {
		t.Errorf("back at %v, want %v", f[pair.B], before[pair.B])
	}
}

// TestLockedSidesFollow: a lock moves the other side, and nothing else does.
func TestLockedSidesFollow(t *testing.T) {
	for _, of := range []int{scene.A, scene.B} {
		b := zoomed(t, queue...)
		b.C.S.SetLock(session.FromStart, pair.A)
		b.Settle()
		before := b.foci()
		from := b.in(middle(b.plot(of).Plot))
		b.Drag(from, from.Sub(image.Pt(30, 0)), 0)
		f := b.foci()
		if f[of] == before[of] || f[pair.A] != f[pair.B] {
			t.Errorf("a drag in %s leads to %v", plotNames[of], f)
		}
		b.Scroll(from, 0, -1, 0)
		if g := b.foci(); g[of].Len() >= f[of].Len() || g[pair.A] != g[pair.B] {
			t.Errorf("the wheel in %s leads to %v", plotNames[of], g)
		}
		if b.Do(command.PanRight); b.foci()[pair.A] != b.foci()[pair.B] {
			t.Errorf("a key leads to %v", b.foci())
		}
	}
}

// TestWheelZoomsBothAtThePointer: what is under the pointer stays there on both sides; with Shift the
// wheel pans.
func TestWheelZoomsBothAtThePointer(t *testing.T) {
	for _, of := range []int{scene.A, scene.B, scene.Difference} {
		b := zoomed(t, queue...)
		g, before := *b.plot(of), b.foci()
		at := b.in(geom.Point{X: g.Plot.X0 + g.Plot.W()/4, Y: middle(g.Plot).Y})
		share := (float64(at.X-b.pane.Area().Min.X) - float64(g.Plot.X0)) / float64(g.Plot.W())
		b.Scroll(at, 0, -2, 0)
		for s, f := range b.foci() {
			held := before[s].Start + share*before[s].Len()
			if f.Len() >= before[s].Len() || !near(f.Start+share*f.Len(), held, before[s].Len()) {
				t.Errorf("in %s: %d shows %v after %v", plotNames[of], s, f, before[s])
			}
		}
		before = b.foci()
		b.Scroll(at, 0, 2, key.ModShift)
		for s, f := range b.foci() {
			if f.Start <= before[s].Start || !near(f.Len(), before[s].Len(), f.Len()) {
				t.Errorf("in %s: with Shift %d shows %v after %v", plotNames[of], s, f, before[s])
			}
		}
		share = 3 * 20 / float64(g.Plot.W())
		if moved := (b.foci()[0].Start - before[0].Start) / before[0].Len(); !near(moved, share, 1) {
			t.Errorf("with Shift it pans by %v, want %v", moved, share)
		}
	}
}

// TestKeysZoomAndPan: at the pointer, or in the middle.
func TestKeysZoomAndPan(t *testing.T) {
	b := zoomed(t, queue...)
	g := *b.plot(scene.B)
	b.Move(b.in(geom.Point{X: g.Plot.X0 + 1, Y: middle(g.Plot).Y}))
	before := b.foci()
	b.Do(command.ZoomIn)
	for s, f := range b.foci() {
		if !near(f.Start, before[s].Start, before[s].Len()*5e3) || !near(f.Len(), before[s].Len()*view.ZoomStep, f.Len()) {
			t.Errorf("%d shows %v after %v", s, f, before[s])
		}
	}
	b.Point(pointer.Leave, image.Pt(1, 1), 0)
	b.Do(command.ShowAll)
	b.Do(command.ZoomIn)
	for s, f := range b.foci() {
		if whole := b.State().Sides[s].Whole(); !near(f.Mid(), whole.Mid(), whole.Len()) {
			t.Errorf("%d shows %v", s, f)
		}
	}
	before = b.foci()
	b.Do(command.PanRight)
	b.Do(command.PanLeft)
	b.Do(command.PanLeft)
	for s, f := range b.foci() {
		if want := before[s].Start - view.PanStep*before[s].Len(); !near(f.Start, want, f.Len()) {
			t.Errorf("%d shows %v, want a start at %v", s, f, want)
		}
	}
	b.Do(command.ZoomOut)
	if f := b.foci()[0]; f.Len() <= before[0].Len() {
		t.Errorf("zoomed out it shows %v", f)
	}
}

// TestShiftDragSelectsARange: of the side under the pointer; there is none in a difference nor in
// virtual time, whose timeslices are not time of a side.
func TestShiftDragSelectsARange(t *testing.T) {
	b := zoomed(t, queue...)
	before := b.foci()
	for _, of := range []int{scene.A, scene.B} {
		g := *b.plot(of)
		from := b.in(middle(g.Plot))
		b.Drag(from, from.Sub(image.Pt(50, 0)), key.ModShift)
		x := float32(from.X - b.pane.Area().Min.X)
		want := geom.Span{Start: g.Axis.T(x - 50), End: g.Axis.T(x)}
		r := b.State().Range
		if !r.OK || int(r.Side) != of || !near(r.Span.Start, want.Start, want.Len()) ||
			!near(r.Span.End, want.End, want.Len()) || b.foci() != before {
			t.Errorf("in %s selected is %+v, want %v", plotNames[of], r, want)
		}
	}
	was := b.State().Range
	b.set("slices-of", "virtual")
	from := b.in(middle(b.plot(scene.A).Plot))
	if b.Drag(from, from.Add(image.Pt(50, 0)), key.ModShift); b.State().Range != was {
		t.Error("a range of virtual time is selected")
	}
}

// TestOtherButtonsDoNothing: nor does a drag that begins beside the plots.
func TestOtherButtonsDoNothing(t *testing.T) {
	b := zoomed(t, queue...)
	before, own := b.foci(), *b.own()
	at := b.in(middle(b.plot(scene.A).Plot))
	for _, button := range []pointer.Buttons{pointer.ButtonSecondary, pointer.ButtonTertiary} {
		e := pointer.Event{Source: pointer.Mouse, Buttons: button, Position: f32.Pt(float32(at.X), float32(at.Y))}
		for _, kind := range []pointer.Kind{pointer.Press, pointer.Move, pointer.Release} {
			if e.Kind = kind; kind == pointer.Release {
				e.Buttons = 0
			}
			b.Queue(e)
			e.Position.X += 40
		}
		b.Settle()
	}
	if b.foci() != before || !b.own().same(&own) || b.State().View != View {
		t.Errorf("other buttons lead to %v, %+v", b.foci(), b.own())
	}
}

// TestPointerThatLeaves ends a drag.
func TestPointerThatLeaves(t *testing.T) {
	b := zoomed(t, queue...)
	at := b.in(middle(b.plot(scene.A).Plot))
	b.Point(pointer.Move, at, 0)
	b.Point(pointer.Press, at, 0)
	b.Queue(pointer.Event{Kind: pointer.Cancel})
	before := b.foci()
	b.Point(pointer.Move, at.Add(image.Pt(90, 0)), 0)
	if b.Settle(); b.foci() != before || b.pane.grab.Moved {
		t.Error("a drag that was cancelled goes on")
	}
}

// TestNamesFoldInAllPlots: a click on the name of a group folds it in each plot that has it, another
// one unfolds it; goroutines of the runtime are folded at first.
func TestNamesFoldInAllPlots(t *testing.T) {
	b := newBench(t, pipeline...)
	ss := b.pane.built.state
	if len(b.overview().runtime) == 0 || !slices.Equal(ss.Folded, b.overview().runtime) {
		t.Fatalf("folded at first are %q, of the runtime are %q", ss.Folded, b.overview().runtime)
	}
	for _, wasFolded := range []bool{true, false} {
		k, i := b.name(wasFolded)
		l := b.pane.Shown().Plots[k].Labels[i]
		id := scene.Key(&ss.Plots[k].Picture.Source.Tree().Nodes[l.Node])
		for _, folded := range []bool{!wasFolded, wasFolded} {
			b.Frame(1e9) // no double click
			b.ClickAt(b.in(middle(b.label(k, id))))
			if got := slices.Contains(b.pane.built.state.Folded, id); got != folded {
				t.Errorf("%q is folded: %v, want %v", id, got, folded)
			}
			for plot := range b.pane.Shown().Plots {
				for _, l := range b.pane.Shown().Plots[plot].Labels {
					n := &b.pane.built.state.Plots[plot].Picture.Source.Tree().Nodes[l.Node]
					if scene.Key(n) == id && l.Folded != folded {
						t.Errorf("in plot %d %q is folded: %v", plot, id, l.Folded)
					}
				}
			}
		}
	}
	if len(b.own().Toggled) != 0 {
		t.Errorf("folded and unfolded again are %q", b.own().Toggled)
	}
	k, i := b.name(true)
	b.Frame(1e9)
	b.ClickAt(b.in(middle(b.pane.Shown().Plots[k].Labels[i].Rect)))
	if !Row().Enabled[Refold](b.State()) {
		t.Error("nothing is to be folded as at first")
	}
	if b.Do(Refold); len(b.own().Toggled) != 0 || Row().Enabled[Refold](b.State()) {
		t.Error("it is not folded as at first")
	}
}

// name returns the plot and the index of the first name that is folded or not.
func (b *bench) name(folded bool) (plot, label int) {
	b.T.Helper()
	for k := range b.pane.Shown().Plots {
		for i, l := range b.pane.Shown().Plots[k].Labels {
			if l.Folded == folded {
				return k, i
			}
		}
	}
	b.T.Fatalf("no name is folded: %v", folded)
	return 0, 0
}

// label returns where the name of a node is in a plot.
func (b *bench) label(plot int, id string) geom.Rect {
	b.T.Helper()
	for _, l := range b.pane.Shown().Plots[plot].Labels {
		if scene.Key(&b.pane.built.state.Plots[plot].Picture.Source.Tree().Nodes[l.Node]) == id {
			return l.Rect
		}
	}
	b.T.Fatalf("%q has no name", id)
	return geom.Rect{}
}

// TestNamesHaveTooltips: before anything else was pointed at, too.
func TestNamesHaveTooltips(t *testing.T) {
	b := newBench(t, pipeline...)
	k, i := b.name(true)
	b.Move(b.in(middle(b.pane.Shown().Plots[k].Labels[i].Rect)))
	if !b.pane.inside || b.pane.over || !b.pane.clickable() {
		t.Error("the pointer is on nothing")
	}
}
