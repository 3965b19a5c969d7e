package ui

import (
	"image"
	"strings"
	"testing"

	"gioui.org/io/key"

	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/ui/pins"
	"diptych/internal/ui/words"
)

// anchorBench shows the queue pair aligned, and two calls that are not partners.
func anchorBench(t *testing.T) (b *bench, x, y session.Target) {
	t.Helper()
	b = alignment(t)
	x, y = strangers(b.state().Shown())
	return b, x, y
}

// strangers returns the longest calls of level 1 that are not partners.
func strangers(v *session.Shown) (x, y session.Target) {
	pick := func(side pair.Side, not int32) session.Target {
		th, best, most := v.Threads[side], -1, int64(-1)
		for i := range th.Len() {
			long := v.End[side][i] - v.Start[side][i]
			if th.Depth(i) == 1 && int32(i) != not && long > most {
				best, most = i, long
			}
		}
		return session.Target{Side: side, Ref: refOf(v.Indices[side], best), OK: true}
	}
	x = pick(pair.A, -1)
	return x, pick(pair.B, v.Partner[pair.A][x.Ref.Call])
}

// TestAnchorGoldens shows an anchor, and a call that waits for another.
func TestAnchorGoldens(t *testing.T) {
	for view, dark := range map[string]bool{"alignment": false, "matches": true} {
		t.Run(view, func(t *testing.T) {
			s := opened(t, pairs["queue"]...)
			s.SetDark(dark)
			s.SetView(session.Alignment)
			s.Settle(t.Context())
			x, y := strangers(s.State().Shown())
			s.Anchor(x, y)
			s.Settle(t.Context())
			s.Select(x)
			s.SelectRelative(session.CallAfter)
			s.MarkHere()
			s.Select(session.Target{})
			s.ShowAll()
			golden(t, view+"-anchored", snapshot(t, single(t, s, view), viewSizes[view], 1))
		})
	}
}

// aligned returns where a call is drawn in the alignment, in the window.
func (b *bench) aligned(t session.Target) image.Point {
	b.t.Helper()
	r, ok := b.align().Shown().CallRect(t.Side, t.Ref)
	if !ok {
		b.t.Fatal("the call is not drawn")
	}
	return b.inAlignment((r.X0+r.X1)/2, (r.Y0+r.Y1)/2)
}

// anchored makes an anchor as a user does.
func (b *bench) anchored(x, y session.Target) {
	b.t.Helper()
	b.clickAt(b.aligned(x))
	b.press("X", 0)
	b.clickAt(b.aligned(y))
	b.press("X", 0)
	if b.state().Anchors.Len() == 0 {
		b.t.Fatal("there is no anchor")
	}
}

// head returns where a pin's head lies, in the window.
func (b *bench) head(index int, side pair.Side) image.Point {
	b.t.Helper()
	for _, d := range b.align().Shown().Pins {
		if d.Index == index && d.Drawn[side] {
			return b.inAlignment(d.Heads[side].X, d.Heads[side].Y)
		}
	}
	b.t.Fatalf("pin %d has no head on side %v", index, side)
	return image.Point{}
}

func TestMarkedCallIsAlignedWithTheNext(t *testing.T) {
	b, x, y := anchorBench(t)
	b.clickAt(b.aligned(x))
	b.click("Align here")
	if b.state().Mark != x || len(b.align().Shown().Pins) != 1 {
		t.Fatalf("marked is %+v with %d pins", b.state().Mark, len(b.align().Shown().Pins))
	}
	if text := words.MarkText(b.state()); !strings.HasPrefix(text, "marked in A: ") {
		t.Errorf("the status line says %q", text)
	}
	b.press(key.NameEscape, 0)
	if st := b.state(); st.Mark.OK || st.Selected != x {
		t.Error("Escape does not clear the mark alone")
	}
	b.anchored(x, y)
	st := b.state()
	a, ok := st.AnchorOf(x)
	if !ok || session.AnchorEnd(a, pair.B) != y || st.Mark.OK {
		t.Fatalf("the anchor is %+v, marked %v", a, st.Mark.OK)
	}
	if st.Holding(a) != session.Held || !b.align().Shown().Pins[0].Joined {
		t.Errorf("the anchor holds %v; its pins %+v", st.Holding(a), b.align().Shown().Pins)
	}
	b.press("Z", key.ModCtrl)
	if b.state().Anchors.Len() != 0 || len(b.align().Shown().Pins) != 0 {
		t.Error("the anchor is not taken back")
	}
	b.press("Y", key.ModCtrl)
	if b.state().Anchors.Len() != 1 {
		t.Error("the anchor does not come back")
	}
}

