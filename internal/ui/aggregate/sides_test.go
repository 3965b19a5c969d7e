package aggregate

import (
	"slices"
	"strings"
	"testing"

	"diptych/internal/command"
	"diptych/internal/geom"
	"diptych/internal/pair"
	scene "diptych/internal/scene/aggregate"
	"diptych/internal/session"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/ui/uitest/viewtest"
)

// TestOneTrace: a trace by itself has one plot and no difference; all controls of a pair are gone.
func TestOneTrace(t *testing.T) {
	for _, side := range []pair.Side{pair.A, pair.B} {
		s := session.New(func() {})
		s.Put(side, "queue", viewtest.Load(t, queue[0]))
		b := benchOf(t, s)
		if p := b.pane.Shown().Plots; len(p) != 1 || p[0].Of != int(side) {
			t.Fatalf("%v: %d plots", side, len(p))
		}
		if _, ok := b.Find(b.C.Command(ShowTheSides).Title); ok {
			t.Error("it offers to show both sides")
		}
		if len(b.overview().worst) != 0 || b.overview().curves[apart] != nil {
			t.Error("it has a difference")
		}
		a, at := b.area(int(side), single)
		b.Move(at)
		x := b.pane.under
		before := b.foci()
		b.ClickAt(at)
		if b.foci()[side] != x.spans()[side] || len(b.own().resources()) != leavesOf(a) {
			t.Errorf("%v: zoomed to %v", side, b.foci())
		}
		for _, id := range []command.ID{NextP, PrevP, BestP, ShowTheDifference, VirtualTime, command.ZoomIn} {
			b.Do(id)
		}
		if len(b.pane.Shown().Plots) != 1 {
			t.Error("the commands of a pair show nothing of one trace")
		}
		b.Do(command.ZoomOut)
		if b.Do(ZoomBack); b.foci() != before {
			t.Errorf("%v: back at %v, want %v", side, b.foci(), before)
		}
	}
}

// TestZoomedOnOneSideOnly: where a side has none of the resources, it has no plot, nor has the
// difference less than before.
func TestZoomedOnOneSideOnly(t *testing.T) {
	b := put(t, staged(t, "aaaabbbb"), staged(t, "aaaabbbb", "bbbbcccc", "ccccbbbb"))
	a, at := b.area(scene.B, func(a scene.Area) bool { return single(a) && a.Leaves[0] > 0 })
	b.ClickAt(at)
	o := b.overview()
	if o.parts[scene.A] != nil || o.parts[scene.B] == nil || o.parts[scene.Difference] == nil {
		t.Errorf("of %v the parts are %v", a.Place, o.parts)
	}
	var got []int
	for _, g := range b.pane.Shown().Plots {
		got = append(got, g.Of)
	}
	if !slices.Equal(got, []int{scene.B, scene.Difference}) {
		t.Errorf("shown are %v", got)
	}
	_, at = b.area(scene.Difference, single)
	b.Move(at)
	if text := strings.Join(b.pane.lines, "\n"); !strings.Contains(text, "A –   B ") {
		t.Errorf("of what A lacks it says %q", text)
	}
	for _, id := range []command.ID{NextP, PrevP, ShowTheSides, ShowTheDifference, NextP, BestP} {
		b.Do(id)
	}
	b.Do(ZoomBack)
	if b.Do(ShowEverything); len(b.pane.Shown().Plots) != 3 {
		t.Error("the other plots do not come back")
	}
}

// TestEmptyTraces: nothing that runs is no fault, whatever is asked for.
func TestEmptyTraces(t *testing.T) {
	b := put(t, testtrace.Build(t, trace.NewBuilder("empty")))
	if why := empty(b.State(), b.pane.Shown()); why != "Nothing runs in what is shown." {
		t.Errorf("it says %q", why)
	}
	for _, c := range Row().Commands {
		b.Do(c.ID)
	}
	b.Move(b.in(middle(geom.Rect{X1: 400, Y1: 300})))
	none := benchOf(t, session.New(func() {}))
	if none.pane.Shown() == nil || len(none.pane.Shown().Plots) != 0 {
		t.Error("no trace has plots")
	}
	for _, c := range Row().Commands {
		none.Do(c.ID)
	}
	if why := empty(none.State(), none.pane.Shown()); why != "The traces are being aggregated." {
		t.Errorf("without a trace it says %q", why)
	}
}

