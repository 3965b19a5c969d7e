package chrome

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"diptych/internal/trace"
)

// ofV8 is an event of a profile with an id.
func ofV8(name, id string, tid, ts int, data string) string {
	return fmt.Sprintf(`{"ph":"P","name":%q,"id":%q,"pid":7,"tid":%d,"ts":%d,"args":{"data":{%s}}}`, name,
		id, tid, ts, data)
}

func jsChunk(id string, ts int, nodes, samples, deltas string) string {
	return ofV8(profileChunk, id, 5, ts, fmt.Sprintf(`"cpuProfile":{"nodes":[%s],"samples":[%s]},"lines":[1],`+
		`"timeDeltas":[%s]`, nodes, samples, deltas))
}

func jsNode(id, parent int, name, url string) string {
	up := ""
	if parent > 0 {
		up = fmt.Sprintf(`,"parent":%d`, parent)
	}
	return fmt.Sprintf(`{"callFrame":{"codeType":"JS","functionName":%q,"lineNumber":3,"url":%q},"id":%d%s}`, name, url,
		id, up)
}

var (
	jsBegin = ofV8(profileBegins, "0x1", 1, 100, `"startTime":98`)
	jsNodes = strings.Join([]string{jsNode(1, 0, "(root)", ""), jsNode(2, 1, "(program)", ""), jsNode(3, 1, "(idle)", ""),
		jsNode(4, 1, "(garbage collector)", ""), jsNode(5, 1, "f", "http://h/a.js"), jsNode(6, 5, "g", "http://h/b.js")}, ",")
	jsFirst = jsChunk("0x1", 150, jsNodes, "5,6,4,2,3,5", "0,10,10,10,10,10")
)

// profileCases are the events of traces, and what becomes of their profiles.
var profileCases = []struct {
	name, want, codes string
	events            []string
}{
	{"chunks, and an end on V8's clock", "1 JavaScript: f 100-130 .g 110-130 ..(garbage collector) 120-130 " +
		"f 150-190 .h 160-170", "", []string{jsBegin, jsFirst, jsChunk("0x1", 190, jsNode(7, 5, "h", ""), "7,5", "10,10"),
		ofV8(profileChunk, "0x1", 1, 200, `"endTime":188`)}},
	{"a beginning behind the chunks, which are out of order", "1 JavaScript: f 100-130 .g 110-130 " +
		"..(garbage collector) 120-130 f 150-170 .h 160-170", "",
		[]string{jsChunk("0x1", 190, jsNode(7, 5, "h", ""), "7", "10"), jsFirst, jsBegin}},
	{"times within the profile", "1 JavaScript: f 101-103", "", []string{jsBegin, ofV8(profileChunk, "0x1", 5, 150,
		`"cpuProfile":{"nodes":[`+jsNodes+`],"samples":[5,5],"timeDeltas":[1,1]}`)}},
	{"a named thread, and another profile", "w JavaScript: g 30-31 .f 30-31 main JavaScript: f 101-102", "",
		[]string{jsBegin, jsChunk("0x1", 150, jsNodes, "5,3", "1,1"), ofV8(profileBegins, "0x2", 3, 20, ""),
			jsChunk("0x2", 150, jsNode(1, 0, "g", "/x")+","+jsNode(2, 1, "f", "/y")+","+jsNode(3, 1, "(idle)", ""), "2,3", "10,1"),
			`{"ph":"M","name":"thread_name","pid":7,"tid":1,"args":{"name":"main"}}`,
			`{"ph":"M","name":"thread_name","pid":7,"tid":3,"args":{"name":"w"}}`}},
	{"a whole profile", "2 JavaScript: f 11-13", "", []string{
		`{"ph":"I","name":"CpuProfile","pid":7,"tid":2,"ts":90,"args":{"data":{"cpuProfile":{"nodes":[` + jsNodes +
			`],"startTime":10,"endTime":13,"samples":[5],"timeDeltas":[1]}}}}`}},
	{"idle before the first event and after the last", "2 JavaScript: f 15-25", "", []string{
		`{"ph":"I","name":"CpuProfile","pid":7,"tid":2,"ts":90,"args":{"data":{"cpuProfile":{"nodes":[` + jsNodes +
			`],"startTime":-50,"endTime":500,"samples":[3,5,3,3],"timeDeltas":[10,55,10,400]}}}}`}},
	{"times that go back", "1 JavaScript: f 105-110 .g 105-110", "reordered",
		[]string{jsBegin, jsChunk("0x1", 150, jsNodes, "3,6", "10,-5")}},
	{"no beginning", "", "bad-record", []string{jsFirst}},
	{"two beginnings", "1 JavaScript: f 101-102", "bad-record",
		[]string{jsBegin, ofV8(profileBegins, "0x1", 2, 50, ""), jsChunk("0x1", 150, jsNodes, "5,3", "1,1")}},
	{"a beginning that has samples", "1 JavaScript: f 110-120", "", []string{jsChunk("0x1", 150, jsNodes, "5,3", "10,10"),
		ofV8(profileBegins, "0x1", 1, 100, `"samples":[6],"timeDeltas":[1]`)}},
	{"no chunks", "", "", []string{jsBegin}},
	{"another profile of the thread, of fewer samples", "1 JavaScript: f 100-130 .g 110-130 " +
		"..(garbage collector) 120-130 f 150-160", "not-read", []string{ofV8(profileBegins, "0x9", 1, 90, ""),
		jsChunk("0x9", 120, jsNodes, "6,6,3", "1,1,1"), jsBegin, jsFirst}},
	{"fewer times than samples", "1 JavaScript: f 110-120", "bad-record",
		[]string{jsBegin, jsChunk("0x1", 150, jsNodes, "5,6,6", "10"), jsChunk("0x1", 160, "", "3", "10")}},
	{"more times than samples", "1 JavaScript: f 110-120 f 130-140", "bad-record",
		[]string{jsBegin, jsChunk("0x1", 150, jsNodes, "5", "10,10"), jsChunk("0x1", 160, "", "5,3", "10,10")}},
	{"callers in a circle, and nodes that are not there", "1 JavaScript: y 101-102 .x 101-102", "bad-record",
		[]string{jsBegin, jsChunk("0x1", 150, jsNode(1, 2, "x", "")+","+jsNode(2, 1, "y", "")+","+jsNode(3, 9, "(idle)", ""),
			"1,3,8", "1,1,1")}},
	{"values of other kinds", "", "bad-record", []string{jsBegin, ofV8(profileChunk, "0x1", 5, 9,
		`"cpuProfile":[3],"timeDeltas":{"a":1},"endTime":"x"`), `{"ph":"P","name":"ProfileChunk","ts":1,"id":"0x1","pid":7}`}},
	{"beyond all times", "", "bad-record", []string{jsBegin, jsChunk("0x1", 150, jsNodes, "5", "1e300")}},
}

