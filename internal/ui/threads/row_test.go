package threads

import (
	"image"
	"slices"
	"strings"
	"testing"
	"time"

	"gioui.org/io/pointer"

	"diptych/internal/command"
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/palette"
	"diptych/internal/scene"
	"diptych/internal/session"
	"diptych/internal/trace"
	"diptych/internal/ui/kit"
)

// TestEveryCommandHasAHandler: each command of the view is carried out by one handler, and each
// handler is of a command that there is. The command that shows the view, the window knows itself.
func TestEveryCommandHasAHandler(t *testing.T) {
	r := Row()
	known := map[command.ID]bool{nextDifference: true, prevDifference: true}
	for _, c := range command.Shell {
		known[c.ID] = true
	}
	for _, c := range r.Commands {
		known[c.ID] = true
		n := 0
		if r.Actions[c.ID] != nil {
			n++
		}
		if r.Moves[c.ID] != nil {
			n++
		}
		if want := 1; n != want && c.ID != r.Open {
			t.Errorf("%s has %d handlers", c.ID, n)
		}
	}
	for id := range r.Actions {
		if !known[id] {
			t.Errorf("there is no command %s", id)
		}
	}
	for id := range r.Moves {
		if !known[id] {
			t.Errorf("there is no command %s", id)
		}
	}
}

func TestStyleCommands(t *testing.T) {
	b := circles(t)
	for id, on := range map[command.ID]func(*session.State) bool{
		ToggleObjects:  func(st *session.State) bool { return st.WaitStyle.ByObject },
		ToggleReleases: func(st *session.State) bool { return st.WaitStyle.All },
		ToggleRoles:    func(st *session.State) bool { return st.WaitStyle.Apart },
		ToggleIdle:     func(st *session.State) bool { return st.Circle().Idle },
	} {
		for _, want := range []bool{true, false} {
			if b.Do(id); on(b.State()) != want {
				t.Errorf("%s: %v, want %v", id, !want, want)
			}
		}
	}
	if b.Do(ShowWaits); b.Turned != WaitsTab {
		t.Errorf("the tab %q is shown", b.Turned)
	}
}

func TestKeysMoveTheThreadUnderThePointer(t *testing.T) {
	b := circles(t)
	b.C.S.SetFocus(pair.A, geom.Span{Start: 1e6, End: 2e6})
	b.Settle()
	focus := func() geom.Span { return b.State().Sides[pair.A].Focus }
	was := focus()
	if b.Strike("D"); focus().Start <= was.Start || focus().Len() != was.Len() {
		t.Errorf("panning right leads from %v to %v", was, focus())
	}
	if b.Strike("A"); !near(focus(), was) {
		t.Errorf("and back left to %v", focus())
	}
	if b.Strike("W"); focus().Len() >= was.Len() {
		t.Errorf("zooming in leads from %v to %v", was, focus())
	}
	if b.Strike("S"); !near(focus(), was) {
		t.Errorf("and out to %v", focus())
	}
	th := b.pane.circle.arr.Focus[pair.A].Threads[0]
	if b.Strike("PageDown"); b.State().Circle().Folds[pair.A][th] == 0 {
		t.Error("PageDown folds nothing")
	}
	b.Move(b.ringPoint(pair.A, 1, .5))
	own := b.pane.circle.arr.Sections[pair.A][1].Threads[0]
	if b.Strike("W"); b.State().Circle().Views[pair.A][own].Len() == 0 || !near(focus(), was) {
		t.Error("W does not zoom the thread under the pointer alone")
	}
	ref := trace.CallRef{Thread: int32(th)}
	b.C.S.Select(session.Target{Side: pair.A, Ref: ref, OK: true})
	call := b.State().Sides[pair.A].Trace.Threads[th]
	if b.Strike("F"); !focus().Contains(float64(call.Start(0))) || !focus().Contains(float64(call.End(0))) {
		t.Errorf("F shows %v of a call from %d to %d", focus(), call.Start(0), call.End(0))
	}
}

func near(x, y geom.Span) bool {
	return kit.Abs(x.Start-y.Start) < 1 && kit.Abs(x.End-y.End) < 1
}

// TestFirstStepIsNotLost: J pressed before the waits are known goes on as soon as they are.
func TestFirstStepIsNotLost(t *testing.T) {
	b := circles(t)
	s := session.New(func() {})
	for _, side := range []pair.Side{pair.A, pair.B} {
		sd := &b.State().Sides[side]
		s.Put(side, sd.Name, sd.Trace)
	}
	early := unstarted(t, s)
	s.SetView(session.Threads)
	early.Frame(0)
	if early.State().WaitTable() != nil {
		t.Fatal("the waits are known at once")
	}
	early.Do(NextWait)
	if l := early.waits; len(l.Lines()) == 0 || l.Chosen() != l.Lines()[0].Key || !early.State().Selected.OK {
		t.Errorf("chosen is %q", l.Chosen())
	}
	first := early.waits.Chosen()
	if early.Do(nextDifference); early.waits.Chosen() == first {
		t.Error("the key of the next difference does not go on in the table")
	}
	if early.Do(PrevWait); early.waits.Chosen() != first {
		t.Error("nor back")
	}
}

