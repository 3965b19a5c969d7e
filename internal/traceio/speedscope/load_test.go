package speedscope

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"diptych/internal/fuzzall/seeds"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/loadtest"
)

func tryLoad(text, want string) (*trace.Trace, error) {
	return loadtest.Loader(Load).Bytes("x.json", []byte(text), input.Options{SampleType: want})
}

func mustLoad(t testing.TB, text string) *trace.Trace {
	t.Helper()
	tr, err := tryLoad(text, "")
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// calls writes the calls of all threads as "a 0-3 .b 1-2".
func calls(tr *trace.Trace) string {
	var all []string
	for _, th := range tr.Threads {
		for i := range th.Len() {
			all = append(all, fmt.Sprintf("%s%s %d-%d", strings.Repeat(".", int(th.Depth(i))),
				tr.FunctionOf(th, i).Name, th.Start(i), th.End(i)))
		}
	}
	return strings.Join(all, " ")
}

const (
	abc  = `"shared": {"frames": [{"name": "a", "file": "a.c", "line": 3}, {"name": "b"}, {"name": "c"}]}`
	some = `"type": "sampled", "name": "one", "startValue": 0, "endValue": 14, "samples": [[0, 1], [0, 2], [0]],
		"weights": [1, 2, 3]`
	opened = `"type": "evented", "name": "two", "startValue": 0, "endValue": 9, "events": [
		{"type": "O", "frame": 0, "at": 0}, {"type": "O", "frame": 1, "at": 1}, {"type": "C", "frame": 1, "at": 3},
		{"at": 3, "frame": 1, "type": "O"}, {"type": "C", "frame": 1, "at": 4}, {"type": "C", "frame": 0, "at": 9}]`
)

func of(profiles ...string) string {
	return `{"$schema": "https://www.speedscope.app/file-format-schema.json", "profiles": [{` +
		strings.Join(profiles, `}, {`) + `}], ` + abc + `}`
}

func TestLoad(t *testing.T) {
	for _, c := range []struct{ what, text, calls, unit, told string }{
		{"samples in ms", of(some + `, "unit": "milliseconds"`),
			"a 0-6000000 .b 0-1000000 .c 1000000-3000000", "ns", ""},
		{"samples in ns", of(some + `, "unit": "nanoseconds"`), "a 0-6 .b 0-1 .c 1-3", "ns", ""},
		{"samples in ns, as other tools write it", of(some + `, "unit": "ns"`), "a 0-6 .b 0-1 .c 1-3", "ns", ""},
		{"samples in us", of(some + `, "unit": "us"`), "a 0-6000 .b 0-1000 .c 1000-3000", "ns", ""},
		{"events in µs", of(opened + `, "unit": "microseconds"`),
			"a 0-9000 .b 1000-3000 .b 3000-4000", "ns", ""},
		{"samples in bytes", of(some + `, "unit": "bytes"`), "a 0-6 .b 0-1 .c 1-3", "bytes", ""},
		{"samples without a unit", of(some + `, "unit": "none"`), "a 0-6 .b 0-1 .c 1-3", "count", ""},
		{"events without a unit", of(opened + `, "unit": "none"`), "a 0-9 .b 0-3", "count", ""},
		{"both", of(some+`, "unit": "seconds"`, opened+`, "unit": "seconds"`), "a 0-6000000000 " +
			".b 0-1000000000 .c 1000000000-3000000000 a 0-9000000000 .b 1000000000-3000000000 " +
			".b 3000000000-4000000000", "ns", ""},
		{"more weights than samples", of(`"unit": "none", "samples": [[0]], "weights": [1, 2]`), "a 0-1", "count",
			"bad-record 1"},
		{"a frame that is not there", of(`"unit": "none", "samples": [[7, -1]], "weights": [1]`), "?7 0-1 .? 0-1",
			"count", "bad-record 3"},
		{"times since 1970", of(`"unit": "microseconds", "startValue": 1.7e15, "events": [
			{"type": "O", "frame": 0, "at": 1700000000000000.0}, {"type": "C", "frame": 0, "at": 1700000000000010}]`),
			"a 0-10000", "ns", ""},
		{"the first is empty", of(`"type": "later"`, opened+`, "unit": "nanoseconds"`),
			"a 0-9 .b 1-3 .b 3-4", "ns", ""},
		{"idle", of(`"unit": "nanoseconds", "samples": [[0], [], [0]], "weights": [1, 2, 3]`), "a 0-1 a 3-6", "ns", ""},
		{"a negative weight", of(`"unit": "nanoseconds", "samples": [[0], [1]], "weights": [2, -1]`), "a 0-2", "ns",
			"negative-duration 1"},
		{"a time beyond the model", of(`"unit": "seconds", "samples": [[0], [1]], "weights": [1e300, 1]`),
			"b 0-1000000000", "ns", "bad-record 1"},
		{"fractions", of(`"unit": "none", "samples": [[0], [1], [0]], "weights": [0.5, 0.5, 0.25]`), "a 0-1", "count",
			"bad-record 2"},
		{"a weight of 0", of(`"unit": "none", "samples": [[0], [1]], "weights": [0, 2]`), "b 0-2", "count", "not-read 1"},
		{"an end of nothing", of(`"unit": "none", "events": [{"type": "C", "frame": 0, "at": 3}]`), "", "count",
			"unmatched-end 1"},
		{"calls of no width", of(`"unit": "none", "events": [{"type": "O", "frame": 0, "at": 0},
			{"type": "O", "frame": 1, "at": 3}, {"type": "O", "frame": 2, "at": 3},
			{"type": "C", "frame": 2, "at": 3}, {"type": "C", "frame": 1, "at": 3},
			{"type": "C", "frame": 0, "at": 4}]`), "a 0-4", "count", "not-read 2"},
		{"what is no event", of(`"unit": "none", "events": [{"type": "X", "frame": 0, "at": 3}, {}, 7]`), "", "count",
			"bad-record 3"},
	} {
		tr, err := tryLoad(c.text, "")
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		told := ""
		for _, d := range tr.Diagnostics {
			told += fmt.Sprintf("%s %d", d.Code, d.Count)
		}
		if got := calls(tr); got != c.calls || string(tr.Unit) != c.unit || told != c.told {
			t.Errorf("%s: %s in %s, %v, want %s in %s", c.what, got, tr.Unit, tr.Diagnostics, c.calls, c.unit)
		}
		if timeline := tr.Unit == "ns"; timeline != (tr.Kind == trace.Timeline) {
			t.Errorf("%s is a %v", c.what, tr.Kind)
		}
	}
}

func TestWhichProfiles(t *testing.T) {
	text := of(some+`, "unit": "bytes"`, opened+`, "unit": "seconds"`)
	for want, name := range map[string]string{"": "one", "seconds": "two", "two": "two", "ns": "two", "bytes": "one"} {
		tr, err := tryLoad(text, want)
		if err != nil || len(tr.Threads) != 1 || tr.Threads[0].Name != name || !strings.Contains(tr.Tool, "besides: ") {
			t.Errorf("%q: %v, %v", want, tr, err)
		}
	}
	active := strings.Replace(text, `{"$schema"`, `{"exporter": "x@1", "activeProfileIndex": 1, "$schema"`, 1)
	if tr := mustLoad(t, active); tr.Threads[0].Name != "two" || tr.Tool != "x@1 (besides: one/bytes)" {
		t.Errorf("%s of %s", tr.Threads[0].Name, tr.Tool)
	}
	if _, err := tryLoad(text, "cats"); err == nil || !strings.Contains(err.Error(), `(it has bytes, seconds)`) {
		t.Errorf("error %v", err)
	}
	tr := mustLoad(t, text)
	if f := tr.Functions[0]; f.File != "a.c" || f.Line != 3 {
		t.Errorf("function %+v", f)
	}
}

// TestSampledIsMarked: calls from samples are marked, those of events are calls.
func TestSampledIsMarked(t *testing.T) {
	tr := mustLoad(t, of(some+`, "unit": "seconds"`, opened+`, "unit": "seconds"`))
	if !tr.Threads[0].Sampled || tr.Threads[1].Sampled {
		t.Error("the wrong thread is marked as sampled")
	}
}

func TestRoles(t *testing.T) {
	for name, want := range map[string]string{"main pid: 736 tid: 737": "main", "Thread (4711)": "Thread",
		`Thread 0x7F3512 "MainThread"`: `Thread "MainThread"`, "simple.txt": "", "worker 3": "", "12": ""} {
		if got, numbered := role(name); numbered != (want != "") || numbered && got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

// TestCutAnywhere keeps what is before the cut, and says so.
func TestCutAnywhere(t *testing.T) {
	text := of(some+`, "unit": "seconds"`, opened+`, "unit": "seconds"`)
	loaded := 0
	for n := range text {
		tr, err := tryLoad(text[:n], "")
		if err == nil {
			loaded++
			if !slices.ContainsFunc(tr.Diagnostics, func(d trace.Diagnostic) bool { return d.Code == trace.Truncated }) {
				t.Errorf("cut at %d: %v", n, tr.Diagnostics)
			}
		} else if !strings.HasPrefix(err.Error(), "x.json:") {
			t.Errorf("cut at %d: %v", n, err)
		}
	}
	if loaded < len(text)/2 {
		t.Errorf("%d of %d cuts are loaded", loaded, len(text))
	}
}

func TestSniff(t *testing.T) {
	for text, want := range map[string]bool{
		of(some): true, `{"profiles": [{` + some + `}]}`: true, `{"shared": {"frames": []}}`: true,
		"\xef\xbb\xbf" + of(some): true, `{"profiles": [{"type": "x", "name": "y"}]}`: false,
		`{"profiles": [{"events": [{"type": "O"`: true, `{"traceEvents": []}`: false, `[]`: false, "": false, "{": false,
		`{"nodes": [{"id": 1}], "samples": [1]}`: false, `{"$schema": "https://json-schema.org"}`: false,
	} {
		if got := Sniff(&input.Source{Head: []byte(text)}); got != want {
			t.Errorf("%.60s: %v", text, got)
		}
	}
}

// TestEventsAndSamplesAgree writes the same stacks as samples and as events, and reads equal calls.
func TestEventsAndSamplesAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		samples := rapid.SliceOfN(rapid.SliceOfN(rapid.IntRange(0, 2), 0, 4), 1, 12).Draw(t, "samples")
		var weights []int
		type ev struct {
			Type  string `json:"type"`
			Frame int    `json:"frame"`
			At    int    `json:"at"`
		}
		var events []ev
		var open []int
		now := 0
		change := func(to []int) {
			same := 0
			for same < min(len(open), len(to)) && open[same] == to[same] {
				same++
			}
			for _, f := range slices.Backward(open[same:]) {
				events = append(events, ev{"C", f, now})
			}
			for _, f := range to[same:] {
				events = append(events, ev{"O", f, now})
			}
			open = to
		}
		for _, s := range samples {
			w := rapid.IntRange(1, 9).Draw(t, "weight")
			weights = append(weights, w)
			change(s)
			now += w
		}
		change(nil)
		asJSON := func(v any) string {
			text, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}
		unit := `, "unit": "` + rapid.SampledFrom([]string{"nanoseconds", "none"}).Draw(t, "unit") + `"`
		x, err := tryLoad(of(`"samples": `+asJSON(samples)+`, "weights": `+asJSON(weights)+unit), "")
		y, bad := tryLoad(of(`"events": `+asJSON(events)+unit), "")
		if err != nil || bad != nil || calls(x) != calls(y) || len(x.Diagnostics)+len(y.Diagnostics) > 0 {
			t.Fatalf("%v %v: %s of samples, %s of events", err, bad, calls(x), calls(y))
		}
	})
}

