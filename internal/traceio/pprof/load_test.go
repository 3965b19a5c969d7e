package pprof

import (
	"bytes"
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"diptych/internal/fuzzall/seeds"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/loadtest"
)

const samples = "../../../testdata/pprof/*.pprof"

func tryLoad(data []byte, sampleType string) (*trace.Trace, error) {
	src := &input.Source{Path: "test.pprof", Stream: bytes.NewReader(data),
		Head: data[:min(len(data), 64<<10)], Size: int64(len(data))}
	b := trace.NewBuilder("pprof")
	err := Load(context.Background(), src, input.Options{SampleType: sampleType}, b)
	if err != nil {
		return nil, err
	}
	return b.Build(context.Background())
}

func load(t *testing.T, p *profile.Profile, sampleType string) *trace.Trace {
	t.Helper()
	var buf bytes.Buffer
	if err := p.WriteUncompressed(&buf); err != nil {
		t.Fatal(err)
	}
	tr, err := tryLoad(buf.Bytes(), sampleType)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// byStack sums the self values of a trace by stack, outermost first.
func byStack(tr *trace.Trace, th *trace.Thread) map[string]int64 {
	sum := map[string]int64{}
	for i := range th.Len() {
		var names []string
		for k := i; k >= 0; k = int(th.Parent(k)) {
			names = append(names, tr.FunctionOf(th, k).Name)
		}
		slices.Reverse(names)
		if self := th.Self(i); self != 0 {
			sum[strings.Join(names, ";")] += self
		}
	}
	return sum
}

// TestSumsAreThoseOfTheSamples folds each recording by the definition and compares stack by stack.
func TestSumsAreThoseOfTheSamples(t *testing.T) {
	for name, data := range loadtest.Recordings(t, samples) {
		if !Sniff(&input.Source{Head: data[:min(len(data), 4096)]}) {
			t.Errorf("%s is not recognised", name)
		}
		p, err := profile.ParseData(data)
		if err != nil {
			t.Fatal(err)
		}
		for column, v := range p.SampleType {
			want, total := map[string]int64{}, int64(0)
			for _, s := range p.Sample {
				var names []string
				for _, l := range slices.Backward(s.Location) {
					for _, line := range slices.Backward(l.Line) {
						names = append(names, line.Function.Name)
					}
				}
				if v := s.Value[column]; v != 0 {
					want[strings.Join(names, ";")] += v
				}
				total += s.Value[column]
			}
			tr, err := tryLoad(data, v.Type)
			if err != nil {
				t.Fatal(err)
			}
			if len(tr.Threads) != 1 || tr.Threads[0].Name != v.Type || len(tr.Diagnostics) > 0 {
				t.Errorf("%s %s: %d threads, %v", name, v.Type, len(tr.Threads), tr.Diagnostics)
			}
			got := byStack(tr, tr.Threads[0])
			if tr.Duration != total || len(got) != len(want) {
				t.Errorf("%s %s: total %d of %d, %d stacks of %d",
					name, v.Type, tr.Duration, total, len(got), len(want))
			}
			for s, v := range want {
				if got[s] != v {
					t.Errorf("%s: %s is %d, want %d", name, s, got[s], v)
				}
			}
		}
	}
}

// small is a profile with inlined calls, labels, code without symbols and a stack without frames.
func small() *profile.Profile {
	main := &profile.Function{ID: 1, Name: "main.main", Filename: "main.go", StartLine: 7}
	leaf := &profile.Function{ID: 2, Name: "net/http.(*conn).serve"}
	inline := &profile.Function{ID: 3, Name: "a::b::c"}
	m := &profile.Mapping{ID: 1, Start: 0x1000, Limit: 0x2000, Offset: 0x100, File: "/lib/libx.so"}
	at := []*profile.Location{
		{ID: 1, Line: []profile.Line{{Function: main}}},
		{ID: 2, Line: []profile.Line{{Function: inline}, {Function: leaf}}},
		{ID: 3, Mapping: m, Address: 0x1080},
	}
	sample := func(objects, space int64, stack ...*profile.Location) *profile.Sample {
		return &profile.Sample{Value: []int64{objects, space, 1}, Location: stack}
	}
	labelled := sample(2, 30, at[1], at[0])
	labelled.Label = map[string][]string{"phase": {"load"}}
	labelled.NumLabel = map[string][]int64{"bytes": {16}}
	return &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "objects", Unit: "count"},
			{Type: "space", Unit: "bytes"}, {Type: "samples", Unit: "count"}},
		DefaultSampleType: "objects",
		Function:          []*profile.Function{main, leaf, inline},
		Mapping:           []*profile.Mapping{m}, Location: at,
		Sample: []*profile.Sample{
			labelled, sample(1, 10, at[2], at[0]), sample(4, 5), sample(3, -7, at[0])},
	}
}

