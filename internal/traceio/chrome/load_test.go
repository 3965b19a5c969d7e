package chrome

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/text/texttest"
)

var loads = []struct{ name, text, want string }{
	{"object",
		`{"displayTimeUnit":"ns","traceEvents":[{"ph":"X","name":"f","cat":"c","ts":1,
			"dur":2.5,"pid":1,"tid":2}]}`, `
process 1 "1" 0
thread 1/2 "2" process 0 sort 0
  0-2500 f [c]
`},
	{"array, missing tid, fields in any order",
		`[{"tid":7,"ts":0,"ph":"B","pid":7,"name":"f"},{"ph":"E","ts":1,"pid":7}]`, `
process 7 "7" 0
thread 7/7 "7" process 0 sort 0
  0-1000 f
`},
	{"sums that clang writes at the end, each on a thread of its own", `[
		{"ph":"X","name":"Frontend","ts":5,"dur":3,"pid":1,"tid":1},
		{"ph":"X","name":"Total Frontend","ts":0,"dur":7,"pid":1,"tid":2,"args":{"count":1}},
		{"ph":"X","name":"Total work","ts":4,"dur":7,"pid":1,"tid":3}]`, `
process 1 "1" 0
thread 1/2 "2" process 0 sort 0 sums
  0-7000 Total Frontend {"count":1}
thread 1/3 "3" process 0 sort 0
  4000-11000 Total work
thread 1/1 "1" process 0 sort 0
  5000-8000 Frontend
`},
	{"array without end, trailing comma", "[\n{\"ph\":\"X\",\"name\":\"f\",\"ts\":0,\"pid\":1},\n", `
process 1 "1" 0
thread 1/1 "1" process 0 sort 0
  0-0 f
`},
	{"byte order mark, empty last record",
		"\ufeff[{\"ph\":\"X\",\"name\":\"f\",\"ts\":0,\"pid\":1},{}]", `
process 1 "1" 0
thread 1/1 "1" process 0 sort 0
  0-0 f
`},
	{"strings for numbers, exponents, epoch times", `[
		{"ph":"X","name":"a","ts":"1795237758259095.8","dur":"1e1","pid":"Spans","tid":"of x:y"},
		{"ph":"X","name":"b","ts":1.7952377582590961e15,"dur":25E-2,"pid":"Spans",
			"tid":"of x:y"}]`, `
process Spans "Spans" 0
thread Spans/of_x_y "of x:y" process 0 sort 0
  0-10000 a
    300-550 b
`},
	{"escapes",
		`[{"ph":"X","name":"\u00e9\ud83d\ude00\ud83d\n\/\"` + "\xff" + `","ts":0,"pid":1}]`, `
process 1 "1" 0
thread 1/1 "1" process 0 sort 0
  0-0 ` + "é😀\\xED\\xA0\\xBD\n/\"\\xFF\nnot-utf8 1" + `
`},
	{"escaped names of members",
		`[{"n\u0061me":"f","\u0070h":"\u0058","ts":0,"pid":1,"args":null}]`, `
process 1 "1" 0
thread 1/1 "1" process 0 sort 0
  0-0 f
`},
	{"arguments of begin and end, without white space", `[
		{"ph":"B","name":"f","ts":0,"pid":1,"args":{ "a b" : [ 1, {"c" : " d "} ] }},
		{"ph":"E","name":"f","ts":1,"pid":1,"args":{"retval":"0"}},
		{"ph":"X","name":"g","ts":2,"pid":1,"args": { } }]`, `
process 1 "1" 0
thread 1/1 "1" process 0 sort 0
  0-1000 f {"a b":[1,{"c":" d "}]} {"retval":"0"}
  2000-2000 g
`},
	{"ends pair by name on a lane", `[{"ph":"B","name":"a","ts":0,"pid":0,"tid":0},
		{"ph":"B","name":"b","ts":1,"pid":0,"tid":0},
		{"ph":"E","name":"a","ts":2,"pid":0,"tid":0},
		{"ph":"E","name":"b","ts":3,"pid":0,"tid":0},
		{"ph":"E","name":"c","ts":4,"pid":0,"tid":0}]`, `
process 0 "0" 0
thread 0/0 "0" process 0 sort 0
  0-2000 a
thread 0/0.2 "0 · 2" process 0 sort 0
  1000-3000 b
overlap-lane 1
unmatched-end 1
`},
	{"metadata, before and after",
		`[{"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"worker"}},
		{"ph":"X","name":"f","ts":0,"pid":1,"tid":2},
		{"ph":"M","name":"process_name","pid":1,"args":{"name":"prog"}},
		{"ph":"M","name":"thread_name","pid":1,"tid":9,"args":{"name":"never runs"}},
		{"ph":"M","name":"process_sort_index","pid":1,"args":{"sort_index":5}},
		{"ph":"M","name":"thread_sort_index","pid":1,"tid":2,"args":{"sort_index":-3}}]`, `
process 1 "prog" 5
thread 1/2 "worker" process 0 sort -3
  0-0 f
`},
	{"uftrace names a thread by its number as pid", `{"traceEvents":[
		{"ts":0,"ph":"M","pid":5,"name":"process_name","args":{"name":"[5] sems"}},
		{"ts":0,"ph":"M","pid":5,"name":"thread_name","args":{"name":"[5] sems"}},
		{"ts":0,"ph":"M","pid":6,"name":"thread_name","args":{"name":"[6] sems"}},
		{"ts":1.5,"ph":"B","pid":5,"name":"main"},
		{"ts":2.001,"ph":"B","pid":5,"tid":6,"name":"linux:schedule"},
		{"ts":3,"ph":"E","pid":5,"tid":6,"name":"linux:schedule"},
		{"ts":4,"ph":"E","pid":5,"name":"main"}],
		"metadata":{"version":"uftrace v0.13 ( x86_64 )"}}`, `
process 5 "sems" 0
thread 5/5 "sems" process 0 sort 0
  0-2500 main
thread 5/6 "sems" process 0 sort 0
  501-1500 linux:schedule event switched
`},
	{"a thread that is written in several ways is one",
		`[{"ph":"B","name":"f","ts":1,"pid":0,"tid":7},
		{"ph":"B","name":"g","ts":2,"tid":7},
		{"ph":"E","ts":3,"pid":"\u0030","tid":"\u0037"},
		{"ph":"X","name":"h","ts":3,"dur":1,"pid":0,"tid":7,"bind_id":1,"flow_out":true},
		{"ph":"E","ts":4,"pid":0,"tid":7},
		{"ph":"X","name":"k","ts":5,"dur":1,"tid":7,"bind_id":1,"flow_in":true}]`, `
process 0 "0" 0
thread 0/7 "7" process 0 sort 0
  0-3000 f
    1000-2000 g
    2000-3000 h
  4000-5000 k
2000-4000 0/7/2 causes 0/7/3
`},
	{"each async id is a lane",
		`[{"ph":"b","cat":"c","id":1,"name":"outer","ts":0,"pid":1,"tid":1,"args":{"x":1}},
		{"ph":"b","cat":"c","id":"1","name":"inner","ts":1,"pid":1,"tid":2},
		{"ph":"n","cat":"c","id":1,"name":"tick","ts":2,"pid":1,"tid":1},
		{"ph":"e","cat":"c","id":1,"name":"inner","ts":3,"pid":1,"tid":1},
		{"ph":"e","cat":"c","id":1,"name":"outer","ts":4,"pid":1,"tid":1},
		{"ph":"b","cat":"c","id2":{"local":"1"},"name":"mine","ts":5,"pid":2},
		{"ph":"e","cat":"c","id2":{"local":"1"},"name":"mine","ts":6,"pid":2},
		{"ph":"S","cat":"c","scope":"s","id":1,"name":"old","ts":7,"pid":1},
		{"ph":"T","cat":"c","scope":"s","id":1,"name":"old","ts":8,"pid":1},
		{"ph":"F","cat":"c","scope":"s","id":1,"name":"old","ts":9,"pid":1}]`, `
process 1 "1" 0
process 2 "2" 0
thread 1/c/1 "outer" process 0 sort 0 async
  0-4000 outer [c] region {"x":1}
    1000-3000 inner [c] region
  at 2000 tick
thread 2/c/1 "mine" process 1 sort 0 async
  5000-6000 mine [c] region
thread 1/s/1 "old" process 0 sort 0 async
  7000-9000 old [c] region
  at 8000 old
`},
	{"flows: id 0, steps, the enclosing and the next call", `[
		{"ph":"X","name":"a","ts":0,"dur":10,"pid":1,"tid":1},
		{"ph":"X","name":"b","ts":20,"dur":10,"pid":1,"tid":2},
		{"ph":"f","bp":"e","cat":"c","name":"n","id":0,"ts":25,"pid":1,"tid":2},
		{"ph":"s","cat":"c","name":"n","id":0,"ts":5,"pid":1,"tid":1},
		{"ph":"s","cat":"c","name":"n","id":1,"ts":5,"pid":1,"tid":1},
		{"ph":"t","cat":"c","name":"n","id":1,"ts":22,"pid":1,"tid":2},
		{"ph":"f","cat":"c","name":"n","id":1,"ts":30,"pid":1,"tid":3},
		{"ph":"X","name":"d","ts":41,"dur":1,"pid":1,"tid":3},
		{"ph":"f","cat":"c","name":"none","id":1,"ts":30,"pid":1,"tid":3}]`, `
process 1 "1" 0
thread 1/1 "1" process 0 sort 0
  0-10000 a
thread 1/2 "2" process 0 sort 0
  20000-30000 b
thread 1/3 "3" process 0 sort 0
  41000-42000 d
5000-25000 1/1/0 causes 1/2/0
5000-22000 1/1/0 causes 1/2/0
22000-30000 1/2/0 causes 1/3/0
unbound-flow 1
`},
	{"flow that ends an idle gap, flow on one thread, flow to work that had begun", `[
		{"ph":"X","name":"main","ts":0,"dur":90,"pid":1,"tid":1},
		{"ph":"X","name":"task","ts":0,"dur":30,"pid":1,"tid":2},
		{"ph":"X","name":"task","ts":40,"dur":20,"pid":1,"tid":2},
		{"ph":"X","name":"task","ts":70,"dur":20,"pid":1,"tid":2},
		{"ph":"s","name":"post","id":1,"ts":35,"pid":1,"tid":1},
		{"ph":"f","bp":"e","name":"post","id":1,"ts":41,"pid":1,"tid":2},
		{"ph":"s","name":"post","id":2,"ts":60,"pid":1,"tid":2},
		{"ph":"f","bp":"e","name":"post","id":2,"ts":70,"pid":1,"tid":2},
		{"ph":"s","name":"post","id":3,"ts":80,"pid":1,"tid":1},
		{"ph":"f","bp":"e","name":"post","id":3,"ts":85,"pid":1,"tid":2}]`, `
process 1 "1" 0
thread 1/1 "1" process 0 sort 0
  0-90000 main
thread 1/2 "2" process 0 sort 0
  0-30000 task
  40000-60000 task
  70000-90000 task
35000 1/1/0 releases the 10000 before 1/2/1
35000-41000 1/1/0 causes 1/2/1
60000-70000 1/2/1 causes 1/2/2
80000-85000 1/1/0 causes 1/2/2
`},
	{"time without a processor", `[
		{"ph":"X","name":"linux:schedule","ts":0,"dur":1,"pid":1,"tid":1},
		{"ph":"X","name":"linux:schedule (pre-empted)","ts":2,"dur":1,"pid":1,"tid":1},
		{"ph":"X","name":"sched:sched_switch","ts":4,"dur":1,"pid":1,"tid":1},
		{"ph":"X","name":"linux:task-new","ts":6,"dur":1,"pid":1,"tid":1}]`, `
process 1 "1" 0
thread 1/1 "1" process 0 sort 0
  0-1000 linux:schedule event switched
  2000-3000 linux:schedule (pre-empted) event ready
  4000-5000 sched:sched_switch event switched
  6000-7000 linux:task-new event
`},
	{"flows on calls",
		`[{"ph":"X","name":"a","ts":0,"dur":9,"pid":1,"tid":1,"bind_id":"0x1","flow_out":true},
		{"ph":"X","name":"b","ts":20,"dur":1,"pid":1,"tid":2,"bind_id":"0x1","flow_in":true}]`, `
process 1 "1" 0
thread 1/1 "1" process 0 sort 0
  0-9000 a
thread 1/2 "2" process 0 sort 0
  20000-21000 b
0-20000 1/1/0 causes 1/2/0
`},
	{"flow that ends a call that waits for it",
		`[{"ph":"X","name":"post","ts":65,"dur":3,"pid":1,"tid":2,"bind_id":"7","flow_out":true},
		{"ph":"X","name":"late","ts":66,"dur":1,"pid":1,"tid":2,"bind_id":"8","flow_out":true},
		{"ph":"X","name":"wait","ts":10,"dur":60,"pid":1,"tid":1,"bind_id":"7","flow_in":true},
		{"ph":"X","name":"over","ts":8,"dur":1,"pid":1,"tid":1,"bind_id":"8","flow_in":true}]`, `
process 1 "1" 0
thread 1/1 "1" process 0 sort 0
  0-1000 over
  2000-62000 wait
thread 1/2 "2" process 0 sort 0
  57000-60000 post
    58000-59000 late
57000 1/2/0 releases 1/1/1
57000-57000 1/2/0 causes 1/1/1
reordered 1
unbound-flow 1
`},
	{"instants and counters", `[{"ph":"i","s":"g","name":"mark","ts":3},
		{"ph":"I","name":"old","ts":5,"pid":1,"tid":1},
		{"ph":"C","name":"mem","ts":2,"pid":1,"args":{"value":1.5}},
		{"ph":"C","name":"mem","ts":1,"pid":1,"args":{"value":"2","free":3,"bad":"x"}}]`, `
process 0 "0" 0
process 1 "1" 0
thread 0/0 "0" process 0 sort 0
  at 2000 mark
thread 1/1 "1" process 1 sort 0
  at 4000 old
counter 1 mem [0 1000] [2 1.5]
counter 1 mem.free [0] [3]
bad-record 1
`},
	{"bad records are skipped and counted", `[{"ph":"X","name":"a","ts":0,"pid":1},
		{"ph":"X","name":"no time","pid":1},
		{"ph":"X","name":"nan","ts":NaN,"pid":1},{"ph":"X","name":"huge","ts":1e300,"pid":1},
		{"ph":"?","ts":0,"pid":1},
		{"name":"no phase"},null,{"ph":"X" "name":"syntax","ts":1,"pid":1},
		{"ph":"X","name":"z","ts":9,"pid":1}]`, `
process 1 "1" 0
thread 1/1 "1" process 0 sort 0
  0-0 a
  9000-9000 z
bad-record 7
`},
	{"a lost quote costs one record", `{"traceEvents":[{"ph":"X","name":"a","ts":0,"pid":1},
		{"ph":"X","name":"b,"ts":1,"pid":1},
		{"ph":"X","name":"c","ts":2,"pid":1,"args":{"l":[{"k":1}]}}],"otherData":{}}`, `
process 1 "1" 0
thread 1/1 "1" process 0 sort 0
  0-0 a
  2000-2000 c {"l":[{"k":1}]}
bad-record 1
`},
	{"cut inside an event", `[{"ph":"X","name":"a","ts":0,"pid":1},{"ph":"X","na`, `
process 1 "1" 0
thread 1/1 "1" process 0 sort 0
  0-0 a
truncated 1
`},
	{"cut after an event of an object", `{"traceEvents":[{"ph":"X","name":"a","ts":0,"pid":1},`, `
process 1 "1" 0
thread 1/1 "1" process 0 sort 0
  0-0 a
truncated 1
`},
	{"a damaged name of the list",
		`{"x":[1,2],"traceEvxnts":[{"ph":"X","name":"a","ts":0,"pid":1}]}`, `
process 1 "1" 0
thread 1/1 "1" process 0 sort 0
  0-0 a
`},
	{"no name, no process", `[{"ph":"X","ts":0}]`, `
process 0 "0" 0
thread 0/0 "0" process 0 sort 0
  0-0 (unnamed)
`},
	{"no events", `{"traceEvents":[]}`, "\n"},
}

