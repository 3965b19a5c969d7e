package threads

import (
	"cmp"
	"context"
	"image"
	"slices"
	"strings"
	"testing"

	"gioui.org/io/key"
	"gioui.org/layout"
	"gioui.org/op"
	"gioui.org/unit"

	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/traceio/text/texttest"
	"diptych/internal/typeface"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/words"
	"diptych/internal/wait/table"
)

// all returns all lines of the kind that is shown.
func (l *Waits) all() []*table.Row {
	return l.table.Rows(table.Kind(l.kind), table.ByName)
}

// label returns the label of a line.
func (l *Waits) label(r *table.Row) string { return "Show waits " + titleOf(r, r.Title()) }

// TestOnlyShownThreadsHaveAColour: the line of a hidden thread has no dot, since nothing has its
// colour.
func TestOnlyShownThreadsHaveAColour(t *testing.T) {
	b := circles(t)
	line := b.pane.circle.arr.Lines[0][0]
	marked := func() (n, of int) {
		for _, r := range b.waits.all() {
			if r.Line == line {
				of++
				if _, ok := b.waits.mark(b.C, b.C.Kit, r); ok {
					n++
				}
			}
		}
		return n, of
	}
	if n, of := marked(); of == 0 || n != of {
		t.Fatalf("%d of %d lines of a thread have its colour", n, of)
	}
	b.C.S.HideLines(line)
	b.Show()
	if n, _ := marked(); n > 0 {
		t.Errorf("%d lines of a hidden thread have a colour", n)
	}
}

func TestTableLeadsToTheLongestWait(t *testing.T) {
	b := circles(t)
	l := b.waits
	c, rows := b.State().ComparedWaits(), l.all()
	if len(rows) != len(c.Rows) {
		t.Fatalf("%d lines for %d rows", len(rows), len(c.Rows))
	}
	var ns [2]int64
	for _, r := range rows {
		for s := range ns {
			ns[s] += r.WaitNs[s]
		}
	}
	for s, a := range c.Sides {
		var want int64
		for _, e := range a.Edges {
			want += e.WaitNs
		}
		if ns[s] != want {
			t.Errorf("side %d: the table sums up to %d, the analysis to %d", s, ns[s], want)
		}
	}
	row := l.Lines()[0]
	b.Click(l.label(row))
	st := b.State()
	lead, _ := lastOf(st, row.Longest)
	a := st.WaitsOf(lead)
	w := row.Longest[lead]
	if !st.Selected.OK || st.Selected.Side != lead || a.Waits.Find(st.Selected.Ref) != w {
		t.Fatalf("selected is %+v, want wait %d of %s", st.Selected, w, lead)
	}
	if b.focus(lead) != a.Trace.Threads[a.Waits.Thread[w]].ID {
		t.Errorf("in the middle is %s", b.focus(lead))
	}
	f := st.Sides[lead].Focus
	if !f.Contains(float64(a.Waits.Start[w])) || !f.Contains(float64(a.Waits.End[w])) ||
		f.Len() > 2.1*float64(a.Waits.Dur(w))+100 {
		t.Errorf("in sight is %v of a wait from %d to %d", f, a.Waits.Start[w], a.Waits.End[w])
	}
	b.Strike("J")
	if l.Chosen() != l.Lines()[1].Key {
		t.Error("J does not go to the next line")
	}
	b.Strike("K")
	if l.Chosen() != row.Key {
		t.Error("K does not go back")
	}
}

// lastOf returns the side with the longer of two waits.
func lastOf(st *session.State, waits [2]int) (side pair.Side, ns int64) {
	ns = -1
	for _, s := range []pair.Side{pair.A, pair.B} {
		if waits[s] >= 0 && st.WaitsOf(s).Waits.Dur(waits[s]) > ns {
			side, ns = s, st.WaitsOf(s).Waits.Dur(waits[s])
		}
	}
	return side, ns
}

func TestTableIsFilteredSortedAndAddedUp(t *testing.T) {
	b := circles(t)
	l := b.waits
	b.Click("Filter waits")
	b.Queue(key.EditEvent{Text: "consumer"})
	b.Settle()
	if n := len(l.Lines()); n == 0 || n == len(l.all()) {
		t.Fatalf("%d of %d lines are left", n, len(l.all()))
	}
	for _, r := range l.Lines() {
		if !strings.Contains(strings.ToLower(r.Key), "consumer") {
			t.Errorf("line %q is left", r.Key)
		}
	}
	b.Click("Sort by time waited in B")
	lines := l.Lines()
	first := slices.IndexFunc(lines, func(r *table.Row) bool { return r.Last })
	if first < 0 {
		first = len(lines)
	}
	byTime := func(x, y *table.Row) int { return cmp.Compare(y.WaitNs[pair.B], x.WaitNs[pair.B]) }
	if !slices.IsSortedFunc(lines[:first], byTime) || !slices.IsSortedFunc(lines[first:], byTime) ||
		slices.ContainsFunc(lines[first:], func(r *table.Row) bool { return !r.Last }) {
		t.Error("not sorted by the time waited in B")
	}
	whole := l.Copy(kit.TSV, true)
	if rows := strings.Split(strings.TrimSpace(whole), "\n"); len(rows) != len(lines)+1 ||
		!strings.HasPrefix(rows[0], "waiter, releaser\tB − A (ns)\t") {
		t.Errorf("copied is %q", whole)
	}
	b.Click("Waits by role of the threads")
	var n [2]uint64
	for _, r := range l.all() {
		n[0], n[1] = n[0]+r.Count[0], n[1]+r.Count[1]
	}
	for s, a := range b.State().ComparedWaits().Sides {
		var want uint64
		for _, e := range a.Edges {
			want += e.Count
		}
		if n[s] != want {
			t.Errorf("by role side %d has %d waits, want %d", s, n[s], want)
		}
	}
	b.Click("How long each thread waited in all")
	for _, r := range l.all() {
		if r.Line < 0 || r.Who[1] != "" {
			t.Errorf("total %+v", r)
		}
	}
}