func TestShape(t *testing.T) {
	tr := load(t, small(), "")
	if tr.Unit != "count" || len(tr.Threads) != 2 {
		t.Fatalf("unit %q, %d threads", tr.Unit, len(tr.Threads))
	}
	if tr.Tool != "pprof objects/count, samples/count (besides: space/bytes)" {
		t.Errorf("tool %q", tr.Tool)
	}
	th := tr.Threads[tr.ThreadByID("objects")]
	if got := load(t, small(), "space").Threads[0]; th.SampleType() != "objects" || got.SampleType() != "" {
		t.Errorf("of two types one is %q, the only one of another trace %q", th.SampleType(), got.SampleType())
	}
	var rows []string
	for i := range th.Len() {
		f := tr.FunctionOf(th, i)
		rows = append(rows, strings.Repeat(" ", int(th.Depth(i)))+f.Name+"|"+f.Package)
	}
	want := []string{"(no stack)|", "main.main|main", " libx.so+0x180|libx.so",
		" net/http.(*conn).serve|net/http", "  a::b::c|a::b"}
	if !slices.Equal(rows, want) {
		t.Errorf("calls %q", rows)
	}
	if got := th.Args(4); got != "bytes=16 phase=load" {
		t.Errorf("labels %q", got)
	}
	if f := tr.FunctionOf(th, 1); f.File != "main.go" || f.Line != 7 {
		t.Errorf("main is at %s:%d", f.File, f.Line)
	}
	// The caller's own share comes after its callees.
	if th.Start(2) != 4 || th.End(2) != 5 || th.End(4) != 7 || th.End(1) != 10 {
		t.Errorf("the own share is [%d, %d) of a caller that ends at %d", th.Start(2), th.End(2), th.End(1))
	}
}

func TestNegativeValuesHaveNoWidth(t *testing.T) {
	tr := load(t, small(), "space")
	if tr.Duration != 45 || tr.Unit != "bytes" {
		t.Errorf("extent %d %s", tr.Duration, tr.Unit)
	}
	if d := tr.Diagnostics; len(d) != 2 || d[0].Code != trace.NegativeDuration || d[0].Count != 1 ||
		d[1] != (trace.Diagnostic{Code: trace.NoSymbol, Count: 1, Example: "location 3 is called libx.so+0x180"}) {
		t.Errorf("diagnostics %v", d)
	}
}

func TestHugeValues(t *testing.T) {
	p := small()
	p.Sample[0].Value[1], p.Sample[1].Value[1] = 1<<62, 1<<60
	tr := load(t, p, "space/bytes")
	if tr.Duration != 1<<60+5 || tr.Diagnostics[0].Code != trace.BadRecord {
		t.Errorf("extent %d, %v", tr.Duration, tr.Diagnostics)
	}
}

// TestUnitsOfTime: whatever a profile counts time or memory in, it is shown as ns or bytes.
func TestUnitsOfTime(t *testing.T) {
	for in, want := range map[string]struct {
		unit trace.Unit
		per  int64
	}{
		"nanoseconds": {trace.Nanoseconds, 1}, "microseconds": {trace.Nanoseconds, 1e3},
		"milliseconds": {trace.Nanoseconds, 1e6}, "seconds": {trace.Nanoseconds, 1e9},
		"kilobytes": {"bytes", 1 << 10}, "count": {"count", 1}, "widgets": {"widgets", 1},
	} {
		p := small()
		p.SampleType[1].Unit = in
		tr := load(t, p, "space")
		if tr.Unit != want.unit || tr.Duration != 45*want.per {
			t.Errorf("45 %s are %d %s", in, tr.Duration, tr.Unit)
		}
	}
	p := small()
	p.SampleType[1].Unit, p.Sample[0].Value[1] = "seconds", 1<<40
	if tr := load(t, p, "space"); tr.Diagnostics[0].Code != trace.BadRecord {
		t.Errorf("2⁴⁰ s: %v", tr.Diagnostics)
	}
}

func TestUnknownSampleType(t *testing.T) {
	for _, data := range loadtest.Recordings(t, samples) {
		_, err := tryLoad(data, "nonsense")
		if err == nil || !strings.Contains(err.Error(), "it has ") {
			t.Errorf("error %v", err)
		}
		return
	}
}

