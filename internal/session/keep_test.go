package session

import (
	"bytes"
	"context"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/saved"
	"diptych/internal/scene/links"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

// call returns a call of a side by its thread and index.
func call(side pair.Side, thread, index int32) Target {
	return Target{Side: side, Ref: trace.CallRef{Thread: thread, Call: index}, OK: true}
}

// reopenedFrom returns a new session into which another one was saved, with these traces.
func reopenedFrom(t testing.TB, s *Session, traces [2]*trace.Trace) *Session {
	t.Helper()
	f, err := s.Saved(input.Options{})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "s"+saved.Suffix)
	if err := f.Write(path); err != nil {
		t.Fatal(err)
	}
	if f, err = saved.ReadSession(path); err != nil {
		t.Fatal(err)
	}
	now := New(func() {})
	now.Register(slices.Collect(maps.Values(s.state.kinds))...)
	now.resuming = &resuming{file: f}
	now.apply(func(st *State) { st.takeLook(&f.Look) })
	for side, tr := range traces {
		now.Put(pair.Side(side), s.state.Sides[side].Path, tr)
	}
	now.Settle(context.Background())
	return now
}

// asSaved returns what a session's file holds.
func asSaved(t testing.TB, s *Session) []byte {
	t.Helper()
	f, err := s.Saved(input.Options{SampleType: "cpu"})
	if err != nil {
		t.Fatal(err)
	}
	data, err := f.Encode("s" + saved.Suffix)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestSessionsComeBack: whatever a user has done, a session that was saved and opened again is in
// the same state, and saving it again gives the same file.
func TestSessionsComeBack(t *testing.T) {
	base := New(func() {})
	base.Put(pair.A, "a", grown(t, 1, fewCalls))
	base.Put(pair.B, "b", grown(t, 2, fewCalls))
	base.Settle(context.Background())
	base.Register(Kind{View: "own", Fresh: func() Own { return &kept{} }})
	traces := base.state.traces()
	testtrace.Checks(t, 10) // each has two sessions compute everything
	rapid.Check(t, func(rt *rapid.T) {
		s := base.Twin(func() {})
		s.Register(slices.Collect(maps.Values(base.state.kinds))...)
		for range rapid.IntRange(6, 20).Draw(rt, "steps") {
			act(rt, s)
		}
		s.Settle(context.Background())
		now := reopenedFrom(t, s, traces)
		if now.Resuming() {
			rt.Fatal("it waits for traces that are there")
		}
		if text, _ := now.Notice(); strings.Contains(text, "no longer") || strings.Contains(text, "changed") {
			rt.Error(text)
		}
		was, is := asSaved(t, s), asSaved(t, now)
		if !bytes.Equal(was, is) {
			rt.Errorf("%s\nbecame\n%s", was, is)
		}
		a, b := s.State(), now.State()
		if !a.Range.OK && !b.Range.OK {
			a.Range = b.Range // where nothing is selected, the side means nothing
		}
		a.Search.Calls, b.Search.Calls = [2][][]int32{}, [2][][]int32{}
		for _, x := range []struct {
			what    string
			was, is any
		}{{"focus", a.foci(), b.foci()}, {"anchors", a.Anchors.All(), b.Anchors.All()},
			{"notes", a.Notes.All(), b.Notes.All()}, {"selection", a.Selected, b.Selected},
			{"range", a.Range, b.Range}, {"lock", a.Lock, b.Lock}, {"style", a.Style, b.Style},
			{"waits", a.WaitStyle, b.WaitStyle}, {"threads", a.Pair.Threads, b.Pair.Threads},
			{"search", a.Search, b.Search}, {"circle", a.OwnOf(Threads), b.OwnOf(Threads)},
			{"tau", a.Tau, b.Tau}, {"scale", a.Common, b.Common}, {"idle threads", a.OpenQuiet, b.OpenQuiet}, {"tracks", a.Tracks, b.Tracks}} {
			if !reflect.DeepEqual(x.was, x.is) {
				rt.Errorf("%s: %+v became %+v", x.what, x.was, x.is)
			}
		}
	})
}

// fewCalls is how many calls the threads have of which sessions are saved many times.
const fewCalls = 30

// act does one thing that a file keeps.
func act(t *rapid.T, s *Session) {
	some := func(what string, n int) int { return rapid.IntRange(0, n-1).Draw(t, what) }
	side := pair.Side(some("side", 2))
	at := call(side, int32(some("thread", 2)), int32(some("call", fewCalls)))
	share := float64(some("share", 100)) / 100
	whole := s.state.Sides[side].Whole()
	switch some("action", 18) {
	case 0:
		s.SetFocus(side, geom.Span{Start: whole.End * share / 2, End: whole.End * (1 + share) / 2})
	case 1:
		s.SetView([]View{Matches, Alignment, Threads, "own"}[some("view", 4)])
	case 2:
		s.SplitPane([]View{Matches, Threads}[some("view", 2)], some("down", 2) == 1)
	case 3:
		s.Anchor(call(pair.A, at.Ref.Thread, at.Ref.Call), call(pair.B, at.Ref.Thread, int32(some("mate", fewCalls))))
	case 4:
		s.Write(SpotOf(at), rapid.StringN(1, 9, 30).Draw(t, "text"))
	case 5:
		s.Write(Spot{Side: side, At: share * whole.End}, rapid.StringN(1, 9, 30).Draw(t, "text"))
	case 6:
		s.Select(at)
	case 7:
		s.SelectRange(side, geom.Span{Start: 0, End: share * whole.End})
	case 8:
		s.Find("f1")
	case 9:
		s.SetTau(some("tau", 100))
	case 10:
		s.SetStyle(func(x *Style) { x.Shape, x.Lambda, x.All = links.Lines, float32(share), true })
	case 11:
		s.SetLock([]Lock{Free, FromStart, Proportional}[some("lock", 3)], side)
	case 12:
		s.Repair(some("a", 2), some("b", 2))
	case 13:
		s.recircle(func(c *Circle) {
			c.Hidden, c.Idle = with(c.Hidden, 1, true), true
			c.Views[side] = with(c.Views[side], 1, geom.Span{Start: 3, End: 90})
			c.Folds[side] = with(c.Folds[side], 0, some("folds", 9)-1)
		})
	case 14:
		s.SetOwn("own", &kept{n: some("own", 9)})
	case 15:
		s.RemoveNote(some("note", 4))
	case 16:
		s.ToggleScale()
	case 17:
		s.ShowProcess(true)
		s.ToggleQuiet()
	}
}

// TestChangedTracesAreTold: of another recording it is said that it is one, and what no longer fits
// is counted; notes are kept with their names.
func TestChangedTracesAreTold(t *testing.T) {
	s := compared(t)
	s.Write(SpotOf(call(pair.B, 1, 299)), "stays by its name")
	s.Write(Spot{Side: pair.B, At: 5}, "a time is always there")
	s.Anchor(call(pair.A, 0, 5), call(pair.B, 0, 250))
	s.Select(call(pair.B, 1, 280))
	s.SetView(Threads)
	s.ShowPair(1)
	now := reopenedFrom(t, s, [2]*trace.Trace{s.state.Sides[pair.A].Trace, grown(t, 9, 100)})
	text, _ := now.Notice()
	for _, part := range []string{"B has changed", "1 anchor", "1 note", "1 other"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q does not tell of %q", text, part)
		}
	}
	notes := now.State().Notes.All()
	if len(notes) != 2 || !notes[0].Lost() || notes[1].Lost() || now.State().View != Threads {
		t.Fatalf("%+v", notes)
	}
	back := reopenedFrom(t, now, s.state.traces())
	if n := back.State().Notes.All(); n[0].Lost() || n[0].Call != call(pair.B, 1, 299) {
		t.Errorf("in the first trace the note is %+v", n[0])
	}
}

