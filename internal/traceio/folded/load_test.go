package folded

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"

	"diptych/internal/fuzzall/seeds"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/loadtest"
)

func tryLoad(text string) (*trace.Trace, error) {
	return loadtest.Loader(Load).Bytes("x.txt", []byte(text), input.Options{})
}

func mustLoad(t testing.TB, text string) *trace.Trace {
	t.Helper()
	tr, err := tryLoad(text)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// calls writes the calls of all threads as "samples: a 3 .b 1", each with its width.
func calls(tr *trace.Trace) string {
	var all []string
	for _, th := range tr.Threads {
		all = append(all, th.Name+":")
		for i := range th.Len() {
			all = append(all, fmt.Sprintf("%s%s %d", strings.Repeat(".", int(th.Depth(i))),
				tr.FunctionOf(th, i).Name, th.Dur(i)))
		}
	}
	return strings.Join(all, " ")
}

func TestLoad(t *testing.T) {
	for text, want := range map[string]string{
		"a;b;c 1\na;b;c 1\na;b;d 4\na;b;c 3\na;b 5": "samples: a 14 .b 14 ..c 5 ..d 4",
		"a;b 1\r\na;c 2\r\n":                        "samples: a 3 .b 1 .c 2",
		"# a comment\n\n\na 2\n":                    "samples: a 2",
		"void f(int, char);g h i 2\n":               "samples: void f(int, char) 2 .g h i 2",
		"a 1e+03\nb 2.0\n":                          "samples: a 1000 b 2",
		"a;b 1 2\na;c 0 3\n":                        "samples 1: a 1 .b 1 samples 2: a 5 .b 2 .c 3",
		"<[u8; 4] as Debug>::fmt;x 1\n":             "samples: <[u8; 4] as Debug>::fmt 1 .x 1",
		"operator<;f;operator<< ;g->h 1\n":          "samples: operator< 1 .f 1 ..operator<<  1 ...g->h 1",
		"vector<std::pair<a;b>>::x(int;char);y 1\n": "samples: vector<std::pair<a;b>>::x(int;char) 1 .y 1",
		"a;std::map<int, cut of;b 1\n":              "samples: a 1 .std::map<int, cut of 1 ..b 1",
		";;a 1\n":                                   "samples: (anonymous) 1 .(anonymous) 1 ..a 1",
		"read;check_[k];jit_[j];in_[i];_[k] 1\n":    "samples: read 1 .check 1 ..jit 1 ...in 1 ...._[k] 1",
		"<module> (app.py:10);f (lib/x.py:3) 7\n":   "samples: <module> 7 .f 7",
	} {
		tr := mustLoad(t, text)
		if got := calls(tr); got != want || len(tr.Diagnostics) > 0 || tr.Kind != trace.Profile || tr.Unit != "count" {
			t.Errorf("%q: %s, want %s; %v", text, got, want, tr.Diagnostics)
		}
		if several := strings.Contains(want, "samples 2"); several != (tr.Threads[0].SampleType() != "") {
			t.Errorf("%q: the first thread is of type %q", text, tr.Threads[0].SampleType())
		}
		var wide []byte
		for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
			wide = append(wide, byte(unit>>8), byte(unit))
		}
		if got := calls(mustLoad(t, string(wide))); got != want {
			t.Errorf("%q as UTF-16: %s", text, got)
		}
	}
}

