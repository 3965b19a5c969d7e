package threads

import (
	"image"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"gioui.org/io/pointer"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/scene"
	"diptych/internal/scene/legend"
	"diptych/internal/scene/threads"
	"diptych/internal/session"
	"diptych/internal/trace"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/words"
)

// on returns a point of a side of the view in the window.
func (b *bench) on(side pair.Side, x, y float32) image.Point {
	return image.Pt(kit.Round(x), kit.Round(y)).Add(b.pane.Area(side).Min)
}

// label returns where the label of a place is.
func (b *bench) label(side pair.Side, place int) image.Point {
	b.T.Helper()
	r := b.pane.Shown(side).HitRect(threads.Hit{Part: threads.OnLabel, Place: place})
	if r.Empty() {
		b.T.Fatalf("place %d of %s has no label", place, side)
	}
	return b.on(side, (r.X0+r.X1)/2, (r.Y0+r.Y1)/2)
}

// stacks returns the middle of the focus thread's stacks.
func (b *bench) stacks(side pair.Side) image.Point {
	r := b.pane.Shown(side).Stacks
	return b.on(side, (r.X0+r.X1)/2, (r.Y0+r.Y1)/2)
}

// ringPoint returns a point on the root level of a place of the ring, at a share of its width.
func (b *bench) ringPoint(side pair.Side, place int, share float64) image.Point {
	b.T.Helper()
	v := b.pane.Shown(side)
	var from, to float64 = math.NaN(), math.NaN()
	for k := range 2000 {
		angle := math.Pi * float64(k) / 2000
		if v.PlaceAt(onRing(v, angle)) == place {
			if math.IsNaN(from) {
				from = angle
			}
			to = angle
		}
	}
	if math.IsNaN(from) {
		b.T.Fatalf("there is no place %d", place)
	}
	p := onRing(v, to+(from-to)*share) // time runs against the angle
	return b.on(side, p.X, p.Y)
}

func onRing(v *threads.View, angle float64) geom.Point {
	r := v.Ring.Zero + v.RingRow/2
	return geom.Point{X: v.Ring.Centre.X + r*float32(math.Cos(angle)),
		Y: v.Ring.Centre.Y + r*float32(math.Sin(angle))}
}

// zero returns a point near the middle of the ring at which its zero radius can be dragged.
func (b *bench) zero(side pair.Side) image.Point {
	b.T.Helper()
	v := b.pane.Shown(side)
	for d := range 400 {
		x := kit.Round(v.Ring.Centre.X) + d/2*(1-d%2*2)
		low := kit.Round(v.Ring.Centre.Y + v.Ring.Zero)
		for y := low - 12; y < low+4; y++ {
			p := geom.Point{X: float32(x), Y: float32(y)}
			if h, ok := v.Pick(p); ok && h.Part == threads.OnZero {
				return b.on(side, p.X, p.Y)
			}
		}
	}
	b.T.Fatal("the zero radius is nowhere to be dragged")
	return image.Point{}
}

// ids names the threads of a side around the circle, from left to right; "" where there is none.
func (b *bench) ids(side pair.Side) []string {
	var out []string
	for _, s := range b.pane.circle.arr.Sections[side] {
		id := ""
		if len(s.Threads) > 0 {
			id = b.State().Sides[side].Trace.Threads[s.Threads[0]].ID
		}
		out = append(out, id)
	}
	return out
}

// focus names the thread in the middle of a side.
func (b *bench) focus(side pair.Side) string {
	if s := b.pane.circle.arr.Focus[side]; len(s.Threads) > 0 {
		return b.State().Sides[side].Trace.Threads[s.Threads[0]].ID
	}
	return ""
}

