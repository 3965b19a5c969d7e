package jaeger_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/fuzzall/seeds"
	"diptych/internal/trace"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/jaeger"
	"diptych/internal/traceio/loadtest"
	"diptych/internal/traceio/text"
)

// jsonTrace is a trace as the model of Jaeger's JSON has it.
type jsonTrace struct {
	TraceID   string                 `json:"traceID"`
	Spans     []jsonSpan             `json:"spans"`
	Processes map[string]jsonProcess `json:"processes"`
	Warnings  []string               `json:"warnings"`
}

type jsonProcess struct {
	ServiceName string    `json:"serviceName"`
	Tags        []jsonTag `json:"tags"`
}

type jsonSpan struct {
	TraceID    string          `json:"traceID"`
	SpanID     string          `json:"spanID"`
	Flags      int             `json:"flags"`
	Name       string          `json:"operationName"`
	References []jsonReference `json:"references"`
	StartTime  int64           `json:"startTime"`
	Duration   int64           `json:"duration"`
	Tags       []jsonTag       `json:"tags"`
	Logs       []jsonLog       `json:"logs"`
	ProcessID  string          `json:"processID,omitempty"`
	Process    *jsonProcess    `json:"process,omitempty"`
	Warnings   []string        `json:"warnings"`
}

type jsonReference struct {
	RefType string `json:"refType"`
	TraceID string `json:"traceID"`
	SpanID  string `json:"spanID"`
}

type jsonTag struct {
	Key   string `json:"key"`
	Type  string `json:"type"`
	Value any    `json:"value"`
}

type jsonLog struct {
	Timestamp int64     `json:"timestamp"`
	Fields    []jsonTag `json:"fields"`
}

const originUs = 1_700_000_000_000_001 // no multiple of a ms

func loadBytes(data []byte, want string) (*trace.Trace, error) {
	b := trace.NewBuilder("jaeger")
	src := &input.Source{Path: "memory", Stream: bytes.NewReader(data), Head: data[:min(len(data), input.HeadSize)]}
	if err := jaeger.Load(context.Background(), src, input.Options{Trace: want}, b); err != nil {
		return nil, err
	}
	return b.Build(context.Background())
}

func asText(tr *trace.Trace) string {
	var out bytes.Buffer
	if err := text.Write(&out, tr); err != nil {
		panic(err)
	}
	return out.String()
}

func encoded(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}

// one is a trace with all that there is.
var one = jsonTrace{TraceID: "abc", Processes: map[string]jsonProcess{
	"p1": {"gateway", []jsonTag{{"jaeger.version", "string", "Go-2.30"}, {"ip", "string", "10.0.0.1"}}}, "p2": {"users", nil}},
	Spans: []jsonSpan{
		{TraceID: "abc", SpanID: "1", Name: "GET /", StartTime: originUs, Duration: 100, ProcessID: "p1",
			Tags: []jsonTag{{"error", "bool", true}, {"span.kind", "string", "client"}, {"n", "int64", 1234567890123456789},
				{"f", "float64", 1.5}, {"quoted", "bool", "true"}, {"none", "string", nil}},
			Logs: []jsonLog{{originUs + 7, []jsonTag{{"event", "string", "retry"}, {"attempt", "int64", 2}}},
				{originUs + 9, []jsonTag{{"message", "string", "done"}}}},
			Warnings: []string{"clock skew"}},
		{TraceID: "abc", SpanID: "2", Name: "find", StartTime: originUs + 10, Duration: 50, ProcessID: "p2",
			References: []jsonReference{{"FOLLOWS_FROM", "abc", "1"}, {"CHILD_OF", "other", "9"}, {"CHILD_OF", "abc", "1"}},
			Tags:       []jsonTag{{"component", "string", "sql"}}},
	}}

var wantArgs = []string{`{"error":true,"span.kind":"client","n":1234567890123456789,"f":1.5,"quoted":true,"none":null,` +
	`"logs":[{"event":"retry","attempt":2,"atUs":1700000000000008},{"message":"done","atUs":1700000000000010}],` +
	`"warnings":["clock skew"],"resource":{"jaeger.version":"Go-2.30","ip":"10.0.0.1"},"spanID":"1"}`,
	`{"component":"sql","references":[{"refType":"FOLLOWS_FROM","traceID":"abc","spanID":"1"},` +
		`{"refType":"CHILD_OF","traceID":"other","spanID":"9"}],"spanID":"2"}`}

