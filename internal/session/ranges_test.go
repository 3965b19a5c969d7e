package session

import (
	"testing"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/stats"
)

// TestSelectRange: a range is what of the wanted stretch lies within the trace, and has its
// counterpart on the other side, also once the sides are exchanged. Nothing is no range.
func TestSelectRange(t *testing.T) {
	s := New(func() {})
	s.Put(pair.A, "a", locked(t, 0))    // 21 ms
	s.Put(pair.B, "b", locked(t, 20e6)) // 41 ms
	s.Settle(t.Context())
	s.SetLock(FromStart, pair.A)
	s.SelectRange(pair.A, geom.Span{Start: 10e6, End: 90e6})
	check := func(a, b stats.Range) {
		t.Helper()
		st := s.State()
		if w := st.Range.Counted(); !st.Range.OK || !w.One || w.Ranges != [2]stats.Range{a, b} {
			t.Errorf("%+v is selected, want %v in A and %v in B", w, a, b)
		}
	}
	check(stats.Range{From: 10e6, To: 21e6}, stats.Range{From: 10e6, To: 21e6})
	s.SelectRange(pair.B, geom.Span{Start: 15e6, End: 90e6})
	check(stats.Range{From: 15e6, To: 21e6}, stats.Range{From: 15e6, To: 41e6})
	s.Swap()
	check(stats.Range{From: 15e6, To: 41e6}, stats.Range{From: 15e6, To: 21e6})
	for _, none := range []geom.Span{{Start: 5e6, End: 5e6}, {Start: 50e6, End: 60e6}} {
		if s.SelectRange(pair.A, none); s.State().Range.OK {
			t.Errorf("%v is a range", none)
		}
	}
}