func TestPartnersLieAtEqualAngles(t *testing.T) {
	b := circles(t)
	arr := &b.pane.circle.arr
	if len(arr.Lines) < 3 || len(arr.Sections[0]) != len(arr.Sections[1]) {
		t.Fatalf("%d lines, %d and %d sections", len(arr.Lines), len(arr.Sections[0]), len(arr.Sections[1]))
	}
	p := b.State().Pair
	for k := range arr.Lines {
		x, y := arr.Sections[pair.A][k], arr.Sections[pair.B][k]
		if x.Hue != y.Hue || len(x.Threads) > 0 && len(y.Threads) > 0 &&
			p.Partner(pair.A, x.Threads[0]) != y.Threads[0] {
			t.Errorf("section %d: %+v beside %+v", k, x, y)
		}
	}
	a, bb := b.pane.Area(pair.A), b.pane.Area(pair.B)
	if a.Max.X > bb.Min.X || a.Dy() != bb.Dy() {
		t.Errorf("the sides are at %v and %v", a, bb)
	}
}

func TestTooltipsTellWhoReleased(t *testing.T) {
	b := circles(t)
	a := b.State().WaitsOf(pair.B)
	longest := -1
	for w := range a.Waits.Len() {
		if a.Waits.Outermost(w) && a.Waits.By[w].Call >= 0 &&
			(longest < 0 || a.Waits.Dur(w) > a.Waits.Dur(longest)) {
			longest = w
		}
	}
	h := threads.Hit{Part: threads.OnCall, Thread: int(a.Waits.Thread[longest]),
		Call: int(a.Waits.Call[longest]), Wait: -1}
	text := strings.Join(words.CallTip(a, &h), "\n")
	for _, want := range []string{"waited ", "released by ", "waiting 100 %", "semaphore …"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q lacks %q", text, want)
		}
	}
	b.C.S.ShowWaits([2]int{-1, longest})
	b.Settle()
	p := &b.pane.halves[pair.B]
	r, ok := p.view.CallRect(b.State().Selected.Ref)
	if !ok {
		t.Fatal("the wait is not in sight")
	}
	b.Move(b.on(pair.B, (r.X0+r.X1)/2, (r.Y0+r.Y1)/2))
	if b.State().Hover != b.State().Selected {
		t.Errorf("hovered is %+v, want %+v", b.State().Hover, b.State().Selected)
	}
	if line := b.Row.Describe(b.State(), b.State().Hover); !strings.Contains(line, "released by") {
		t.Errorf("the status line says %q", line)
	}
}

func TestWhatChangedStandsOut(t *testing.T) {
	b := circles(t)
	all := b.pane.circle.changes.Count
	b.C.S.SetWaitStyle(func(w *session.WaitStyle) { w.Threshold = 100 })
	b.Settle()
	few := b.pane.circle.changes.Count
	if all == 0 || few > all {
		t.Errorf("%d stand out at 25 %%, %d at 100 %%", all, few)
	}
	c := b.State().ComparedWaits()
	for k := range c.Pairs {
		r := &c.Pairs[k]
		if _, only := r.Only(); b.pane.circle.changes.StandsOut(r) && !only {
			t.Errorf("%+v is on both sides and cannot have changed by more than all", r)
		}
	}
}

func TestThreadsOfOneTrace(t *testing.T) {
	b := newBench(t, "uftrace/queue-2p2c.data.tar.gz")
	if b.State().View != session.Threads || b.State().WaitsOf(pair.A) == nil {
		t.Fatal("the threads are not shown")
	}
	if area := b.pane.Area(pair.B); b.pane.Shown(pair.B) != nil || !area.Empty() {
		t.Errorf("B is shown at %v", area)
	}
	l := b.waits
	if len(l.Lines()) == 0 || len(l.all()) != len(b.State().WaitsOf(pair.A).Edges) {
		t.Fatalf("%d lines", len(l.all()))
	}
	b.Click(l.label(l.Lines()[0]))
	if !b.State().Selected.OK {
		t.Error("a line leads nowhere")
	}
}

func TestNarrowPanesStackTheSides(t *testing.T) {
	for size, want := range map[image.Point]bool{
		{X: 1020, Y: 780}: true, {X: 860, Y: 570}: true, {X: 2100, Y: 1300}: true, {X: 600, Y: 900}: false,
	} {
		if got := besideEachOther(size); got != want {
			t.Errorf("%v: beside each other is %v", size, got)
		}
	}
}