// jsRows writes the calls of sampled threads, in µs.
func jsRows(tr *trace.Trace) string {
	var all []string
	for _, th := range tr.Threads {
		if !th.Sampled {
			continue
		}
		all = append(all, th.Name+":")
		for i := range th.Len() {
			all = append(all, fmt.Sprintf("%s%s %d-%d", strings.Repeat(".", int(th.Depth(i))), tr.FunctionOf(th, i).Name,
				(th.Start(i)+tr.Origin)/1000, (th.End(i)+tr.Origin)/1000))
		}
	}
	return strings.Join(all, " ")
}

// TestProfiles holds that each profile becomes a thread, whatever the blocks of the text, and that
// what is wrong with one is counted.
func TestProfiles(t *testing.T) {
	const call = `{"ph":"X","name":"task","pid":7,"tid":1,"ts":0,"dur":300}`
	for _, c := range profileCases {
		for _, size := range []int{50, blockSize} {
			tr := mustLoad(t, "["+strings.Join(append([]string{call}, c.events...), ",\n")+"]", size)
			if got := jsRows(tr); got != strings.TrimSpace(c.want) {
				t.Errorf("%s: %s\nwant %s", c.name, got, c.want)
			}
			var codes []string
			for _, d := range tr.Diagnostics {
				codes = append(codes, string(d.Code))
			}
			if got := strings.Join(codes, " "); got != c.codes {
				t.Errorf("%s: %v, want %s", c.name, tr.Diagnostics, c.codes)
			}
			if tr.Origin != 0 || tr.Duration != 300_000 {
				t.Errorf("%s: the trace begins at %d and lasts %d ns", c.name, tr.Origin, tr.Duration)
			}
			own := slices.IndexFunc(tr.Threads, func(th *trace.Thread) bool { return th.ID == "7/1" })
			if own < 0 || tr.Threads[own].Len() != 1 {
				t.Errorf("%s: the calls of the thread itself have changed", c.name)
			}
		}
	}
}

// listedCases are traces with samples beside their events.
var listedCases = []struct{ name, text, want, codes string }{
	{"samples before their frames, of two threads, in any order of time", `{"samples":[` +
		`{"pid":7,"tid":"1","ts":"10","sf":2,"weight":"1"},{"pid":7,"tid":1,"ts":30.5,"sf":"1"},{"tid":3,"sf":9,"ts":5},` +
		`{"pid":7,"tid":1,"ts":20,"sf":2}],"traceEvents":[{"ph":"M","name":"thread_name","pid":7,"tid":1,` +
		`"args":{"name":"js"}}],"stackFrames":{"1":{"name":"main"},"2":{"name":"f\"]","category":"c","parent":1},` +
		`"9":{"name":"g"}}}`, `3 samples: g 5-15 js samples: main 10-41 .f"] 10-30`, "reordered"},
	{"callers in a circle, frames that are not there, samples without a time", `{"stackFrames":{` +
		`"1":{"name":"a","parent":"2"},"2":{"name":"b","parent":"1"},"3":{"name":"c","parent":4}},"traceEvents":[],` +
		`"samples":[{"ts":1,"sf":1},{"ts":3,"sf":3},{"ts":5,"sf":8},{"sf":1},{"ts":7}]}`,
		"0 samples: b 1-3 .a 1-3 c 3-5", "bad-record not-read"},
	{"values of other kinds, and an end too early", `{"traceEvents":[{"ph":"X","ts":0}],"stackFrames":{"1":3},"samples":[{"ts":[],"sf":1},7,`,
		"", "bad-record not-read truncated"},
}

// TestListedSamples holds the same for samples beside the events.
func TestListedSamples(t *testing.T) {
	for _, c := range listedCases {
		for _, size := range []int{50, blockSize} {
			tr := mustLoad(t, c.text, size)
			var codes []string
			for _, d := range tr.Diagnostics {
				codes = append(codes, string(d.Code))
			}
			if got := jsRows(tr); got != c.want || strings.Join(codes, " ") != c.codes {
				t.Errorf("%s: %s, %v\nwant %s, %s", c.name, got, tr.Diagnostics, c.want, c.codes)
			}
		}
	}
}
