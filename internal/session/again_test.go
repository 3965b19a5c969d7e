package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/traceio/input"
)

// recordings are two files that a session shows, which can be written anew.
type recordings struct {
	t     *testing.T
	paths [2]string
}

// write writes one of them: a thread with an id of its own that calls work and then rest, and some
// ms later work again.
func (r *recordings) write(side pair.Side, id, gap int) {
	r.t.Helper()
	time.Sleep(10 * time.Millisecond) // times have the granularity of the system's clock
	var b strings.Builder
	fmt.Fprintf(&b, `[{"ph":"M","name":"thread_name","pid":1,"tid":%d,"args":{"name":"main"}},`, id)
	fmt.Fprintf(&b, `{"ph":"M","name":"thread_name","pid":1,"tid":%d,"args":{"name":"helper"}}`, id+1)
	for _, tid := range []int{id, id + 1} {
		for i, name := range []string{"work", "rest", "work"} {
			ts := 10 * i
			if i == 2 {
				ts += 1000 * gap
			}
			fmt.Fprintf(&b, `,{"ph":"X","name":%q,"pid":1,"tid":%d,"ts":%d,"dur":9}`, name, tid, ts)
		}
	}
	if err := os.WriteFile(r.paths[side], []byte(b.String()+"]"), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// rewritable returns a session that shows two of them.
func rewritable(t *testing.T) (*Session, *recordings) {
	r := &recordings{t: t}
	s := New(func() {})
	for _, side := range []pair.Side{pair.A, pair.B} {
		r.paths[side] = filepath.Join(t.TempDir(), side.String()+".json")
		r.write(side, 10, 1)
		s.Open(side, r.paths[side], input.Options{})
	}
	s.Settle(context.Background())
	if !s.State().Both() || s.State().Aligned == nil {
		t.Fatal("they are not compared")
	}
	return s, r
}

// noticed returns the notice after all work.
func noticed(s *Session) string {
	s.Settle(context.Background())
	text, _ := s.Notice()
	return text
}

// TestReadAgain: a recording that was made anew is offered, then read and compared; what the user
// sees of it is what was seen of the one before, though its threads have other ids.
func TestReadAgain(t *testing.T) {
	s, r := rewritable(t)
	s.LookForChanges()
	s.Settle(context.Background())
	if st := s.State(); st.Sides[pair.A].Changed || st.Sides[pair.B].Changed {
		t.Error("a recording has changed by itself")
	}
	s.ShowPair(s.State().Pair.Of(pair.B, 1))
	s.SetView(Alignment)
	s.SetTau(70)
	s.Find("rest")
	s.Write(SpotOf(call(pair.B, 1, 2)), "a note")
	s.Select(call(pair.B, 1, 1))
	s.SetFocus(pair.B, geom.Span{Start: 5, End: 900_000})
	was := s.State()

	r.write(pair.B, 30, 2)
	s.LookForChanges()
	s.Settle(context.Background())
	if st := s.State(); st.Sides[pair.A].Changed || !st.Sides[pair.B].Changed {
		t.Errorf("changed: A %v, B %v", st.Sides[pair.A].Changed, st.Sides[pair.B].Changed)
	}
	s.ReadAgain()
	if text := noticed(s); text != "B was read again" {
		t.Errorf("it is said that %q", text)
	}
	st := s.State()
	tr := st.Sides[pair.B].Trace
	switch {
	case st.Sides[pair.A].Trace != was.Sides[pair.A].Trace:
		t.Error("A was read again, too")
	case tr == was.Sides[pair.B].Trace || tr.Duration < 2_000_000:
		t.Fatal("B is the old trace")
	case st.Sides[pair.B].Changed:
		t.Error("B is still said to have changed")
	case st.Aligned == nil:
		t.Error("they are not compared again")
	}
	if th := tr.Threads[st.Pair.Threads[st.Current].B]; !st.Chosen || th.Name != "helper" || th.ID != "1/31" {
		t.Errorf("thread %s of id %s is shown", th.Name, th.ID)
	}
	if n := st.Notes.All(); len(n) != 1 || n[0].Lost() {
		t.Errorf("notes: %+v", n)
	}
	if st.View != Alignment || st.Tau != 70 || st.Search.Query != "rest" || st.Selected != was.Selected {
		t.Errorf("%s, tau %d, search %q, selected %+v", st.View, st.Tau, st.Search.Query, st.Selected)
	}
	if got, want := st.Sides[pair.B].Focus, was.Sides[pair.B].Focus; got != want {
		t.Errorf("B shows %v, not %v", got, want)
	}
	s.ReadAgain()
	if text := noticed(s); !strings.HasPrefix(text, "No recording has changed") || s.State().Sides[pair.B].Trace != tr {
		t.Errorf("of what has not changed it is said that %q", text)
	}
}

// TestReadAgainKeepsTheFirstView: where nobody has zoomed, a longer trace is shown as long as it is.
func TestReadAgainKeepsTheFirstView(t *testing.T) {
	s, r := rewritable(t)
	r.write(pair.A, 10, 2)
	r.write(pair.B, 10, 3)
	s.ReadAgain()
	if text := noticed(s); text != "Both traces were read again" {
		t.Errorf("it is said that %q", text)
	}
	if f := s.State().foci(); f[pair.B].End < 3_000_000 || f[pair.A] != f[pair.B] {
		t.Errorf("%v is shown", f)
	}
}

// TestReadAgainInVain: a recording that cannot be read leaves what is shown, and the other side is
// read; a change that was left alone is not told again, and nothing is offered of what is gone.
func TestReadAgainInVain(t *testing.T) {
	s, r := rewritable(t)
	was := s.State()
	r.write(pair.A, 10, 2)
	if err := os.WriteFile(r.paths[pair.B], []byte(`[{"ph":`), 0o600); err != nil {
		t.Fatal(err)
	}
	s.ReadAgain()
	text := noticed(s)
	st := s.State()
	if st.Sides[pair.B].Trace != was.Sides[pair.B].Trace || st.Sides[pair.B].Err == nil ||
		st.Sides[pair.A].Trace == was.Sides[pair.A].Trace || s.Resuming() {
		t.Errorf("%q; A new: %v, B: %v", text, st.Sides[pair.A].Trace != was.Sides[pair.A].Trace, st.Sides[pair.B].Err)
	}
	s.LookForChanges()
	s.Settle(context.Background())
	s.LeaveChanges()
	s.LookForChanges()
	s.Settle(context.Background())
	if s.State().Sides[pair.B].Changed {
		t.Error("the change is told after it was left alone")
	}
	if err := os.Remove(r.paths[pair.A]); err != nil {
		t.Fatal(err)
	}
	s.LookForChanges()
	s.Settle(context.Background())
	if s.State().Sides[pair.A].Changed {
		t.Error("what is gone is offered")
	}
	x := New(func() {})
	x.Put(pair.A, "a", was.Sides[pair.A].Trace)
	x.ReadAgain()
	if text := noticed(x); text != "Nothing can be read again" {
		t.Errorf("of a trace from no file it is said that %q", text)
	}
}

// TestReadAgainMeanwhile: while a side is read again, the sides may be exchanged, and another trace
// may be opened in its place: each new trace takes the place of its own.
func TestReadAgainMeanwhile(t *testing.T) {
	s, r := rewritable(t)
	r.write(pair.A, 50, 2)
	r.write(pair.B, 70, 3)
	s.ReadAgain()
	s.Swap()
	other := filepath.Join(t.TempDir(), "other.json")
	text, err := os.ReadFile(r.paths[pair.A])
	if err == nil {
		err = os.WriteFile(other, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	s.PutAs(pair.B, other, "", grown(t, 1, 20))
	s.Settle(context.Background())
	st := s.State()
	id := func(side pair.Side) string { return st.Sides[side].Trace.Threads[0].ID }
	if st.Sides[pair.A].Path != r.paths[pair.B] || id(pair.A) != "1/70" || st.Sides[pair.B].Path != other {
		t.Errorf("A shows %s of %s, B shows %s", id(pair.A), st.Sides[pair.A].Path, st.Sides[pair.B].Path)
	}
}

// TestRunsAreReadAgain: of several runs a side, those are read again and compared that are not shown,
// too, and those that are shown stay.
func TestRunsAreReadAgain(t *testing.T) {
	paths := recorded(t, 3)
	s := manyRuns(t, paths)
	was := s.State()
	time.Sleep(10 * time.Millisecond) // times have the granularity of the system's clock
	for _, path := range paths[pair.B] {
		testtrace.WriteScript(t, path, "load", 10., "work", 80., "store", 5.)
	}
	s.ReadAgain()
	if text := noticed(s); text != "B was read again" {
		t.Errorf("it is said that %q", text)
	}
	st := s.State()
	if c := st.ComparedRuns(); c == nil || c.Function("work") == nil || c.Function("work").Ratio.Value < 6 {
		t.Errorf("work of all runs: %+v", c)
	}
	for _, side := range []pair.Side{pair.A, pair.B} {
		if st.ShownRun(side) != was.ShownRun(side) {
			t.Errorf("%v shows run %d, not %d", side, st.ShownRun(side), was.ShownRun(side))
		}
	}
	s.ReadAgain()
	if text := noticed(s); text != "All runs are compared again" {
		t.Errorf("where the runs that are shown have not changed, it is said that %q", text)
	}
}

// TestRequestsAreReadAgain: where files hold several distributed traces, the requests to compare are
// chosen anew, since a new recording has other ids.
func TestRequestsAreReadAgain(t *testing.T) {
	r := &recordings{t: t}
	write := func(side pair.Side, id int, ms ...int) {
		time.Sleep(10 * time.Millisecond) // times have the granularity of the system's clock
		var spans []string
		for i, n := range ms {
			spans = append(spans, fmt.Sprintf(`{"traceId":"%032x","spanId":"%016x","name":"op%d",`+
				`"startTimeUnixNano":"1000000000","endTimeUnixNano":"%d"}`, id+i, id+i, i, 1_000_000_000+1_000_000*n))
		}
		text := `{"resourceSpans":[{"scopeSpans":[{"spans":[` + strings.Join(spans, ",") + `]}]}]}`
		if err := os.WriteFile(r.paths[side], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := New(func() {})
	for _, side := range []pair.Side{pair.A, pair.B} {
		r.paths[side] = filepath.Join(t.TempDir(), side.String()+".json")
	}
	write(pair.A, 1, 90, 5)
	write(pair.B, 11, 4, 99)
	for _, side := range []pair.Side{pair.A, pair.B} {
		s.Open(side, r.paths[side], input.Options{})
	}
	s.Settle(context.Background())
	shown := func() (names [2]string) {
		for side := range names {
			names[side] = s.State().Sides[side].Trace.ShownRequest().Operation
		}
		return names
	}
	if names := shown(); names[pair.A] != names[pair.B] {
		t.Fatalf("at first %q are shown", names)
	}
	write(pair.B, 21, 70, 60)
	s.ReadAgain()
	if text := noticed(s); text != "B was read again" || s.Resuming() {
		t.Errorf("it is said that %q", text)
	}
	if names := shown(); names[pair.A] != names[pair.B] || s.State().Sides[pair.B].Trace.Duration > 70_000_000 {
		t.Errorf("%q are shown", names)
	}
	write(pair.A, 31, 3, 80)
	write(pair.B, 41, 70, 2)
	s.ReadAgain()
	if text := noticed(s); text != "Both traces were read again" {
		t.Errorf("it is said that %q", text)
	}
	if names := shown(); names[pair.A] != names[pair.B] {
		t.Errorf("then %q are shown", names)
	}
}
