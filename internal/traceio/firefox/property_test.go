package firefox

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/fuzzall/seeds"
	"diptych/internal/trace"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/loadtest"
	"diptych/internal/traceio/text/texttest"
)

// plainThread is the samples of a thread, before they are written in any form.
type plainThread struct {
	names  []string
	prefix []int // by stack, −1 for none
	frame  []int // by stack: index of its name
	stack  []int // by sample, −1 for none
	time   []float64
}

func drawThread(t *rapid.T) *plainThread {
	p := &plainThread{}
	for i := range rapid.IntRange(1, 5).Draw(t, "names") {
		p.names = append(p.names, fmt.Sprint("f", i))
	}
	for i := range rapid.IntRange(1, 15).Draw(t, "stacks") {
		p.prefix = append(p.prefix, rapid.IntRange(-1, i-1).Draw(t, "prefix"))
		p.frame = append(p.frame, rapid.IntRange(0, len(p.names)-1).Draw(t, "frame"))
	}
	now := 0.
	for range rapid.IntRange(1, 25).Draw(t, "samples") {
		p.stack = append(p.stack, rapid.IntRange(-1, len(p.prefix)-1).Draw(t, "stack"))
		p.time = append(p.time, now)
		now += float64(rapid.IntRange(0, 4000).Draw(t, "µs")) / 1000
	}
	return p
}

// times returns how long each stack is shown, in µs.
func (p *plainThread) times(interval float64) map[string]int64 {
	sum := map[string]int64{}
	for i, s := range p.stack {
		end := p.time[i] + interval
		if i+1 < len(p.stack) {
			end = p.time[i+1]
		}
		var names []string
		for ; s >= 0; s = p.prefix[s] {
			names = append(names, p.names[p.frame[s]])
		}
		slices.Reverse(names)
		if us := int64(math.Round((end - p.time[i]) * 1000)); us > 0 && names != nil {
			sum[strings.Join(names, ";")] += us
		}
	}
	return sum
}

func stackTimes(tr *trace.Trace) map[string]int64 {
	sum := map[string]int64{}
	for _, th := range tr.Threads {
		for i := range th.Len() {
			var names []string
			for k := i; k >= 0; k = int(th.Parent(k)) {
				names = append(names, tr.FunctionOf(th, k).Name)
			}
			slices.Reverse(names)
			if self := th.Self(i); self > 0 {
				sum[strings.Join(names, ";")] += int64(math.Round(float64(self) / 1000))
			}
		}
	}
	return sum
}

func orNull(n int) any {
	if n < 0 {
		return nil
	}
	return n
}

// gecko writes the thread with rows.
func (p *plainThread) gecko() string {
	rows := func(n int, row func(i int) []any) any {
		all := [][]any{}
		for i := range n {
			all = append(all, row(i))
		}
		return all
	}
	table := func(schema map[string]int, data any) any {
		return struct {
			Schema any `json:"schema"`
			Data   any `json:"data"`
		}{schema, data}
	}
	return written(map[string]any{
		"stringTable": p.names,
		"frameTable": table(map[string]int{"location": 1, "line": 0}, rows(len(p.names), func(i int) []any {
			return []any{nil, i, "x"}
		})),
		"stackTable": table(map[string]int{"frame": 0, "prefix": 1}, rows(len(p.prefix), func(i int) []any {
			return []any{p.frame[i], orNull(p.prefix[i])}
		})),
		"samples": table(map[string]int{"stack": 0, "time": 1}, rows(len(p.stack), func(i int) []any {
			return []any{orNull(p.stack[i]), p.time[i]}
		})),
	})
}

// columns writes the thread with columns, its times as they are or as differences.
func (p *plainThread) columns(deltas bool) string {
	column := func(of []int) (out []any) {
		for _, n := range of {
			out = append(out, orNull(n))
		}
		return out
	}
	var funcs []int
	for i := range p.names {
		funcs = append(funcs, i)
	}
	samples := map[string]any{"stack": column(p.stack), "time": p.time}
	if deltas {
		var all []float64
		for i := range p.time {
			all = append(all, p.time[i]-p.time[max(i-1, 0)])
		}
		samples = map[string]any{"stack": column(p.stack), "timeDeltas": all}
	}
	return written(map[string]any{
		"stringArray": p.names,
		"funcTable":   map[string]any{"length": len(funcs), "name": funcs},
		"frameTable":  map[string]any{"func": funcs},
		"stackTable":  map[string]any{"prefix": column(p.prefix), "frame": p.frame},
		"samples":     samples,
	})
}

func written(thread map[string]any) string {
	text, err := json.Marshal(map[string]any{"meta": map[string]any{"interval": 2, "stackwalk": 1},
		"threads": []any{thread}})
	if err != nil {
		panic(err)
	}
	return string(text)
}

// TestForms draws a thread and writes it in all forms: all give the same, and each stack is shown as
// long as its samples say.
func TestForms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawThread(t)
		want := p.times(2)
		for i, text := range []string{p.gecko(), p.columns(false), p.columns(true)} {
			tr, err := tryLoad([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			if got := stackTimes(tr); !maps.Equal(got, want) {
				t.Fatalf("form %d: %v, want %v\n%s", i, got, want, texttest.Show(tr))
			}
		}
	})
}

