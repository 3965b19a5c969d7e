package ui

import (
	"image"
	"strings"
	"testing"

	"gioui.org/io/key"

	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/traceio/text/texttest"
)

// TestAllThreadsShowTheCallThatIsSought: beside all threads, each shows few levels of its stack, and
// near-idle threads are folded away. A call that a search leads to is shown all the same, at its own
// level, and so are those that the keys go down to from there.
func TestAllThreadsShowTheCallThatIsSought(t *testing.T) {
	var text strings.Builder
	text.WriteString("thread 1 name=busy\n")
	for depth := range 20 {
		text.WriteString(strings.Repeat("  ", depth+1) + "0+90000 level_" + string(rune('a'+depth)) + "\n")
	}
	text.WriteString("thread 2 name=idle\n  0+10 poll\nthread 3 name=other\n  0+80000 work\n")
	s := session.New(func() {})
	for _, side := range []pair.Side{pair.A, pair.B} {
		s.Put(side, side.String(), texttest.Parse(t, text.String()))
	}
	b := benchOf(t, New(s), image.Pt(1280, 800))
	b.settle()
	b.press("2", 0)
	seen := func(what string) {
		t.Helper()
		st := b.state()
		side := b.main().Shown().Sides[st.Selected.Side]
		from, _, ok := side.Drawing.RowOf(st.Selected.Ref)
		r, drawn := side.Drawing.CallRect(st.Selected.Ref)
		if got := name(st, st.Selected); got != what || !ok || !drawn {
			t.Errorf("%s is selected rather than %s, at %g, drawn: %v", got, what, from, drawn)
		} else if view := side.Icicle; r.Y0 < view.Y0-1 || r.Y1 > view.Y1+1 {
			t.Errorf("%s is at %v, the view is %v, %+v of %g", what, r, view, st.Scroll, side.MaxScroll)
		}
	}
	find := func(what string) {
		b.app.S.Find(what)
		b.settle()
		b.press("N", 0)
	}
	find("level_m")
	seen("level_m")
	for _, below := range []string{"level_n", "level_o", "level_p"} {
		b.press(key.NameDownArrow, 0)
		seen(below)
	}
	find("poll")
	seen("poll")
	b.press(",", 0)
	if st := b.state(); st.Sides[pair.A].Deeper != nil {
		t.Error("fewer levels of each thread leave some deeper")
	}
	b.press("1", 0)
	b.app.S.Select(session.Target{Side: pair.A, Ref: refOf(0, 14), OK: true})
	b.press("2", 0)
	seen("level_o")
}