func TestThreadsKeepTheirPlaceWhenSidesAreSwapped(t *testing.T) {
	b := circles(t)
	b.Drag(b.label(pair.A, 0), b.label(pair.A, 2), 0)
	b.DoubleClick(b.label(pair.A, 1))
	b.Settle()
	x, y, focus := b.ids(pair.A), b.ids(pair.B), b.focus(pair.A)
	b.Strike("Shift-X")
	if !slices.Equal(b.ids(pair.A), y) || !slices.Equal(b.ids(pair.B), x) {
		t.Errorf("%v and %v, want %v and %v", b.ids(pair.A), b.ids(pair.B), y, x)
	}
	if b.focus(pair.B) != focus {
		t.Errorf("in the middle of B is %s, want %s", b.focus(pair.B), focus)
	}
}

// TestSectionsMoveToTheirPlaces checks that a rearrangement is a movement, and none where nothing is
// to move by itself.
func TestSectionsMoveToTheirPlaces(t *testing.T) {
	b := circles(t)
	widen := func() {
		at := b.label(pair.A, 1)
		b.Point(pointer.Press, at, 0)
		b.Point(pointer.Release, at, 0)
	}
	before := b.pane.circle.arr.Sections
	if widen(); b.pane.shift.since.IsZero() {
		t.Error("sections jump")
	}
	if b.Frame(time.Second); !b.pane.shift.since.IsZero() { // a second later
		t.Error("they do not arrive")
	}
	if sameSections(b.pane.circle.arr.Sections, before) {
		t.Error("nothing has changed places")
	}
	b.C.S.SetStill(true)
	b.Settle()
	if widen(); !b.pane.shift.since.IsZero() {
		t.Error("they move although nothing is to move")
	}
}

func TestIdleThreadsAreFolded(t *testing.T) {
	b := newBench(t, "gotrace/pipeline-mutex.gotrace", "gotrace/pipeline-chan.gotrace")
	folded := b.pane.circle.arr.Folded
	n := len(b.pane.circle.arr.Lines)
	if folded[pair.A].Runtime == 0 || folded[pair.A].Tracks == 0 {
		t.Fatalf("no goroutines of the runtime, or no tracks, are folded: %+v", folded)
	}
	b.Click(b.Command(ToggleIdle).Title)
	if arr := &b.pane.circle.arr; arr.Folded[pair.A] != (threads.Folded{}) || len(arr.Lines) <= n {
		t.Errorf("%+v, %d sections", arr.Folded, len(arr.Lines))
	}
	b.Strike("I")
	if b.pane.circle.arr.Folded != folded {
		t.Error("I does not fold them again")
	}
}

// TestFoldedThreadsShowTheOneSpokenOf checks that several threads in one section show the stacks of
// the one that a selected wait is about, and the other side those of its partner.
func TestFoldedThreadsShowTheOneSpokenOf(t *testing.T) {
	b := circles(t)
	a, p := b.State().WaitsOf(pair.A), b.State().Pair
	w := slices.IndexFunc(a.Waits.By, func(by trace.CallRef) bool {
		return by.Call >= 0 && p.Partner(pair.A, int(by.Thread)) >= 0
	})
	ref := trace.CallRef{Thread: a.Waits.Thread[w], Call: a.Waits.Call[w]}
	b.C.S.Select(session.Target{Side: pair.A, Ref: ref, OK: true})
	leads := b.pane.circle.leads(b.State())
	by, other := int(a.Waits.By[w].Thread), len(a.Threads)
	for _, c := range []struct{ list, want []int }{
		{[]int{other, by, other + 1}, []int{by, other + 1, other}},
		{[]int{by, other, int(ref.Thread)}, []int{int(ref.Thread), by, other}},
		{[]int{other, other + 1}, []int{other, other + 1}},
		{[]int{by}, []int{by}},
	} {
		if got := inFront(c.list, leads, p, pair.A); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.list, got, c.want)
		}
	}
	partner := p.Partner(pair.A, by)
	if got := inFront([]int{other, partner}, leads, p, pair.B); got[0] != partner {
		t.Errorf("B shows thread %d, not %d", got[0], partner)
	}
}