// TestDeadlocksAndEndlessWaitsStandOnTop checks that the table tells first what hangs.
func TestDeadlocksAndEndlessWaitsStandOnTop(t *testing.T) {
	s := session.New(func() {})
	s.Put(pair.A, "hangs", texttest.Parse(t, texttest.Hang))
	s.SetView(session.Threads)
	s.Settle(context.Background())
	b := benchOf(t, s)
	b.Click("Show the deadlock in A")
	if st := b.State(); !st.Selected.OK || st.FunctionName(st.Selected) != "mutex_lock" {
		t.Errorf("the deadlock leads to %+v", st.Selected)
	}
	b.Click("List waits that never ended")
	b.Click("Show A  c in sem_wait in main since 7 ns")
	if st := b.State(); !st.Selected.OK || st.FunctionName(st.Selected) != "sem_wait" {
		t.Errorf("the wait that never ended leads to %+v", st.Selected)
	}
	text := strings.Join(b.Labels(), "\n")
	for _, want := range []string{"Deadlock in A: ", "a waits for mutex n, which ", "A 1", "critical path"} {
		if !strings.Contains(text, want) {
			t.Errorf("the table lacks %q", want)
		}
	}
}

// TestLinesSayForWhat: where a line has no room for all, it says on what the threads wait rather than
// what they are, which is the same for all waits of the two. Without notes there is no column of them.
func TestLinesSayForWhat(t *testing.T) {
	b, told := circles(t), 0
	for row, r := range b.waits.rows {
		if r.Object == "" || r.Roles == "" {
			continue
		}
		room := typeface.Width(r.Title(), 12, false) + 70
		if got := b.waits.shorten(row, room, 12); !strings.Contains(got, " · "+r.Object[:4]) &&
			!strings.Contains(got, "  ·  "+r.Object[:4]) {
			t.Errorf("%s for %s is shown as %q", r.Title(), r.Object, got)
		}
		told++
	}
	if told < 5 {
		t.Errorf("%d lines have roles and objects", told)
	}
	for _, same := range []bool{true, false} {
		b := newBench(t, "uftrace/queue-2p2c.data.tar.gz", map[bool]string{true: "uftrace/queue-2p2c.data.tar.gz",
			false: "uftrace/queue-1p3c.data.tar.gz"}[same])
		noted := slices.ContainsFunc(b.waits.columns(b.C, b.State()), func(c kit.Column) bool { return c.Title == "note" })
		if noted == same {
			t.Errorf("two traces that are the same: %t, and notes: %t", same, noted)
		}
	}
}

// TestTheCriticalPathHasNames: in a narrow dock B − A gives way, not what the lengths are of.
func TestTheCriticalPathHasNames(t *testing.T) {
	b := circles(t)
	for _, width := range []int{212, 290, 360} {
		gtx := layout.Context{Ops: new(op.Ops), Metric: unit.Metric{PxPerDp: 1, PxPerSp: 1},
			Constraints: layout.Constraints{Max: image.Pt(width, 400)}}
		before := len(b.C.Kit.Cuts())
		new(waitNotes).critical(b.C, b.State())(gtx)
		for _, cut := range b.C.Kit.Cuts()[before:] {
			t.Errorf("%d px wide: %q is cut after %d letters", width, cut.Text, cut.Shown)
		}
	}
}

// TestOnlyWhatThereIsIsExplained holds that a profile has neither a critical path nor a legend, and
// that the legend of a trace explains nothing that it lacks.
func TestOnlyWhatThereIsIsExplained(t *testing.T) {
	explained := func(b *bench) (labels []string) {
		of := b.pane.halves[pair.A].shown.Prepared
		for _, e := range legendEntries(b.State(), of, b.C.Kit.Pal) {
			labels = append(labels, e.Label)
		}
		return labels
	}
	b := newBench(t, "pprof/pipeline-level1.cpu.pprof", "pprof/pipeline-level9.cpu.pprof")
	if text := strings.Join(b.Labels(), "\n"); strings.Contains(text, "critical path") {
		t.Error("a profile has a critical path")
	}
	if got := explained(b); len(got) > 0 {
		t.Errorf("the legend of a profile explains %q", got)
	}
	if got := words.WaitCounts(b.State()) + words.ChangedPairs(shownBy(b.C).changes); got != "" {
		t.Errorf("of a profile %q is counted", got)
	}
	for _, l := range b.pane.halves[pair.A].view.Scene.Layers {
		for _, text := range l.Texts {
			if strings.HasPrefix(text.Text, "waiting ") || strings.Contains(text.Text, " of 0 waits") {
				t.Errorf("a profile says %q", text.Text)
			}
		}
	}
	const one = "trace text\nthread 1\n  "
	for _, c := range []struct{ calls, want string }{
		{one + "0+9 main", "running"},
		{one + "0+9 main\n    1+2 sem_wait wait=s", "neither, waiting, running"},
		{texttest.Hang, "neither, waiting, never released, running"},
	} {
		s := session.New(func() {})
		s.Put(pair.A, "a", texttest.Parse(t, c.calls))
		s.SetView(session.Threads)
		s.Settle(context.Background())
		if got := strings.Join(explained(benchOf(t, s)), ", "); got != c.want {
			t.Errorf("of %q the legend explains %q, want %q", c.calls, got, c.want)
		}
	}
}
