package fleet

import (
	"context"
	"errors"
	"fmt"
	"image"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gioui.org/io/key"
	"gioui.org/layout"

	"diptych/internal/batch"
	"diptych/internal/batch/fleet"
	"diptych/internal/session"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/ui/uitest"
	"diptych/internal/ui/uitest/viewtest"
	"diptych/internal/ui/view"
)

// Ten pairs, of which one is slow in B and one cannot be read.
const pairs, slow, broken = 10, 3, 8

// written writes a batch and returns its directory.
func written(t *testing.T) string { return writtenWith(t, func(string) string { return "step" }) }

// writtenWith writes it with steps that have names of their own in each pair.
func writtenWith(t *testing.T, step func(pair string) string) string {
	t.Helper()
	dir := t.TempDir()
	m := &batch.Manifest{Path: filepath.Join(dir, "pairs.csv")}
	for k := range pairs {
		m.Pairs = append(m.Pairs, batch.Pair{Name: fmt.Sprint(k), A: fmt.Sprint("a", k), B: fmt.Sprint("b", k)})
	}
	o := batch.Options{Workers: 1, Shard: batch.Whole}
	o.Load = func(_ context.Context, path string) (*trace.Trace, error) {
		name := filepath.Base(path)
		if name == fmt.Sprint("b", broken) {
			return nil, errors.New("it is torn")
		}
		var steps []any
		for k := range 10 {
			ms := 10.
			if name == fmt.Sprint("b", slow) && k == 6 {
				ms = 50
			}
			steps = append(steps, fmt.Sprint(step(name[1:]), k), ms)
		}
		return testtrace.Script(t, steps...), nil
	}
	out := filepath.Join(dir, "out")
	if _, err := batch.Run(t.Context(), m, out, o); err != nil {
		t.Fatal(err)
	}
	return out
}

// bench is a page with its lists at the right, if they have a place.
type bench struct {
	uitest.User
	page   *Page
	c      *view.Context
	side   image.Rectangle
	width  int // of the matrix
	visits []Visit
}

func newBench(t *testing.T, dir string) *bench {
	b := &bench{side: image.Rect(700, 0, 1100, 700), width: 690}
	s := session.New(func() {})
	b.c = viewtest.New(t, s, view.Row{}, nil, nil).C
	b.page = New(dir, func(v Visit) { b.visits = append(b.visits, v) })
	b.page.Read(s)
	show := func() {
		b.LayOut(layout.Exact(image.Pt(1100, 700)), func(gtx layout.Context) {
			b.c.Kit.Begin(uitest.Metric, image.Pt(1100, 700))
			s.Drain()
			b.page.Update(b.c, gtx)
			b.page.Build(b.c, image.Rect(0, 0, b.width, 700))
			b.page.Layout(b.c, gtx, b.side)
		})
	}
	b.User = uitest.User{T: t, Show: show, Settle: func() {
		s.Settle(context.Background())
		show()
		show()
	}}
	b.Settle()
	return b
}

// at returns the middle of a cell in the window.
func (b *bench) at(row, bucket int) image.Point {
	r := b.page.matrix.view.Rect(row, row+1, bucket, bucket+1)
	return image.Pt(int(r.X0+r.X1)/2, int(r.Y0+r.Y1)/2).Add(b.page.matrix.area.Min)
}

// last returns what was opened last, and how much was.
func (b *bench) last() (Visit, int) {
	if len(b.visits) == 0 {
		return Visit{}, 0
	}
	return b.visits[len(b.visits)-1], len(b.visits)
}

func TestPage(t *testing.T) {
	b := newBench(t, written(t))
	if !b.page.Ready() || b.page.About() != "10 pairs  ·  2 clusters  ·  1 outlier  ·  1 failed" {
		t.Fatalf("the batch holds %q; %v", b.page.About(), b.page.err)
	}
	for _, c := range []struct {
		name string
		test func(*testing.T, *bench)
	}{{"cells", opensCells}, {"names", namesPairs}, {"lists", opensEntries}, {"marks", marksRows}, {"rows", movesRows},
		{"quantities", choosesQuantities}, {"counts", countsBoth}, {"scale", tellsTheScale}} {
		t.Run(c.name, func(t *testing.T) {
			b.T, b.visits = t, nil
			c.test(t, b)
		})
	}
}

