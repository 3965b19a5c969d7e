package cpuprofile

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/loadtest"
)

const samples = "../../../testdata/cpuprofile/*.*"

func tryLoad(data []byte) (*trace.Trace, error) {
	return loadtest.Loader(Load).Bytes("test.cpuprofile", data, input.Options{})
}

func load(t testing.TB, text string) *trace.Trace {
	t.Helper()
	tr, err := tryLoad([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// rows writes the calls: their names indented by depth, with start and end in µs, or in samples.
func rows(tr *trace.Trace) (all []string) {
	unit := int64(1000)
	if tr.Kind == trace.Profile {
		unit = 1
	}
	if len(tr.Threads) == 0 {
		return nil
	}
	th := tr.Threads[0]
	for i := range th.Len() {
		all = append(all, fmt.Sprintf("%s%s %d-%d", strings.Repeat(" ", int(th.Depth(i))),
			tr.FunctionOf(th, i).Name, th.Start(i)/unit, th.End(i)/unit))
	}
	return all
}

// doc is a profile with the nodes that all cases have: a calls b and c, c calls a function without
// a name.
func doc(rest string) string {
	frame := func(id int, name, url string, line int, children string) string {
		return fmt.Sprintf(`{"id":%d,"callFrame":{"functionName":%q,"scriptId":"1","url":%q,`+
			`"lineNumber":%d,"columnNumber":3},"hitCount":%d,"children":[%s]}`, id, name, url, line, id, children)
	}
	return `{"nodes":[` + strings.Join([]string{
		frame(1, "(root)", "", -1, "2,3,4,5"), frame(2, "(program)", "", -1, ""),
		frame(3, "(idle)", "", -1, ""), frame(4, "(garbage collector)", "", -1, ""),
		frame(5, "a", "file:///src/a%20b/m.mjs", 0, "6,7"), frame(6, "b", "node:fs", 9, ""),
		frame(7, "c", "/x/node_modules/@s/p/c.js", 4, "8"), frame(8, "", "file:///src/m.mjs", 11, ""),
	}, ",") + "]" + rest + "}"
}

const head = `{"title":"old","head":{"functionName":"(root)","scriptId":"0","url":"","lineNumber":0,` +
	`"children":[{"functionName":"a","url":"http://h/a.js","lineNumber":7,"callUID":1,"children":[` +
	`{"functionName":"b","url":"http://h/a.js","lineNumber":8,"children":[],"id":3,"hitCount":2}],` +
	`"id":2,"hitCount":1}],"id":1},"startTime":1.5,"endTime":1.50001`

var cases = []struct {
	name, text string
	want       []string
	codes      string // diagnostics: how many of which kind
}{
	{"samples hold until the next, the last until the end; idle and the root are no calls",
		doc(`,"startTime":100,"endTime":190,"samples":[5,6,6,3,8,2,1,7],"timeDeltas":[10,10,10,10,10,10,10,10]`),
		[]string{"a 10-40", " b 20-40", "a 50-60", " c 50-60", "  (anonymous m.mjs:12) 50-60",
			"(program) 60-70", "a 80-90", " c 80-90"}, ""},
	{"the garbage collector is called by what ran",
		doc(`,"startTime":0,"endTime":60,"samples":[6,4,4,5,3,4],"timeDeltas":[0,10,10,10,10,10]`),
		[]string{"a 0-40", " b 0-30", "  (garbage collector) 10-30", "(garbage collector) 50-60"}, ""},
	{"times that go back, and members in another order",
		`{"timeDeltas":[10,20,-10],"samples":[5,2,6],"endTime":150,"startTime":100,` + doc("")[1:],
		[]string{"a 10-30", " b 20-30", "(program) 30-50"}, "1 reordered"},
	{"fractions of microseconds, no end: the last sample takes as long as most",
		doc(`,"startTime":0,"samples":[2,5,2],"timeDeltas":[0,10.25,10.25]`),
		[]string{"(program) 0-10", "a 10-20", "(program) 20-30"}, ""},
	{"samples of nodes that are not there, more samples than times",
		doc(`,"startTime":0,"endTime":30,"samples":[5,99,null,5,5],"timeDeltas":[0,10,10]`),
		[]string{"a 0-10"}, "4 bad-record"},
	{"more times than samples", doc(`,"startTime":0,"endTime":20,"samples":[5],"timeDeltas":[0,10,10]`),
		[]string{"a 0-20"}, "2 bad-record"},
	{"no times", doc(`,"samples":[6,6,5,4]`),
		[]string{"(garbage collector) 0-1", "a 1-4", " b 1-3"}, ""},
	{"no samples", doc(""),
		[]string{"(garbage collector) 0-4", "(program) 4-6", "a 6-32", " b 6-12", " c 12-27",
			"  (anonymous m.mjs:12) 12-20"}, ""},
	{"the older form", head + `,"samples":[2,3,2],"timestamps":[1500002,1500004,1500008]}`,
		[]string{"a 2-10", " b 4-8"}, ""},
	{"the older form without times", head + "}", []string{"a 0-3", " b 0-2"}, ""},
	{"a parent in place of children", `{"nodes":[{"id":1,"callFrame":{"functionName":"x"}},` +
		`{"id":2,"callFrame":{"functionName":"y"},"parent":1}],"samples":[2],"timeDeltas":[1],"endTime":5}`,
		[]string{"x 0-4", " y 0-4"}, ""},
	{"nodes that call themselves, and that are not there",
		`{"nodes":[{"id":1,"callFrame":{"functionName":"x"},"children":[2,7,1]},` +
			`{"id":2,"callFrame":{"functionName":"y"},"children":[1]}],"samples":[1],"timeDeltas":[1],"endTime":5}`,
		[]string{"y 0-4", " x 0-4"}, "3 bad-record"},
	{"a node that nothing calls beside the first, as where its caller's list is damaged",
		`{"nodes":[{"id":1,"callFrame":{"functionName":"x"},"c\ufffd":[2]},` +
			`{"id":2,"callFrame":{"functionName":"y"}}],"samples":[2],"timeDeltas":[1],"endTime":5}`,
		[]string{"y 0-4"}, "1 bad-record"},
	{"nodes with one id", `{"nodes":[{"id":1,"callFrame":{"functionName":"x"},"children":[2]},` +
		`{"id":2,"callFrame":{"functionName":"y"}},{"id":2,"callFrame":{"functionName":"z"}}],` +
		`"samples":[2],"timeDeltas":[1],"endTime":5}`, []string{"x 0-4", " z 0-4"}, "2 bad-record"},
	{"a text that was cut", strings.TrimSuffix(doc(`,"samples":[5,2],"timeDeltas":[1,1],"startTi`), "}"),
		[]string{"a 0-1", "(program) 1-2"}, "1 truncated"},
	{"values of other types", `{"nodes":[{"id":"1","callFrame":[]},{"id":1,"callFrame":{"functionName":"f"}}],` +
		`"samples":[1],"timeDeltas":[1],"endTime":3,"title":4} {}`, []string{"f 0-2"}, "5 bad-record"},
	{"times that cannot be", doc(`,"startTime":1e300,"endTime":1e301,"samples":[5],"timeDeltas":[1]`), nil,
		"1 bad-record"},
}

func TestCases(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			tr := load(t, c.text)
			if got := rows(tr); !slices.Equal(got, c.want) {
				t.Errorf("calls %q\n want %q", got, c.want)
			}
			var codes []string
			for _, d := range tr.Diagnostics {
				codes = append(codes, fmt.Sprint(d.Count, " ", d.Code))
			}
			if strings.Join(codes, " ") != c.codes {
				t.Errorf("diagnostics %+v, want %q", tr.Diagnostics, c.codes)
			}
		})
	}
}

