package dock

import (
	"cmp"
	"image"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gioui.org/io/key"

	"diptych/internal/align"
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/stats"
	"diptych/internal/trace"
	"diptych/internal/traceio/text/texttest"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
)

// copied returns the table that a tab shows, by row and column.
func (b *bench) copied(tab string) map[string]map[string]string {
	b.T.Helper()
	text := b.dock.Panel(tab, b.row).(view.Copier).Copy(kit.TSV, true)
	lines := strings.Split(strings.TrimSpace(text), "\n")
	heads, rows := strings.Split(lines[0], "\t"), map[string]map[string]string{}
	for _, line := range lines[1:] {
		cells := strings.Split(line, "\t")
		row := map[string]string{}
		for k, cell := range cells {
			row[heads[k]] = cell
		}
		rows[cells[0]] = row
	}
	return rows
}

// TestRangeIsCounted: selecting a range turns to its tab, whose numbers are those counted by hand.
func TestRangeIsCounted(t *testing.T) {
	b := newBench(t, runA, runB)
	b.dock.Show(Functions)
	b.c.S.SetLock(session.FromStart, pair.A)
	b.Settle()
	b.c.S.SelectRange(pair.A, geom.Span{Start: 2000, End: 4800})
	if b.Settle(); b.dock.Tab() != Range {
		t.Fatalf("it shows %q", b.dock.Tab())
	}
	rows := b.copied(Range)
	// A: parse runs from 1000 to 5000, of which it waits from 1500 to 4500. B: the same span of its
	// own time, in which parse has no callees.
	for name, want := range map[string]string{"self A (ns)": "300", "total A (ns)": "2800",
		"calls A": "1", "waits A (ns)": "2500", "self B (ns)": "2800", "calls B": "1", "self B − A (ns)": "2500"} {
		if got := rows["parse"][name]; got != want {
			t.Errorf("parse: %s is %q, want %s", name, got, want)
		}
	}
	if _, ok := rows["log"]; ok || rows["lock"]["self A (ns)"] != "2500" || rows["lock"]["self B (ns)"] != "" {
		t.Errorf("the rows are %v", rows)
	}
	b.Click("Go to parse")
	if st := b.state(); st.FunctionName(st.Selected) != "parse" {
		t.Errorf("selected is %+v", st.Selected)
	}
	b.Click("Clear the range")
	if b.state().Range.OK {
		t.Error("the range stays")
	}
}

// TestFunctionsAreStudied: from a row to its histogram, a bin, its calls, and one of them; the same
// from the details of a call.
func TestFunctionsAreStudied(t *testing.T) {
	b := newBench(t, runA, runB)
	b.dock.Show(Functions)
	b.frame()
	b.Settle()
	b.Click("Go to parse")
	b.Click("Durations of the function's calls")
	h, ok := foundDurations.Of(b.state())
	if !ok || h.Sides[pair.A].Calls != 1 || h.Sides[pair.B] != (stats.Durations{Calls: 2, Least: 1000,
		Most: 6000, Median: 1000, P95: 6000}) {
		t.Fatalf("the histogram is %+v", h)
	}
	k := slices.IndexFunc(h.Bins, func(bin stats.Bin) bool { return bin.From <= 6000 && 6000 < bin.To })
	bin := b.functions().durations.shown.Bins[k]
	box, _ := b.Find("Histogram of durations")
	b.ClickAt(box.Min.Add(image.Pt(int(bin.X0+bin.X1)/2, int(bin.Y0+bin.Y1)/2)))
	b.Click("Show call B  Producer")
	st := b.state()
	if th, i := st.Call(st.Selected); st.Selected.Side != pair.B || th.Dur(i) != 6000 {
		t.Errorf("selected is %+v", st.Selected)
	}
	b.Click("Go to open")
	if study, ok := b.state().Studied(); !ok || study.Of.Names[study.ID] != "open" {
		t.Error("the durations are not those of the function under the cursor")
	}
	b.Click("Hide the durations")
	if _, ok := b.state().Studied(); ok {
		t.Error("the durations stay")
	}
	b.selectCall(pair.A, "post", 0)
	b.dock.Show(Details)
	b.frame()
	b.Click("Durations of all calls of the function")
	if study, ok := b.state().Studied(); !ok || study.Of.Names[study.ID] != "post" || b.dock.Tab() != Functions {
		t.Errorf("it shows %q", b.dock.Tab())
	}
}

// TestFunctionsAreCountedWhenTheyAreShown: neither before nor too late to study one of them.
func TestFunctionsAreCountedWhenTheyAreShown(t *testing.T) {
	b := newBench(t, runA, runB)
	b.selectCall(pair.A, "post", 0)
	b.dock.Show(Details)
	b.frame()
	b.Settle()
	if _, ok := foundFunctions.Last(b.state()); ok {
		t.Error("functions are counted that nothing lists")
	}
	b.Click("Durations of all calls of the function")
	b.Settle()
	table := &b.functions().table
	if study, ok := b.state().Studied(); !ok || study.Of.Names[study.ID] != "post" || table.of(table.Cursor()).ID != study.ID {
		t.Errorf("studied is %+v", study)
	}
}

