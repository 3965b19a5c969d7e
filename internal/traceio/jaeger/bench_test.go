package jaeger_test

import (
	"fmt"
)

// manySpans are requests of ten spans each, as Jaeger's API returns them.
func manySpans(n int) []byte {
	var all []jsonTrace
	for k := 0; k < n; k += 10 {
		tr := jsonTrace{TraceID: fmt.Sprintf("%032x", 0xabc0000+k), Processes: map[string]jsonProcess{
			"p1": {"gateway", []jsonTag{{"host.name", "string", "node-1"}}}, "p2": {"orders", nil}}}
		for i := range 10 {
			x := jsonSpan{TraceID: tr.TraceID, SpanID: fmt.Sprintf("%016x", 0xdef0000+k+i), Flags: 1,
				Name: fmt.Sprint("GET /path/", i), StartTime: originUs + int64(k+i), Duration: int64(20 - i),
				ProcessID: fmt.Sprint("p", 1+i%2), References: []jsonReference{}, Logs: []jsonLog{},
				Tags: []jsonTag{{"http.request.method", "string", "GET"}, {"http.response.status_code", "int64", 200},
					{"url.full", "string", "http://service-3:8080/path/to/something?with=query"},
					{"server.port", "int64", 8080}, {"span.kind", "string", "client"}}}
			if i > 0 {
				x.References = []jsonReference{{"CHILD_OF", tr.TraceID, fmt.Sprintf("%016x", 0xdef0000+k+i-1)}}
			}
			tr.Spans = append(tr.Spans, x)
		}
		all = append(all, tr)
	}
	return encoded(map[string]any{"data": all})
}
