package ui

import (
	"image"
	"slices"
	"strings"
	"testing"

	"gioui.org/io/key"
	"gioui.org/io/pointer"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/scene"
	"diptych/internal/scene/icicle"
	"diptych/internal/scene/links"
	matchscene "diptych/internal/scene/matches"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	matchview "diptych/internal/ui/matches"
	structview "diptych/internal/ui/structure"
)

// links returns what the matches' layer shows.
func (b *bench) links() *links.Links {
	b.t.Helper()
	l := b.main().Shown().Links
	if l == nil {
		b.t.Fatal("there are no matches in the view")
	}
	return l
}

func TestTauMovesByKeyAndSlider(t *testing.T) {
	b := queuePair(t)
	rung, visible := b.state().Found.Rung, b.links().Visible
	b.press(key.NameUpArrow, key.ModCtrl)
	if got := b.state().Tau; got != 25 {
		t.Fatalf("τ is %d hundredths, want 25", got)
	}
	r, ok := b.pic.Find("Threshold of similarity")
	if !ok {
		t.Fatalf("there is no slider; there are %q", b.pic.Labels())
	}
	b.drag(middle(r), image.Pt(r.Max.X+40, middle(r).Y), 0)
	if got := b.state().Tau; got != 99 {
		t.Errorf("dragged to its end the slider says %d hundredths", got)
	}
	now := b.state().Found.Rung
	if now.Pairs >= rung.Pairs {
		t.Errorf("%d matches at τ = .99, %d at .20", now.Pairs, rung.Pairs)
	}
	if got := b.links().Visible; got >= visible {
		t.Errorf("%d matches in view at τ = .99, %d at .20", got, visible)
	}
	for i, bar := range b.app.overview.Shown().Sides {
		if bar.Axis.X1 > 0 && &now.Bars[i][0] == &rung.Bars[i][0] {
			t.Errorf("the bars of side %d did not follow", i)
		}
	}
}

func TestSliderTakesWheelAndArrows(t *testing.T) {
	b := queuePair(t)
	r, _ := b.pic.Find("Threshold of similarity")
	b.pic.Scroll(middle(r), 0, -1, 0)
	b.settle()
	if got := b.state().Tau; got != 21 {
		t.Errorf("a notch up makes τ %d hundredths", got)
	}
}

func TestStyleButtonsAndKeysAgree(t *testing.T) {
	b := queuePair(t)
	b.click(b.app.Command(matchview.ColourTrace).Title)
	if got := b.state().Style.Colour; got != links.TraceCentric {
		t.Errorf("the colour is %v", got)
	}
	b.press("C", 0)
	if got := b.state().Style.Colour; got != links.Plain {
		t.Errorf("after C the colour is %v", got)
	}
	b.press("M", 0)
	if !b.state().Style.Similarity {
		t.Error("M does not show similarity")
	}
	b.press("V", 0)
	if got := b.state().Style.Shape; got != links.Lines {
		t.Errorf("after V the shape is %v", got)
	}
	b.press("V", 0)
	b.press("V", 0)
	if !b.state().Style.Hidden || b.main().Tally(b.app.S, b.state()) != "" {
		t.Error("V does not come to drawing no matches")
	}
}

// TestTallyGivesTheTotal checks that zooming changes how many matches are said to be drawn, but
// not the total.
func TestTallyGivesTheTotal(t *testing.T) {
	b := queuePair(t)
	split := func() (drawn, total string) {
		drawn, total, _ = strings.Cut(b.main().Tally(b.app.S, b.state()), " · ")
		return drawn, total
	}
	drawn, total := split()
	if !strings.HasSuffix(drawn, " drawn") || total != kit.Counted(b.state().Found.Rung.Pairs)+" matches" {
		t.Fatalf("of %d matches in all the bar says %q and %q", b.state().Found.Rung.Pairs, drawn, total)
	}
	b.app.S.Zoom(pair.A, b.state().Sides[pair.A].Focus.Mid(), .1)
	b.settle()
	if less, same := split(); less == drawn || same != total {
		t.Errorf("zoomed in it says %q and %q; before %q and %q", less, same, drawn, total)
	}
}

// led reports whether a hint leads to matches.
func led(h *matchscene.Hint) bool { return h != nil && !h.None }

