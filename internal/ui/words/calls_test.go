package words

import (
	"errors"
	"testing"

	"diptych/internal/pair"
	"diptych/internal/scene/icicle"
	"diptych/internal/scene/matches"
	"diptych/internal/session"
	"diptych/internal/trace"
)

func TestCallsInOneLine(t *testing.T) {
	st := compared(t, session.Matches).State()
	for function, want := range map[string]string{
		"main": "main  ·  9.00 µs  ·  5 calls below",
		"open": "open  ·  os  ·  1.00 µs",
		"lock": "lock  ·  3.00 µs",
	} {
		if got := CallLine(st, callOf(t, st, pair.A, function, 0)); got != want {
			t.Errorf("%s: %q, want %q", function, got, want)
		}
	}
}

func TestTipsOfCalls(t *testing.T) {
	st := compared(t, session.Matches).State()
	for function, want := range map[string][]string{
		"open":     {"open", "1.00 µs, self 1.00 µs, at 0 ns", "os", "a.txt"},
		"lock":     {"lock", "3.00 µs, self 3.00 µs, at 1.50 µs", "waits on mutex"},
		"sem_post": {"sem_post", "500 ns, self 500 ns, at 5.00 µs", "releases on items"},
	} {
		ref := callOf(t, st, pair.A, function, 0).Ref
		hit := matches.Hit{Side: 0, Pick: icicle.Pick{Thread: int(ref.Thread), Call: int(ref.Call)}}
		says(t, function, TipLines(st, hit), want)
	}
	hit := matches.Hit{Side: 0, Pick: icicle.Pick{Aggregate: true, From: 0, To: 1200}}
	lines := TipLines(st, hit)
	if got := lines[len(lines)-1]; got != "1\u2009200 calls here are too narrow to draw; zoom in" {
		t.Errorf("of a run it says %q", got)
	}
}

func TestVisible(t *testing.T) {
	st := compared(t, session.Matches).State()
	if got, want := Visible(st), "showing A 9.00 µs  B 12.0 µs"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := Visible(session.New(func() {}).State()); got != "" {
		t.Errorf("nothing is open, yet it says %q", got)
	}
	if got := StartOf(st, callOf(t, st, pair.B, "use", 0)); got != "at 9.00 µs" {
		t.Errorf("a call starts %q", got)
	}
}

func TestProblemsCountsErrorsAndDiagnostics(t *testing.T) {
	s := compared(t, session.Matches)
	if n := Problems(s.State()); n != 0 {
		t.Errorf("%d problems", n)
	}
	put(t, s, pair.A, runA+"diagnostic "+string(trace.Reordered)+" 3\n")
	s.Settle(t.Context())
	if n := Problems(s.State()); n != 1 {
		t.Errorf("%d problems, want 1", n)
	}
}

// TestProblemsCountsWhatIsNoFile checks that traces which cannot be compared are a problem, and each
// job that failed.
func TestProblemsCountsWhatIsNoFile(t *testing.T) {
	st := session.New(func() {}).State()
	st.Apart, st.Faults = errors.New("other units"), make([]session.Fault, 2)
	if n := Problems(st); n != 3 {
		t.Errorf("%d problems, want 3", n)
	}
}
