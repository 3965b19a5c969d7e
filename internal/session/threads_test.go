package session

import (
	"context"
	"testing"

	"diptych/internal/pair"
	"diptych/internal/trace"
)

// A trace opens on a thread that executes the program, though the runtime's has more calls, and
// sums that a tool wrote have more still.
func TestOpensOnTheProgram(t *testing.T) {
	load := func() *trace.Trace {
		b := trace.NewBuilder("test")
		f := b.Function(trace.Function{Name: "f"})
		for k, kind := range []trace.ThreadKind{trace.Runtime, trace.Ordinary, trace.Sums} {
			th := b.Thread(string(rune('1'+k)), b.Process("p"))
			th.SetName(kind.String())
			th.SetKind(kind)
			for i := range int64(10 + 5*k*k) {
				if kind == trace.Ordinary && i == 5 {
					break
				}
				th.Begin(10*i, f)
				th.End(10*i + 5)
			}
		}
		tr, err := b.Build(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return tr
	}
	shown := func(s *Session, side pair.Side) string {
		st := s.State()
		if len(st.Tracks[side]) != 1 {
			t.Fatalf("%d tracks are shown", len(st.Tracks[side]))
		}
		return st.Sides[side].Trace.Threads[st.Tracks[side][0]].Name
	}
	s := New(func() {})
	s.Put(pair.A, "a", load())
	settled(s)
	if got := shown(s, pair.A); got != "thread" {
		t.Errorf("one trace opens on %q", got)
	}
	s.Put(pair.B, "b", load())
	settled(s)
	for _, side := range []pair.Side{pair.A, pair.B} {
		if got := shown(s, side); got != "thread" {
			t.Errorf("of a pair, %v opens on %q", side, got)
		}
	}
}
