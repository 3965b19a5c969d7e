package ui

import (
	"cmp"
	"image"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gioui.org/io/key"

	"diptych/internal/command"
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/scene"
	"diptych/internal/scene/aligned"
	"diptych/internal/session"
	alignview "diptych/internal/ui/aligned"
	"diptych/internal/ui/dock"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
)

// alignment shows the queue pair aligned.
func alignment(t *testing.T) *bench {
	t.Helper()
	b := queuePair(t)
	b.click(b.app.Command(alignview.Open).Title)
	if b.state().View != session.Alignment || b.state().Shown() == nil || b.align().Shown().Status == nil {
		t.Fatal("the alignment is not shown")
	}
	return b
}

// inAlignment returns a point of the view in the window.
func (b *bench) inAlignment(x, y float32) image.Point {
	return image.Pt(int(x), int(y)).Add(b.align().Area().Min)
}

func TestAlignmentZoomsBothSides(t *testing.T) {
	b := alignment(t)
	v := b.align().Shown()
	status := v.Status.View
	at := b.inAlignment((status.X0+status.X1)/2, (status.Y0+status.Y1)/2)
	before, foci := b.state().Virtual, [2]any{b.state().Sides[0].Focus, b.state().Sides[1].Focus}
	b.pic.Scroll(at, 0, -3, 0)
	b.settle()
	st := b.state()
	if st.Virtual.Len() >= before.Len() {
		t.Fatal("the wheel does not zoom in")
	}
	for k := range st.Sides {
		if st.Sides[k].Focus == foci[k] {
			t.Errorf("side %d shows what it did before", k)
		}
	}
	b.drag(at, at.Add(image.Pt(-100, 0)), 0)
	if now := b.state().Virtual; now.Start <= st.Virtual.Start || now.Len()-st.Virtual.Len() > 1 {
		t.Errorf("dragging leads from %v to %v", st.Virtual, now)
	}
	b.press(key.NameHome, 0)
	if b.state().Virtual != before {
		t.Error("Home does not show all")
	}
}

// TestAlignmentIsEnteredAlike: whoever comes back to the alignment sees on both sides what is
// paired, as at the first visit; the side that was moved meanwhile leads.
func TestAlignmentIsEnteredAlike(t *testing.T) {
	b := queuePair(t)
	b.press("X", key.ModShift) // A is the longer run
	b.press("T", key.ModShift)
	b.press("4", 0)
	foci := func() [2]geom.Span { return [2]geom.Span{b.state().Sides[0].Focus, b.state().Sides[1].Focus} }
	first := foci()
	b.press("3", 0)
	if foci() == first {
		t.Fatal("the matches have no scale of their own")
	}
	b.press("4", 0)
	if foci() != first {
		t.Errorf("the second visit shows %v, the first one %v", foci(), first)
	}
	for _, side := range []pair.Side{pair.A, pair.B} {
		b.press("3", 0)
		b.press(key.NameHome, 0)
		whole := b.state().Sides[side].Focus
		moved := geom.Span{Start: whole.Start + whole.Len()/4, End: whole.Start + whole.Len()/2}
		b.app.S.SetFocus(side, moved)
		b.press("4", 0)
		other, ok := b.state().Sides[side.Other()].Focus, b.state().Sides[side].Focus == moved
		if !ok || other.Len() > 2*moved.Len() {
			t.Errorf("after %v was moved to %v, the sides show %v", side, moved, foci())
		}
	}
}

func TestStepsGoThroughTheDifferences(t *testing.T) {
	b := alignment(t)
	b.press("Q", 0)
	first, ok := b.align().Selected(b.state())
	want, _ := b.state().Shown().Prepared.First()
	if !ok || first.Index != want.Index {
		t.Fatalf("the first difference is node %d, shown is %d", want.Index, first.Index)
	}
	b.press("E", 0)
	second, _ := b.align().Selected(b.state())
	if second.Start <= first.Start {
		t.Errorf("the next difference starts at %d, after %d", second.Start, first.Start)
	}
	b.press("E", key.ModShift)
	if back, _ := b.align().Selected(b.state()); back.Index != first.Index {
		t.Errorf("back leads to node %d instead of %d", back.Index, first.Index)
	}
}