// halos counts the labels of a side that are drawn as when pointed at.
func (b *bench) halos(side pair.Side) (n int) {
	for _, s := range b.pane.circle.arr.Sections[side] {
		c := palette.WithAlpha(b.C.Kit.Pal.Waits().Thread(s.Hue), 0x50)
		if slices.ContainsFunc(b.pane.Shown(side).Scene.Layers, func(l scene.Layer) bool {
			return slices.ContainsFunc(l.Quads, func(q scene.Quad) bool { return q.Fill == c })
		}) {
			n++
		}
	}
	return n
}

// TestCallHoveredElsewhereLightsItsThread: also when nothing of the call can be seen here.
func TestCallHoveredElsewhereLightsItsThread(t *testing.T) {
	b := circles(t)
	th := b.pane.circle.arr.Sections[pair.B][1].Threads[0]
	whole := b.State().Sides[pair.B].Whole()
	b.C.S.ViewThread(pair.B, th, geom.Span{Start: whole.End - 100, End: whole.End})
	b.Settle()
	if n := b.halos(pair.A) + b.halos(pair.B); n > 0 {
		t.Fatalf("%d labels are lit", n)
	}
	b.C.S.SetHover(session.Target{Side: pair.B, Ref: trace.CallRef{Thread: int32(th), Call: 1}, OK: true})
	b.Frame(0) // the same frame
	if x, y := b.halos(pair.A), b.halos(pair.B); x != 0 || y != 1 {
		t.Errorf("%d labels of A and %d of B are lit", x, y)
	}
	if st := b.State(); !st.Hover.OK {
		t.Error("the pane forgets what is hovered elsewhere")
	}
}

// TestHoverIsLeftToOthers: a pane that the pointer leaves does not take back what another has made the
// hovered call meanwhile.
func TestHoverIsLeftToOthers(t *testing.T) {
	b := circles(t)
	b.Move(b.ringPoint(pair.A, 0, .5))
	if !b.State().Hover.OK {
		t.Fatal("nothing is hovered")
	}
	th := b.pane.circle.arr.Sections[pair.B][0].Threads[0]
	other := session.Target{Side: pair.B, Ref: trace.CallRef{Thread: int32(th)}, OK: true}
	b.C.S.SetHover(other)
	b.Point(pointer.Move, image.Pt(895, 20), 0)
	if got := b.State().Hover; got != other {
		t.Errorf("hovered is %+v", got)
	}
	b.Move(b.ringPoint(pair.A, 0, .5))
	b.Move(image.Pt(895, 20))
	if b.State().Hover.OK {
		t.Error("the call stays hovered after the pointer has left")
	}
}

// TestPointerAsksForScenesOnlyWhenItIsOverSomethingElse: only what the pointer is over asks for new scenes.
func TestPointerAsksForScenesOnlyWhenItIsOverSomethingElse(t *testing.T) {
	b := circles(t)
	at := b.label(pair.A, 1)
	b.Move(at)
	b.Dirtied = false
	b.Builds = 0
	b.Frame(0)
	if b.Dirtied || b.Builds != 1 {
		t.Errorf("at rest: dirty %v after %d builds", b.Dirtied, b.Builds)
	}
	if n := b.halos(pair.A); n != 1 {
		t.Errorf("%d labels are lit", n)
	}
	b.Point(pointer.Move, at.Add(image.Pt(1, 0)), 0)
	if b.Dirtied {
		t.Error("still asks for scenes")
	}
}

// TestSmallPane: in 300 × 200 dp there is one row of controls, and both sides below it.
func TestSmallPane(t *testing.T) {
	b := circles(t)
	b.Area = image.Rect(0, 0, 300, 200)
	b.Settle()
	for _, side := range []pair.Side{pair.A, pair.B} {
		r := b.pane.Area(side)
		if r.Empty() || !r.In(b.Area) || r.Overlaps(b.pane.top) || b.pane.Shown(side) == nil {
			t.Errorf("%s has %v", side, r)
		}
	}
	if b.pane.Area(pair.A).Overlaps(b.pane.Area(pair.B)) {
		t.Error("the sides overlap")
	}
	if b.pane.top.Dy() > 40 || b.pane.Area(pair.A).Dy() < 140 {
		t.Errorf("the bar has %v, A %v", b.pane.top, b.pane.Area(pair.A))
	}
	top := b.pane.top
	b.Click("More settings of the threads")
	if b.pane.top != top {
		t.Errorf("the bar grows to %v", b.pane.top)
	}
	b.Click(b.Command(ToggleReleases).Title)
	if !b.State().WaitStyle.All {
		t.Error("the card does not have the switches")
	}
	if !b.pane.Dismiss() || b.pane.Dismiss() {
		t.Error("the card cannot be closed, or twice")
	}
	for _, r := range []image.Rectangle{{}, image.Rect(5, 5, 6, 6), image.Rect(0, 0, 40, 30)} {
		b.Area = r
		b.Frame(time.Second)
	}
}

