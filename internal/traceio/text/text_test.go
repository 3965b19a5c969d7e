package text_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/fuzzall/seeds"
	"diptych/internal/trace"
	"diptych/internal/traceio/text"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func write(t interface{ Fatal(...any) }, tr *trace.Trace) string {
	var buf bytes.Buffer
	if err := text.Write(&buf, tr); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

// strange are names that need quoting, or nearly.
var strange = []string{"", "?", "f", "a b", `q"uote`, "operator==", "x,y", "1:2", "#", "!", "+", "日本",
	"\\", "tab\t", "bad\xffutf", "\ufffd", "trace", "main.(*T).f", "a=b"}

// someTrace uses every feature of the model.
func someTrace(t *rapid.T) *trace.Trace {
	b := trace.NewBuilder(rapid.SampledFrom(strange).Draw(t, "format"))
	b.Tool = rapid.SampledFrom(strange).Draw(t, "tool")
	b.Kind, b.Symbols = trace.Kind(rapid.IntRange(0, 1).Draw(t, "kind")), rapid.Bool().Draw(t, "symbols")
	if rapid.Bool().Draw(t, "bytes") {
		b.Unit = "bytes"
	}
	name := func() string { return rapid.SampledFrom(strange).Draw(t, "name") }
	small := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "n") }
	fn := func() trace.FuncID {
		return b.Function(trace.Function{Name: name(), File: []string{"", "a.c", "b c"}[small(3)],
			Package: name(), Line: int32(small(3)), Kind: trace.FuncKind(small(4)),
			Off: trace.Off(small(3))})
	}
	procs := []int32{-1, b.Process(name())}
	b.NameProcess(procs[1], name())
	b.SortProcess(procs[1], small(3))
	if small(3) == 0 {
		b.ForkProcess(procs[1], name())
	}
	if small(3) == 0 {
		b.HostProcess(procs[1], name())
	}
	var refs []trace.Ref
	for range small(4) {
		th := b.Thread(name(), procs[small(2)])
		th.SetName(name())
		th.SetSort(small(3))
		th.SetKind(trace.ThreadKind(small(5)))
		if small(4) == 0 {
			th.SetRole(name(), small(2) == 0)
		}
		if small(5) == 0 {
			th.SetSampled()
		}
		now := int64(1000 + small(100))
		for range small(30) {
			now += int64(small(4))
			ref := trace.Ref{}
			switch small(3) {
			case 0:
				th.End(now)
				continue
			case 1:
				ref = th.Begin(now, fn())
			case 2:
				ref = th.Complete(now, now+int64(small(9)), fn())
			}
			refs = append(refs, ref)
			th.Args(ref, []byte(name()))
			if small(4) == 0 {
				th.Flag(ref, trace.Sampled)
			}
			for range small(3) {
				objects := []trace.ObjectID{trace.NoObject, b.Object(name())}[small(2):]
				th.Block(ref, trace.BlockKind(1+small(3)), objects[:small(len(objects)+1)]...)
			}
			if small(5) == 0 {
				th.Instant(now-3, fn())
			}
		}
	}
	for range small(3) * min(len(refs), 1) {
		w, r := refs[small(len(refs))], refs[small(len(refs))]
		b.CorrespondAt(w, r, int64(1000+small(200)), []trace.ObjectID{trace.NoObject, b.Object("m")}[small(2)])
	}
	for range small(3) {
		b.Count(procs[small(2)], name(), int64(900+small(300)), float64(small(9))/7)
	}
	b.Diagnose(trace.BadRecord, uint64(small(3)), "%s", name())
	tr, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := someTrace(t)
		first := write(t, tr)
		back, err := text.Parse("first", strings.NewReader(first))
		if err != nil {
			t.Fatalf("%v in\n%s", err, first)
		}
		if second := write(t, back); second != first {
			t.Fatalf("wrote\n%s\nread back as\n%s", first, second)
		}
		if tr.Duration != back.Duration || tr.Origin != back.Origin || tr.MaxDepth() != back.MaxDepth() {
			t.Fatalf("extent %d+%d, want %d+%d", back.Origin, back.Duration, tr.Origin, tr.Duration)
		}
	})
}

