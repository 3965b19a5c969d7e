package pair

import (
	"cmp"
	"slices"

	"diptych/internal/trace"
)

// A file of distributed traces holds many requests, of which a trace shows one. Two requests that
// asked for different things say nothing about the program, nor do the longest two of one thing,
// which are often those that the machine disturbed. So the medians of one thing are compared.

// Endpoint is what a request asked for.
type Endpoint struct{ Service, Operation string }

func (e Endpoint) String() string { return e.Service + ": " + e.Operation }

// EndpointOf returns what a request asked for.
func EndpointOf(r *trace.Request) Endpoint { return Endpoint{r.Service, r.Operation} }

// Asked is an endpoint that all recordings were asked for.
type Asked struct {
	Endpoint
	Ns     [2]int64 // by side: the median duration
	median [2][]*trace.Request
}

// change is by how much the median duration differs. Less than one part in usual is nothing: so
// much it differs between runs of one program.
func (e *Asked) change() int64 {
	const usual = 50
	longer := max(e.Ns[A], e.Ns[B])
	if ns := longer - min(e.Ns[A], e.Ns[B]); ns > longer/usual {
		return ns
	}
	return 0
}

// CommonEndpoints returns what all recordings of both sides were asked for, those first whose
// median duration differs most, then those that take longest. Of several recordings a side, the
// median of their medians counts. For example:
//
//	A   GET /product 9.1, 3.0, 3.1 ms   GET /health 0.6 ms
//	B   GET /product 3.2, 7.4, 3.0 ms   GET /health 60 ms
//
// Here GET /health comes first, with 0.6 and 60 ms, and then GET /product, with 3.1 and 3.2 ms.
func CommonEndpoints(lists [2][][]trace.Request) []Asked {
	var all []*Asked // in the order of A's first recording
	known := map[Endpoint]*Asked{}
	for s := range lists {
		for k, list := range lists[s] {
			for i := range list {
				r := &list[i]
				e := known[EndpointOf(r)]
				if e == nil && s == 0 && k == 0 {
					e = &Asked{Endpoint: EndpointOf(r)}
					known[e.Endpoint], all = e, append(all, e)
				}
				if e != nil && r.Median() {
					e.median[s] = append(e.median[s], r)
				}
			}
		}
	}
	var common []Asked
	for _, e := range all {
		if len(e.median[A]) < len(lists[A]) || len(e.median[B]) < len(lists[B]) {
			continue
		}
		for s := range e.Ns {
			var ns []int64
			for _, r := range e.median[s] {
				ns = append(ns, r.Duration)
			}
			slices.Sort(ns)
			e.Ns[s] = ns[(len(ns)-1)/2]
		}
		common = append(common, *e)
	}
	slices.SortStableFunc(common, func(x, y Asked) int {
		return cmp.Or(cmp.Compare(y.change(), x.change()),
			cmp.Compare(max(y.Ns[A], y.Ns[B]), max(x.Ns[A], x.Ns[B])))
	})
	return common
}

// Requests says which requests of two files of distributed traces to compare, by side: the id of
// one that is to take the place of the one shown, or "". They are the medians of the first common
// endpoint. A side that stays keeps its request, and the other one follows. Either trace may be
// nil.
func Requests(a, b *trace.Trace, stays [2]bool) (ids [2]string) {
	if a == nil || b == nil {
		return ids
	}
	of, _ := RunRequests([2][][]trace.Request{{a.Requests}, {b.Requests}}, stays)
	for s, t := range [2]*trace.Trace{a, b} {
		if r := t.ShownRequest(); r != nil && r.ID != of[s][0] {
			ids[s] = of[s][0]
		}
	}
	return ids
}

// RunRequests is Requests for several recordings a side, whose requests it is given. It returns the
// ids also of those that are shown, and whether others are not.
func RunRequests(lists [2][][]trace.Request, stays [2]bool) (ids [2][]string, others bool) {
	common := CommonEndpoints(lists)
	for s := range lists {
		ids[s] = make([]string, len(lists[s]))
		if stays[s] {
			k := slices.IndexFunc(lists[s][0], func(r trace.Request) bool { return r.Shown })
			common = slices.DeleteFunc(common, func(e Asked) bool {
				return k < 0 || e.Endpoint != EndpointOf(&lists[s][0][k])
			})
		}
	}
	for s := range lists {
		if len(common) == 0 || stays[s] {
			continue
		}
		for k, r := range common[0].median[s] {
			ids[s][k], others = r.ID, others || !r.Shown
		}
	}
	return ids, others
}
