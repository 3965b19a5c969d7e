package dock

import (
	"cmp"
	"context"
	"image"
	"slices"
	"strings"
	"testing"

	"gioui.org/layout"
	"gioui.org/op"
	"gioui.org/unit"

	"diptych/internal/account/explain"
	"diptych/internal/align/finding"
	"diptych/internal/command"
	"diptych/internal/match"
	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/session"
	"diptych/internal/typeface"
	"diptych/internal/ui/view"
	"diptych/internal/ui/words"
)

func TestFindingsLeadToWhatDiffers(t *testing.T) {
	b := newBench(t, runA, runB)
	list := b.state().Difference().Findings
	i := slices.IndexFunc(list, func(f explain.Finding) bool { return session.Places(&f) })
	if i < 0 {
		t.Fatalf("no finding of %+v has a place", list)
	}
	b.Click(list[i].Text)
	if b.findings().chosen != i || !b.state().Selected.OK {
		t.Errorf("chosen is %d, selected %+v", b.findings().chosen, b.state().Selected)
	}
}

// TestFindingsWithoutAPlaceAreReadWhole: no click would show the rest of one that is cut.
func TestFindingsWithoutAPlaceAreReadWhole(t *testing.T) {
	b := newBench(t, runA, runB)
	x := b.state().Difference().Findings[0]
	x.Text, x.Under = strings.Repeat("between their first call and their last, all threads are idle; ", 6), 0
	for _, placed := range []bool{true, false} {
		if !placed {
			x.At = [2]*finding.Place{}
		}
		gtx := layout.Context{Ops: new(op.Ops), Metric: unit.Metric{PxPerDp: 1, PxPerSp: 1},
			Constraints: layout.Constraints{Max: image.Pt(300, 1000)}}
		before := len(b.c.Kit.Cuts())
		b.findings().columns(b.c, gtx, &x, false, false)
		if cut := len(b.c.Kit.Cuts()) > before; cut != placed {
			t.Errorf("a long finding with a place: %t, and cut: %t", placed, cut)
		}
	}
}

// TestKindsHaveSigns holds that each kind of finding stands behind a sign that the font has.
func TestKindsHaveSigns(t *testing.T) {
	kinds := []string{"wait", "pace", "io", "idle", "offCpu", "overlap"}
	for k := finding.Burst; k > finding.Faster; k-- {
		kinds = append(kinds, k.String())
	}
	for _, k := range kinds {
		if s := signs[k]; s == "" || typeface.Width(s, 12, true) < 2 {
			t.Errorf("%s has the sign %q", k, s)
		}
	}
}

// finder is a view that has found something by itself.
type finder struct {
	view.View
	found []view.Finding
}

func (f *finder) Findings(*session.State) []view.Finding { return f.found }

// TestFindingsOfTheViewComeFirst holds that what the view beside the dock has found by itself leads
// to it, and that the other findings stay.
func TestFindingsOfTheViewComeFirst(t *testing.T) {
	b := newBench(t, runA, runB)
	shown := 0
	b.beside = &finder{found: []view.Finding{
		{Text: "workers wait more in B", Size: "1 ms to 2 ms", Show: func(*view.Context) { shown++ }}}}
	b.Settle()
	r := b.state().Difference()
	if own, other := b.Middle("workers wait more in B"), b.Middle(r.Findings[0].Text); own.Y >= other.Y {
		t.Errorf("the view's own is at %v, the other at %v", own, other)
	}
	b.Click("workers wait more in B")
	if shown != 1 || b.findings().chosen >= 0 {
		t.Errorf("it led there %d times, chosen is %d", shown, b.findings().chosen)
	}
	b.Click(r.Findings[0].Text)
	if b.findings().chosen != 0 {
		t.Errorf("chosen is %d", b.findings().chosen)
	}
}

// stages are two runs in three stages, each of which is a group.
var stages = []string{`trace text
thread 1 name=main
  0+3000 load
    0+1000 open
    1000+1000 read
  4000+3000 work
    4000+1000 parse
    5000+1000 eval
  8000+3000 save
    8000+1000 write
    9000+1000 sync
`, `trace text
thread 1 name=main
  0+3000 load
    0+1000 open
    1000+1000 read
  4000+5000 work
    4000+1000 parse
    5000+1000 eval
    6000+1000 print
  10000+3000 save
    10000+1000 write
    11000+1000 sync
`}