// FuzzLoad looks for input that makes the loader panic or hang, or gives calls that lie badly.
func FuzzLoad(f *testing.F) {
	seeds.Add(f)
	for _, c := range cases {
		f.Add([]byte(c.text))
	}
	c := &container{}
	f.Add(c.file(c.add(fmt.Sprintf(`{"threads":[{"name":{"$s":%d}}]}`, c.add([]uint8{1, 2})))))
	f.Fuzz(func(t *testing.T, file []byte) {
		Sniff(&input.Source{Head: file})
		tr, err := tryLoad(file)
		loadtest.Sound(t, tr, err)
	})
}

// TestRecordings counts what the recordings hold by other means.
func TestRecordings(t *testing.T) {
	files, err := filepath.Glob("../../../testdata/firefox/*.gz")
	if err != nil || len(files) == 0 {
		t.Fatal("no recordings", err)
	}
	for _, file := range files {
		packed, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		var p plainProfile
		if err := json.Unmarshal(data, &p); err != nil {
			t.Fatal(err)
		}
		tr := load(t, string(data))
		instants, lasting := p.count()
		for _, th := range tr.Threads {
			instants -= len(th.Instants)
			if th.Kind == trace.AsyncTrack {
				lasting -= th.Len()
			}
		}
		if instants != 0 || lasting != 0 {
			t.Errorf("%s: %d instants and %d other markers are missing", file, instants, lasting)
		}
	}
}

// plainProfile is what encoding/json reads of a profile of Gecko.
type plainProfile struct {
	Threads []struct {
		Name        string
		Pid, Tid    int
		StringTable []string
		StackTable  struct{ Data [][]*int }
		FrameTable  struct{ Data [][]any }
		Samples     struct{ Data [][]*float64 }
		Markers     struct{ Data [][]any }
	}
	Processes []plainProfile
}

// count returns how many markers are of a moment, and how many last. Of those in two parts the first
// counts.
func (p *plainProfile) count() (instants, lasting int) {
	for _, t := range p.Threads {
		for _, m := range t.Markers.Data {
			switch m[3].(float64) {
			case 0:
				instants++
			case 1, 2:
				lasting++
			}
		}
	}
	for _, q := range p.Processes {
		i, l := q.count()
		instants, lasting = instants+i, lasting+l
	}
	return instants, lasting
}

// long is a profile of Gecko with so many samples.
func long(samples int) []byte {
	var strs, frames, stacks, rows []string
	for i := range samples / 10 {
		strs = append(strs, fmt.Sprintf(`"function%d (http://localhost/src/file%d.js:%d:12)"`, i, i%50, i))
		frames = append(frames, fmt.Sprintf("[%d,true,0,null,%d,7,3,0]", i, i))
		prefix := "null"
		if i%12 > 0 {
			prefix = fmt.Sprint(i - 1)
		}
		stacks = append(stacks, fmt.Sprintf("[%s,%d]", prefix, i))
	}
	for i := range samples {
		rows = append(rows, fmt.Sprintf("[%d,%.6f,0.123456]", i/8%len(stacks), 1.003*float64(i)))
	}
	table := func(schema string, rows []string) string {
		return fmt.Sprintf(`{"schema":%s,"data":[%s]}`, schema, strings.Join(rows, ","))
	}
	return []byte(`{"meta":{"interval":1,"stackwalk":1},"threads":[{"name":"GeckoMain","pid":1,"tid":1,"stringTable":[` +
		strings.Join(strs, ",") + `],"frameTable":` + table(`{"location":0,"line":4,"category":6}`, frames) +
		`,"stackTable":` + table(`{"prefix":0,"frame":1}`, stacks) +
		`,"samples":` + table(`{"stack":0,"time":1,"eventDelay":2}`, rows) + `}]}`)
}

// TestSharedTables holds that what threads share is not gone through again for each.
func TestSharedTables(t *testing.T) {
	const stacks, threads = 50_000, 2_000
	file := `{"meta":{"interval":1,"preprocessedProfileVersion":61},"shared":{"stringArray":["a"],` +
		`"funcTable":{"length":1,"name":[0]},"frameTable":{"length":1,"func":[0]},"stackTable":{"prefix":[null` +
		strings.Repeat(",null", stacks-1) + `],"frame":[0` + strings.Repeat(",0", stacks-1) + `]}},"threads":[` +
		strings.Repeat(`{"name":"t","samples":{"stack":[0],"time":[1]}},`, threads) + `{"name":"u"}]}`
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	tr, err := tryLoad([]byte(file))
	runtime.ReadMemStats(&after)
	if err != nil || len(tr.Threads) != threads {
		t.Fatal(len(tr.Threads), err)
	}
	if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 4*stacks*threads>>20/8 {
		t.Errorf("%d MB are allocated for %d stacks and %d threads", mb, stacks, threads)
	}
}