// TestSamplesAreWeighed holds that samples of one node in a row weigh what each of them does, and
// those of idle time nothing.
func TestSamplesAreWeighed(t *testing.T) {
	const text = `{"nodes":[{"id":1,"callFrame":{"functionName":"(root)"},"children":[2,3]},` +
		`{"id":2,"callFrame":{"functionName":"f"}},{"id":3,"callFrame":{"functionName":"(idle)"}}],` +
		`"samples":[2,2,2,2,3,2],"timeDeltas":[0,1,1,8,1,50],"endTime":61}`
	if got := load(t, text).SampleWeight; got != 67_000/11 { // (1 + 1 + 64 + 1) / 11 µs
		t.Errorf("a sample weighs %d ns", got)
	}
}

// TestStallsAreKnown holds that the samples that hold for many times as long as most are listed, but
// none of idle time.
func TestStallsAreKnown(t *testing.T) {
	const text = `{"nodes":[{"id":1,"callFrame":{"functionName":"(root)"},"children":[2,3]},` +
		`{"id":2,"callFrame":{"functionName":"f"}},{"id":3,"callFrame":{"functionName":"(idle)"}}],` +
		`"samples":[2,2,2,2,2,3,2],"timeDeltas":[100,1,1,1,80,1,90],"endTime":275}`
	tr := load(t, text)
	if want := []trace.Stall{{At: 3000, Dur: 80_000}}; !slices.Equal(tr.Threads[0].Stalls(), want) || tr.SteadyWeight != 1000 {
		t.Errorf("%+v, want %+v; others weigh %d ns", tr.Threads[0].Stalls(), want, tr.SteadyWeight)
	}
}