// TestCutAndCorrupted loads recordings with their end missing and with one byte changed: each ends
// in a trace or in an error of one line.
func TestCutAndCorrupted(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, data := range loadtest.Recordings(t, samples) {
		for range testtrace.Sized(24, 64) {
			n := r.IntN(len(data))
			survives(t, data[:n])
			broken := slices.Clone(data)
			broken[n] ^= byte(1 + r.IntN(255))
			survives(t, broken)
		}
	}
}

// TestGarbledText has stacks in a text profile whose middle a crash has blanked or filled.
func TestGarbledText(t *testing.T) {
	const head = "heap profile: 1: 2 [3: 4] @ heap/8\n"
	for text, want := range map[string]uint64{
		"1: 2 [3: 4] @ 0x10 0x20\n1: 2 [3: 4] @ 0x30 0x20\n":           0,
		"1: 2 [3: 4] @ 0x10 0\x00\x00\x00\n1: 2 [3: 4] @ 0x30 0x20\n":  1,
		"1: 2 [3: 4] @ 0x10 0x2\xff\xff\n1: 2 [3: 4] @ 0x3\xff 0x20\n": 2,
	} {
		tr, err := tryLoad([]byte(head+text), "")
		if err != nil {
			t.Fatal(err)
		}
		got := uint64(0)
		for _, d := range tr.Diagnostics {
			if d.Code == trace.BadRecord {
				got += d.Count
			}
		}
		if got != want {
			t.Errorf("%q: %d lines, want %d", text, got, want)
		}
	}
}

func survives(t testing.TB, data []byte) {
	t.Helper()
	Sniff(&input.Source{Head: data})
	tr, err := tryLoad(data, "")
	loadtest.Sound(t, tr, err)
}

// FuzzLoad begins with small profiles: large seeds make for few executions.
func FuzzLoad(f *testing.F) {
	seeds.Add(f)
	f.Add(plainProfile(f, small()))
	f.Add(loadtest.Recordings(f, samples)["pipeline-mutex.mutex.raw.pprof"])
	f.Add([]byte("--- contentionz 1 ---\nsampling period = 100\n100 2 @ 0x1 0x2\n"))
	f.Add([]byte("heap profile: 1: 2 [3: 4] @ heap/8\n1: 2 [3: 4] @ 0x10 0x20\n"))
	f.Add([]byte("goroutine profile: total 2\n2 @ 0x1 0x2\n"))
	f.Fuzz(func(t *testing.T, data []byte) { survives(t, data) })
}

// TestProcessIsTheProgram holds that the process has the name of the first mapping's file, and that
// there is none where that is no program's.
func TestProcessIsTheProgram(t *testing.T) {
	for file, want := range map[string]string{"/opt/bin/pigz": "pigz", "a.out": "a.out", "": "", "[vdso]": ""} {
		p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "cpu", Unit: "nanoseconds"}},
			Mapping: []*profile.Mapping{{ID: 1, File: file}}}
		got := ""
		if tr := load(t, p, ""); len(tr.Processes) > 0 {
			got = tr.Processes[0].Title()
		}
		if got != want {
			t.Errorf("%q: the process is %q, want %q", file, got, want)
		}
	}
}

// TestWeightOfAWait holds that a profile of waits says how much one of them weighs, and no other
// profile does.
func TestWeightOfAWait(t *testing.T) {
	p := small()
	if got := load(t, p, "").SampleWeight; got != 0 {
		t.Errorf("a wait weighs %d where none is counted", got)
	}
	p.SampleType = []*profile.ValueType{{Type: "contentions", Unit: "count"}, {Type: "delay", Unit: "nanoseconds"}}
	p.DefaultSampleType = "delay"
	for i, s := range p.Sample {
		s.Value = [][]int64{{60, 120_000}, {5, 17_500_000}, {0, 0}, {0, 0}}[i]
	}
	if got := load(t, p, "").SampleWeight; got != 3_476_177 {
		t.Errorf("a wait weighs %d ns, want 3.48 ms", got)
	}
}

// TestZerosBehindAProfile: zeros that fill up the block of a disk are told, and change nothing.
func TestZerosBehindAProfile(t *testing.T) {
	for name, data := range loadtest.Recordings(t, samples) {
		if !isProto(data) {
			continue
		}
		data = append(slices.Clip(data), make([]byte, 300)...)
		tr, err := tryLoad(data, "")
		if err != nil || !Sniff(&input.Source{Head: data}) {
			t.Errorf("%s: not recognised, or %v", name, err)
			continue
		}
		if n := len(tr.Diagnostics); n != 1 || !strings.Contains(tr.Diagnostics[0].Example, "300 zero bytes") {
			t.Errorf("%s: %v", name, tr.Diagnostics)
		}
	}
}