// TestEndsOfNothing: an end that closes nothing costs about what another one does, however many
// calls are open.
func TestEndsOfNothing(t *testing.T) {
	const deep = 50_000
	file := func(ended int) string {
		all := make([]string, 0, 2*deep)
		for i := range deep {
			all = append(all, fmt.Sprintf(`{"type": "O", "frame": 0, "at": %d}`, i))
		}
		for i := range deep {
			all = append(all, fmt.Sprintf(`{"type": "C", "frame": %d, "at": %d}`, ended, deep+i))
		}
		return of(`"type": "evented", "unit": "bytes", "events": [` + strings.Join(all, ",") + "]")
	}
	began := time.Now()
	mustLoad(t, file(0))
	usual := time.Since(began)
	began = time.Now()
	tr := mustLoad(t, file(1))
	if took := time.Since(began); took > 20*usual {
		t.Errorf("%v, and %v where they close something", took, usual)
	}
	if n := told(tr)["unmatched-end"]; n != deep {
		t.Errorf("%d ends were told", n)
	}
}

func told(tr *trace.Trace) map[trace.Code]uint64 {
	all := map[trace.Code]uint64{}
	for _, d := range tr.Diagnostics {
		all[d.Code] += d.Count
	}
	return all
}

func survives(t testing.TB, text string) {
	Sniff(&input.Source{Head: []byte(text)})
	tr, err := tryLoad(text, "")
	loadtest.Sound(t, tr, err)
}