func TestFrames(t *testing.T) {
	for text, want := range map[string]trace.Function{
		"check_[k]":                   {Name: "check", Module: "kernel", Package: "kernel"},
		"libc.so.1`malloc":            {Name: "libc.so.1`malloc", Module: "libc.so.1", Package: "libc.so.1"},
		"f (lib/x.py:3)":              {Name: "f", File: "lib/x.py", Line: 3},
		"f (x)":                       {Name: "f (x)"},
		"f (x.py:99999999999)":        {Name: "f (x.py:99999999999)"},
		"net/http.(*conn).serve":      {Name: "net/http.(*conn).serve", Package: "net/http"},
		"std::vector<int>::push(int)": {Name: "std::vector<int>::push(int)", Package: "std::vector"},
		"":                            {Name: "(anonymous)"},
	} {
		if got := readFrame(text); got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}

func TestDefects(t *testing.T) {
	for text, want := range map[string]string{
		"a;b 1\nno number\n": "bad-record 1", "a;b 1\na -3\n": "negative-duration 1",
		"a;b 1\n 5\n": "bad-record 1", "a 1\nb 0.25\n": "bad-record 1", "a 1\nb 1e300\n": "bad-record 1",
		"a;b 1 1\nc 3\n": "bad-record 1", "a;b 0\nc 1\n": "not-read 1", "a;b 0 0\nc 0 1\n": "not-read 1",
		"a;b 1\nc;d 2\rc;e 3\n":      "bad-record 1",
		"a;b 1\n\x00\x00\x00a;c 2\n": "bad-record 1", "a;b 1\nc 2\n\x00\x00": "bad-record 1",
	} {
		tr := mustLoad(t, text)
		got := ""
		for _, d := range tr.Diagnostics {
			got += fmt.Sprintf("%s %d", d.Code, d.Count)
		}
		if text[:7] == "a;b 1 1" { // one column fits all lines
			want = ""
		}
		if got != want {
			t.Errorf("%q: %v", text, tr.Diagnostics)
		}
	}
	for _, text := range []string{"", "# only\n", "nothing here\n"} {
		if _, err := tryLoad(text); err == nil || !strings.Contains(err.Error(), "no stack") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestSniff(t *testing.T) {
	for text, want := range map[string]bool{
		"a;b 1\n": true, "a;b 1": true, "# x\n\na;b 1\nc 2\n": true, "\xff\xfea\x00;\x00b\x00 \x001\x00": true,
		"a 1\nb 2\n": false, "": false, "a;b\n": false, "a;b 1\x00\n": false, "a;b 1\n\x00\x00a;c 2\n": true, "a;b 1\nx\ny\n": false, "a;b 1\nc 1\nd 1\nx\n": true,
		"a;b 1\ra;c 2\r": false, "a;b 1\r\na;c 2\r\n": true,
		"# only\n": false, "heap profile: 1: 2 [3: 4] @ heap/8\n": false, `{"a;b": 1}`: false,
	} {
		if got := Sniff(&input.Source{Head: []byte(text)}); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// TestLongFirstLine has a stack that does not end in the head, and a line of code, which is none.
func TestLongFirstLine(t *testing.T) {
	deep := strings.Repeat("main;walk(Node *);", input.HeadSize/8)
	var code strings.Builder
	for i := range input.HeadSize {
		fmt.Fprintf(&code, "var v%d=f(%d);", i, i)
	}
	for text, want := range map[string]bool{deep + "leaf 7\n": true, "# x\n" + deep + "leaf 7\n": true,
		code.String(): false, strings.Repeat("word ", input.HeadSize): false} {
		if got := Sniff(&input.Source{Head: []byte(text[:input.HeadSize])}); got != want {
			t.Errorf("%.40q: %v", text, got)
		}
	}
	if tr := mustLoad(t, deep+"leaf 7\n"); len(tr.Diagnostics) > 0 || tr.Duration != 7 {
		t.Errorf("%d, %v", tr.Duration, tr.Diagnostics)
	}
}

// TestSums holds a file against sums by stack.
func TestSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want, text := map[string]int64{}, ""
		for range rapid.IntRange(1, 20).Draw(t, "lines") {
			stack := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b c", "x<y;z>", "(q)"}), 1, 4).Draw(t, "stack"), ";")
			n := rapid.OneOf(rapid.Int64Range(1, 9), rapid.Int64Range(1<<53, 1<<54)).Draw(t, "samples")
			want[stack] += n
			text += fmt.Sprintf("%s %d\n", stack, n)
		}
		tr, err := tryLoad(text)
		if err != nil || len(tr.Diagnostics) > 0 {
			t.Fatal(err)
		}
		got, th := map[string]int64{}, tr.Threads[0]
		for i := range th.Len() {
			var names []string
			for k := i; k >= 0; k = int(th.Parent(k)) {
				names = append(names, tr.FunctionOf(th, k).Name)
			}
			slices.Reverse(names)
			if self := th.Self(i); self > 0 {
				got[strings.Join(names, ";")] += self
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

func survives(t testing.TB, text string) {
	Sniff(&input.Source{Head: []byte(text)})
	tr, err := tryLoad(text)
	loadtest.Sound(t, tr, err)
}

const mixed = "# c\na;b_[k];<[u8; 4]>::f 7\na;f (x.py:3) 1 2\r\na;lib`m 2.5\n"

func TestMutations(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range testtrace.Sized(300, 100_000) {
		survives(t, string(testtrace.Mutate(r, []byte(mixed), "\n\r\t; <>()[]:.09-e_k")))
	}
}

func FuzzLoad(f *testing.F) {
	seeds.Add(f)
	f.Add([]byte(mixed))
	f.Add([]byte("a;b 1 2\nc 3 4\n"))
	f.Fuzz(func(t *testing.T, text []byte) { survives(t, string(text)) })
}
