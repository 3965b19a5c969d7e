package align

import (
	"fmt"
	"testing"

	"diptych/internal/pair"
	"diptych/internal/trace"
)

// asidePlace is where a call that is set aside stands: it is the n-th of those after a pair of
// callees, or at the start, below a pair of callers. Calls are A's.
type asidePlace struct{ caller, after, n int32 }

// asidePlaces returns the calls of side s that are set aside, by place.
func asidePlaces(r *Result, s pair.Side) map[asidePlace]int32 {
	th, partner := r.Threads[s], r.Partner[s]
	inA := func(i int32) int32 {
		if i == None || s == pair.A {
			return i
		}
		return partner[i]
	}
	last, n := map[int32]int32{}, map[asidePlace]int32{}
	places := map[asidePlace]int32{}
	for i := range int32(th.Len()) {
		caller := r.Caller(s, i)
		off := r.Pair.Trace(s).Functions[th.Fn[i]].OffCPU() && th.Size(int(i)) == 1
		switch {
		case off && (caller == None || partner[caller] != None):
			p := asidePlace{caller: inA(caller), after: None}
			if k, ok := last[caller]; ok {
				p.after = inA(k)
			}
			at := p
			at.n = n[p]
			n[p]++
			places[at] = i
		case !off && partner[i] != None:
			last[caller] = i
		}
	}
	return places
}

// pairAside pairs the calls that are set aside, from the definition, given how a result pairs all
// others. It returns an error if the result pairs them otherwise.
func (o *oracle) pairAside(r *Result) error {
	a, b := asidePlaces(r, pair.A), asidePlaces(r, pair.B)
	o.aside = 0
	for at, i := range a {
		want := None
		if j, ok := b[at]; ok && r.ID(pair.A, int(i)) == r.ID(pair.B, int(j)) {
			want = j
			o.aside++
			o.partner[pair.A][i], o.partner[pair.B][j] = j, i
		}
		if r.Partner[pair.A][i] != want {
			return fmt.Errorf("call %d of A at %v: partner %d, want %d", i, at, r.Partner[pair.A][i], want)
		}
	}
	return nil
}

// offNamed makes a trace in which calls of "off" are time without a processor.
func offNamed(t testing.TB, calls ...said) *trace.Trace {
	tr := told(t, calls...)
	for k := range tr.Functions {
		if tr.Functions[k].Name == "off" {
			tr.Functions[k].Off = trace.Ready
		}
	}
	return tr
}

// TestAsideIsNoStructure holds that being off the processor makes no difference to what is paired.
func TestAsideIsNoStructure(t *testing.T) {
	for _, c := range []struct {
		name       string
		a, b       []said
		equal, off int64 // pairs of all calls; pairs of calls that are set aside
	}{
		{"no callee",
			[]said{{"main", 0, 90}, {"f", 10, 40}, {"off", 20, 30}, {"f", 50, 60}},
			[]said{{"main", 0, 90}, {"f", 10, 40}, {"f", 50, 60}, {"off", 51, 52}}, 3, 0},
		{"no wrapper",
			[]said{{"main", 0, 90}, {"execute", 10, 80}, {"off", 20, 30}},
			[]said{{"main", 0, 90}, {"execute", 10, 80}, {"get", 15, 40}, {"off", 20, 30}}, 2, 0},
		{"in order between pairs",
			[]said{{"main", 0, 90}, {"off", 1, 2}, {"off", 3, 4}, {"f", 10, 20}, {"off", 21, 22},
				{"off", 23, 24}, {"g", 30, 40}},
			[]said{{"main", 0, 90}, {"off", 1, 2}, {"f", 10, 20}, {"off", 21, 22}, {"g", 30, 40},
				{"off", 50, 60}}, 5, 2},
		{"with callees, of a damaged recording",
			[]said{{"main", 0, 90}, {"f", 10, 20}, {"g", 30, 40}},
			[]said{{"main", 0, 90}, {"off", 5, 80}, {"f", 10, 20}, {"g", 30, 40}}, 3, 0},
		{"a thread and itself",
			[]said{{"off", 0, 5}, {"main", 10, 90}, {"off", 11, 12}, {"f", 20, 30}, {"off", 21, 25}},
			[]said{{"off", 0, 5}, {"main", 10, 90}, {"off", 11, 12}, {"f", 20, 30}, {"off", 21, 25}},
			5, 3},
	} {
		p := pair.New(offNamed(t, c.a...), offNamed(t, c.b...), pair.Rules{})
		for e := range engines {
			r := aligned(t, p, Options{Engine: e})
			off := int64(0)
			for _, j := range partnersOf(r, "off") {
				if j != None {
					off++
				}
			}
			if m := r.Metrics(); m.Equal != c.equal || m.Different != 0 || off != c.off ||
				m.Score() != r.Score {
				t.Errorf("%s, %v: %+v, %d off; score %d", c.name, e, m, off, r.Score)
			}
			if err := unsound(r); err != nil {
				t.Errorf("%s, %v: %v", c.name, e, err)
			}
			for s := range r.Passed {
				if c.name == "no wrapper" && r.Passed[s] != nil {
					t.Errorf("%s, %v: %v passes calls through", c.name, e, pair.Side(s))
				}
			}
		}
	}
}

// TestAsideCannotBeAnchored holds that an anchor on such a call is left out.
func TestAsideCannotBeAnchored(t *testing.T) {
	a := offNamed(t, said{"main", 0, 90}, said{"off", 10, 20}, said{"f", 30, 40})
	p := pair.New(a, a, pair.Rules{})
	r := aligned(t, p, Options{Anchors: []Anchor{{Calls: [2]int32{1, 2}}}})
	if err := unsound(r); err != nil || r.Partner[pair.A][1] != 1 || r.Partner[pair.A][2] != 2 {
		t.Errorf("%v, %v", r.Partner, err)
	}
}