// TestUnfitIsCounted: what no longer fits is counted in words that are right for one and for several.
func TestUnfitIsCounted(t *testing.T) {
	for of, want := range map[unfit]string{
		{anchors: 1, pairs: 1, threads: 1}: "1 anchor, 1 pair of threads, 1 pane's threads",
		{notes: 2, pairs: 2, threads: 3}:   "2 notes, 2 pairs of threads, 3 panes' threads",
	} {
		if got := reopened(nil, of); got != "no longer fitting: "+want {
			t.Errorf("%+v: %s", of, got)
		}
	}
}

// TestNotesGoTheirWay: notes are steps of the history, change sides with their traces, and are told
// when a new recording has lost their calls.
func TestNotesGoTheirWay(t *testing.T) {
	s := compared(t)
	at := SpotOf(call(pair.B, 0, 120))
	texts := func() (all []string) {
		for _, n := range s.State().Notes.All() {
			all = append(all, n.Text)
		}
		return all
	}
	expect := func(want ...string) {
		t.Helper()
		if got := texts(); !slices.Equal(got, want) {
			t.Errorf("notes %q, want %q", got, want)
		}
	}
	s.Write(at, "  one ")
	s.Write(at, "two") // in its place
	s.Write(Spot{Side: pair.A, At: 7}, "three")
	expect("two", "three")
	s.Back()
	expect("two")
	s.Back()
	expect("one")
	s.Back()
	expect()
	for range 3 {
		s.Forward()
	}
	expect("two", "three")
	s.Rewrite(2, "")
	s.Rewrite(9, "nobody")
	s.Write(at, "")
	expect()
	s.Back()
	s.Swap()
	s.Settle(context.Background())
	n := s.State().Notes.All()[0]
	if n.Side != pair.A || n.Call.Side != pair.A || s.State().FunctionName(n.Call) != n.named.Function {
		t.Errorf("after swapping: %+v", n)
	}
	s.Back()
	if s.State().Notes.Len() != 1 {
		t.Error("the way back leads before the swap")
	}
	s.Put(pair.A, "new", grown(t, 9, 50))
	text, _ := s.Notice()
	if n := s.State().Notes.All()[0]; !n.Lost() || !strings.Contains(text, "1 note fits no longer") {
		t.Errorf("after reloading: %+v, %q", n, text)
	}
	s.ShowNote(s.State().Notes.All()[0])
	if s.State().Selected.OK {
		t.Error("a call that is gone is shown")
	}
}