// tellsTheScale: in a narrow pane the bar of colours gives way, not the words at its ends.
func tellsTheScale(t *testing.T, b *bench) {
	defer func(was int) { b.width = was }(b.width)
	for b.width = 460; b.width < 700; b.width += 60 {
		for q := range quantityNames[1:] { // "equal" has a long other end
			b.Click(quantityNames[q+1])
			b.Settle()
			low, high := limits(b.page.matrix.quantity, &b.page.content.grid.Quantities[b.page.matrix.quantity])
			for _, cut := range b.c.Kit.Cuts() {
				if cut.Text == low || cut.Text == high {
					t.Errorf("%d px wide: %q is cut after %d letters", b.width, cut.Text, cut.Shown)
				}
			}
		}
	}
}

// opensCells: each row opens its own pair, the slow one in its slow step at the call that is slow.
func opensCells(t *testing.T, b *bench) {
	for row, k := range b.page.content.Matrix.Pairs {
		at := b.at(row, 20)
		b.Move(at)
		if said := b.page.Hovered(); !strings.HasPrefix(said, fmt.Sprintf("Pair %d", k)) {
			t.Errorf("row %d: %q", row, said)
		}
		b.ClickAt(at)
		if v, _ := b.last(); v.Name != fmt.Sprint("Pair ", k) || filepath.Base(v.Paths[0]) != fmt.Sprint("a", k) {
			t.Errorf("row %d opens %+v", row, v)
		}
	}
	row := b.page.content.rows[slow]
	x := b.page.content.grid.Rows[row]
	b.ClickAt(b.at(row, (x.From+x.To)/2))
	v, _ := b.last()
	if s := v.At.Spans[1]; s.Start > 60e6 || s.End < 110e6 || v.At.Calls[1].Thread == "" {
		t.Errorf("the slow step opens %+v", v.At)
	}
	_, n := b.last()
	b.Drag(b.at(0, 20), b.at(3, 20), 0)
	if _, now := b.last(); now != n {
		t.Error("a drag opens a pair")
	}
}

// countsBoth: the tab of outliers counts pairs that only wait unlike the others by themselves, as they
// are listed below the outliers.
func countsBoth(t *testing.T, b *bench) {
	c := *b.page.content
	if title := c.title(outliers); title != "Outliers 1" {
		t.Error(title)
	}
	c.unlike = append(slices.Clone(c.unlike), 0, 1)
	if title := c.title(outliers); title != "Outliers 1 + 2" {
		t.Error(title)
	}
}

// namesPairs: beside the cells, over the names of the rows, no time is told.
func namesPairs(t *testing.T, b *bench) {
	for row, k := range b.page.content.Matrix.Pairs {
		at := b.at(row, 0)
		at.X = b.page.matrix.area.Min.X + 10
		b.Move(at)
		said := b.page.Hovered()
		if !strings.HasPrefix(said, fmt.Sprintf("Pair %d", k)) || strings.Contains(said, "of the run:") ||
			!strings.Contains(said, "A 100 ms, B ") {
			t.Errorf("row %d: %q", row, said)
		}
	}
}

// TestTheTabCountsWhatItLists: pairs that only wait unlike the others are listed behind the outliers,
// so the tab tells of them, too.
func TestTheTabCountsWhatItLists(t *testing.T) {
	c := content{Fleet: &fleet.Fleet{Outliers: []int{1, 2, 3}, Waiting: []int{5, 6}}, unlike: []int{1, 2, 3, 5, 6}}
	if got := c.title(outliers); got != "Outliers 3 + 2" {
		t.Error(got)
	}
	c.Outliers, c.unlike = nil, []int{5, 6}
	if got := c.title(outliers); got != "Outliers 2" {
		t.Error(got)
	}
}

// TestDiverseBatch: pairs that have little in common are listed by what changed in each, and a click
// opens a pair where it did.
func TestDiverseBatch(t *testing.T) {
	b := newBench(t, writtenWith(t, func(pair string) string { return "of " + pair + " step" }))
	if said := b.page.About(); said != "10 pairs  ·  little in common  ·  2 clusters  ·  1 outlier  ·  1 failed" {
		t.Errorf("the batch holds %q", said)
	}
	c := b.page.content
	if c.title(outliers) != "Changed 9" || c.unlike[0] != slow {
		t.Errorf("%s, %v", c.title(outliers), c.unlike)
	}
	if e := b.page.entry(outliers, 0); !strings.HasPrefix(e.text, "unlike the others: B takes 1.40× as long as A (+40.0 ms; ") {
		t.Error(e.text)
	}
	if e := b.page.entry(outliers, 1); e.text != "B takes as long as A" {
		t.Error(e.text)
	}
	b.Click("Pairs by what changed")
	b.Click("Open Pair 3")
	v, _ := b.last()
	if s := v.At.Spans[1]; v.Name != "Pair 3" || s.Start > 60e6 || s.End < 110e6 {
		t.Errorf("it opens %+v", v)
	}
	b.Click("Open Pair 0")
	if v, _ := b.last(); v.Name != "Pair 0" {
		t.Errorf("it opens %+v", v)
	}
	for k := range c.Clusters {
		if e := b.page.entry(clusters, k); !strings.Contains(e.text, "on average") || !strings.HasSuffix(e.value, "%") {
			t.Errorf("%s, %s", e.text, e.value)
		}
	}
	if said := c.functionText(&c.Functions[0]); said != "in Pair 3 only" {
		t.Error(said)
	}
}