func TestLoad(t *testing.T) {
	for _, c := range loads {
		for _, size := range []int{blockSize, 64, 1} {
			got := "\n" + texttest.Show(mustLoad(t, c.text, size))
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("%s, blocks of %d (-want +got):\n%s", c.name, size, d)
			}
		}
	}
}

func TestTool(t *testing.T) {
	for members, want := range map[string]string{
		`"metadata":{"version":"uftrace v0.13 ( x86_64 dwarf )"}`:                   "uftrace v0.13",
		`"metadata":{"user-agent":"Mozilla/5.0 (X11) HeadlessChrome/156.0 Safari"}`: "HeadlessChrome/156.0",
		`"viztracer_metadata":{"version":"1.1.1"}`:                                  "viztracer 1.1.1",
		`"beginningOfTime":1`:               "clang -ftime-trace",
		`"deviceProperties":[{"id":0}]`:     "Kineto",
		`"otherData":{"version":7,"n":NaN}`: "",
	} {
		after, before := `{"traceEvents":[],`+members+`}`, `{`+members+`,"traceEvents":[]}`
		for _, text := range []string{after, before} {
			if got := mustLoad(t, text, blockSize).Tool; got != want {
				t.Errorf("%s: %q, want %q", text, got, want)
			}
		}
	}
}

