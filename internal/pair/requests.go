package pair

import "diptych/internal/trace"

// endpoint is what a request asked for.
type endpoint struct{ service, operation string }

func endpointOf(r *trace.Request) endpoint { return endpoint{r.Service, r.Operation} }

// Requests says which requests of two files of distributed traces to compare, by side: the id of
// one that is to take the place of the one shown, or "". Each file shows its longest request, but
// two requests that asked for different things say nothing about the program. For example:
//
//	A   GET /product 3.4 ms (shown), GET /health 0.6 ms
//	B   GET /health 60 ms (shown), GET /product 3.3 ms
//
// Here GET /health is compared: of what both files were asked for, it took longest. A side that
// stays keeps its request, and the other one follows. Either trace may be nil.
func Requests(a, b *trace.Trace, stays [2]bool) (ids [2]string) {
	if a == nil || b == nil || a.ShownRequest() == nil || b.ShownRequest() == nil {
		return ids
	}
	sides := [2]*trace.Trace{a, b}
	shown := [2]endpoint{endpointOf(a.ShownRequest()), endpointOf(b.ShownRequest())}
	if shown[A] == shown[B] || stays[A] && stays[B] {
		return ids
	}
	var longest [2]map[endpoint]*trace.Request // of each endpoint; the longest come first
	for s, t := range sides {
		longest[s] = map[endpoint]*trace.Request{}
		for k := range t.Requests {
			if r := &t.Requests[k]; longest[s][endpointOf(r)] == nil {
				longest[s][endpointOf(r)] = r
			}
		}
	}
	var best [2]*trace.Request
	most := int64(-1)
	for _, t := range sides { // in their order, so that the first of equals is the same every time
		for k := range t.Requests {
			e := endpointOf(&t.Requests[k])
			x, y := longest[A][e], longest[B][e]
			if x == nil || y == nil || stays[A] && e != shown[A] || stays[B] && e != shown[B] {
				continue
			}
			if ns := max(x.Duration, y.Duration); ns > most {
				most, best = ns, [2]*trace.Request{x, y}
			}
		}
	}
	for s := range sides {
		if best[s] != nil && !stays[s] && !best[s].Shown {
			ids[s] = best[s].ID
		}
	}
	return ids
}