// TestNotesHaveFlags: a note of a call of the focus thread has a flag at the call and one in the
// overview; a click on it selects the call, and the pointer over it does not pick what lies below.
func TestNotesHaveFlags(t *testing.T) {
	b := circles(t)
	th := int32(b.pane.circle.arr.Focus[pair.B].Threads[0])
	note := session.Target{Side: pair.B, Ref: trace.CallRef{Thread: th}, OK: true}
	b.C.S.Write(session.SpotOf(note), "look")
	b.C.S.Select(session.Target{})
	b.Settle()
	v, all := b.pane.Shown(pair.B), b.pane.Flags(pair.B)
	if len(all) != 2 || len(b.pane.Flags(pair.A)) != 0 {
		t.Fatalf("B has the flags %+v, A %+v", all, b.pane.Flags(pair.A))
	}
	row, _ := v.Drawing.CallRect(note.Ref)
	if all[0].Pole.X0 != row.X0 || all[0].Pole.Y0 != row.Y0 {
		t.Errorf("the flag is at %v, its call at %v", all[0].Pole, row)
	}
	if bar := &v.Bars[0]; all[1].Pole.Y0 != bar.Bounds.Y0 {
		t.Errorf("the flag of the overview is at %v, the bar at %v", all[1].Pole, bar.Bounds)
	}
	for _, f := range all {
		b.C.S.Select(session.Target{})
		b.ClickAt(b.on(pair.B, (f.Box.X0+f.Box.X1)/2, (f.Box.Y0+f.Box.Y1)/2))
		if b.State().Selected.Ref != note.Ref || b.pane.halves[pair.B].cursor() != pointer.CursorPointer {
			t.Errorf("a click at %v selects %+v", f.Box, b.State().Selected)
		}
		b.Settle()
	}
}

// TestSmallHalvesHaveNoLegend: where less than half of a legend fits, the circle has its room.
func TestSmallHalvesHaveNoLegend(t *testing.T) {
	b := circles(t)
	for size, want := range map[image.Point]bool{{X: 420, Y: 560}: true, {X: 280, Y: 280}: false} {
		v := buildCircle(b.State(), b.pane.halves[pair.A].shown, size, nil)
		has := false
		for _, l := range v.Scene.Layers {
			has = has || slices.ContainsFunc(l.Texts, func(x scene.Text) bool { return x.Text == "neither" })
		}
		if has != want {
			t.Errorf("at %v there is a legend: %v, want %v", size, has, want)
		}
	}
}

// TestLegendIsDividedAmongTheSides: of a pair each side explains a part of the colours in as few rows
// as there can be, and both circles are as large.
func TestLegendIsDividedAmongTheSides(t *testing.T) {
	b := circles(t)
	of := b.pane.halves[pair.A].shown.Prepared
	width, all := float32(b.pane.Area(pair.A).Dx()), legendEntries(b.State(), of, b.C.Kit.Pal)
	parts := threadsLegend(b.State(), of, b.C.Kit.Pal, width, 1)
	if !slices.EqualFunc(slices.Concat(parts[0], parts[1]), all, func(x, y legend.Entry) bool {
		return x.Label == y.Label
	}) || len(parts[0]) == len(all) {
		t.Errorf("%d and %d entries of %d", len(parts[0]), len(parts[1]), len(all))
	}
	height := max(kit.LegendHeight(parts[0], width, 1), kit.LegendHeight(parts[1], width, 1))
	for n := range all {
		if kit.LegendHeight(all[:n], width, 1) < height && kit.LegendHeight(all[n:], width, 1) < height {
			t.Errorf("divided after %d entries the legend is lower", n)
		}
	}
	if x, y := b.pane.Shown(pair.A), b.pane.Shown(pair.B); x.Context != y.Context {
		t.Errorf("the circles lie in %v and %v", x.Context, y.Context)
	}
}
