package traceio_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
)

// crowd returns a file of n records between a beginning and an end.
func crowd(n int, beginning, end string, record func(i int) string) []byte {
	var out strings.Builder
	out.WriteString(beginning)
	for i := range n {
		out.WriteString(record(i))
	}
	out.WriteString(end)
	return []byte(out.String())
}

// TestCrowds loads small files in which each record is a thread: with little memory stated, each
// ends in one line that says how to raise the limit; without, it is loaded.
func TestCrowds(t *testing.T) {
	const n = 3600
	text, _, _ := strings.Cut(string(unpacked(t, "../../testdata/paje/ring-4.trace.gz")), "\n6 ")
	for what, data := range map[string][]byte{
		"threads in Chrome's JSON": crowd(n, "[", "{}]", func(i int) string {
			return fmt.Sprintf(`{"name":"a","ph":"X","ts":1,"dur":1,"pid":1,"tid":%d},`, i)
		}),
		"calls in Chrome's JSON that overlap": crowd(3*n, "[", "{}]", func(i int) string {
			return fmt.Sprintf(`{"name":"a","ph":"X","ts":%d,"dur":900000,"pid":1,"tid":1},`, i)
		}),
		"spans of OpenTelemetry that overlap": crowd(n, `{"resourceSpans":[{"scopeSpans":[{"spans":[`, `{}]}]}]}`,
			func(i int) string {
				return fmt.Sprintf(`{"traceId":"a","spanId":"%x","name":"f","startTimeUnixNano":%d,"endTimeUnixNano":%d},`,
					i+1, i+1, i+n)
			}),
		"spans of Jaeger that overlap": crowd(n, `{"data":[{"traceID":"a","processes":{"p":{"serviceName":"s"}},"spans":[`,
			`{}]}]}`, func(i int) string {
				return fmt.Sprintf(`{"traceID":"a","spanID":"%x","operationName":"f","processID":"p",`+
					`"startTime":%d,"duration":%d},`, i+1, i+1, n)
			}),
		"containers of Paje": crowd(n, text, "", func(i int) string {
			return fmt.Sprintf("\n6 0 c%d 1 0 c%d\n12 0 2 c%d f 1\n13 1 2 c%d", i, i, i, i)
		}),
	} {
		at := put(t, "crowd", data)
		_, err := traceio.Load(context.Background(), at, input.Options{Memory: 4 << 20})
		want := at + ": it takes more than 4MiB to be decoded, the limit with --memory=4MiB; " +
			"--memory=8MiB raises it"
		if !errors.Is(err, input.ErrLimit) || err.Error() != want {
			t.Errorf("%s: %v", what, err)
		}
		if !strings.Contains(what, "Chrome") {
			continue // one is enough
		}
		if tr, err := load(at); err != nil || len(tr.Threads) < n {
			t.Errorf("%s: with all memory: %v", what, err)
		}
	}
}
