package otlp

import (
	"fmt"
)

// manySpans are requests of ten spans each, with the attributes that HTTP and databases have.
func manySpans(n int) []group {
	var groups []group
	for k := 0; k < n; k += 10 {
		g := group{resource: []pair{{"service.name", fmt.Sprint("service-", k/10%7)}, {"host.name", "node-1"}}, scope: "http"}
		id := fmt.Sprintf("%032x", 0xabc0000+k)
		for i := range 10 {
			x := testSpan{trace: id, id: fmt.Sprintf("%016x", 0xdef0000+k+i), name: fmt.Sprint("GET /path/", i), kind: 1 + i%3,
				start: origin + int64(1000*(k+i)), end: origin + int64(1000*(k+20-i)),
				attributes: []pair{{"http.request.method", "GET"}, {"http.response.status_code", int64(200)},
					{"url.full", "http://service-3:8080/path/to/something?with=query"}, {"server.port", int64(8080)}}}
			if i > 0 {
				x.parent = fmt.Sprintf("%016x", 0xdef0000+k+i-1)
			}
			if i == 5 {
				x.events = []testEvent{{x.start + 10, "retry", []pair{{"attempt", int64(2)}}}}
			}
			g.spans = append(g.spans, x)
		}
		groups = append(groups, g)
	}
	return groups
}

// plainSpans are what encoding/json decodes, as a loader would need it.
type plainSpans struct {
	ResourceSpans []struct {
		Resource   struct{ Attributes []plainPair }
		ScopeSpans []struct {
			Scope struct{ Name, Version string }
			Spans []struct {
				TraceID, SpanID, ParentSpanID, Name string
				Kind                                int
				StartTimeUnixNano, EndTimeUnixNano  int64 `json:",string"`
				Attributes                          []plainPair
				Events                              []struct {
					TimeUnixNano int64 `json:",string"`
					Name         string
					Attributes   []plainPair
				}
			}
		}
	}
}

type plainPair struct {
	Key   string
	Value struct {
		StringValue *string
		IntValue    *string
		DoubleValue *float64
		BoolValue   *bool
	}
}
