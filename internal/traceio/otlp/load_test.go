package otlp

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

// TestEncodings: the same spans are the same trace, however they are encoded, and each encoding is
// known for what it is.
func TestEncodings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		groups := drawGroups(t)
		var want string
		for what, data := range map[string][]byte{"JSON": toJSON(groups), "a message": toWire(groups, false),
			"messages": toWire(groups, true)} {
			if !Sniff(&input.Source{Head: data}) {
				t.Fatalf("%s is not known", what)
			}
			tr, err := loadBytes(data)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			got := asText(tr)
			if want == "" {
				want = got
			}
			if got != want {
				t.Fatalf("%s:\n%s\nwant\n%s", what, got, want)
			}
			for _, th := range tr.Threads {
				for i := range th.Len() {
					if !json.Valid([]byte(th.Args(i))) {
						t.Fatalf("%s: arguments %s", what, th.Args(i))
					}
				}
			}
		}
		n := 0
		for _, g := range groups {
			n += len(g.spans)
		}
		tr, _ := loadBytes(toJSON(groups))
		for _, r := range tr.Requests {
			n -= r.Spans
		}
		if n != 0 {
			t.Fatalf("%d spans are in no request", n)
		}
	})
}

// one is a span with all that there is.
var one = []group{{[]pair{{"service.name", "shop"}, {"service.namespace", "test"}, {"telemetry.sdk.name", "opentelemetry"},
	{"telemetry.sdk.language", "go"}, {"telemetry.sdk.version", "1.40"}}, "lib", []testSpan{{
	trace: "0123456789abcdef0123456789abcdef", id: "00000000000000a1", name: "GET /", kind: 2, code: 2, message: "it failed",
	start: origin, end: origin + 100, attributes: []pair{{"n", int64(-3)}, {"list", []any{"x", true, 1.5, nil}},
		{"nested", []pair{{"bytes", []byte("abc")}}}},
	events: []testEvent{{origin + 7, "exception", []pair{{"exception.type", "E"}}}}}}}}

const oneArgs = `{"error":true,"otel.status_code":"ERROR","otel.status_description":"it failed","span.kind":"server",` +
	`"n":-3,"list":["x",true,1.5,null],"nested":{"bytes":"YWJj"},"events":[{"event":"exception","afterNs":7,` +
	`"exception.type":"E"}],"otel.scope.name":"lib","otel.scope.version":"1","resource":{"service.name":"shop",` +
	`"service.namespace":"test","telemetry.sdk.name":"opentelemetry","telemetry.sdk.language":"go",` +
	`"telemetry.sdk.version":"1.40"},"spanID":"00000000000000a1"}`

func TestSpan(t *testing.T) {
	for what, data := range map[string][]byte{"JSON": toJSON(one), "a message": toWire(one, false)} {
		tr, err := loadBytes(data)
		if err != nil {
			t.Fatal(err)
		}
		th := tr.Threads[0]
		if got := th.Args(0); got != oneArgs {
			t.Errorf("%s:\n got %s\nwant %s", what, got, oneArgs)
		}
		if tr.Tool != "opentelemetry go 1.40" || tr.Origin != origin || th.Dur(0) != 100 || len(th.Instants) != 1 ||
			tr.Processes[0].ID != "test/shop" || len(tr.Diagnostics) != 0 {
			t.Errorf("%s: %s", what, asText(tr))
		}
	}
}

// TestForms has JSON as other writers have it.
func TestForms(t *testing.T) {
	plain := string(bytes.TrimSpace(toJSON(one)))
	want := func() string { tr, _ := loadBytes([]byte(plain)); return asText(tr) }()
	inBase64 := func(text string) string { return base64.StdEncoding.EncodeToString(wireID(text)) }
	for what, data := range map[string]string{
		"of Jaeger's API": `{"result":` + plain + `}`,
		"of Tempo":        strings.Replace(plain, "resourceSpans", "batches", 1),
		"of Tempo, newer": `{"trace":` + plain + `}`,
		"an older one":    strings.NewReplacer("scopeSpans", "instrumentationLibrarySpans", `"scope"`, `"instrumentationLibrary"`).Replace(plain),
		"names of fields": strings.NewReplacer("resourceSpans", "resource_spans", "scopeSpans", "scope_spans", "traceId", "trace_id",
			"spanId", "span_id", "startTimeUnixNano", "start_time_unix_nano", "endTimeUnixNano", "end_time_unix_nano",
			"stringValue", "string_value", "arrayValue", "array_value", "timeUnixNano", "time_unix_nano").Replace(plain),
		"names of numbers": strings.NewReplacer(`"kind":2`, `"kind":"SPAN_KIND_SERVER"`, `"code":2`, `"code":"STATUS_CODE_ERROR"`).Replace(plain),
		"ids in base64": strings.NewReplacer("0123456789abcdef0123456789abcdef", inBase64("0123456789abcdef0123456789abcdef"),
			"00000000000000A1", inBase64("00000000000000a1")).Replace(plain),
		"numbers that are no texts": strings.NewReplacer(`"-3"`, "-3", fmt.Sprintf(`"%d"`, origin), fmt.Sprint(origin)).Replace(plain),
		"null for no list":          strings.Replace(plain, `"links":[]`, `"links":null`, 1),
		"over several lines":        strings.ReplaceAll(plain, `{"`, "{\n \""),
	} {
		if !Sniff(&input.Source{Head: []byte(data)}) {
			t.Errorf("%s: not known", what)
		}
		tr, err := loadBytes([]byte(data))
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if got := asText(tr); got != want {
			t.Errorf("%s:\n got %s\nwant %s", what, got, want)
		}
	}
}