// TestProfilesHaveNoDurations: the panel says why there is no histogram.
func TestProfilesHaveNoDurations(t *testing.T) {
	profile := "trace text profile unit=bytes\nthread 1\n  0+10 main\n    2+5 alloc\n"
	b := newBench(t, profile, profile)
	if !b.state().Profile() {
		t.Fatal("it is no profile")
	}
	b.dock.Show(Functions)
	b.frame()
	b.Settle()
	b.Click("Go to alloc")
	b.Click("Durations of the function's calls")
	if _, ok := foundDurations.Of(b.state()); ok {
		t.Error("a profile has a histogram of durations")
	}
	b.Click("Hide the durations")
}

// TestStacksOfProfilesArePaired: the columns of the alignment speak of stacks, too.
func TestStacksOfProfilesArePaired(t *testing.T) {
	const profile = "trace text profile unit=Ir\nthread 1\n  0+10 main\n    2+5 look\n"
	b := newBench(t, profile, strings.ReplaceAll(profile, "+5", "+7"))
	b.dock.Show(Functions)
	b.frame()
	b.Settle()
	columns, _ := functionColumns{b.state(), b.functions().table.counted}.list([]align.Difference{{}})
	paired := 0
	for _, c := range columns {
		if about := cmp.Or(c.About, c.Title); strings.Contains(about, "call") {
			t.Errorf("a column says %q", about)
		} else if strings.Contains(about, "paired stacks") {
			paired++
		}
	}
	if paired == 0 {
		t.Error("no column is about paired stacks")
	}
}

// TestCallsOfProfilesAreCounted: a call of a profile is a stack, and says nothing of how often a
// function was called, unless the recorder counted that.
func TestCallsOfProfilesAreCounted(t *testing.T) {
	const profile = "trace text profile unit=Ir\nthread 1\n  0+10 main\n    2+5 look\n      2+1 hash\n    8+1 hash\n"
	b := newBench(t, profile, profile)
	b.dock.Show(Functions)
	b.frame()
	b.Settle()
	if hash := b.copied(Functions)["hash"]; hash["stacks A"] != "2" || hash["calls A"] != "" {
		t.Errorf("without counts it lists %v", hash)
	}
	for side := range 2 {
		tr := texttest.Parse(t, profile)
		fn := func(name string) trace.FuncID {
			return trace.FuncID(slices.IndexFunc(tr.Functions, func(f trace.Function) bool { return f.Name == name }))
		}
		tr.CallCounts = []trace.CallCount{{Caller: fn("main"), Callee: fn("hash"), Calls: 300},
			{Caller: fn("look"), Callee: fn("hash"), Calls: int64(7 + side)}}
		b.c.S.Put(pair.Side(side), "counted", tr)
	}
	b.Settle()
	rows := b.copied(Functions)
	if hash := rows["hash"]; hash["stacks A"] != "2" || hash["calls A"] != "307" || hash["calls B"] != "308" {
		t.Errorf("with counts it lists %v", hash)
	}
	if calls := rows["main"]["calls A"]; calls != "" {
		t.Errorf("nobody called main, and it lists %q calls", calls)
	}
	b.c.S.SelectRange(pair.A, geom.Span{Start: 2, End: 4})
	b.Settle()
	if hash := b.copied(Range)["hash"]; hash["stacks A"] != "1" || hash["calls A"] != "" {
		t.Errorf("of a part of it, which has no counts, it lists %v", hash)
	}
}

// TestFunctionsFollowTheSearch: only hits are listed, and the arrow keys of the search field step
// through the rows in their order.
func TestFunctionsFollowTheSearch(t *testing.T) {
	b := newBench(t, runA, runB)
	b.dock.Show(Functions)
	b.c.S.Find("o")
	b.frame()
	b.Settle()
	rows := b.copied(Functions)
	if _, ok := rows["parse"]; ok || len(rows) < 3 {
		t.Errorf("listed are %v", rows)
	}
	last := ""
	for range 2 {
		b.dock.StepFunction(b.c, +1)
		b.Settle()
		if name := b.state().FunctionName(b.state().Selected); name == last {
			t.Errorf("it stays on %s", name)
		} else {
			last = name
		}
	}
	b.dock.StepFunction(b.c, -1)
	self := func(name, side string) int64 {
		n, _ := strconv.ParseInt(rows[name]["self "+side+" (ns)"], 10, 64)
		return n
	}
	first := b.state().FunctionName(b.state().Selected)
	for name := range rows {
		if kit.Abs(self(name, "B")-self(name, "A")) > kit.Abs(self(first, "B")-self(first, "A")) {
			t.Errorf("%s has changed more than the first, %s", name, first)
		}
	}
	b.Press(key.NameEscape, 0)
}

// TestTheTabOfRangesComesWithOne holds that the tab is there while a range is selected.
func TestTheTabOfRangesComesWithOne(t *testing.T) {
	b := newBench(t, runA)
	has := func() bool { return find(b.dock.tabsBeside(b.state(), b.row), Range) >= 0 }
	if has() {
		t.Error("without a range there is a tab of it")
	}
	for _, all := range []bool{false, true} {
		b.c.S.ShowProcess(all)
		b.c.S.SelectRange(pair.A, geom.Span{Start: 10, End: 20})
		want := map[bool]int{false: 2, true: 3}[all] // in these 10 ns
		if b.Settle(); !has() || len(b.copied(Range)) != want {
			t.Errorf("all threads %v: %v, want %d functions", all, b.copied(Range), want)
		}
	}
}