func TestBarGrowsInALargePane(t *testing.T) {
	b := circles(t)
	top := b.pane.top
	b.Click("More settings of the threads")
	if b.pane.top.Dy() <= top.Dy() || b.pane.Area(pair.A).Min.Y <= b.pane.top.Max.Y {
		t.Errorf("the bar has %v, A %v", b.pane.top, b.pane.Area(pair.A))
	}
	b.Click("Colour waits by object")
	if !b.State().WaitStyle.ByObject {
		t.Error("waits are not coloured by object")
	}
}

func TestSettings(t *testing.T) {
	b := circles(t)
	of := func(side pair.Side, place int) string {
		return side.String() + ":" + b.ids(side)[place]
	}
	line := func(place int) int { return b.pane.circle.arr.Lines[place][0] }
	for _, c := range []struct {
		key, value string
		holds      func(st *session.State) bool
	}{
		{"wait-colour", "object", func(st *session.State) bool { return st.WaitStyle.ByObject }},
		{"wait-colour", "thread", func(st *session.State) bool { return !st.WaitStyle.ByObject }},
		{"releases", "all", func(st *session.State) bool { return st.WaitStyle.All }},
		{"roles", "apart", func(st *session.State) bool { return st.WaitStyle.Apart }},
		{"idle", "on", func(st *session.State) bool { return st.Circle().Idle }},
		{"changed", "40%", func(st *session.State) bool { return st.WaitStyle.Threshold == 40 }},
		{"radius", "0.5", func(st *session.State) bool { return st.WaitStyle.Zero == .5 }},
		{"split", ".25", func(st *session.State) bool { return st.WaitStyle.Split == .25 }},
		{"wide", of(pair.A, 0), func(st *session.State) bool { return st.Circle().Wide[line(0)] }},
		{"hidden", of(pair.B, 1), func(st *session.State) bool { return len(st.Circle().Hidden) == 1 }},
		{"order", of(pair.A, 1) + "," + of(pair.A, 0), func(st *session.State) bool {
			return len(st.Circle().Order) == 2
		}},
		{"focus-thread", of(pair.A, 0), func(st *session.State) bool { return st.Current == line(0) }},
	} {
		if err := b.Set(c.key, c.value); err != nil || !c.holds(b.State()) {
			t.Errorf("%s=%s: %v, %+v", c.key, c.value, err, b.State().WaitStyle)
		}
	}
	for key, want := range map[string]string{"wait-colour": "object or thread", "changed": "from 0 to 1",
		"hidden": "A:TID", "focus-thread": "A:TID"} {
		if err := b.Set(key, "x"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s=x: %v, want %q", key, err, want)
		}
	}
	if err := b.Set("wide", "A:nobody"); err == nil || !strings.Contains(err.Error(), "no thread") {
		t.Errorf("a thread that there is not: %v", err)
	}
}

// TestPictureHasBothSides: a picture has the sides beside each other, as the window has.
func TestPictureHasBothSides(t *testing.T) {
	b := circles(t)
	parts := b.Row.Picture(b.State(), palette.Light(), image.Pt(900, 600), 1)
	if len(parts) != 2 || parts[0].Area.Max.X >= parts[1].Area.Min.X {
		t.Fatalf("%d parts", len(parts))
	}
	for _, p := range parts {
		if got := image.Pt(int(p.Size.W+.5), int(p.Size.H+.5)); got != p.Area.Size() {
			t.Errorf("a scene of %v stands in %v", got, p.Area)
		}
	}
	if text := b.Row.Counts(b.State()); !strings.Contains(text, "waits") || !strings.Contains(text, "showing") {
		t.Errorf("the status line says %q", text)
	}
	enabled := b.Row.Enabled[BringBack]
	if enabled(b.State()) {
		t.Error("threads can be brought back, and none is hidden")
	}
	b.C.S.HideLines(b.pane.circle.arr.Lines[0][0])
	if !enabled(b.State()) {
		t.Error("a hidden thread cannot be brought back")
	}
	b.Settle()
	b.Click("List hidden threads")
	if !b.pane.Dismiss() {
		t.Error("the list cannot be closed")
	}
}
