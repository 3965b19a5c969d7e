package dock

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"diptych/internal/pair"
	"diptych/internal/session"
)

func TestDetailsOfACall(t *testing.T) {
	b := newBench(t, runA, runB)
	b.dock.Show(Details)
	b.selectCall(pair.A, "open", 0)
	for name, want := range map[string]string{"Start": "0 ns", "Duration": "1.00 µs  ·  11 % of the trace",
		"Self": "1.00 µs  ·  100 %", "Thread": "Producer", "Stack depth": "2", "Package": "os",
		"Arguments": "a.txt", "Callees": ""} {
		if got := b.fact(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	b.selectCall(pair.A, "main", 0)
	if got, want := b.fact("Callees"), "4 direct, 5 in all"; got != want {
		t.Errorf("callees are %q, want %q", got, want)
	}
	if got, want := b.fact("Self"), "3.00 µs  ·  33 %"; got != want {
		t.Errorf("the self time is %q, want %q", got, want)
	}
}

// TestDetailsOfAProfile: what it counts is called by a word, for which there is no room beside the
// callees' numbers, and it has no durations.
func TestDetailsOfAProfile(t *testing.T) {
	const profile = "trace text profile unit=Instructions\nthread 1\n  0+812 main\n    2+700 look\n"
	b := newBench(t, profile, profile)
	b.dock.Show(Details)
	b.selectCall(pair.A, "main", 0)
	if got, want := b.fact("Total"), "812 Instructions  ·  100 % of the trace"; got != want {
		t.Errorf("the total is %q, want %q", got, want)
	}
	if labels := b.Labels(); !slices.Contains(labels, "700") || slices.Contains(labels, "700 Instructions") {
		t.Errorf("the callee's amount is cut or missing in %q", labels)
	}
	if _, ok := b.Find("Durations of all calls of the function"); ok {
		t.Error("a profile's function has a link to durations")
	}
}

// TestTheLinkToDurationsIsInLine: its text begins where the facts below it do.
func TestTheLinkToDurationsIsInLine(t *testing.T) {
	b := newBench(t, runA, runB)
	b.dock.Show(Details)
	b.selectCall(pair.A, "open", 0)
	link, ok := b.Find("Durations of all its calls …")
	fact, also := b.Find("Start")
	if !ok || !also || link.Min.X != fact.Min.X {
		t.Errorf("the link is at %v (%v), the first fact at %v (%v)", link, ok, fact, also)
	}
}

func TestDetailsLeadToCallersAndCallees(t *testing.T) {
	b := newBench(t, runA, runB)
	b.dock.Show(Details)
	b.selectCall(pair.A, "parse", 0)
	for _, function := range []string{"main", "lock"} {
		b.selectCall(pair.A, "parse", 0)
		b.Click("Select " + function)
		st := b.state()
		if got := st.FunctionName(st.Selected); got != function {
			t.Errorf("it leads to %s, want %s", got, function)
		}
	}
}

func TestDetailsLeadToTheBestMatch(t *testing.T) {
	b := newBench(t, runA, runB)
	b.dock.Show(Details)
	b.selectCall(pair.A, "open", 0)
	if b.fact("Matches") == "" {
		t.Fatal("nothing is told of matches")
	}
	b.Click("Go to the best match")
	if st := b.state(); st.Selected.Side != pair.B {
		t.Errorf("it leads to %+v", st.Selected)
	}
	b.selectCall(pair.A, "log", 0)
	if got := b.fact("Matches"); got != "nothing in B" {
		t.Errorf("the matches of log are %q", got)
	}
}

// busy is a trace of a call with n children, the k-th of them lasting k ns.
func busy(n int) string {
	var s strings.Builder
	end := n * (n + 1)
	fmt.Fprintf(&s, "trace text\nthread 1 name=main\n  0+%d main\n", end)
	at := 0
	for k := 1; k <= n; k++ {
		fmt.Fprintf(&s, "    %d+%d step\n", at, k)
		at += k + 1
	}
	return s.String()
}

// TestManyCalleesAreReadInAJob checks that what the job finds is what the call's children say, and
// that the details are there without it.
func TestManyCalleesAreReadInAJob(t *testing.T) {
	const n = readAtOnce + 10
	b := newBench(t, busy(n))
	b.dock.Show(Details)
	main := session.Target{Side: pair.A, OK: true}
	b.c.S.Select(main)
	b.frame()
	if b.fact("Self") != unknown || b.fact("Callees") != fmt.Sprintf("… direct, 4\u2009%d in all", n-4000) {
		t.Errorf("before: self %q, callees %q", b.fact("Self"), b.fact("Callees"))
	}
	b.Settle()
	th, i := b.state().Call(main)
	if got, want := b.fact("Self"), b.details().value(th.Self(i)); !strings.HasPrefix(got, want) {
		t.Errorf("self is %q, want %q", got, want)
	}
	d := b.details()
	if len(d.kids) != mostCallees || d.kids[0].call != n || d.more != n-mostCallees {
		t.Errorf("%d are listed, first the %d-th, and %d more", len(d.kids), d.kids[0].call, d.more)
	}
	b.c.S.Select(session.Target{})
	b.Settle()
	if found, _ := foundCallees.Of(b.state()); found != nil {
		t.Error("the children of a call are kept that is no longer selected")
	}
}

// TestLongestCallees holds the longest children against a plain sort.
func TestLongestCallees(t *testing.T) {
	b := newBench(t, runA, runB)
	th := b.state().Sides[pair.A].Trace.Threads[0]
	for i := range th.Len() {
		var all []int
		th.Children(i, func(c int) bool { all = append(all, c); return true })
		slices.SortStableFunc(all, func(x, y int) int { return int(th.Dur(y) - th.Dur(x)) })
		got, err := readCallees(t.Context(), th, i)
		if err != nil || !slices.Equal(got.longest, all) || got.direct != len(all) || got.self != th.Self(i) {
			t.Errorf("call %d: %+v, %v", i, got, err)
		}
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := readCallees(done, th, 0); err == nil {
		t.Error("it goes on after it was cancelled")
	}
}

// TestDetailsOfTheSameCallStayWhereTheyAre checks that what arrives later does not scroll back.
func TestDetailsOfTheSameCallStayWhereTheyAre(t *testing.T) {
	b := newBench(t, runA, runB)
	b.dock.Show(Details)
	b.selectCall(pair.A, "main", 0)
	b.details().list.ScrollTo(3)
	told := b.details().told
	told.chosen = nil
	b.details().read(b.state(), told)
	if b.details().list.Position.First != 3 {
		t.Error("the list is scrolled back")
	}
	b.selectCall(pair.A, "open", 0)
	if b.details().list.Position.First != 0 {
		t.Error("the details of another call do not begin at the top")
	}
}

func TestAligningByHand(t *testing.T) {
	b := newBench(t, runA, runB)
	b.dock.Show(Details)
	b.selectCall(pair.A, "log", 0)
	b.Click("Align here")
	if !slices.Contains(b.performed, alignHere) {
		t.Error("the command is not given")
	}
	b.c.S.MarkHere()
	b.frame()
	if !slices.Contains(b.Labels(), "Unmark") {
		t.Errorf("there is no way to unmark among %q", b.Labels())
	}
	b.selectCall(pair.B, "stat", 0)
	if !slices.Contains(b.Labels(), "Align with log in A") {
		t.Fatalf("the mark is not offered among %q", b.Labels())
	}
	b.c.S.AlignHere()
	b.Settle()
	b.Click("Go to log")
	if st := b.state(); st.FunctionName(st.Selected) != "log" {
		t.Error("it does not lead to the other call")
	}
	if b.Click("Remove this anchor"); b.state().Anchors.Len() != 0 {
		t.Error("the anchor stays")
	}
}

// BenchmarkDetailsOfMany lays out the details of a call with many children.
func BenchmarkDetailsOfMany(b *testing.B) {
	x := newBench(b, busy(20*readAtOnce))
	x.dock.Show(Details)
	x.c.S.Select(session.Target{Side: pair.A, OK: true})
	x.frame()
	for b.Loop() {
		x.frame()
	}
}
