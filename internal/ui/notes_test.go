package ui

import (
	"image"
	"testing"

	"gioui.org/io/key"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/ui/aligned"
	"diptych/internal/ui/matches"
)

// TestNotes writes notes by keys, finds their flags in the views and in the dock, and changes,
// deletes and takes back.
func TestNotes(t *testing.T) {
	b := queuePair(t)
	ref := b.longCall(pair.A, 1)
	b.app.S.Select(session.Target{Side: pair.A, Ref: ref, OK: true})
	b.press("N", key.ModCtrl)
	b.write("look here")
	b.press(key.NameReturn, 0)
	b.app.S.Select(session.Target{})
	b.app.SetAim(pair.B)
	b.press("N", key.ModCtrl)
	b.write("a time")
	b.press(key.NameReturn, 0)
	all := b.state().Notes.All()
	if len(all) != 2 || all[0].Text != "look here" || all[0].Call.Ref != ref || all[1].Side != pair.B ||
		all[1].At != b.state().Sides[pair.B].Focus.Mid() {
		t.Fatalf("%+v", all)
	}
	st := *b.state()
	end := st.Sides[pair.B].Extent()
	st.Sides[pair.B].Focus = geom.Span{Start: end / 2, End: 4 * end}
	if at := b.app.spot(&st).At; at != end*3/4 {
		t.Errorf("beside a longer trace the note is at %v of %v", at, end)
	}
	b.press("0", key.ModCtrl)
	if !b.shows("Go to note 1: look here") || !b.shows("Go to note 2: a time") {
		t.Errorf("the dock shows %q", b.pic.Labels())
	}
	flags := b.main().Flags()
	if len(flags) != 2 {
		t.Fatalf("%d flags", len(flags))
	}
	if row, _ := b.main().Shown().Sides[pair.A].Drawing.CallRect(ref); flags[0].Pole.X0 != row.X0 ||
		flags[0].Pole.Y0 != row.Y0 {
		t.Errorf("the flag is at %v, its call at %v", flags[0].Pole, row)
	}
	if axis := b.main().Shown().Sides[pair.B].Axis; flags[1].Pole.X0 != axis.X(all[1].At) {
		t.Errorf("the flag is at %v, its time at %v", flags[1].Pole, axis.X(all[1].At))
	}
	for k, f := range b.app.overview.Flags() {
		at, _ := b.state().Time(&all[k])
		if x := b.app.overview.Shown().Sides[all[k].Side].Axis.X(at); f.Note.Number != k+1 || f.Pole.X0 != x {
			t.Errorf("the overview has %+v, want it at %v", f, x)
		}
	}
	b.clickAt(middle(image.Rect(int(flags[0].Box.X0), int(flags[0].Box.Y0), int(flags[0].Box.X1)+1,
		int(flags[0].Box.Y1)+1)).Add(b.main().Area().Min))
	if b.state().Selected.Ref != ref {
		t.Error("a click on the flag does not select its call")
	}
	b.click("Edit note 1")
	b.write(" and there")
	b.click("Save the note")
	b.click("Delete note 2")
	if all := b.state().Notes.All(); len(all) != 1 || all[0].Text != "look here and there" {
		t.Errorf("%+v", all)
	}
	b.press("Z", key.ModCtrl)
	if n := b.state().Notes.Len(); n != 2 {
		t.Errorf("taken back: %d notes", n)
	}
	b.app.S.Select(session.Target{})
	b.press("N", key.ModAlt)
	if b.state().Selected.Ref != ref {
		t.Error("the next note is not shown")
	}
	b.press("4", 0)
	if n := len(b.app.Pane().(*aligned.Pane).Flags()); n != 2 {
		t.Errorf("the alignment has %d flags", n)
	}
	b.press("3", 0)
	b.press("]", 0) // other threads: only the time is still there
	if f := b.app.Pane().(*matches.Pane).Flags(); len(f) != 1 || f[0].Note.Number != 2 {
		t.Errorf("other threads have the flags %+v", f)
	}
}