func TestGroupsAreFilteredAndSorted(t *testing.T) {
	b := newBench(t, stages...)
	b.dock.Show(Groups)
	b.frame()
	b.Settle()
	g := b.Panel(Groups).(*GroupList)
	list := b.state().Found.Groups.List
	if len(list) < 2 || g.listed() != len(list) {
		t.Fatalf("%d of %d groups", g.listed(), len(list))
	}
	least := func(row int) float64 { return min(g.rows[row].share[0], g.rows[row].share[1]) }
	if !slices.IsSortedFunc(g.table.Listed(), func(i, j int) int { return cmp.Compare(least(j), least(i)) }) {
		t.Error("those that cover most of the time are not first")
	}
	name, _ := words.GroupNames(b.state(), &list[len(list)-1])
	b.Write("Filter groups", name)
	for _, row := range g.table.Listed() {
		if !strings.Contains(g.rows[row].title, name) {
			t.Errorf("%q does not contain %q", g.rows[row].title, name)
		}
	}
	if g.listed() == 0 || g.listed() == len(list) {
		t.Errorf("the filter leaves %d of %d", g.listed(), len(list))
	}
}

// TestSingleMatchesShareARow: groups of one match each between the same functions are one row, which
// leads from one to the next.
func TestSingleMatchesShareARow(t *testing.T) {
	tasks := "trace text\nthread 1\n  0+100 a\n  200+100 task\n  400+50 task\n  500+10 task\n"
	b := newBench(t, tasks, strings.ReplaceAll(tasks, "0+100 a", "0+100 b"))
	b.dock.Show(Groups)
	b.frame()
	b.Settle()
	g := b.Panel(Groups).(*GroupList)
	list := b.state().Found.Groups.List
	if len(list) < 3 || len(g.rows) != 1 || len(g.rows[0].groups) != len(list) {
		t.Fatalf("%d groups are the rows %+v", len(list), g.rows)
	}
	seen := map[match.Group]bool{}
	for range list {
		b.Click("Show group " + g.rows[0].title)
		seen[g.chosen] = true
	}
	if len(seen) != len(list) {
		t.Errorf("of %d groups it shows %d", len(list), len(seen))
	}
}

// TestRowsOfGroupsAreToldApart: by threads, by callers, and where both are the same, by when their
// calls start.
func TestRowsOfGroupsAreToldApart(t *testing.T) {
	group := func(at, name string) string {
		return strings.ReplaceAll("  @+400 "+name+"\n    @+100 open\n    @+10 read\n", "@", at)
	}
	in := func(thread string, groups ...string) string {
		return "thread " + thread + "\n" + strings.Join(groups, "")
	}
	under := func(caller, at, group string) string { // a caller that is like no other
		text := "  " + at + "+480 " + caller + "\n"
		for i := range 20 {
			text += "    " + at + "+0 " + caller + strings.Repeat("x", i+1) + "\n"
		}
		for line := range strings.Lines(group) {
			text += "  " + line
		}
		return text
	}
	for _, c := range []struct {
		a, b string
		want []string
	}{
		{in("1 name=main", group("0", "load"), group("500", "save")), "", []string{"load", "save"}},
		{in("1 name=worker", group("0", "job")) + in("2 name=worker", group("0", "job")), "",
			[]string{"job  ·  worker (1)", "job  ·  worker (2)"}},
		{in("1 name=main", group("0", "job"), group("500", "job")), "",
			[]string{"job  ·  at 0 ns", "job  ·  at 500 ns"}},
		{in("1 name=main", under("first", "0", group("0", "job")), under("second", "500", group("500", "job"))),
			in("1 name=main", under("third", "0", group("0", "job")), under("fourth", "500", group("500", "job"))),
			[]string{"job  ·  called by first | called by third", "job  ·  called by second | called by fourth"}},
	} {
		b := newBench(t, "trace text\n"+c.a, "trace text\n"+cmp.Or(c.b, c.a))
		b.c.S.ShowProcess(true)
		b.dock.Show(Groups)
		b.frame()
		b.Settle()
		var titles []string
		for _, row := range b.Panel(Groups).(*GroupList).rows {
			titles = append(titles, row.title)
		}
		for _, want := range c.want {
			if !slices.Contains(titles, want) {
				t.Errorf("%q is missing among %q", want, titles)
			}
			b.Click("Show group " + want)
		}
		if slices.Sort(titles); len(slices.Compact(slices.Clone(titles))) != len(titles) {
			t.Errorf("rows are alike: %q", titles)
		}
	}
}