func TestPlaces(t *testing.T) {
	tr := load(t, doc(`,"startTime":0,"endTime":90,"samples":[6,8],"timeDeltas":[0,10]`))
	var got []string
	for i := range tr.Threads[0].Len() {
		f := tr.FunctionOf(tr.Threads[0], i)
		got = append(got, fmt.Sprintf("%s|%s|%s:%d", f.Name, f.Package, f.File, f.Line))
	}
	want := []string{"a||/src/a b/m.mjs:1", "b|node|node:fs:10", "c|@s/p|/x/node_modules/@s/p/c.js:5",
		"(anonymous m.mjs:12)||/src/m.mjs:12"}
	if !slices.Equal(got, want) {
		t.Errorf("functions %q", got)
	}
	if th := tr.Threads[0]; !th.Sampled || th.Name != "JavaScript" || tr.Tool != "V8 CPU profile" {
		t.Errorf("thread %q, tool %q", th.Name, tr.Tool)
	}
	if old := load(t, head+"}"); old.Threads[0].Name != "old" || old.Functions[0].Line != 7 {
		t.Errorf("thread %q, %+v", old.Threads[0].Name, old.Functions)
	}
}

func TestSniff(t *testing.T) {
	for text, want := range map[string]bool{
		doc(""): true, head: true, `{"startTime":1,"nodes":[{"id":1,"callFrame":{"func`: true,
		"": false, "[]": false, `{"nodes":[{"id":1}]}`: false, `{"nodes":[]}`: false,
		`{"traceEvents":[],"nodes":[{"callFrame":{}}]}`: false, `{"head":3}`: false, "\x00{": false,
	} {
		if got := Sniff(&input.Source{Head: []byte(text)}); got != want {
			t.Errorf("%.60q: %v", text, got)
		}
	}
}

// TestDeepNesting has the older form nested deeper than stacks can be.
func TestDeepNesting(t *testing.T) {
	const n = 100_000
	text := `{"head":` + strings.Repeat(`{"functionName":"f","hitCount":1,"children":[`, n) +
		strings.Repeat("]}", n) + "}"
	tr := load(t, text)
	if tr.MaxDepth() != mostLevels+1 || len(tr.Diagnostics) != 1 {
		t.Errorf("%d levels, %v", tr.MaxDepth(), tr.Diagnostics)
	}
}

// plain is the format as encoding/json reads it.
type plain struct {
	Nodes []struct {
		ID        int
		CallFrame struct {
			FunctionName, ScriptID, URL string
			LineNumber, ColumnNumber    int
		}
		HitCount int
		Children []int
	}
	StartTime, EndTime int64
	Samples            []int
	TimeDeltas         []int64
}

// times returns how long each stack was shown, by the names of its functions, in µs.
func (p *plain) times() map[string]int64 {
	name, up := map[int]string{}, map[int]int{}
	for _, n := range p.Nodes {
		f := n.CallFrame
		name[n.ID] = f.FunctionName
		switch {
		case f.FunctionName == "" && f.URL == "":
			name[n.ID] = "(anonymous)"
		case f.FunctionName == "":
			place := filePath(f.URL)
			name[n.ID] = fmt.Sprintf("(anonymous %s:%d)", place[strings.LastIndexByte(place, '/')+1:], f.LineNumber+1)
		}
		for _, c := range n.Children {
			up[c] = n.ID
		}
	}
	sum, now, last := map[string]int64{}, p.StartTime, ""
	for i, id := range p.Samples {
		now += p.TimeDeltas[i]
		var stack []string
		for n := id; n != 0 && name[n] != "(root)" && name[n] != "(idle)"; n = up[n] {
			stack = append(stack, name[n])
		}
		slices.Reverse(stack)
		shown := strings.Join(stack, ";")
		if shown == "(garbage collector)" {
			shown = strings.TrimPrefix(last+";"+shown, ";")
		} else {
			last = shown
		}
		end := p.EndTime
		if i+1 < len(p.Samples) {
			end = now + p.TimeDeltas[i+1]
		}
		if shown != "" && end > now {
			sum[shown] += end - now
		}
	}
	return sum
}

