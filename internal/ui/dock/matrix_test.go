package dock

import (
	"image"
	"strings"
	"testing"

	"gioui.org/io/key"
	"gioui.org/io/pointer"

	"diptych/internal/pair"
	"diptych/internal/ui/kit"
)

// Three workers of one name a side. The work of A's n-th is that of B's n-th.
const (
	poolA = `trace text
thread 1 name=worker
  0+100 read
  200+100 parse
thread 2 name=worker
  0+100 write
  200+100 sync
thread 3 name=worker
  0+100 draw
  200+100 swap
`
	poolB = poolA
)

// matrixBench shows the matrix of two pools.
func matrixBench(t *testing.T) (*bench, *matrix) {
	b := newBench(t, poolA, poolB)
	b.dock.Show(Threads)
	b.frame()
	b.Click("Compare threads with each other")
	m := &b.threads().matrix
	if !m.shown || m.found.Scope != (pair.Scope{ByRole: true, Role: "worker"}) {
		t.Fatalf("the matrix of %+v is shown: %v", b.state().Alike, m.shown)
	}
	return b, m
}

// cell returns the middle of a cell in the window.
func (b *bench) cell(m *matrix, row, column int) image.Point {
	area, _ := b.Find("Matrix of similarities")
	r := m.view.rect(image.Pt(column, row))
	return area.Min.Add(r.Min).Add(r.Size().Div(2))
}

func TestMatrixPairsByHandAndWarns(t *testing.T) {
	b, m := matrixBench(t)
	if text := adviceWords(advised(b.state())); text != "" {
		t.Errorf("at first it warns: %s", text)
	}
	b.ClickAt(b.cell(m, 0, 1))
	b.Settle()
	if got := b.state().Pair.Partner(pair.A, 0); got != 1 {
		t.Fatalf("a click pairs the first worker with %d", got)
	}
	want := "A better pairing exists: 2 other pairs; similarities add up to 3.00 instead of 1.00."
	if text := adviceWords(advised(b.state())); text != want {
		t.Errorf("it says %q, want %q", text, want)
	}
	b.Click("List the pairs of threads")
	b.Settle()
	if text := adviceWords(advised(b.state())); text != want {
		t.Errorf("beside the list it says %q, want %q", text, want)
	}
	b.Click("Take the better pairing")
	b.Settle()
	for i := range 3 {
		if got := b.state().Pair.Partner(pair.A, i); got != i {
			t.Errorf("worker %d is now with %d", i, got)
		}
	}
	if _, ok := b.Find("Take the better pairing"); ok {
		t.Error("the warning stays")
	}
	if b.c.S.Back(); b.state().Pair.Partner(pair.A, 0) != 1 {
		t.Error("taking the better pairing cannot be undone")
	}
}

func TestMatrixIsWalkedByKeysAndCopied(t *testing.T) {
	b, m := matrixBench(t)
	b.ClickAt(b.cell(m, 1, 1)) // a pair that is in use
	if st := b.state(); st.Process || st.Pair.Threads[st.Current].A != 1 {
		t.Errorf("a click on a pair shows pair %d", st.Current)
	}
	for _, name := range []key.Name{key.NameEnd, key.NameUpArrow, key.NameLeftArrow, key.NameUpArrow, key.NameRightArrow} {
		b.Press(name, 0)
	}
	if want := image.Pt(2, 0); m.cursor != want {
		t.Fatalf("the keys lead to %v, want %v", m.cursor, want)
	}
	if row := b.threads().Copy(kit.TSV, false); row != "1\t1\t0\t0\n" {
		t.Errorf("the row of the cursor is copied as %q", row)
	}
	whole := b.threads().Copy(kit.Markdown, true)
	if !strings.Contains(whole, "| 2 | 0.000 | 1.000 | 0.000 |") {
		t.Errorf("the matrix is copied as %s", whole)
	}
	b.Press(key.NameReturn, 0)
	if got := b.state().Pair.Partner(pair.A, 0); got != 2 {
		t.Errorf("Enter pairs the first worker with %d", got)
	}
}

func TestMatrixNamesWhatIsUnderThePointer(t *testing.T) {
	b, m := matrixBench(t)
	b.Point(pointer.Move, b.cell(m, 2, 0), 0)
	b.frame()
	cell, ok := m.view.cellAt(m.at)
	if !ok || cell != image.Pt(0, 2) || !m.over {
		t.Fatalf("the pointer is over %v", cell)
	}
	text := strings.Join(m.tip(cell), "\n")
	for _, want := range []string{"similarity 0.000", "A worker 3", "B worker 1", "click pairs them"} {
		if !strings.Contains(text, want) {
			t.Errorf("the tooltip lacks %q: %s", want, text)
		}
	}
	n := len(m.scopes)
	b.Click("Further threads")
	b.Settle()
	if got := b.state().Alike.Scope; n != 2 || got.ByRole {
		t.Errorf("of %d scopes the next is %+v", n, got)
	}
	b.Click("Threads before")
	b.Settle()
	b.put(pair.B, "trace text\nthread 1 name=only\n  0+5 main\n")
	b.Settle()
	if b.frame(); m.found.Pair == b.state().Pair && !m.shown {
		t.Error("nothing is shown for traces without that role")
	}
}

// TestMatrixScrolls holds that what is visible lies in the room for it, that every cell can be
// reached and that the cell at a point is the one that is drawn there.
func TestMatrixScrolls(t *testing.T) {
	var v matrixView
	v.fit(image.Pt(40, 60), image.Pt(300, 200), image.Pt(90, 50), 18, 40)
	if v.cell != 18 {
		t.Fatalf("cells are %d px wide", v.cell)
	}
	for _, to := range []image.Point{{0, 0}, {39, 59}, {20, 3}, {0, 59}, {39, 0}} {
		v.reveal(to)
		r := v.rect(to)
		if !r.In(image.Rectangle{Min: v.origin, Max: v.origin.Add(v.room)}) || !to.In(v.visible()) {
			t.Errorf("cell %v lies at %v; visible is %v", to, r, v.visible())
		}
		if got, ok := v.cellAt(r.Min.Add(image.Pt(5, 5))); !ok || got != to {
			t.Errorf("at %v there is %v", r.Min, got)
		}
	}
	if _, ok := v.cellAt(image.Pt(10, 10)); ok {
		t.Error("there is a cell among the labels")
	}
	if n := v.visible(); n.Dx() > 300/18+2 || n.Dy() > 200/18+2 {
		t.Errorf("%v are said to be visible", n)
	}
}