func TestClickInAlignmentSelectsBothSides(t *testing.T) {
	b := alignment(t)
	v, shown := b.align().Shown(), b.state().Shown()
	i := 0
	for shown.Partner[pair.A][i] < 0 || shown.Threads[pair.A].Depth(i) != 1 {
		i++
	}
	for k := i; k < shown.Threads[pair.A].Len(); k++ { // the longest one can be hit
		if shown.Partner[pair.A][k] >= 0 && shown.Threads[pair.A].Depth(k) == 1 &&
			shown.Threads[pair.A].Dur(k) > shown.Threads[pair.A].Dur(i) {
			i = k
		}
	}
	ref := refOf(shown.Indices[pair.A], i)
	r, ok := v.CallRect(pair.A, ref)
	if !ok {
		t.Fatal("the call is not drawn")
	}
	b.clickAt(b.inAlignment((r.X0+r.X1)/2, (r.Y0+r.Y1)/2))
	st := b.state()
	if !st.Selected.OK || st.Selected.Ref != ref || st.Selected.Side != pair.A {
		t.Fatalf("selected is %+v, want %+v", st.Selected, ref)
	}
	v = b.align().Shown()
	twin, _ := v.CallRect(pair.B, refOf(shown.Indices[pair.B], int(shown.Partner[pair.A][i])))
	marked := slices.ContainsFunc(v.Scene.Layers, func(l scene.Layer) bool {
		return slices.ContainsFunc(l.Quads, func(q scene.Quad) bool {
			around := q.Rect == twin || q.Rect.Inset(q.Line/2) == twin // half outside in a low row
			return q.Shade == scene.Outline && around && q.Fill == b.app.kit.Pal.Selection
		})
	})
	if !marked {
		t.Errorf("its partner is not marked at %v", twin)
	}
	if b.app.dock.Tab() != dock.Details {
		t.Error("the details of the call are not shown")
	}
}

// TestLinesOfThreadsLeadThere checks that the strips explain themselves, and that a click on the line
// of a pair of threads shows it.
func TestLinesOfThreadsLeadThere(t *testing.T) {
	b := alignment(t)
	v, st := b.align().Shown(), b.state()
	for part, r := range map[aligned.Part]geom.Rect{aligned.Dissimilarity: v.Dissimilarity,
		aligned.Skew: v.Skew, aligned.Pairs: v.PairRow(0)} {
		hit, ok := v.Pick(geom.Point{X: (r.X0 + r.X1) / 2, Y: (r.Y0 + r.Y1) / 2})
		if lines, _ := words.StripLines(st, v, b.align().Rows(), &hit); !ok || hit.Part != part || len(lines) < 2 {
			t.Errorf("part %d: picked %d, told %q", part, hit.Part, lines)
		}
	}
	for k, l := range b.align().Rows() {
		if l.Current {
			continue
		}
		r := v.PairRow(k)
		b.clickAt(b.inAlignment((r.X0+r.X1)/2, (r.Y0+r.Y1)/2))
		if got := b.state(); got.Current != l.Pair || got.Shown() == nil {
			t.Errorf("shown is pair %d, not %d", got.Current, l.Pair)
		}
		return
	}
	t.Error("there is one line only")
}

// TestRowsOfThreads: the rows of all pairs of threads are sorted by what is chosen, say who they are,
// and fold into one that leads back.
func TestRowsOfThreads(t *testing.T) {
	b := alignment(t)
	b.move(image.Pt(5, 5))
	by := func(what string, ordered func(a, b *aligned.Row) bool) {
		t.Helper()
		rows := b.align().Rows()
		for k := 1; k < len(rows); k++ {
			if !ordered(&rows[k-1], &rows[k]) {
				t.Errorf("by %s, %q comes before %q", what, rows[k-1].Title, rows[k].Title)
			}
		}
	}
	by("similarity", func(a, b *aligned.Row) bool { return a.Similarity <= b.Similarity })
	b.click("Sort pairs of threads by their largest skew")
	by("skew", func(a, b *aligned.Row) bool { return a.Farthest() >= b.Farthest() })
	b.press("O", key.ModShift)
	by("name", func(a, b *aligned.Row) bool { return a.Title <= b.Title })
	n := len(b.align().Rows())
	v := b.align().Shown()
	r := v.PairRow(1)
	b.move(b.inAlignment((r.X0+r.X1)/2, (r.Y0+r.Y1)/2))
	if title := b.align().Rows()[1].Title; !slices.Contains(b.pic.Labels(), title) {
		t.Errorf("pointing at its row does not name %q", title)
	}
	b.press("P", key.ModShift)
	if rows := b.align().Rows(); len(rows) != 1 || rows[0].Pair != -1 {
		t.Fatalf("folded there are %d rows", len(rows))
	}
	r = b.align().Shown().PairRow(0)
	b.clickAt(b.inAlignment((r.X0+r.X1)/2, (r.Y0+r.Y1)/2))
	if got := len(b.align().Rows()); got != n {
		t.Errorf("a click on the sum shows %d rows of %d", got, n)
	}
}