func TestChoosingAGroupRaisesItsCalls(t *testing.T) {
	b := newBench(t, stages...)
	b.dock.Show(Groups)
	b.frame()
	b.Settle()
	a, other := words.GroupNames(b.state(), &b.state().Found.Groups.List[0])
	if a != other {
		a += "  |  " + other
	}
	b.Click("Show group " + a)
	st := b.state()
	sought := b.c.S.Sought()
	if !st.Selected.OK || sought[pair.A] != st.Selected || !sought[pair.B].OK {
		t.Errorf("selected %+v, sought %+v", st.Selected, sought)
	}
}

// TestSteppingThroughGroups checks that the keys go round the list from wherever they begin, and that
// the groups are looked for when a key first asks for them.
func TestSteppingThroughGroups(t *testing.T) {
	b := newBench(t, stages...)
	g := b.Panel(Groups).(*GroupList)
	if len(b.state().Found.Groups.List) > 0 {
		t.Error("groups were looked for that nothing shows")
	}
	chosen := func() int {
		return slices.IndexFunc(g.of, func(s match.Summary) bool { return s.Group == g.chosen })
	}
	g.Step(b.c, -1)
	b.Settle()
	if at := chosen(); len(g.of) < 3 || at != len(g.of)-1 {
		t.Fatalf("a step back into groups that were not known led to group %d of %d", at, len(g.of))
	}
	for _, by := range []int{+1, -1} {
		b.c.S.Select(session.Target{})
		seen := map[int]int{}
		n := len(b.state().Found.Groups.List)
		for range n {
			g.Step(b.c, by)
			b.Settle()
			seen[chosen()]++
		}
		if n < 3 || len(seen) != n || seen[-1] > 0 || b.dock.Tab() != Groups {
			t.Errorf("by %d: of %d groups it shows %v", by, n, seen)
		}
	}
}

// TestProblemsTellFaults checks that a job which panics is told of until it is dismissed.
func TestProblemsTellFaults(t *testing.T) {
	b := newBench(t, runA, runB)
	faulty := session.Result[int, int]{Slot: "faulty", Label: "Trying",
		Key:  func(*session.State) (int, bool) { return 1, true },
		Find: func(context.Context, int, progress.Func) (int, error) { panic("what a pity") }}
	b.c.S.Register(session.Kind{View: session.Matches, Wants: []session.Wanted{faulty.Wanted()}})
	b.c.S.SetDark(true)
	b.Settle()
	if n := words.Problems(b.state()); n != 2 {
		t.Fatalf("%d problems", n)
	}
	b.Click("Problems 2")
	if b.Click("Dismiss the faults"); len(b.state().Faults) != 0 {
		t.Error("the fault stays")
	}
	if !slices.Contains(b.Labels(), "Problems 1") {
		t.Errorf("the tab does not count them: %q", b.Labels())
	}
}

// TestTracesThatCannotBeCompared checks that all lists that compare say why they are empty.
func TestTracesThatCannotBeCompared(t *testing.T) {
	b := newBench(t, runA, "trace text unit=bytes\nthread 1\n  0+1 main\n")
	st := b.state()
	if st.Apart == nil || words.Problems(st) != 2 {
		t.Fatalf("apart %v, %d problems", st.Apart, words.Problems(st))
	}
	if !strings.Contains(words.Apart(st), st.Apart.Error()[1:]) {
		t.Errorf("it says %q", words.Apart(st))
	}
	for _, id := range []string{Findings, Groups, Threads, Problems} {
		b.dock.Show(id)
		b.frame()
	}
	if n := len(b.problems().rows(b.c, st)); n != 2 {
		t.Errorf("%d problems are listed", n)
	}
}

// TestEveryTabCanBeShownInEveryState lays out every tab with nothing, one trace and two.
func TestEveryTabCanBeShownInEveryState(t *testing.T) {
	for _, src := range [][]string{nil, {runA}, {runA, runB}} {
		b := newBench(t, src...)
		for _, id := range []string{Findings, Details, Groups, Threads, Functions, Problems} {
			b.dock.Show(id)
			if b.frame(); b.dock.Tab() != id && len(src) != 1 {
				t.Errorf("%d traces: %s is not shown", len(src), id)
			}
		}
	}
}

func TestGroupsTabIsACommand(t *testing.T) {
	tab := GroupsTab()
	if tab.Open != command.ShowGroups || tab.Before != Threads || tab.ID != Groups {
		t.Errorf("%+v", tab)
	}
	for _, tab := range own {
		if command.NewTable().Get(tab.Open) == nil {
			t.Errorf("no command shows %s", tab.ID)
		}
	}
}