func TestTwoSelectedCallsNeedOnePress(t *testing.T) {
	b, x, y := anchorBench(t)
	b.clickAt(b.aligned(y))
	b.clickAt(b.aligned(x))
	b.click("Only mark")
	if b.state().Anchors.Len() != 0 || b.state().Mark != x {
		t.Fatal("the call is not just marked")
	}
	b.press(key.NameEscape, 0)
	b.clickAt(b.aligned(y))
	b.clickAt(b.aligned(x))
	b.press("X", 0)
	if b.state().Anchors.Len() != 1 {
		t.Error("one press does not align two calls")
	}
	b.click("Remove this anchor")
	if b.state().Anchors != nil {
		t.Error("the anchor stays")
	}
}

func TestAnchorsAreListed(t *testing.T) {
	b, x, y := anchorBench(t)
	b.anchored(x, y)
	name := b.state().AnchorName(b.state().Anchors.All()[0])
	b.click("List the anchors")
	b.press(key.NameEscape, 0)
	if b.align().Listing() {
		t.Error("Escape does not close the list")
	}
	b.press(key.NameEscape, 0) // selects nothing
	b.click("List the anchors")
	b.click("Go to " + name)
	if b.state().Selected != x {
		t.Error("a click in the list does not lead to the anchor")
	}
	b.click("Remove " + name)
	if b.state().Anchors != nil {
		t.Error("the anchor stays")
	}
	b.press(key.NameEscape, 0)
	b.anchored(x, y)
	b.click("Remove all anchors")
	if b.state().Anchors != nil || len(b.align().Shown().Pins) != 0 {
		t.Error("the anchors stay")
	}
}

func TestPinsNameAndSelectTheirCalls(t *testing.T) {
	b, x, y := anchorBench(t)
	b.anchored(x, y)
	b.press(key.NameEscape, 0)
	at := b.head(0, pair.B)
	b.move(at)
	if b.align().Pointed() != 0 || b.state().Hover != y {
		t.Errorf("pointed at is pin %d, hovered %+v", b.align().Pointed(), b.state().Hover)
	}
	lines := strings.Join(pins.Of(b.state())[0].Lines(b.state()), "\n")
	for _, t2 := range []session.Target{x, y} {
		if !strings.Contains(lines, t2.Side.String()+"  "+name(b.state(), t2)) {
			t.Errorf("the tooltip says\n%s", lines)
		}
	}
	b.clickAt(at)
	if st := b.state(); st.Selected != y || st.Before != x {
		t.Errorf("selected is %+v after %+v", st.Selected, st.Before)
	}

	b.press("3", 0) // the view of the matches
	heads := b.main().Pins()
	if len(heads) != 2 {
		t.Fatalf("%d pins among the matches", len(heads))
	}
	b.press(key.NameEscape, 0)
	b.clickAt(image.Pt(int(heads[0].At.X), int(heads[0].At.Y)).Add(b.main().Area().Min))
	if b.state().Selected != x {
		t.Error("a click on a pin among the matches does not select its call")
	}
}

// TestRepairingFromTheAlignment checks that threads can be paired anew while the alignment is shown,
// and that this is told of anchors which it drops.
func TestRepairingFromTheAlignment(t *testing.T) {
	b, x, y := anchorBench(t)
	b.anchored(x, y)
	b.press("4", key.ModCtrl)
	st := b.state()
	threads := st.Sides[pair.B].Trace.Threads
	other := -1
	for i, th := range threads {
		if i != int(y.Ref.Thread) && th.Title() == "consumer" {
			other = i
		}
	}
	if other < 0 {
		t.Fatal("there is no other thread")
	}
	b.click("Show threads " + words.PairName(st, st.Pair.Threads[st.Current]))
	b.click("Pair with another thread")
	b.click("Pair with " + threads[other].Title())
	st = b.state()
	got := st.Pair.Threads[st.Current]
	if got.A != int(x.Ref.Thread) || threads[got.B].Title() != "consumer" {
		t.Fatalf("shown are threads %+v", got)
	}
	if st.View != session.Alignment || st.Shown() == nil || b.align().Shown().Status == nil {
		t.Error("the alignment of the new pair is not shown")
	}
	if text, _ := b.app.S.Notice(); st.Anchors != nil || !strings.HasPrefix(text, "1 anchor dropped") {
		t.Errorf("%d anchors are left; the notice is %q", st.Anchors.Len(), text)
	}
}

func TestAlignHereIsACommand(t *testing.T) {
	b, x, _ := anchorBench(t)
	b.clickAt(b.aligned(x))
	b.press("P", key.ModCtrl|key.ModShift)
	b.write("align here")
	b.press(key.NameReturn, 0)
	if b.state().Mark != x {
		t.Error("the palette does not mark the call")
	}
}
