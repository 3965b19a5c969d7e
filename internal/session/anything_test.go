package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/testtrace"
)

// TestAnythingLeadsToWhatIsThere does what a user can do, in any order. Whichever way has led to what
// is shown, a session that has settled knows as much as one that computes everything anew.
func TestAnythingLeadsToWhatIsThere(t *testing.T) {
	testtrace.Checks(t, 10) // each of which computes and compares again and again
	rapid.Check(t, func(t *rapid.T) {
		s, now := New(func() {}), time.Unix(0, 0)
		s.now = func() time.Time { // each step is one of the history
			now = now.Add(time.Minute)
			return now
		}
		s.Put(pair.A, "a", grown2(1))
		s.Put(pair.B, "b", grown2(2))
		s.Settle(context.Background())
		does := doings(s)
		does["settle"] = func(t *rapid.T) {
			s.Settle(context.Background())
			anew := s.Twin(func() {})
			anew.Compare()
			anew.Settle(context.Background())
			anew.visited = s.visited
			if d := cmp.Diff(knownTo(anew), knownTo(s)); d != "" {
				t.Fatalf("the session lacks (-) or has too much (+):\n%s", d)
			}
		}
		does[""] = func(t *rapid.T) { checkPanes(t, s) }
		t.Repeat(does)
	})
}

// doings are what a user can do to a session with two traces, by name.
func doings(s *Session) map[string]func(*rapid.T) {
	views := rapid.SampledFrom([]View{Matches, Alignment, Threads, "other"})
	side := rapid.SampledFrom([]pair.Side{pair.A, pair.B})
	by := rapid.SampledFrom([]int{-1, 1})
	start := rapid.Float64Range(0, 300)
	call := func(t *rapid.T, side pair.Side) Target {
		th := rapid.IntRange(0, 1).Draw(t, "thread")
		return callOf(side, th, rapid.IntRange(0, s.State().Sides[side].Trace.Threads[th].Len()-1).Draw(t, "call"))
	}
	return map[string]func(*rapid.T){
		"view":    func(t *rapid.T) { s.SetView(views.Draw(t, "view")) },
		"split":   func(t *rapid.T) { s.SplitPane(views.Draw(t, "view"), rapid.Bool().Draw(t, "down")) },
		"close":   func(t *rapid.T) { s.ClosePane() },
		"step":    func(t *rapid.T) { s.StepPane(by.Draw(t, "by")) },
		"threads": func(t *rapid.T) { s.StepPair(by.Draw(t, "by")) },
		"process": func(t *rapid.T) { s.ShowProcess(rapid.Bool().Draw(t, "all")) },
		"repair": func(t *rapid.T) {
			s.Repair(rapid.IntRange(0, 1).Draw(t, "a"), rapid.IntRange(0, 1).Draw(t, "b"))
		},
		"anchor":  func(t *rapid.T) { s.Anchor(call(t, pair.A), call(t, pair.B)) },
		"release": func(t *rapid.T) { s.RemoveAnchors() },
		"swap":    func(t *rapid.T) { s.Swap() },
		"another": func(t *rapid.T) {
			s.Put(side.Draw(t, "side"), "c", grown2(uint64(rapid.IntRange(1, 3).Draw(t, "seed"))))
		},
		"back":    func(t *rapid.T) { s.Back() },
		"forward": func(t *rapid.T) { s.Forward() },
		"select":  func(t *rapid.T) { s.Select(call(t, side.Draw(t, "side"))) },
		"fit":     func(t *rapid.T) { s.FitSelection() },
		"group":   func(t *rapid.T) { s.FocusGroup(0) },
		"focus": func(t *rapid.T) {
			from := start.Draw(t, "from")
			s.SetFocus(side.Draw(t, "side"), geom.Span{Start: from, End: from + 50})
		},
		"all":  func(t *rapid.T) { s.ShowAll() },
		"lock": func(t *rapid.T) { s.CycleLock(side.Draw(t, "leader")) },
		"tau":  func(t *rapid.T) { s.SetTau(rapid.IntRange(1, 100).Draw(t, "tau")) },
		"bars": func(t *rapid.T) { s.SetBars([2]int{rapid.IntRange(1, 200).Draw(t, "bars"), 100}) },
		"list": func(t *rapid.T) { s.SetTab(rapid.SampledFrom([]string{GroupsTab, ""}).Draw(t, "tab")) },
		"stop": func(t *rapid.T) { s.Compare() },
		"idle": func(t *rapid.T) { s.ShowIdle(rapid.Bool().Draw(t, "idle")) },
	}
}

// knownTo lists what a session knows of what it shows.
func knownTo(s *Session) []string {
	st := s.State()
	var all []string
	note := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	for _, id := range st.Layout.Panes() {
		p := st.From(id)
		f := p.Found
		if p.kinds[p.View].Unmatched || p.subject() == (subject{}) {
			continue
		}
		if note("pane %d shows %s: found %v", id, p.View, f != nil); f == nil {
			continue
		}
		note("  repeats %v", f.Repeats[pair.A] != nil)
		if st.Tab == GroupsTab && s.visited.subject != p.subject() { // else the list stays
			note("  groups as wanted %v, sought %v", f.Groups.Of.Focus == st.foci(), f.Groups.Busy)
		}
		if f.Ladder != nil {
			note("  bars at τ %d: %v", st.Tau, f.Rung.Bars)
		}
		if c := f.Chosen; c != nil {
			note("  chosen %v: %v", c.Of, c.Sums) // its best are those of the foci it was chosen in
		}
		note("  laid out %v", p.virtual() && p.Shown() != nil)
	}
	a := st.Aligned
	if note("aligned %v", a != nil); a != nil {
		note("  as wanted %v, findings %v, lines %v", a.pairing() == st.pairing(), a.Findings != nil,
			st.Shows(Alignment) && a.Lines != nil)
	}
	w := st.Waits
	note("waits %v", w != nil)
	for _, slot := range []string{difference.Slot} {
		_, known := st.results[slot]
		note("%s %v", slot, known)
	}
	note("prepared threads %v", st.Shows(Threads) && st.PreparedThreads() != nil)
	return slices.DeleteFunc(all, func(l string) bool { return strings.TrimSpace(l) == "" })
}