// TestHintIsFollowedByClick checks that a click on the hint in an empty centre leads to matches.
func TestHintIsFollowedByClick(t *testing.T) {
	b := queuePair(t)
	b.app.S.SetTau(90)
	whole := b.state().Sides[pair.A].Focus
	for k := 1; k < 50 && !led(b.main().Shown().Hint); k++ {
		at := whole.Start + whole.Len()*float64(k)/50
		b.app.S.SetFocus(pair.A, geom.Span{Start: at, End: at + whole.Len()/1000})
		b.app.S.SetFocus(pair.B, geom.Span{Start: at, End: at + whole.Len()/1000})
		b.settle()
	}
	h := b.main().Shown().Hint
	if !led(h) {
		t.Fatal("there are matches wherever one looks")
	}
	at := image.Pt(int(h.Rect.X0+h.Rect.X1)/2, int(h.Rect.Y0+h.Rect.Y1)/2)
	b.pic.Click(b.main().Area().Min.Add(at), pointer.ButtonPrimary, 0)
	b.settle()
	if n := b.links().Drawn; n == 0 {
		t.Errorf("after a click on %q no match is drawn; the hint is %+v", h.Text, b.main().Shown().Hint)
	}
}

// TestOnlyThePrimaryButtonDrags: a drag with another button leaves time, levels and selection as
// they are, in each of the views that are panned by the same hand.
func TestOnlyThePrimaryButtonDrags(t *testing.T) {
	b := queuePair(t)
	for _, v := range []session.View{session.Matches, structview.View} {
		b.app.S.SetView(v)
		b.settle()
		before := *b.state()
		for _, button := range []pointer.Buttons{pointer.ButtonSecondary, pointer.ButtonTertiary} {
			b.pic.Drag(image.Pt(300, 400), image.Pt(500, 420), button, 0)
			b.settle()
			st := b.state()
			for side := range st.Sides {
				if got, want := st.Sides[side].Focus, before.Sides[side].Focus; got != want {
					t.Errorf("%s: button %v moves side %d from %v to %v", v, button, side, want, got)
				}
			}
			if st.Scroll != before.Scroll || st.Selected != before.Selected {
				t.Errorf("%s: button %v scrolls to %v and selects %v", v, button, st.Scroll, st.Selected)
			}
		}
	}
}

// TestNarrowBarHidesTheLastControls checks that controls which do not fit come with one more click.
func TestNarrowBarHidesTheLastControls(t *testing.T) {
	b := queuePair(t)
	last := b.app.Command(matchview.ToggleOriginal).Title
	if _, ok := b.pic.Find(last); ok {
		t.Fatal("a window of 1280 px has room for all controls: narrow it")
	}
	before := b.main().Area().Min.Y
	b.click("More settings of the matches")
	b.click(last)
	if !b.state().Style.Original {
		t.Error("the control in the second row does nothing")
	}
	if b.main().Area().Min.Y <= before {
		t.Error("the second row lies over the view")
	}
	b.click("Fewer settings of the matches")
	if b.main().Area().Min.Y != before {
		t.Error("the second row stays")
	}
}

func TestGroupListShowsAGroup(t *testing.T) {
	b := queuePair(t)
	b.press("3", key.ModCtrl)
	groups := b.state().Found.Groups
	if groups.Total == 0 || len(groups.List) == 0 {
		t.Fatal("no groups were found")
	}
	label := func() string {
		for _, l := range b.pic.Labels() {
			if strings.HasPrefix(l, "Show group ") {
				return l
			}
		}
		t.Fatalf("no group is listed; there are %q", b.pic.Labels())
		return ""
	}
	before := b.state().Sides
	b.click(label())
	st := b.state()
	if st.Sides[0].Focus == before[0].Focus && st.Sides[1].Focus == before[1].Focus {
		t.Error("clicking a group moves nothing")
	}
	if !st.Selected.OK {
		t.Error("the group's root is not selected")
	}
}

// TestHoverLightsBarsAndColours checks that what is under the pointer is brushed in both views.
func TestHoverLightsBarsAndColours(t *testing.T) {
	b := queuePair(t)
	b.move(b.callAt(pair.A, 1))
	lit := b.state().Found.Lit
	if !lit.Of.OK || !slices.Contains(lit.Bars[pair.B], true) {
		t.Fatalf("hovering a call lights no bars: %v", lit)
	}
	if ms := matchview.StateOf(b.state(), b.app.kit.Pal, 1); len(ms.Links.Brush) != 1 {
		t.Error("the hovered call is not brushed")
	}
	b.move(image.Pt(5, 5))
	if b.state().Found.Lit.Of.OK {
		t.Error("the bars stay lit")
	}
}

// TestClickAlignsTheOtherTrace checks that the match of a clicked call comes to stand across from
// it.
func TestClickAlignsTheOtherTrace(t *testing.T) {
	b := queuePair(t)
	b.app.S.Zoom(pair.B, 0, .1)
	b.settle()
	before := b.state().Sides[pair.B].Focus
	b.clickAt(b.callAt(pair.A, 1))
	st := b.state()
	if st.Sides[pair.B].Focus == before || !st.Selected.OK {
		t.Errorf("B shows %v as before, selected is %v", before, st.Selected)
	}
	if kit.Abs(st.Sides[pair.B].Focus.Len()-before.Len()) > 1e-6 { // ns
		t.Error("aligning zooms")
	}
}