// TestSwapReloadAndClose: what is zoomed into is of a pairing; another one shows all there is, with the
// rest of the settings as they were.
func TestSwapReloadAndClose(t *testing.T) {
	for name, other := range map[string]func(b *bench){
		"swap": func(b *bench) { b.Do(command.SwapSides) },
		"reload": func(b *bench) {
			again := *viewtest.Load(t, queue[0])
			b.C.S.Put(pair.A, "again", &again)
			b.Settle()
		},
		"other": func(b *bench) { b.C.S.Put(pair.B, "other", viewtest.Load(t, builds[0])); b.Settle() },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, queue...)
			b.set("p", "0.3")
			b.set("states", "package")
			a, at := b.area(scene.A, single)
			b.Move(at)
			b.ClickAt(at)
			if len(b.own().resources()) != leavesOf(a) {
				t.Fatal("nothing is zoomed into")
			}
			other(b)
			o := b.own()
			if len(o.Zoom) != 0 || !o.Fixed || o.P != .3 || o.States != 1 {
				t.Errorf("it leads to %+v", o)
			}
			if n := len(b.overview().parts[scene.A].of); n != len(b.overview().cut.Sides[0].Cells) {
				t.Errorf("%d threads of %d are shown", n, len(b.overview().cut.Sides[0].Cells))
			}
			b.isBest(.3)
			b.Do(command.Back)
			b.Do(command.Back)
			if b.overview(); len(b.pane.Shown().Plots) != 3 {
				t.Errorf("a step back shows %d plots", len(b.pane.Shown().Plots))
			}
		})
	}
	b := newBench(t, queue...)
	_, at := b.area(scene.A, single)
	b.ClickAt(at)
	if b.Do(command.CloseTrace); overviewIn(b.State()) != nil || len(b.pane.Shown().Plots) != 0 {
		t.Error("what was closed is still shown")
	}
	b.Move(at)
	b.DoubleClick(at)
	b.C.S.Put(pair.A, "again", viewtest.Load(t, queue[0]))
	if b.Settle(); len(b.pane.Shown().Plots) != 1 {
		t.Error("a trace that is opened after that is not shown")
	}
}

// TestHistorySteps: what is shown and how is a step each, forth and back.
func TestHistorySteps(t *testing.T) {
	b := newBench(t, queue...)
	var steps []Own
	for _, do := range []func(){func() {}, func() { b.Do(StatesPackage) }, func() { b.Do(ShowTheSides) },
		func() { b.Do(NextP) }, func() { _, at := b.area(scene.A, single); b.ClickAt(at) }} {
		do()
		steps = append(steps, *b.own())
	}
	for i := len(steps) - 2; i >= 0; i-- {
		if b.Do(command.Back); !b.own().same(&steps[i]) {
			t.Errorf("back at %+v, want %+v", b.own(), steps[i])
		}
	}
	for i := 1; i < len(steps); i++ {
		if b.Do(command.Forward); !b.own().same(&steps[i]) {
			t.Errorf("forth at %+v, want %+v", b.own(), steps[i])
		}
	}
}

// TestCancelledOverview: what was cancelled leaves what was shown, and is found once it is asked for
// anew.
func TestCancelledOverview(t *testing.T) {
	b := newBench(t, pipeline...)
	was := b.overview()
	b.Hasty = true
	b.Do(StatesPackage)
	for len(b.C.S.Jobs()) > 0 {
		b.C.S.Cancel(b.C.S.Jobs()[0])
	}
	b.Frame(0)
	if o := overviewIn(b.State()); o != was || len(b.pane.Shown().Plots) != 3 {
		t.Error("what was shown is gone")
	}
	b.Hasty = false
	b.Do(StatesBlocking)
	if o := b.overview(); o == was || !slices.Contains(o.states(), "waiting") {
		t.Error("nothing is found after that")
	}
}

// TestEmptySide: a side without calls has no plot, and one that is shorter than its timeslices are
// many has one; either way the difference shows all of the other side where that runs.
func TestEmptySide(t *testing.T) {
	for name, end := range map[string]int64{"no calls": 0, "1 ns": 1} {
		few := trace.NewBuilder("few")
		th := few.Thread("0", few.Process("p"))
		if end > 0 {
			th.Begin(0, few.Function(trace.Function{Name: "a"}))
			th.End(end)
		}
		b := put(t, testtrace.Build(t, few), staged(t, "abab", "bbb"))
		told := strings.Contains(counts(b.State()), "A nothing") &&
			slices.Contains(b.pane.built.state.Plots[0].Note, "nothing in A")
		if none := b.pane.find(scene.A) < 0; none != (end == 0) || told != none {
			t.Errorf("%s: A is not shown: %v; that is told: %v", name, none, told)
		}
		g, wide := b.plot(scene.Difference), float32(0)
		for _, a := range g.Areas {
			wide += max(a.Rect.W(), 0)
		}
		if wide < g.Plot.W() { // of two rows
			t.Errorf("%s: the difference fills %v px of two rows of %v", name, wide, g.Plot.W())
		}
		if len(g.Areas) < 4 || g.Areas[0].Rect.W() > g.Plot.W()*.9 {
			t.Errorf("%s: the difference has %d areas", name, len(g.Areas))
		}
	}
}