// stackTimes returns the same of a trace.
func stackTimes(tr *trace.Trace) map[string]int64 {
	sum := map[string]int64{}
	for _, th := range tr.Threads {
		for i := range th.Len() {
			var stack []string
			for k := i; k >= 0; k = int(th.Parent(k)) {
				stack = append(stack, tr.FunctionOf(th, k).Name)
			}
			slices.Reverse(stack)
			if self := th.Self(i); self > 0 {
				sum[strings.Join(stack, ";")] += self / 1000
			}
		}
	}
	return sum
}

// TestRecordings holds how long each stack is shown against a plain reader.
func TestRecordings(t *testing.T) {
	for name, data := range loadtest.Recordings(t, samples) {
		var p plain
		if err := json.Unmarshal(data, &p); err != nil {
			t.Fatal(err)
		}
		tr, err := tryLoad(data)
		if err != nil || len(tr.Diagnostics) > 0 {
			t.Fatal(name, err, tr.Diagnostics)
		}
		if !Sniff(&input.Source{Head: data[:min(len(data), input.HeadSize)]}) {
			t.Errorf("%s is not recognised", name)
		}
		if got, want := stackTimes(tr), p.times(); !maps.Equal(got, want) {
			for stack, n := range want {
				if got[stack] != n {
					t.Errorf("%s: %s takes %d µs, want %d", name, stack, got[stack], n)
				}
			}
			t.Errorf("%s: %d stacks, want %d", name, len(got), len(want))
		}
		if tr.Duration != 1000*(p.EndTime-p.StartTime) {
			t.Errorf("%s lasts %d", name, tr.Duration)
		}
	}
}

// TestPlainReader draws profiles and does the same.
func TestPlainReader(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "nodes")
		nodes, below := make([]map[string]any, n), map[int][]int{}
		names := []string{"f", "g", "h", "", "(program)", "(idle)", "(garbage collector)"}
		for i := range nodes {
			name := "(root)"
			if up := 0; i > 0 {
				last := len(names)
				if up = rapid.IntRange(0, i-1).Draw(t, "caller"); up > 0 {
					last = 4
				}
				name = names[rapid.IntRange(0, last-1).Draw(t, "name")]
				if n := nodes[up]["callFrame"].(map[string]any)["functionName"].(string); strings.HasPrefix(n, "(") {
					up = 0
				}
				below[up] = append(below[up], i+1)
			}
			nodes[i] = map[string]any{"id": i + 1, "callFrame": map[string]any{"functionName": name,
				"url": "", "lineNumber": -1}}
			if name == "" {
				nodes[i]["callFrame"].(map[string]any)["url"] = "file:///a.js"
			}
		}
		for i := range nodes {
			if below[i] != nil {
				nodes[i]["children"] = below[i]
			}
		}
		samples := rapid.SliceOfN(rapid.IntRange(1, n), 1, 20).Draw(t, "samples")
		deltas, end := make([]int64, len(samples)), int64(1000)
		for i := range deltas {
			deltas[i] = rapid.Int64Range(0, 50).Draw(t, "delta")
			end += deltas[i]
		}
		text, err := json.Marshal(map[string]any{"nodes": nodes, "samples": samples, "timeDeltas": deltas,
			"startTime": 1000, "endTime": end + 7})
		if err != nil {
			t.Fatal(err)
		}
		var p plain
		if err := json.Unmarshal(text, &p); err != nil {
			t.Fatal(err)
		}
		tr, err := tryLoad(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := stackTimes(tr), p.times(); !maps.Equal(got, want) {
			t.Fatalf("%v, want %v of %s", got, want, text)
		}
	})
}
