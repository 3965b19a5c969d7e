package session

import (
	"context"
	"testing"

	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// TestTheDefaultSampleTypeIsShown holds that the threads shown first are of the default sample type,
// however few calls they have.
func TestTheDefaultSampleTypeIsShown(t *testing.T) {
	b := trace.NewBuilder("test")
	b.Kind, b.Unit = trace.Profile, "bytes"
	for k, of := range []string{"inuse", "alloc"} {
		th := b.Thread(of, -1)
		th.SetRole(of, false)
		th.SetSort(k)
		th.SetKind(trace.SampleType)
		for i := range int64(1 + 4*k) {
			th.Complete(10*i, 10*i+10, b.Function(trace.Function{Name: "f"}))
		}
	}
	tr, s := testtrace.Build(t, b), New(func() {})
	s.Put(pair.A, "a", tr)
	s.Put(pair.B, "b", tr)
	s.Settle(context.Background())
	st := s.State()
	if got := tr.Threads[st.Pair.Threads[st.Current].A].Name; got != "inuse" {
		t.Errorf("%s is shown", got)
	}
}
