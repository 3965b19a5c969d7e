package ui

import (
	"context"
	"image"
	"strings"
	"testing"

	"gioui.org/io/key"

	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/stats"
	"diptych/internal/ui/dock"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
)

// TestShiftDragCountsARange drags over the stacks of A with Shift held: both sides get a range, what
// lies across by the lock or on the screen, and the dock counts what ran in them.
func TestShiftDragCountsARange(t *testing.T) {
	b := queuePair(t)
	b.drag(image.Pt(300, 400), image.Pt(450, 400), key.ModShift)
	st, left := b.state(), float32(300-b.main().Area().Min.X)
	if !st.Range.OK || st.Range.Side != pair.A || b.app.dock.Tab() != dock.Range {
		t.Fatalf("range %+v, tab %s", st.Range, b.app.dock.Tab())
	}
	// Without a lock the range of B has the same place on the screen.
	for side := range st.Sides {
		axis := b.main().Shown().Sides[side].Axis
		span := st.Range.On(pair.Side(side))
		if x0, x1 := axis.X(span.Start), axis.X(span.End); kit.Abs(x0-left) > 2 || kit.Abs(x1-x0-150) > 2 {
			t.Errorf("the range of side %d lies from %v to %v", side, x0, x1)
		}
	}
	want, err := stats.Count(context.Background(), st.Pair, st.Range.Counted(), nil)
	if err != nil || len(want.Functions) == 0 {
		t.Fatal(want, err)
	}
	text := b.app.Panel(dock.Range).(view.Copier).Copy(kit.TSV, true)
	if lines := strings.Count(text, "\n"); lines != len(want.Functions)+1 {
		t.Errorf("%d functions are listed, %d ran", lines-1, len(want.Functions))
	}
	b.app.S.SetLock(session.Proportional, pair.A)
	b.app.S.SelectRange(pair.A, st.Range.Span)
	st = b.state()
	share := st.Sides[pair.B].Whole().Len() / st.Sides[pair.A].Whole().Len()
	if got := st.Range.Across.Len() / st.Range.Span.Len(); kit.Abs(float32(got-share)) > 1e-3 {
		t.Errorf("locked, B's range is %v as long, want %v", got, share)
	}
}