// TestForms has a trace in all the ways that it is handed about.
func TestForms(t *testing.T) {
	inner := one
	inner.Spans = slices.Clone(one.Spans)
	for i := range inner.Spans {
		p := one.Processes[inner.Spans[i].ProcessID]
		inner.Spans[i].Process = &p
	}
	plain := string(encoded(one))
	for what, data := range map[string]string{
		"the API's":       `{"data":[` + plain + `],"total":0,"limit":0,"offset":0,"errors":null}`,
		"the interface's": `{"data":` + string(encoded(inner)) + `,"id":"abc","state":"FETCH_DONE"}`,
		"alone":           plain,
		"a list":          `[` + plain + `]`,
	} {
		if !jaeger.Sniff(&input.Source{Head: []byte(data)}) {
			t.Errorf("%s: not known", what)
		}
		tr, err := loadBytes([]byte(data), "")
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		for i, want := range wantArgs {
			if got := tr.Threads[i].Args(0); got != want {
				t.Errorf("%s:\n got %s\nwant %s", what, got, want)
			}
		}
		if tr.Tool != "Jaeger client Go-2.30" || tr.Duration != 100_000 || len(tr.Links) != 2 || len(tr.Correspondences) != 1 ||
			len(tr.Threads[0].Instants) != 2 || tr.Processes[1].Name != "users" || tr.Threads[1].Dur(0) != 50_000 {
			t.Errorf("%s: %s", what, asText(tr))
		}
		if got := fmt.Sprint(tr.Diagnostics); !strings.HasPrefix(got, "[{unbound-flow 1 ") || len(tr.Diagnostics) != 1 {
			t.Errorf("%s: %s", what, got)
		}
	}
}

// TestSeveral chooses a trace of two; the older member for parents is understood.
func TestSeveral(t *testing.T) {
	data := []byte(`{"data":[{"traceID":"aa","spans":[{"spanID":"1","operationName":"f","startTime":5,"duration":9}]}]}
		{"data":[{"traceID":"bb","spans":[{"spanID":"1","operationName":"g","startTime":5,"duration":3},
		{"spanID":"2","parentSpanID":"1","operationName":"h","startTime":6,"duration":1}],"warnings":["x"]}],
		"errors":[{"code":500,"msg":"no more"}]}`)
	for want, calls := range map[string]int{"": 1, "aa": 1, "b": 2} {
		tr, err := loadBytes(data, want)
		if err != nil || tr.Calls() != calls || len(tr.Requests) != 2 {
			t.Errorf("%q: %v, %v", want, err, tr)
		}
	}
	tr, _ := loadBytes(data, "bb")
	if tr.MaxDepth() != 2 || len(tr.Diagnostics) != 3 {
		t.Error(asText(tr))
	}
	if _, err := loadBytes(data, "cc"); err == nil {
		t.Error("a trace that is not there is shown")
	}
}

// drawTrace draws a trace, and returns how many spans are roots, and how many name a parent that is
// not there.
func drawTrace(t *rapid.T) (tr jsonTrace, roots, dangling int) {
	tr = jsonTrace{TraceID: "t", Processes: map[string]jsonProcess{"p1": {ServiceName: "a"}, "p2": {ServiceName: "b"}}}
	for k := range rapid.IntRange(1, 30).Draw(t, "spans") {
		x := jsonSpan{TraceID: "t", SpanID: fmt.Sprint(k), Name: rapid.String().Draw(t, "name"),
			StartTime: originUs + rapid.Int64Range(0, 100).Draw(t, "start"), Duration: rapid.Int64Range(0, 100).Draw(t, "took"),
			ProcessID: rapid.SampledFrom([]string{"p1", "p2"}).Draw(t, "process"),
			Tags:      []jsonTag{{rapid.String().Draw(t, "key"), "string", rapid.String().Draw(t, "value")}}}
		switch up := rapid.IntRange(-2, k-1).Draw(t, "parent"); {
		case up == -2:
			dangling++
			x.References = []jsonReference{{"CHILD_OF", "t", "gone"}}
		case up == -1:
			roots++
		default:
			x.References = []jsonReference{{"CHILD_OF", "t", fmt.Sprint(up)}}
		}
		tr.Spans = append(tr.Spans, x)
	}
	return tr, roots, dangling
}

