package session

import (
	"context"
	"testing"

	"diptych/internal/pair"
)

// halfOf is a place with every other function of both sides.
func halfOf(st *State, name string) *Place {
	p := &Place{Path: []string{name}, Name: name}
	for side := range p.Fns {
		tr := st.Sides[side].Trace
		if tr == nil {
			continue
		}
		in := make([]bool, len(tr.Functions))
		for id := range in {
			in[id] = id%2 == 0
		}
		for range tr.Threads {
			p.Fns[side] = append(p.Fns[side], in)
		}
	}
	return p
}

// TestBrushedCalls: a call is found if its function is in the place, and a run if any of its calls is.
func TestBrushedCalls(t *testing.T) {
	s := compared(t)
	s.SplitPane(Matches, false)
	p := halfOf(s.State(), "half")
	if !s.Brush(p) || s.Brush(halfOf(s.State(), "half")) {
		t.Fatal("the same place is brushed twice")
	}
	if _, known := s.State().Brushed.Found(s.State(), 0, 0, 0, 2); known {
		t.Error("runs are known before their calls are gathered")
	}
	s.Settle(context.Background())
	st := s.State()
	for side := range st.Sides {
		for th, tr := range st.Sides[side].Trace.Threads {
			for i := range tr.Len() {
				some := false
				for k := i; k < min(i+3, tr.Len()); k++ {
					in := tr.Fn[k]%2 == 0
					some = some || in
					if got, known := st.Brushed.Found(st, side, th, k, k+1); !known || got != in {
						t.Fatalf("call %d of thread %d is found: %v", k, th, got)
					}
				}
				if got, known := st.Brushed.Found(st, side, th, i, min(i+3, tr.Len())); !known || got != some {
					t.Fatalf("calls from %d of thread %d are found: %v", i, th, got)
				}
			}
		}
	}
	if s.Brush(nil); s.State().Brushed.Place != nil {
		t.Error("brushing does not end")
	}
}

// TestSearchInAPlace lists the functions of a place, and ends with another search, a swap and a load.
func TestSearchInAPlace(t *testing.T) {
	s := compared(t)
	s.FindIn(halfOf(s.State(), "half"))
	s.Settle(context.Background())
	se := s.State().Search
	if se.Query != "half" || len(se.Hits) == 0 || se.Calls[pair.A] == nil {
		t.Fatalf("found %d functions", len(se.Hits))
	}
	for id, in := range se.Fns[pair.A] {
		if in != (id%2 == 0) {
			t.Errorf("function %d is found: %v", id, in)
		}
	}
	if hits := len(se.Hits); true {
		s.apply(func(st *State) { st.recount() })
		if got := s.State().Search; got.Place == nil || len(got.Hits) != hits {
			t.Error("counting again loses the place")
		}
	}
	for name, end := range map[string]func(){"another search": func() { s.Find("f1") }, "a swap": s.Swap} {
		s.FindIn(halfOf(s.State(), "half"))
		if end(); s.State().Search.Place != nil {
			t.Errorf("%s does not end it", name)
		}
		s.Settle(context.Background())
	}
}
