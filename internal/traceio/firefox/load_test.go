package firefox

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/loadtest"
	"diptych/internal/traceio/text/texttest"
)

func tryLoad(data []byte) (*trace.Trace, error) {
	return loadtest.Loader(Load).Bytes("test.json", data, input.Options{})
}

func load(t testing.TB, text string) *trace.Trace {
	t.Helper()
	tr, err := tryLoad([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// gecko is a profile that Gecko wrote, of a process whose thread has these members.
func gecko(thread string) string {
	return `{"meta":{"version":12,"startTime":1000,"processType":0,"product":"Firefox","misc":"rv:63.0",` +
		`"stackwalk":1,"interval":1,"configuration":{"features":["js","cpu"],"threads":["*"]},"categories":[{"name":"Idle"},{"name":"Layout"}]},` +
		`"libs":[{"start":4096,"end":8192,"offset":256,"name":"libxul.so","path":"/usr/lib/libxul.so"}],` +
		`"threads":[{"name":"GeckoMain","processType":"default","pid":7,"tid":7,` + thread + `}]}`
}

// stacks are the tables of a thread: (root) calls run, which calls a script and an address.
const geckoTables = `"stackTable":{"schema":{"prefix":0,"frame":1},"data":[[null,0],[0,1],[1,2],[1,3],[2,4]]},` +
	`"frameTable":{"schema":{"location":0,"implementation":1,"line":2,"category":3},` +
	`"data":[[0],[1,null,3],[2,null,9,1],[3],[4]]},` +
	`"stringTable":["(root)","Startup::XRE_Main","f (resource://a.js -> http://h/b.js:3:5)","0x1010",` +
	`"http://h/c.js:7"],`

// processed is a profile with these threads, of which each has the tables of processedTables.
func processed(version int, rest string) string {
	return `{"meta":{"preprocessedProfileVersion":` + strings.Repeat("4", version) + `,"interval":2,` +
		`"product":"app","startTime":5,"categories":[{"name":"Other"},{"name":"Network"}]},` +
		`"libs":[{"name":"app","path":"/bin/app"}],` + rest + `}`
}

const processedTables = `"stackTable":{"length":3,"prefix":[null,0,0],"frame":[0,1,2]},` +
	`"frameTable":{"length":3,"func":[0,1,2],"address":[-1,4112,-1],"line":[null,null,8]},` +
	`"funcTable":{"length":3,"name":[0,1,2],"resource":[0,0,-1],"fileName":[null,null,3],"lineNumber":[null,null,6]},` +
	`"resourceTable":{"length":1,"lib":[0],"name":[4],"type":[1]},` + `"stringArray":["ns::main","0x1010","","/src/x.js","app"],`

var cases = []struct{ name, text, want string }{
	{"a frame whose function is not there, and one without a name",
		processed(1, `"threads":[{"name":"t",`+strings.NewReplacer(`"func":[0,1,2]`, `"func":[0,9,2]`,
			`"name":[0,1,2]`, `"name":[0,1,null]`).Replace(processedTables)+
			`"samples":{"length":3,"stack":[0,1,2],"time":[1,2,3]}}]`),
		`thread 1 "t" process -1 sort 1
  0-4000000 ns::main [ns]
    1000000-2000000 (anonymous)
    2000000-4000000 (anonymous x.js:6)
bad-record 1
`},
	{"samples of Gecko: (root) is no call, scripts, an address, what has no name",
		gecko(geckoTables + `"samples":{"schema":{"stack":0,"time":1},"data":[[1,10],[2,11],[4,12.5],[3,13.5],[null,15]]}`),
		`process 7 "Firefox" 0
thread 7/7 "GeckoMain" process 0 sort 1
  0-5000000 Startup::XRE_Main [Startup]
    1000000-3500000 f
      2500000-3500000 (anonymous c.js:7)
    3500000-5000000 libxul.so+0x110 [libxul.so]
no-symbol 1
`},
	{"processes, of which times are moved to those of the first, and processes as texts",
		strings.TrimSuffix(gecko(geckoTables+`"samples":{"schema":{"stack":0,"time":1},"data":[[1,10]]}`), "]}") +
			`,"{\"meta\":{\"startTime\":1003,\"processType\":2},\"threads\":[{\"name\":\"T\",\"stringTable\":[\"x\"],` +
			`\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":[[null,0]]},` +
			`\"frameTable\":{\"schema\":{\"location\":0},\"data\":[[0]]},` +
			`\"samples\":{\"schema\":{\"stack\":0,\"time\":1},\"data\":[[0,10]]}}]}"],` +
			`"processes":[{"meta":{"startTime":1001},"threads":[{"name":"W","pid":9,"tid":10,"processType":"web",` +
			`"eTLD+1":"h.org",` + geckoTables + `"samples":{"schema":{"stack":0,"time":1},"data":[[1,10]]}}]}]}`,
		`process 7 "Firefox" 0
process 1.1 "Content" 1
process 9 "Content" 2
thread 7/7 "GeckoMain" process 0 sort 1
  0-1000000 Startup::XRE_Main [Startup]
thread 9/10 "W" process 2 sort 3
  1000000-2000000 Startup::XRE_Main [Startup]
thread 2 "T" process 1 sort 2
  3000000-4000000 x
`},
	{"a processed profile: functions, a library, a script without a name; times as differences",
		processed(1, `"threads":[{"name":"main","processName":"app","pid":"3","tid":"4",`+processedTables+
			`"samples":{"length":3,"stack":[0,1,2],"timeDeltas":[10,2,2.5],"weight":null,"weightType":"samples"}}]`),
		`process 3 "app" 0
thread 3/4 "main" process 0 sort 1
  0-6500000 ns::main [ns]
    2000000-4500000 app+0x1010 [app]
    4500000-6500000 (anonymous x.js:6)
no-symbol 1
`},
	{"tables that all threads share, and files of sources",
		processed(2, `"threads":[{"name":"a","tid":1,"samples":{"stack":[1],"time":[3]}},`+
			`{"name":"b","tid":2,"samples":{"stack":[2],"time":[4]}}],"shared":{`+
			strings.Replace(strings.Replace(processedTables, `"fileName":[null,null,3]`, `"source":[null,null,0]`, 1),
				`"stringArray"`, `"sources":{"length":1,"filename":[3]},"stringArray"`, 1)+`"x":0}`),
		`thread 1 "a" process -1 sort 1
  0-2000000 ns::main [ns]
    0-2000000 app+0x1010 [app]
thread 2 "b" process -1 sort 2
  1000000-3000000 ns::main [ns]
    1000000-3000000 (anonymous x.js:6)
no-symbol 1
`},
	{"recording pauses; samples that last as their weights say",
		processed(2, `"threads":[{"name":"a","tid":1,"pausedRanges":[{"startTime":null,"endTime":1},{"startTime":9}],`+
			processedTables+`"samples":{"stack":[0,0,0],"time":[3,6,20]}},`+
			`{"name":"b","tid":2,`+processedTables+
			`"samples":{"stack":[0,0],"time":[3,9],"weight":[2,5],"weightType":"tracing-ms"}}]`),
		`thread 1 "a" process -1 sort 1
  0-6000000 ns::main [ns]
  17000000-19000000 ns::main [ns]
thread 2 "b" process -1 sort 2
  0-2000000 ns::main [ns]
  6000000-11000000 ns::main [ns]
`},
	{"newer versions: callers by offset, libraries of frames, flags for what is there",
		`{"meta":{"preprocessedProfileVersion":75,"interval":2},"libs":[{"name":"app","path":"/bin/app"}],"shared":{` +
			`"stackTable":{"length":4,"prefixOffset":[0,1,2,0],"frame":[0,1,2,3]},` +
			`"frameTable":{"length":4,"func":[0,1,2,1],"flags":[2,2,16,0],"address":[0,4112,0,0],"line":[0,0,8,0],` +
			`"lib":[0,0,0,0]},` +
			`"funcTable":{"length":3,"name":[0,1,2],"flags":[4,4,24],"resource":[0,0,0],"source":[0,0,0],"lineNumber":[0,0,6]},` +
			`"resourceTable":{"length":1,"name":[4],"host":[null],"type":[1]},"sources":{"length":1,"filename":[3]},` +
			`"stringArray":["ns::main","0x1010","","/src/x.js","app"]},` +
			`"threads":[{"name":"main","pid":"3","tid":"4","samples":{"length":4,"stack":[0,1,2,3],"timeDeltas":[10,2,2.5,1]}}]}`,
		`process 3 "" 0
thread 3/4 "main" process 0 sort 1
  0-5500000 ns::main [ns]
    2000000-4500000 app+0x1010 [app]
    4500000-5500000 (anonymous x.js:6)
  5500000-7500000 0x1010 [app]
no-symbol 1
`},
	{"offsets to callers that are not there",
		processed(1, `"threads":[{"name":"a","tid":1,"stringArray":["f"],"funcTable":{"name":[0]},"frameTable":{"func":[0]},`+
			`"stackTable":{"prefixOffset":[0,1,9,null],"frame":[0,0,0,0]},"samples":{"stack":[1,2,3],"time":[1,2,3]}}]`),
		`thread 1 "a" process -1 sort 1
  0-4000000 f
    0-1000000 f
bad-record 2
`},
	{"numbers of rows that no table can have; −1 is none",
		processed(1, `"threads":[{"name":"a","tid":1,"stringArray":["f"],"funcTable":{"name":[0]},"frameTable":{"func":[0]},`+
			`"stackTable":{"prefix":[-1,0,9223372036854775807,-2],"frame":[0,0,0,0]},"samples":{"stack":[1,2,3],"time":[1,2,3]}}]`),
		`thread 1 "a" process -1 sort 1
  0-4000000 f
    0-1000000 f
bad-record 2
`},
	{"code without a name in no library",
		processed(1, `"threads":[{"name":"a","tid":1,"stringArray":["f","0x3b93b1481d9f"],"funcTable":{"name":[0,1]},`+
			`"frameTable":{"func":[0,1]},"stackTable":{"prefix":[null,0],"frame":[0,1]},`+
			`"samples":{"stack":[0,1],"time":[1,2]}}]`),
		`thread 1 "a" process -1 sort 1
  0-3000000 f
    1000000-3000000 [unknown]
no-symbol 1
`},
	{"the number of a request is not its name",
		processed(1, `"threads":[{"name":"a","tid":1,"stringArray":["Load 7: http://h/","Load 7"],"markers":{"length":2,`+
			`"name":[0,1],"startTime":[10,20],"endTime":[20,22],"phase":[1,1],"category":[1,1],`+
			`"data":[{"type":"Network","id":7},null]}}]`),
		`thread 1/markers "a markers" process -1 sort 1 async
  0-10000000 Load http://h/ [Network] region id=7
  10000000-12000000 Load 7 [Network] region
`},
	{"weights in bytes are no timeline",
		processed(1, `"threads":[{"name":"a","tid":1,`+processedTables+
			`"samples":{"stack":[0,1,0],"time":[1,2,3],"weight":[10,20,30],"weightType":"bytes"}}]`),
		`thread 1 "a" process -1 sort 1
  0-60 ns::main [ns]
    0-20 app+0x1010 [app]
no-symbol 1
`},
	{"markers: moments, stretches, both ends apart, overlapping ones on a further lane, data",
		processed(1, `"threads":[{"name":"a","tid":1,"stringArray":["Load","GC","Paint"],"markers":{"length":6,`+
			`"name":[0,1,2,2,0,1],"startTime":[10,12,13,null,11,14],"endTime":[20,null,null,16,22,null],`+
			`"phase":[1,0,2,3,1,2],"category":[1,0,0,0,1,0],`+
			`"data":[{"type":"Network","URI":"http://h/","count":3},null,null,null,null,null]}}]`),
		`thread 1/markers "a markers" process -1 sort 1 async
  0-10000000 Load [Network] region URI=http://h/ count=3
    3000000-6000000 Paint [Other] region
thread 1/markers.2 "a markers" process -1 sort 1 async
  1000000-12000000 Load [Network] region
    4000000-12000000 GC [Other] region
thread 1 "a" process -1 sort 1
  at 2000000 GC
unmatched-begin 1
`},
	{"data of markers that are numbers of texts, as schemas say",
		`{"meta":{"preprocessedProfileVersion":75,"markerSchema":[{"name":"Text","fields":[{"key":"name",` +
			`"format":"unique-string"},{"key":"n","format":"integer"}]},{"name":"Old","data":[{"key":"id","format":"flow-id"},` +
			`{"key":"x","format":{"type":"table","columns":[]}},{"label":"y","value":"z"}]}]},` +
			`"shared":{"stringArray":["Hello","world"]},"threads":[{"name":"a","tid":1,"markers":{"length":3,` +
			`"name":[0,0,0],"startTime":[0,10,20],"endTime":[5,15,25],"phase":[1,1,1],"category":[0,0,0],` +
			`"data":[{"type":"Text","name":1,"n":1},{"type":"Old","name":1,"id":1,"x":0},{"type":"Text","n":2,"name":7}]}}]}`,
		`thread 1/markers "a markers" process -1 sort 1 async
  0-5000000 Hello region name=world n=1
  10000000-15000000 Hello region name=1 id=world x=0
  20000000-25000000 Hello region n=2 name=
`},
	{"markers of older versions",
		gecko(`"stringTable":["Reflow","GC","Vsync"],"markers":{"schema":{"name":0,"time":1,"data":2},"data":[` +
			`[0,5,{"type":"tracing","category":"Paint","interval":"start"}],[2,6,{"vsync":0}],` +
			`[0,8,{"type":"tracing","interval":"end"}],[1,9,{"startTime":9,"endTime":9.5}],[0,9,{"interval":"end"}],` +
			`[0,null]]}`),
		`process 7 "Firefox" 0
thread 7/7/markers "GeckoMain markers" process 0 sort 1 async
  0-3000000 Reflow region
  4000000-4500000 GC region
thread 7/7 "GeckoMain" process 0 sort 1
  at 1000000 Vsync
bad-record 1
unmatched-end 1
`},
	{"what DevTools saves has markers on another clock",
		`{"label":null,"duration":3,"markers":[],"frames":[],"profile":` + gecko(geckoTables+
			`"samples":{"schema":{"stack":0,"time":1},"data":[[1,0.5]]},`+
			`"markers":{"schema":{"name":0,"time":1},"data":[[1,4000]]}`) + `,"fileType":"Recorded Performance Data"}`,
		`process 7 "Firefox" 0
thread 7/7 "GeckoMain" process 0 sort 1
  0-1000000 Startup::XRE_Main [Startup]
unknown-clock 1
`},
	{"stacks that call themselves or are not there, frames that are not, samples without a time",
		gecko(`"stringTable":["a"],"stackTable":{"schema":{"prefix":0,"frame":1},"data":[[1,0],[0,0],[9,0],[null,7]]},` +
			`"frameTable":{"schema":{"location":0},"data":[[0]]},` +
			`"samples":{"schema":{"stack":0,"time":1},"data":[[0,1],[2,2],[3,3],[8,4],[0],[0,1e300]]}`),
		`process 7 "Firefox" 0
thread 7/7 "GeckoMain" process 0 sort 1
  0-2000000 a
    0-1000000 a
  2000000-3000000 (anonymous)
bad-record 6
`},
	{"columns of samples that are shorter than others",
		processed(1, `"threads":[{"name":"a","tid":1,`+processedTables+
			`"samples":{"stack":[0],"time":[1,2,3],"weight":[]}}]`),
		`thread 1 "a" process -1 sort 1
  0-1000000 ns::main [ns]
bad-record 2
`},
	{"what is not read is counted",
		processed(1, `"counters":[{"name":"x"},{"name":"y"}],"threads":[{"name":"a","tid":1,"jsAllocations":`+
			`{"time":[1,2],"stack":[0,0]},`+processedTables+`"samples":{"stack":[0],"time":[1]}}]`),
		`thread 1 "a" process -1 sort 1
  0-2000000 ns::main [ns]
not-read 4
`},
	{"a text that was cut",
		strings.TrimSuffix(gecko(geckoTables+`"samples":{"schema":{"stack":0,"time":1},"data":[[1,10],[1,11]`), "}]}"),
		`process 7 "Firefox" 0
thread 7/7 "GeckoMain" process 0 sort 1
  0-2000000 Startup::XRE_Main [Startup]
truncated 1
`},
}

func TestCases(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := texttest.Show(load(t, c.text)); got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
			if !Sniff(&input.Source{Head: []byte(c.text)}) {
				t.Error("not recognised")
			}
		})
	}
}