// TestPlain holds loaded traces against what a plain reader counts.
func TestPlain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr, roots, dangling := drawTrace(t)
		got, err := loadBytes(encoded(map[string]any{"data": []any{tr}}), "")
		if err != nil {
			t.Fatal(err)
		}
		first, last, n := tr.Spans[0].StartTime, int64(0), uint64(0)
		for _, x := range tr.Spans {
			first, last = min(first, x.StartTime), max(last, x.StartTime+x.Duration)
		}
		for _, d := range got.Diagnostics {
			if d.Code == trace.MissingParent {
				n = d.Count
			}
		}
		if got.Calls() != len(tr.Spans) || got.Origin != first*1000 || n != uint64(dangling) ||
			got.Requests[0].Duration != (last-first)*1000 {
			t.Fatalf("%d spans, origin %d, %d dangling, %d of %d ns: %s", len(tr.Spans), first, dangling,
				got.Requests[0].Duration, last-first, asText(got))
		}
		alone := 0 // calls that lie in no other: they have a link from their parents, if they have any
		for _, th := range got.Threads {
			for i := range th.Len() {
				if th.Parent(i) < 0 {
					alone++
				}
				if !json.Valid([]byte(th.Args(i))) {
					t.Fatalf("arguments %s", th.Args(i))
				}
			}
		}
		if alone != roots+dangling+len(got.Links) {
			t.Fatalf("%d calls lie in no other, %d roots, %d dangling, %d links", alone, roots, dangling, len(got.Links))
		}
	})
}

func TestDamage(t *testing.T) {
	text := string(encoded(map[string]any{"data": []any{one}}))
	for what, c := range map[string]struct{ data, want string }{
		"cut":                   {text[:strings.Index(text, `"processes"`)], "truncated"},
		"a span without a time": {strings.Replace(text, `"startTime":1700000000000011,`, "", 1), "bad-record"},
		"a span that never was": {strings.Replace(text, `"duration":50`, `"duration":9223372036854775807`, 1), "bad-record"},
		"a span that ends early": {strings.Replace(text, `"duration":50`, `"duration":-3`, 1),
			"negative-duration"},
		"a process that is not there": {strings.Replace(text, `"processes":{`, `"processes":{},"x":{`, 1),
			"bad-record 2 "},
		"a list that is none": {strings.Replace(text, `"logs":null`, `"logs":"x"`, 1), "bad-record"},
		"cut in a span":       {text[:strings.Index(text, `"component"`)], "truncated"},
	} {
		tr, err := loadBytes([]byte(c.data), "")
		if err != nil || tr.Calls() < 1 || !strings.Contains(fmt.Sprint(tr.Diagnostics), "{"+c.want) {
			t.Errorf("%s: %v, %v", what, err, tr)
		}
	}
	for what, data := range map[string]string{"nothing": "", "text": "hello", "no span": `{"data":[{"traceID":"a","spans":[]}]}`,
		"deep": strings.Repeat("[", 100_000)} {
		_, err := loadBytes([]byte(data), "")
		var e *input.FormatError
		if !errors.As(err, &e) || e.File != "memory" {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, other := range []string{"", `{"traceID":"a"}`, `{"data":[{"spans":[]}],"traceID":""}`, `[["traceID"]]`,
		`{"traceEvents":[{"name":"traceID","ph":"X","args":{"traceID":"1"}}]}`, "\"traceID\""} {
		if jaeger.Sniff(&input.Source{Head: []byte(other)}) {
			t.Errorf("%s is taken for Jaeger's", other)
		}
	}
}

// FuzzLoad looks for input that makes the loader panic or hang, or gives calls that lie badly.
func FuzzLoad(f *testing.F) {
	seeds.Add(f)
	f.Add(encoded(map[string]any{"data": []any{one}}))
	f.Add([]byte(`{"data":{"traceID":"a","spans":[{"spanID":"1","operationName":"f","startTime":5,"duration":9,"process":{"serviceName":"s"}}]}}`))
	f.Fuzz(func(t *testing.T, file []byte) {
		jaeger.Sniff(&input.Source{Head: file})
		tr, err := loadBytes(file, "")
		loadtest.Sound(t, tr, err)
	})
}