func TestDamage(t *testing.T) {
	wire, framed, text := toWire(one, false), toWire(one, true), string(toJSON(one))
	for _, c := range []struct {
		what string
		data []byte
		want string // a diagnostic
	}{
		{"the last message is cut", append(bytes.Clone(wire), wire[:len(wire)-5]...), "truncated"},
		{"a length is cut", append(bytes.Clone(framed), 0, 0), "truncated"},
		{"the last document is cut", []byte(text + text[:len(text)-9]), "truncated"},
		{"a span without an id", []byte(text + strings.Replace(text, `"spanId":"00000000000000A1"`, `"spanId":""`, 1)), "bad-record"},
		{"a list that is none", []byte(strings.Replace(text, `"events":[`, `"events":3,"x":[`, 1)), "bad-record"},
		{"a time that is none", []byte(text + strings.Replace(text, fmt.Sprint(origin), "soon", 1)), "bad-record"},
		{"a field of a message is cut", append(bytes.Clone(wire), toWire([]group{{nil, "", []testSpan{{
			trace: one[0].spans[0].trace, id: "00000000000000a2", start: origin, end: origin,
			attributes: []pair{{"f", math.Inf(1)}}}}}}, false)[:60]...), "truncated"},
		{"dropped events", []byte(strings.Replace(text, `"flags"`, `"droppedEventsCount":4,"flags"`, 1)), "lost-records"},
	} {
		tr, err := loadBytes(c.data)
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		if !strings.Contains(fmt.Sprint(tr.Diagnostics), "{"+c.want) || tr.Calls() < 1 {
			t.Errorf("%s: %v, want %s", c.what, tr.Diagnostics, c.want)
		}
	}
	for what, data := range map[string][]byte{"nothing": {}, "no span": []byte(`{"resourceSpans":[]}`), "cut": wire[:20],
		"no message": {0xff, 0xff}, "text": []byte("hello")} {
		_, err := loadBytes(data)
		var e *input.FormatError
		if !errors.As(err, &e) || e.File != "memory" {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestSniff has what is of other formats.
func TestSniff(t *testing.T) {
	for _, text := range []string{"", "{}", "[]", `{"data":[{"traceID":"1","spans":[]}]}`, `{"traceEvents":[{"ph":"X","name":"pans\""}]}`,
		"\x0a\x10\x08\x01\x12\x0c\x0a\x04abcd\x12\x04efgh", "\x0a\x05hello", `{"batches":[{"size":"pans\""}]}`, `{"resourceSpans":{}}`} {
		if Sniff(&input.Source{Head: []byte(text)}) {
			t.Errorf("%q is taken for OTLP", text)
		}
	}
	if Sniff(&input.Source{}) {
		t.Error("a folder is taken for OTLP")
	}
	long := []pair{{"service.name", "shop"}}
	for k := range 4000 {
		long = append(long, pair{fmt.Sprint("attribute ", k), strings.Repeat("x", 20)})
	}
	data := toWire([]group{{long, "", one[0].spans}}, false)
	if !Sniff(&input.Source{Head: data[:input.HeadSize]}) {
		t.Error("a resource that fills the head is not known")
	}
}

// TestDeep has values that lie too deep in each other.
func TestDeep(t *testing.T) {
	var v any = "end"
	for range 1000 {
		v = []any{v}
	}
	deep := []group{{one[0].resource, "", []testSpan{{trace: one[0].spans[0].trace, id: "00000000000000a2", start: origin,
		end: origin + 1, attributes: []pair{{"deep", v}}}}}}
	for what, data := range map[string][]byte{"JSON": toJSON(deep), "a message": toWire(deep, false)} {
		tr, err := loadBytes(data)
		if err != nil || tr.Calls() != 1 {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if args := tr.Threads[0].Args(0); !json.Valid([]byte(args)) || len(args) > 1000 {
			t.Errorf("%s: %s", what, args)
		}
	}
}

// TestOrder: members of a JSON object may stand in any order.
func TestOrder(t *testing.T) {
	tr, err := loadBytes([]byte(fmt.Sprintf(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"attributes":[{"value":{"stringValue":"v"},
		"key":"k"},{"key":"only"}],"endTimeUnixNano":%d,"startTimeUnixNano":%d,"spanId":"a1","traceId":"b1","kind":9}]}],
		"resource":{"attributes":[{"value":{"stringValue":"late"},"key":"service.name"}]}}]}`, origin+5, origin)))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"k":"v","only":null,"resource":{"service.name":"late"},"spanID":"a1"}`
	if got := tr.Threads[0].Args(0); got != want || tr.Processes[0].Name != "late" {
		t.Errorf("%s of %s, want %s", got, tr.Processes[0].Name, want)
	}
	var zero trace.Request
	if tr.Requests[0] == zero || tr.Requests[0].Service != "late" {
		t.Errorf("%+v", tr.Requests)
	}
}
