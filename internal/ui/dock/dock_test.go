package dock

import (
	"slices"
	"testing"

	"gioui.org/io/key"

	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
)

// stub is the content of a tab that a view brings.
type stub struct{ laid int }

func (s *stub) Layout(_ *view.Context, gtx C, _ *session.State) D {
	s.laid++
	return D{Size: gtx.Constraints.Max}
}

func stubTab(id, title, before string) view.Tab {
	return view.Tab{ID: id, Title: title, Before: before, New: func() view.Panel { return &stub{} }}
}

// leading is the row of a view with a tab that the dock turns to.
func leading() *view.Row {
	waits := stubTab("waits", "Waits", Threads)
	waits.Lead = true
	return &view.Row{Kind: session.Kind{View: session.Threads}, Tabs: []view.Tab{waits}}
}

func TestTabsBesideViews(t *testing.T) {
	end := &view.Row{Tabs: []view.Tab{stubTab("tree", "Tree", "")}}
	for name, c := range map[string]struct {
		row  *view.Row
		want []string
	}{
		"none":       {&view.Row{}, []string{"Findings", "Details", "Threads", "Functions", "Problems"}},
		"groups":     {plain(""), []string{"Findings", "Details", "Groups", "Threads", "Functions", "Problems"}},
		"waits":      {leading(), []string{"Findings", "Details", "Waits", "Threads", "Functions", "Problems"}},
		"at the end": {end, []string{"Findings", "Details", "Threads", "Functions", "Problems", "Tree"}},
	} {
		var got []string
		for _, tab := range New().tabsBeside(&session.State{}, c.row) {
			got = append(got, tab.Title)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestTurning checks which tab is shown after the view in the active pane has changed.
func TestTurning(t *testing.T) {
	for name, c := range map[string]struct {
		from string
		to   *view.Row
		want string
	}{
		"findings stay":               {Findings, plain(session.Alignment), Findings},
		"findings give way":           {Findings, leading(), "waits"},
		"details give way":            {Details, leading(), "waits"},
		"threads stay":                {Threads, leading(), Threads},
		"what is gone gives way":      {Groups, leading(), "waits"},
		"shared tabs stay":            {Groups, plain(session.Alignment), Groups},
		"without it there are others": {Groups, &view.Row{}, Findings},
	} {
		b := newBench(t, runA, runB)
		b.dock.Show(c.from)
		b.row = c.to
		if b.frame(); b.dock.Tab() != c.want {
			t.Errorf("%s: %q, want %q", name, b.dock.Tab(), c.want)
		}
		b.dock.Show(Details)
		if b.frame(); b.dock.Tab() != Details {
			t.Errorf("%s: the user cannot turn to the details", name)
		}
	}
}

// TestTheLastTabMayBeGone: the window does not open at a tab that has nothing to tell of what is
// open, unless the user asks for it.
func TestTheLastTabMayBeGone(t *testing.T) {
	for id, want := range map[string]string{Runs: Findings, Notes: Findings, Range: Findings,
		Functions: Functions} {
		b := newBench(t, runA, runB)
		b.dock.Turn(id)
		if b.frame(); b.dock.Tab() != want {
			t.Errorf("the last window showed %s, and this one shows %s", id, b.dock.Tab())
		}
		b.dock.Show(id)
		if b.frame(); b.dock.Tab() != id {
			t.Errorf("%s is asked for, and %s is shown", id, b.dock.Tab())
		}
	}
}

func TestOneTraceHasNoFindings(t *testing.T) {
	b := newBench(t, runA)
	if b.dock.Tab() != Details {
		t.Errorf("it shows %q", b.dock.Tab())
	}
	b.dock.Show(Groups)
	b.row = &view.Row{}
	if b.frame(); b.dock.Tab() != Details {
		t.Errorf("after a tab that is gone it shows %q", b.dock.Tab())
	}
}

func TestClickingHeadsTurns(t *testing.T) {
	b := newBench(t, runA, runB)
	for title, id := range map[string]string{"Details": Details, "Groups": Groups, "Threads": Threads,
		"Functions": Functions, "Problems 1": Problems, "Findings": Findings} {
		if b.Click(title); b.dock.Tab() != id {
			t.Errorf("%s: it shows %q", title, b.dock.Tab())
		}
	}
	b.dock.Show(Findings)
	if b.dock.TurnToDetails(); b.dock.Tab() != Details {
		t.Error("the findings stay when a call is chosen")
	}
	b.dock.Show(Groups)
	if b.dock.TurnToDetails(); b.dock.Tab() != Groups {
		t.Error("another tab does not stay when a call is chosen")
	}
}

// TestPanelsPersist checks that contents are kept, each view has its own, and shared ones are shared.
func TestPanelsPersist(t *testing.T) {
	d := New()
	for name, c := range map[string]struct {
		id       string
		one, two *view.Row
		same     bool
	}{
		"the same view": {"waits", leading(), leading(), true},
		"shared":        {Groups, plain(session.Matches), plain(session.Alignment), true},
		"the window's":  {Threads, plain(session.Matches), leading(), true},
	} {
		if one, two := d.Panel(c.id, c.one), d.Panel(c.id, c.two); one == nil || (one == two) != c.same {
			t.Errorf("%s: %p and %p", name, one, two)
		}
	}
	if p := d.Panel("waits", plain(session.Matches)); p != nil {
		t.Errorf("another view's tab is %v", p)
	}
}

func TestFunctionsLeadToTheirCalls(t *testing.T) {
	b := newBench(t, runA, runB)
	b.c.S.Find("parse")
	b.dock.Show(Functions)
	b.frame()
	b.Settle()
	b.Click("Go to parse")
	st := b.state()
	if st.Search.Hit != 0 || !st.Selected.OK || st.FunctionName(st.Selected) != "parse" {
		t.Errorf("hit %d, selected is %+v", st.Search.Hit, st.Selected)
	}
	b.c.S.Find("nothing of that name")
	b.frame()
}

func TestEscapeEndsThePicking(t *testing.T) {
	b := newBench(t, runA, runB)
	b.dock.Show(Threads)
	b.frame()
	escape := key.Event{Name: key.NameEscape, State: key.Press}
	if b.dock.Press(escape) {
		t.Error("it takes a key that it has no use for")
	}
	b.threads().Pick(0)
	b.frame()
	b.dock.Open = false
	if b.dock.Press(escape) {
		t.Error("closed, it takes a key")
	}
	b.dock.Open = true
	if !b.dock.Press(escape) || b.threads().picking {
		t.Error("the picking goes on")
	}
}

func TestThreadsArePairedAnew(t *testing.T) {
	b := newBench(t, runA, runB)
	b.dock.Show(Threads)
	b.frame()
	b.Click("Show threads consumer")
	st := b.state()
	a := st.Pair.Threads[st.Current].A
	b.threads().Pick(a)
	b.frame()
	b.Click("Pair with helper")
	st = b.state()
	if k := st.Pair.Partner(pair.A, a); k != 2 || b.threads().picking {
		t.Errorf("the consumer of A is with thread %d of B", k)
	}
	b.Click("Pair with another thread")
	if !b.threads().picking {
		t.Fatal("the button lists no candidates")
	}
	if b.Click("Cancel pairing"); b.threads().picking {
		t.Error("the picking goes on")
	}
}

func TestThreadsAreFilteredAndCopied(t *testing.T) {
	b := newBench(t, runA, runB)
	b.dock.Show(Threads)
	b.frame()
	list := b.threads()
	all := len(list.table.Listed())
	b.Click("Sort by threads")
	copied := list.Copy(kit.TSV, true)
	if want := "threads\tcalls A\tcalls B\tids\nconsumer\t3\t3\t2\nhelper\t\t1\t3\nProducer\t6\t6\t1\n"; copied != want {
		t.Errorf("copied is %q, want %q", copied, want)
	}
	b.Write("Filter threads", "PROD")
	if n := len(list.table.Listed()); n != 1 || all != 3 {
		t.Errorf("%d of %d pairs are shown", n, all)
	}
	list.Pick(0)
	b.frame()
	b.Write("Filter threads", "help")
	if got := list.candidates.Listed(); !slices.Equal(got, []int{2}) {
		t.Errorf("candidates are %v", got)
	}
}

// TestPickingEndsWithTheTrace checks that a thread which is gone is not asked a partner for.
func TestPickingEndsWithTheTrace(t *testing.T) {
	b := newBench(t, runA, runB)
	b.dock.Show(Threads)
	b.frame()
	b.threads().Pick(1)
	b.frame()
	b.put(pair.A, "trace text\nthread 1 name=only\n  0+5 main\n")
	b.Settle()
	if b.threads().picking {
		t.Error("the picking goes on")
	}
	b.threads().Pick(0)
	b.frame()
	b.c.S.Close()
	b.Settle()
	b.put(pair.A, runA)
	if b.Settle(); b.threads().picking {
		t.Error("the picking goes on after all was closed")
	}
}