func TestFilterOfStates(t *testing.T) {
	b := alignment(t)
	b.click("Let calls stand out: only in A")
	if f := b.align().Filter(b.state()); !f.Any() || f.States.Has(0) {
		t.Errorf("the filter is %+v", f)
	}
	b.click("Let calls stand out: only in A")
	if f := b.align().Filter(b.state()); f != (aligned.Filter{}) {
		t.Errorf("the filter stays %+v", f)
	}
}

func TestFindingLeadsToItsCall(t *testing.T) {
	b := queuePair(t)
	d := b.state().Difference()
	if d == nil || len(d.Findings) == 0 {
		t.Fatal("nothing was found")
	}
	for i := range d.Findings {
		f := &d.Findings[i]
		if _, shown := b.pic.Find(f.Text); f.Kind == "wait" || !session.Places(f) || !shown {
			continue
		}
		b.click(f.Text)
		sel := b.state().Selected
		at := f.At[sel.Side]
		if !sel.OK || at == nil || int(sel.Ref.Thread) != at.Thread || sel.Ref.Call != at.Call {
			t.Errorf("%q leads to %+v", f.Text, sel)
		}
		return
	}
	t.Error("no finding has a place")
}

func TestLockByAlignment(t *testing.T) {
	b := queuePair(t)
	b.click(b.app.Command(command.LockAligned).Title)
	if b.state().Lock != session.ByAlignment || b.state().Shown() == nil {
		t.Fatal("the sides are not locked by the alignment")
	}
	before := b.state().Sides[pair.B].Focus
	b.app.S.Zoom(pair.A, b.state().Sides[pair.A].Whole().Mid(), .1)
	if b.state().Sides[pair.B].Focus == before {
		t.Error("B does not follow A")
	}
}

// TestFunctionsTable checks the table of functions beside an alignment: the largest change first, what
// the alignment says of them, sorted by a click, filtered, copied, and a way to the calls.
func TestFunctionsTable(t *testing.T) {
	b := alignment(t)
	b.click("Functions")
	copied := func() [][]string {
		var rows [][]string
		text := b.app.Panel(dock.Functions).(view.Copier).Copy(kit.TSV, true)
		for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
			rows = append(rows, strings.Split(line, "\t"))
		}
		return rows
	}
	column := func(name string) (values []float64) {
		rows := copied()
		at := slices.Index(rows[0], name)
		if at < 0 {
			t.Fatalf("there is no %q among %q", name, rows[0])
		}
		for _, row := range rows[1:] {
			v, err := strconv.ParseFloat(row[at], 64)
			if err != nil {
				continue // no value
			}
			values = append(values, v)
		}
		return values
	}
	change := column("self B − A (ns)")
	if !slices.IsSortedFunc(change, func(x, y float64) int { return cmp.Compare(kit.Abs(int64(y)), kit.Abs(int64(x))) }) {
		t.Errorf("the largest changes are not first: %v", change)
	}
	lone := 0.0
	for _, d := range b.state().Aligned.Differences {
		lone += float64(d.OnlyANs)
	}
	sum := 0.0
	for _, v := range column("sum of the calls that only A has (ns)") {
		sum += v
	}
	if sum != lone || lone == 0 {
		t.Errorf("only A has %v, the table %v", lone, sum)
	}
	b.click("Sort by self B")
	if self := column("self B (ns)"); !slices.IsSortedFunc(self, func(x, y float64) int { return cmp.Compare(y, x) }) {
		t.Errorf("not sorted by self time of B: %v", self)
	}
	b.click("Filter functions")
	b.write("sem_wait")
	if rows := copied(); len(rows) != 2 || rows[1][0] != "sem_wait" {
		t.Fatalf("filtered: %q", rows)
	}
	b.click("Go to sem_wait")
	if st := b.state(); !st.Selected.OK || st.FunctionName(st.Selected) != "sem_wait" {
		t.Errorf("selected is %+v", st.Selected)
	}
}
