package session

import (
	"context"
	"path/filepath"
	"testing"

	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/testtrace"
	"diptych/internal/traceio/input"
)

// scripts writes two traces of ten calls of 1 ms, in B of 2 ms.
func scripts(t *testing.T) (paths [2]string) {
	t.Helper()
	for side := range paths {
		var steps []any
		for k := range 10 {
			steps = append(steps, []string{"even", "odd"}[k%2], float64(side+1))
		}
		paths[side] = filepath.Join(t.TempDir(), "trace.json")
		testtrace.WriteScript(t, paths[side], steps...)
	}
	return paths
}

// TestOpenAt: a pair begins with what led to it: a stretch of each side, or a share of both, and
// the call that it is about.
func TestOpenAt(t *testing.T) {
	paths := scripts(t)
	s := New(func() {})
	s.OpenAt(paths, input.Options{}, Arrival{Share: geom.Span{Start: .2, End: .4}, Find: "odd",
		Calls: [2]CallAt{pair.A: {Thread: "1/1", Index: 2}, pair.B: {Thread: "1/1", Index: 4}}})
	s.Settle(context.Background())
	st := s.State()
	for side, want := range []geom.Span{{Start: 2e6, End: 4e6}, {Start: 4e6, End: 8e6}} {
		if st.Sides[side].Focus != want {
			t.Errorf("side %d shows %v, want %v", side, st.Sides[side].Focus, want)
		}
	}
	if x := st.Selected; !x.OK || x.Side != pair.B || x.Ref.Call != 4 || !st.Before.OK {
		t.Errorf("%+v is selected, after %+v", x, st.Before)
	}
	if st.Search.Query != "odd" {
		t.Errorf("searches for %q", st.Search.Query)
	}
	again := geom.Span{Start: 1e6, End: 3e6}
	opened := st.Sides[pair.A].Trace
	s.OpenAt(paths, input.Options{}, Arrival{Spans: [2]geom.Span{pair.A: again}})
	st = s.State()
	if st.Sides[pair.A].Focus != again || st.Sides[pair.A].Trace != opened || len(s.Jobs()) > 1 {
		t.Error("a pair that is open is opened again")
	}
	if back, _ := s.CanGo(); !back {
		t.Error("there is no way back to the place before")
	}
}

// TestOpenAtNowhere: calls and times that the traces do not have are left out.
func TestOpenAtNowhere(t *testing.T) {
	s := New(func() {})
	s.OpenAt(scripts(t), input.Options{}, Arrival{Share: geom.Span{Start: 3, End: 9},
		Calls: [2]CallAt{{Thread: "none", Index: 2}, {Thread: "1/1", Index: 999}}})
	s.Settle(context.Background())
	st := s.State()
	if st.Selected.OK {
		t.Errorf("%+v is selected", st.Selected)
	}
	for side := range st.Sides {
		if f := st.Sides[side].Focus; f.Len() <= 0 || f.End > st.Sides[side].Whole().End {
			t.Errorf("side %d shows %v", side, f)
		}
	}
}

// TestDoOutlivesTraces: work about nothing that is open goes on when the traces are closed.
func TestDoOutlivesTraces(t *testing.T) {
	s, done := New(func() {}), false
	s.Do("work", "Working", func(context.Context, progress.Func) func() {
		return func() { done = true }
	})
	s.Close()
	if s.Doing("work") == nil {
		t.Error("closing has stopped it")
	}
	s.Settle(context.Background())
	if !done || s.Doing("work") != nil {
		t.Error("it was not done")
	}
}
