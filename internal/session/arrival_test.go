package session

import (
	"context"
	"os"
	"path/filepath"
	"slices"
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
	if !s.Back() {
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

// TestArrivals: times of a side go before shares, and what is not within the run, or no stretch at
// all, shows what is usual. A runs for 10 ms, B for 20.
func TestArrivals(t *testing.T) {
	paths, span := scripts(t), func(start, end float64) geom.Span { return geom.Span{Start: start, End: end} }
	usual := [2]geom.Span{span(0, 10e6), span(0, 20e6)}
	for name, c := range map[string]struct {
		to       Arrival
		want     [2]geom.Span
		side     pair.Side
		selected int32 // the call, or −1
	}{
		"nothing":       {Arrival{}, usual, 0, -1},
		"times":         {Arrival{Spans: [2]geom.Span{span(1e6, 2e6), span(3e6, 4e6)}}, [2]geom.Span{span(1e6, 2e6), span(3e6, 4e6)}, 0, -1},
		"times of A":    {Arrival{Spans: [2]geom.Span{span(1e6, 2e6)}, Share: span(.5, 1)}, [2]geom.Span{span(1e6, 2e6), span(10e6, 20e6)}, 0, -1},
		"backwards":     {Arrival{Spans: [2]geom.Span{span(2e6, 1e6), span(4e6, 4e6)}, Share: span(.5, .1)}, usual, 0, -1},
		"begins before": {Arrival{Spans: [2]geom.Span{span(-2e6, 3e6), span(-1e6, 1e6)}}, [2]geom.Span{span(0, 5e6), span(0, 2e6)}, 0, -1},
		"ends after":    {Arrival{Spans: [2]geom.Span{span(8e6, 12e6)}, Share: span(.75, 1.25)}, [2]geom.Span{span(6e6, 10e6), span(10e6, 20e6)}, 0, -1},
		"all and more":  {Arrival{Share: span(-1, 2)}, usual, 0, -1},
		"a call of A":   {Arrival{Calls: [2]CallAt{{"1/1", 9}, {}}}, usual, pair.A, 9},
		"a call of B":   {Arrival{Calls: [2]CallAt{{"1/1", -1}, {"1/1", 0}}}, usual, pair.B, 0},
		"one too many":  {Arrival{Calls: [2]CallAt{{"1/1", 3}, {"1/1", 99}}}, usual, pair.A, 3},
	} {
		s := New(func() {})
		s.Whole = true
		s.OpenAt(paths, input.Options{}, c.to)
		s.Settle(context.Background())
		st := s.State()
		for side, want := range c.want {
			if f := st.Sides[side].Focus; f != want {
				t.Errorf("%s: side %d shows %v, want %v", name, side, f, want)
			}
		}
		if x := st.Selected; x.OK != (c.selected >= 0) || x.OK && (x.Side != c.side || x.Ref.Call != c.selected) {
			t.Errorf("%s: %+v is selected", name, x)
		}
	}
}

// TestLatestArrival: of two pairs that are opened at once, the latter is shown as it was asked for.
func TestLatestArrival(t *testing.T) {
	s, first, latter := New(func() {}), scripts(t), scripts(t)
	s.OpenAt(first, input.Options{}, Arrival{Find: "odd", Share: geom.Span{Start: .1, End: .2}})
	s.OpenAt(latter, input.Options{}, Arrival{Share: geom.Span{Start: .5, End: 1}})
	s.Settle(context.Background())
	st, want := s.State(), geom.Span{Start: 5e6, End: 10e6}
	if st.Sides[pair.A].Path != latter[pair.A] || st.Sides[pair.A].Focus != want || st.Search.Query != "" {
		t.Errorf("%v of %s, searching for %q", st.Sides[pair.A].Focus, st.Sides[pair.A].Path, st.Search.Query)
	}
	s.OpenAt([2]string{latter[pair.B], latter[pair.A]}, input.Options{}, Arrival{})
	s.Settle(context.Background())
	if st := s.State(); st.Sides[pair.A].Path != latter[pair.B] || st.Sides[pair.A].Whole().End != 20e6 {
		t.Error("the same traces the other way round are taken for what is open")
	}
}

// TestArrivalOfABrokenPair: what was to be seen of a pair is not looked for in another one, which
// the user opens because the first could not be loaded.
func TestArrivalOfABrokenPair(t *testing.T) {
	s, paths, other := New(func() {}), scripts(t), scripts(t)
	s.Whole = true
	whole, err := os.ReadFile(paths[pair.B])
	if err == nil {
		err = os.WriteFile(paths[pair.B], []byte("no trace"), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	to := Arrival{Share: geom.Span{Start: .2, End: .4}, Find: "odd", Calls: [2]CallAt{pair.B: {"1/1", 4}}}
	s.OpenAt(paths, input.Options{}, to)
	s.Settle(context.Background())
	if st := s.State(); st.Sides[pair.B].Err == nil || st.Selected.OK {
		t.Fatalf("%v, %+v is selected", st.Sides[pair.B].Err, st.Selected)
	}
	s.Open(pair.B, other[pair.B], input.Options{})
	s.Settle(context.Background())
	st := s.State()
	if f := st.Sides[pair.B].Focus; st.Selected.OK || st.Search.Query != "" || f != st.Sides[pair.B].Whole() {
		t.Errorf("another pair shows %v, selects %+v, searches for %q", f, st.Selected, st.Search.Query)
	}
	if err := os.WriteFile(paths[pair.B], whole, 0o600); err != nil { // mended
		t.Fatal(err)
	}
	s.OpenAt(paths, input.Options{}, to)
	s.Settle(context.Background())
	if st := s.State(); !st.Selected.OK || st.Search.Query != "odd" {
		t.Errorf("the mended pair selects %+v, searches for %q", st.Selected, st.Search.Query)
	}
}

// TestDoReplaces: work in a slot ends what was under way there, of which nothing is applied; work in
// another slot goes on.
func TestDoReplaces(t *testing.T) {
	s := New(func() {})
	var applied []string
	s.Do("slot", "First", func(ctx context.Context, _ progress.Func) func() {
		<-ctx.Done()
		return func() { applied = append(applied, "first") }
	})
	s.Do("beside", "Beside", func(context.Context, progress.Func) func() {
		return func() { applied = append(applied, "beside") }
	})
	s.Do("slot", "Second", func(context.Context, progress.Func) func() {
		return func() { applied = append(applied, "second") }
	})
	if j := s.Doing("slot"); j == nil || j.Label != "Second" || s.Doing("beside") == nil {
		t.Errorf("%+v is under way", j)
	}
	s.Settle(context.Background())
	slices.Sort(applied)
	if !slices.Equal(applied, []string{"beside", "second"}) {
		t.Errorf("applied %q", applied)
	}
}