// opensEntries: what stands in a list opens its pair; the function is looked for.
func opensEntries(t *testing.T, b *bench) {
	for _, c := range []struct{ list, entry, pair, find string }{
		{"Pairs unlike the others", "Open Pair 3", "Pair 3", ""},
		{"Functions over all pairs", "Open step6", "Pair 3", "step6"},
		{"Pairs that failed", "Open Pair 8", "Pair 8", ""},
	} {
		b.Click(c.list)
		b.Click(c.entry)
		if v, _ := b.last(); v.Name != c.pair || v.At.Find != c.find {
			t.Errorf("%s opens %+v", c.entry, v)
		}
	}
	b.Click("Pairs unlike the others")
}

// marksRows: a row stands out while its pair is pointed at, and no longer once the lists are closed.
func marksRows(t *testing.T, b *bench) {
	at, row := b.Middle("Open Pair 3"), b.page.content.rows[slow]
	b.Move(at)
	if b.page.matrix.marked != row {
		t.Errorf("row %d stands out, want %d", b.page.matrix.marked, row)
	}
	side := b.side
	b.side = image.Rectangle{}
	b.Settle()
	if b.page.matrix.marked != none {
		t.Errorf("row %d stands out though there are no lists", b.page.matrix.marked)
	}
	b.side = side
	b.Settle()
}

// movesRows: the wheel holds the row under the pointer; rows go no further than their ends.
func movesRows(t *testing.T, b *bench) {
	m := &b.page.matrix
	b.side = image.Rectangle{}
	for range 60 {
		b.page.Zoom(4)
		b.page.Scroll(1)
		b.Settle()
	}
	if v := m.view; v.Top < 0 || v.Top+float64(v.Plot.H()/v.Height) > float64(len(b.page.content.rows)) {
		t.Errorf("rows begin at %v, %v px each of %v", v.Top, v.Height, v.Plot.H())
	}
	b.page.ShowAll()
	b.Settle()
	at := b.at(2, 50)
	b.Scroll(at, 0, -2, 0)
	b.Scroll(at, 0, 5, key.ModShift)
	if said := b.page.Hovered(); m.zoom < 1 || said == "" {
		t.Errorf("zoom %v, %q", m.zoom, said)
	}
	b.page.ShowAll()
	b.side = image.Rect(700, 0, 1100, 700)
	b.Settle()
	if m.zoom != 1 || m.top != 0 {
		t.Errorf("zoom %v from %v", m.zoom, m.top)
	}
}

// choosesQuantities: by their buttons, and one after the other.
func choosesQuantities(t *testing.T, b *bench) {
	for q, name := range quantityNames {
		b.Click(name)
		if int(b.page.matrix.quantity) != q || b.page.matrix.built.state.Quantity != q {
			t.Errorf("%s shows %v", name, b.page.matrix.quantity)
		}
	}
	b.page.NextQuantity()
	if b.page.matrix.quantity != 0 {
		t.Errorf("after the last there is %v", b.page.matrix.quantity)
	}
}

// TestUnreadBatch: a directory without a batch says so, and is read again when asked for.
func TestUnreadBatch(t *testing.T) {
	b := newBench(t, t.TempDir())
	if b.page.Ready() || b.page.err == nil || b.page.About() != "" || b.page.Scenes() != nil {
		t.Fatalf("%v, %q", b.page.err, b.page.About())
	}
	b.page.Path = written(t)
	b.Click("Read the batch again")
	if !b.page.Ready() || b.page.err != nil || len(b.page.Scenes()) != 1 {
		t.Errorf("it is not read again: %v", b.page.err)
	}
}
