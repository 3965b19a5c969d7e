package align

import (
	"fmt"

	"diptych/internal/pair"
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
		off := r.Pair.Trace(s).Functions[th.Fn[i]].OffCPU() && th.Size[i] == 1
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