func TestUnusable(t *testing.T) {
	for _, text := range []string{
		"", "{", "[{\"ph\":", "hello", `{"traceEvents":`, `{"a":1}`, "\x00\x01", `[1,2]`,
	} {
		_, err := loadText([]byte(text), blockSize)
		var f *input.FormatError
		if !errors.As(err, &f) {
			t.Errorf("%q: %v, want a FormatError", text, err)
		}
	}
}

// failing is a stream that breaks off, as a damaged archive does.
type failing struct{ io.Reader }

func (f failing) Read(p []byte) (int, error) {
	n, err := f.Reader.Read(p)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

func TestStreamBreaksOff(t *testing.T) {
	b := trace.NewBuilder("chrome")
	text := `[{"ph":"X","name":"a","ts":0,"pid":1},{"ph":`
	src := &input.Source{Stream: failing{strings.NewReader(text)}}
	if err := Load(context.Background(), src, input.Options{}, b); err != nil {
		t.Fatal(err)
	}
	tr, _ := b.Build(context.Background())
	if tr.Calls() != 1 || len(tr.Diagnostics) != 1 || tr.Diagnostics[0].Code != trace.Truncated {
		t.Errorf("%d calls, diagnostics %v", tr.Calls(), tr.Diagnostics)
	}
}

func TestSniff(t *testing.T) {
	for text, want := range map[string]bool{
		`{"traceEvents":[`:                                                       true,
		` [ {"name":"a", "args":{"x":[1]}, "ph":"B"`:                             true,
		`[{"name":"a","ph":"B",`:                                                 true,
		`{"schemaVersion":1,"deviceProperties":[`:                                true,
		`{"metadata":{"source":"DevTools"},"traceEvents":[]}`:                    true,
		"\ufeff{\"displayTimeUnit\":\"ms\"":                                      true,
		`{"x":,"traceEvents":[{"ph":"X"}]}`:                                      true,
		`{"nodes":[{"id":1}],"startTime":1,"samples":[1],"timeDeltas":[1]}`:      false,
		`{"version":"0.1.2","$schema":"https://speedscope","profiles":[]}`:       false,
		`{"traceID":"a","spans":[{"traceID":"b"}]}`:                              false,
		`{"resourceSpans":[]}`:                                                   false,
		`{"meta":{"interval":1},"libs":[],"threads":[{"name":"traceEvents:["}]}`: false,
		`[]`: true, `[1,2]`: false, `{}`: false, ``: false, `main;f 1`: false, `[{"a":1}]`: false,
	} {
		if got := Sniff(&input.Source{Head: []byte(text)}); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