// TestShowNote: a note leads to its call or its time.
func TestShowNote(t *testing.T) {
	s := compared(t)
	whole := s.state.Sides[pair.A].Whole()
	s.SetFocus(pair.A, geom.Span{Start: 0, End: whole.End / 8})
	s.Write(Spot{Side: pair.A, At: whole.End / 2}, "time")
	s.Write(SpotOf(call(pair.A, 1, 200)), "call")
	s.ShowNote(s.State().Notes.All()[0])
	if f := s.State().Sides[pair.A].Focus; !f.Contains(whole.End / 2) {
		t.Errorf("the focus is %v", f)
	}
	s.ShowNote(s.State().Notes.All()[1])
	if s.State().Selected != call(pair.A, 1, 200) {
		t.Errorf("%+v is selected", s.State().Selected)
	}
}

// TestHostileNumbers: what a file says of panes, lines and views beyond what there is does no harm.
func TestHostileNumbers(t *testing.T) {
	s := compared(t)
	s.Register(Kind{View: "own", Fresh: func() Own { return &kept{} }})
	f, err := s.Saved(input.Options{})
	if err != nil {
		t.Fatal(err)
	}
	gone := "no such thread"
	f.Pairs = []saved.Pairing{{A: &gone}}
	f.Focus.A = saved.Span{Start: -1e300, End: 1e300}
	f.Look.Rows, f.Look.Levels, f.Look.Lambda = 1e30, 1<<40, -5
	f.Range = &saved.Stretch{Side: "b", Span: saved.Span{Start: -9, End: -8}}
	f.Panes[0] = saved.Pane{View: "unknown", Threads: &saved.Pairing{B: &gone},
		Virtual: &saved.Span{Start: -1, End: 1e300}, Scroll: saved.Both[float32]{A: -3, B: 1e30}}
	f.Panes[0].Own = with(f.Panes[0].Own, "own", []byte(`{"n":`))
	f.Panes[0].Own = with(f.Panes[0].Own, "nobody's", []byte(`1`))
	f.Panes[0].Own = with(f.Panes[0].Own, string(Threads), []byte(`{"order":["A:1","A:1","B:x"],"folds":{"a":{"1":-7}}}`))
	now := New(func() {})
	now.Register(slices.Collect(maps.Values(s.state.kinds))...)
	now.resuming = &resuming{file: f}
	now.Put(pair.A, "a", s.state.Sides[pair.A].Trace)
	now.Put(pair.B, "b", s.state.Sides[pair.B].Trace)
	now.Settle(context.Background())
	st := now.State()
	text, _ := now.Notice()
	if st.View != Matches || st.Sides[pair.A].Focus != st.Sides[pair.A].Whole() || st.Range.OK ||
		st.Circle().Folds[pair.A][0] != -1 || !strings.Contains(text, "1 pair of threads, 1 pane's threads, 1 view, 4 other") {
		t.Errorf("%+v, %q", st.Pane, text)
	}
	checkPanes(t, now)
}
