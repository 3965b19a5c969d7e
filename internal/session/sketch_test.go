package session

import (
	"fmt"
	"strings"
	"testing"

	"diptych/internal/pair"
	"diptych/internal/trace"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/text/texttest"
)

// anotherRun is a recording of two workers and a main thread, whose ids begin at first.
func anotherRun(t *testing.T, first int, workers ...string) *trace.Trace {
	var b strings.Builder
	fmt.Fprintf(&b, "trace text\nthread %d name=main\n  0+90 main\n", first)
	for i, runs := range workers {
		fmt.Fprintf(&b, "thread %d name=worker\n  0+90 work\n    10+20 %s\n", first+1+i, runs)
	}
	return texttest.Parse(t, b.String())
}

// TestSavedThreadsAreFoundAgain: a session that is opened with other recordings shows the threads
// that it showed, with their notes, by what they run, though they have other ids and come in another
// order.
func TestSavedThreadsAreFoundAgain(t *testing.T) {
	s := New(func() {})
	s.Put(pair.A, "a", anotherRun(t, 10, "pack", "send"))
	s.Put(pair.B, "b", anotherRun(t, 20, "pack", "send"))
	s.Settle(t.Context())
	s.ShowPair(s.State().Pair.Of(pair.B, 2))
	s.Write(SpotOf(call(pair.B, 2, 1)), "why does it send?")
	s.Select(call(pair.B, 2, 1))

	now := reopenedFrom(t, s, [2]*trace.Trace{s.State().Sides[pair.A].Trace, anotherRun(t, 31, "send", "pack")})
	if text, _ := now.Notice(); text != "B has changed since the session was saved" {
		t.Errorf("it is said that %q", text)
	}
	st := now.State()
	if th := st.Sides[pair.B].Trace.Threads[st.Pair.Threads[st.Current].B]; !st.Chosen || th.ID != "32" {
		t.Errorf("thread %s is shown", th.ID)
	}
	if n := st.Notes.All(); len(n) != 1 || n[0].Lost() || n[0].Call != call(pair.B, 1, 1) {
		t.Errorf("notes: %+v", n)
	}
	if st.Selected != call(pair.B, 1, 1) {
		t.Errorf("selected is %+v", st.Selected)
	}
}

// TestSketchesAreSmall: of many threads of one name that are long, a session says little, and that of
// the one that it shows.
func TestSketchesAreSmall(t *testing.T) {
	b := trace.NewBuilder("many")
	for i := range mostSketched + 12 {
		th := b.Thread(fmt.Sprint(100+i), -1)
		th.SetName("worker")
		for k := range 3 * sketchedRuns {
			fn := b.Function(trace.Function{Name: fmt.Sprint("f", k)})
			calls := 1
			if k == 1 {
				calls = mostSketchRuns + 1
			}
			for range calls {
				th.Complete(int64(k*3000), 1, fn)
			}
		}
	}
	tr, err := b.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s := New(func() {})
	s.Put(pair.A, "a", tr)
	s.Settle(t.Context())
	last := tr.Threads[len(tr.Threads)-1]
	s.Select(call(pair.A, int32(len(tr.Threads)-1), 1))
	f, err := s.Saved(input.Options{})
	if err != nil {
		t.Fatal(err)
	}
	list, shown := f.Threads.A, false
	for _, x := range list {
		shown = shown || x.ID == last.ID
		if len(x.Runs) != sketchedRuns || x.Runs[0].Times != mostSketchRuns {
			t.Fatalf("of thread %s it says %+v", x.ID, x.Runs)
		}
	}
	if len(list) != mostSketched || !shown {
		t.Errorf("%d threads, that of the call: %t", len(list), shown)
	}
}