func TestLocations(t *testing.T) {
	libs := []library{{name: "a.dll", path: `C:\x\a.dll`, start: 16, end: 32, offset: 4}}
	for text, want := range map[string]trace.Function{
		"js::RunScript":                          {Name: "js::RunScript", Package: "js"},
		"0x11":                                   {Name: "a.dll+0x5", Package: "a.dll", Module: `C:\x\a.dll`},
		"0x99":                                   {Name: "[unknown]"},
		"f (http://h/a.js:3:5)":                  {Name: "f", File: "http://h/a.js", Line: 3},
		"f (http://h/a.js:3:5)[12]":              {Name: "f", File: "http://h/a.js", Line: 3},
		"file:///h/a.html[4]":                    {Name: "file:///h/a.html", File: "file:///h/a.html"},
		"http://h/a.js:3:5[7]":                   {Name: "(anonymous a.js:3)", File: "http://h/a.js", Line: 3},
		"a[4]":                                   {Name: "a[4]"},
		"f/< (http://h/a(1).js:3)":               {Name: "f/<", File: "http://h/a(1).js", Line: 3},
		"(http://h/a.js:3:1)":                    {Name: "(anonymous a.js:3)", File: "http://h/a.js", Line: 3},
		"chrome://x/b.js:12":                     {Name: "(anonymous b.js:12)", File: "chrome://x/b.js", Line: 12},
		"resource://a.js -> resource://b.js:1:0": {Name: "(anonymous b.js:1)", File: "resource://b.js", Line: 1},
		"n::f(int) (in XUL) + 12":                {Name: "n::f(int)", Package: "n", Module: "XUL"},
		"n::f(int) (in XUL) (b.cpp:9)":           {Name: "n::f(int)", Package: "n", Module: "XUL", File: "b.cpp", Line: 9},
		"AutoEntryScript <script> element":       {Name: "AutoEntryScript <script> element"},
		"g (self-hosted:951:0)":                  {Name: "g", File: "self-hosted", Line: 951},
		"g (a.js -> resource://b.js:951:99999)":  {Name: "g", File: "resource://b.js", Line: 951},
		"":                                       {Name: "(anonymous)"},
	} {
		if got := located(text, libs); got != want {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
}

func TestSniff(t *testing.T) {
	for text, want := range map[string]bool{
		gecko(""): true, `{"libs":[],"meta":{"gcpoison":0`: true, `{"threads":[{"stringTable":[]}]}`: true,
		"": false, "[]": false, `{"meta":{"version":1}}`: false, `{"traceEvents":[],"meta":{"stackwalk":1}}`: false,
		`{"threads":[]}`: false, `{"label":1,"markers":2}`: false, "\x00\x01": false,
	} {
		if got := Sniff(&input.Source{Head: []byte(text)}); got != want {
			t.Errorf("%.50q: %v", text, got)
		}
	}
	var f *input.FormatError
	if _, err := tryLoad([]byte(`{"meta":{"stackwalk":1},"threads":[]}`)); !errors.As(err, &f) {
		t.Errorf("no threads: %v", err)
	}
}

// TestDeepProcesses nests processes deeper than they can be.
// TestCutProcess: where the file ends within the text of a process, as older versions of Gecko write
// them, that is told once and with the offset in the file.
func TestCutProcess(t *testing.T) {
	whole := strings.TrimRight(gecko(`"samples":{"schema":{"stack":0,"time":1},"data":[[null,1]]}`), " \n")
	text := strings.TrimSuffix(whole, "]}") + `,"{\"meta\":{\"processType\":2},\"thr`
	want := fmt.Sprintf("the text ends at offset %d, before its outermost bracket", len(text))
	for _, d := range load(t, text).Diagnostics {
		if d.Code == trace.Truncated && (d.Count != 1 || d.Example != want) {
			t.Errorf("%d × %s, want %s", d.Count, d.Example, want)
		}
	}
}

func TestDeepProcesses(t *testing.T) {
	const n = 100_000
	text := strings.Repeat(`{"threads":[{"name":"t"}],"processes":[`, n) + strings.Repeat("]}", n)
	tr := load(t, text)
	if len(tr.Threads) > mostProcesses+1 || len(tr.Diagnostics) != 1 {
		t.Errorf("%d threads, %v", len(tr.Threads), tr.Diagnostics)
	}
}