func TestDeepRoundTrip(t *testing.T) {
	b := trace.NewBuilder("deep")
	th := b.Thread("1", -1)
	f := b.Function(trace.Function{Name: "f"})
	for i := range int64(50_000) {
		th.Complete(i, 100_000-i, f)
	}
	tr, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	s := write(t, tr)
	back, err := text.Parse("deep", strings.NewReader(s))
	if err != nil {
		t.Fatal(err)
	}
	if back.MaxDepth() != 50_000 || write(t, back) != s {
		t.Errorf("depth %d", back.MaxDepth())
	}
}

// TestGolden shows the form by an example that has everything.
func TestGolden(t *testing.T) {
	const path = "testdata/example.trace"
	golden, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := text.Parse(path, bytes.NewReader(golden))
	if err != nil {
		t.Fatal(err)
	}
	got := write(t, tr)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if got != string(golden) {
		t.Errorf("got\n%s", got)
	}
}

func TestParseErrors(t *testing.T) {
	for in, want := range map[string]string{
		"":                                       "x: no trace line",
		"thread 1":                               "x:1: the trace line must come first",
		"trace t\ntrace t":                       "x:2: second trace line",
		"trace t\nwhat 1":                        `x:2: unknown line "what"`,
		"trace t\nthread":                        "x:2: incomplete line",
		"trace t\n\n# c\nthread \"a":             "x:4: quoted word does not end",
		"trace t\nthread \"\\z\"":                `x:2: bad quoted word "\z"`,
		"trace t\n  0+1 f":                       "x:2: indented line outside a thread or counter",
		"trace t\nthread 1\n  0-1 f":             `x:3: want START+DURATION, not "0-1"`,
		"trace t\nthread 1\n  0+1 f\n     0+1 f": "x:4: indented by 5 blanks: want an even number",
		"trace t\nthread 1\n    0+1 f":           "x:3: level 1 below a call at level -1",
		"trace t\nthread 1\n  0+1 f\n    0+2 g":  "x:4: call does not lie within its caller",
		"trace t\nthread 1\n  0+1 f x=1":         `x:3: unknown attribute "x"`,
		"trace t\nthread 1\n  0+1 f flags=x":     `x:3: unknown flag "x"`,
		"trace t\nthread 1\n  0+1 f#3":           "x:3: no function f#3",
		"trace t\nthread 1\nthread 1":            `x:3: second thread "1"`,
		"trace t\nthread 1 process=2":            `x:2: no process "2"`,
		"trace t\ncorrespond 1:0 1:0 at=1":       "x:2: no call 1:0",
		"trace t\nfunc f kind=x":                 `x:2: unknown kind "x"`,
		"trace t\ncounter c\n  1 x":              `x:3: bad value "x"`,
		"trace t duration=99999999999999999999":  `x:1: bad number "99999999999999999999"`,
		"trace t duration=9000000000000000000":   "x:1: number 9000000000000000000 out of range",
	} {
		if _, err := text.Parse("x", strings.NewReader(in)); err == nil || err.Error() != want {
			t.Errorf("%q: error %v, want %s", in, err, want)
		}
	}
}

// FuzzParse holds that what is read can be written, and is read from there as an equal trace.
func FuzzParse(f *testing.F) {
	seeds.Add(f)
	golden, err := os.ReadFile("testdata/example.trace")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(golden))
	f.Add("trace t\nthread 1\n  0+5 f\n    1+2 g\n")
	f.Fuzz(func(t *testing.T, in string) {
		tr, err := text.Parse("fuzz", strings.NewReader(in))
		if err != nil {
			return
		}
		written := write(t, tr)
		again, err := text.Parse("again", strings.NewReader(written))
		if err != nil {
			t.Fatalf("%v in\n%s", err, written)
		}
		if twice := write(t, again); twice != written {
			t.Errorf("%s\nbecame\n%s", written, twice)
		}
	})
}