// TestNearIdleThreadsOpen: a click on the line of near-idle threads shows them, the key folds them.
func TestNearIdleThreadsOpen(t *testing.T) {
	b := newBench(t, pairs["situations"]...)
	b.press("2", 0)
	quiet, n := b.state().Quiet[pair.A], len(b.state().Tracks[pair.A])
	d := b.main().Shown().Sides[pair.A].Drawing
	b.app.S.Scroll(pair.A, d.Height(&icicle.Arena{}))
	b.settle()
	r := b.main().Shown().Sides[pair.A].Drawing.TailRect()
	if quiet == 0 || r.Empty() {
		t.Fatalf("%d near-idle threads, their line at %v", quiet, r)
	}
	b.clickAt(b.main().Area().Min.Add(image.Pt(int(r.X0)+30, int(r.Y0+r.Y1)/2)))
	if got := len(b.state().Tracks[pair.A]); got != n+quiet {
		t.Errorf("a click shows %d threads, want %d", got, n+quiet)
	}
	b.press("I", key.ModShift)
	if got := len(b.state().Tracks[pair.A]); got != n {
		t.Errorf("the key folds them to %d threads, want %d", got, n)
	}
}

// TestScalesByKey: sides at scales of their own come to one by the key.
func TestScalesByKey(t *testing.T) {
	b := queuePair(t)
	b.app.S.SetFocus(pair.A, geom.Span{End: 1e6})
	b.settle()
	b.press("T", key.ModShift)
	st := b.state()
	if a, o := st.Sides[pair.A].Focus, st.Sides[pair.B].Focus; !st.SameScale() || a.Start != 0 || o.Start != 0 {
		t.Errorf("A shows %v, B %v", a, o)
	}
	b.press("T", key.ModShift)
	if st = b.state(); st.SameScale() || st.Sides[pair.A].Focus.Len() != st.Sides[pair.A].Extent() {
		t.Errorf("A shows %v, B %v", st.Sides[pair.A].Focus, st.Sides[pair.B].Focus)
	}
}

// TestFittingRaisesADeepCall checks that a call deep in a stack that does not fit is scrolled to where
// what it calls can be seen.
func TestFittingRaisesADeepCall(t *testing.T) {
	b := newBench(t, pairs["pipeline"]...)
	st := b.state()
	track := st.Tracks[pair.A][0]
	th := st.Sides[pair.A].Trace.Threads[track]
	deepest := 0
	for i := range th.Len() {
		if th.Depth(i) > th.Depth(deepest) {
			deepest = i
		}
	}
	h := b.main().Shown().Sides[pair.A]
	if h.MaxScroll < h.Row {
		t.Fatalf("all levels fit: the test needs a deeper stack")
	}
	b.app.S.Select(session.Target{Side: pair.A, Ref: refOf(track, deepest), OK: true})
	b.press("F", 0)
	r, ok := b.main().Shown().Sides[pair.A].Drawing.CallRect(refOf(track, deepest))
	if view := b.main().Shown().Sides[pair.A].Icicle; !ok || r.Y0 < view.Y0-1 || r.Y1 > view.Y1+1 {
		t.Errorf("the call is at %v, the view is %v", r, view)
	}
}

// TestDetailsLeadToTheBestMatch checks that the panel names the best match and goes there.
func TestDetailsLeadToTheBestMatch(t *testing.T) {
	b := queuePair(t)
	b.clickAt(b.callAt(pair.A, 1))
	from := b.state().Selected
	b.click("Go to the best match")
	to := b.state().Selected
	if to.Side != pair.B || name(b.state(), to) != name(b.state(), from) {
		t.Errorf("from %s it goes to %+v", name(b.state(), from), to)
	}
}

// TestBothPlacesOfAFindingAreOutlined: a finding that has a call on either side leads to both, also
// where no match joins them.
func TestBothPlacesOfAFindingAreOutlined(t *testing.T) {
	b := newBench(t, "callgrind/orders.callgrind", "callgrind/orders-changed.callgrind")
	b.rest()
	b.clickBeginning("tax is named duty in B")
	b.rest()
	for _, at := range []session.Target{b.state().Selected, b.state().Before} {
		if !at.OK {
			t.Fatalf("%+v and %+v are selected", b.state().Selected, b.state().Before)
		}
		side := &b.main().Shown().Sides[at.Side]
		marked := slices.ContainsFunc(b.main().Shown().Scene.Layers, func(l scene.Layer) bool {
			return slices.ContainsFunc(l.Quads, func(q scene.Quad) bool {
				within := !q.Rect.Intersect(side.Drawing.View).Empty()
				return within && q.Shade == scene.Outline && q.Fill == b.app.kit.Pal.Selection
			})
		})
		if !marked {
			t.Errorf("%s is not outlined in %v", b.state().FunctionName(at), at.Side)
		}
	}
}