func TestMutations(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	seeds := []string{of(some+`, "unit": "seconds"`, opened+`, "unit": "seconds"`), of(some + `, "unit": "none"`)}
	for range testtrace.Sized(300, 100_000) {
		survives(t, string(testtrace.Mutate(r, []byte(seeds[r.IntN(len(seeds))]), `{}[],:"0-9e.n`)))
	}
}

func FuzzLoad(f *testing.F) {
	seeds.Add(f)
	f.Add([]byte(of(some + `, "unit": "seconds"`)))
	f.Add([]byte(of(opened + `, "unit": "none"`)))
	f.Fuzz(func(t *testing.T, text []byte) { survives(t, string(text)) })
}

// TestExtent: a profile lasts from its startValue to its endValue, whether something runs then or
// not. What says that it ends before its last event is not believed.
func TestExtent(t *testing.T) {
	for text, want := range map[string]int64{
		of(some + `, "unit": "nanoseconds"`): 14,
		of(strings.Replace(some, `"endValue": 14`, `"endValue": 0`, 1) + `, "unit": "nanoseconds"`):       6,
		of(strings.Replace(opened, `"endValue": 9`, `"endValue": 20`, 1) + `, "unit": "nanoseconds"`):     20,
		of(strings.Replace(opened, `"startValue": 0`, `"startValue": -5`, 1) + `, "unit": "nanoseconds"`): 14,
		of(strings.Replace(opened, `"endValue": 9`, `"endValue": 1e300`, 1) + `, "unit": "nanoseconds"`):  9,
	} {
		if tr := mustLoad(t, text); tr.Duration != want {
			t.Errorf("%s: %d ns, want %d", text, tr.Duration, want)
		}
	}
}
