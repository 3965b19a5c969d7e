package callgrind

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/loadtest"
)

func tryLoad(data []byte, event string) (*trace.Trace, error) {
	return loadtest.Loader(Load).Bytes("test.callgrind", data, input.Options{SampleType: event})
}

func load(t testing.TB, text string) *trace.Trace {
	t.Helper()
	tr, err := tryLoad([]byte(text), "")
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// rows writes the calls of all threads: names indented by their depth, with totals.
func rows(tr *trace.Trace) (all []string) {
	for _, th := range tr.Threads {
		for i := range th.Len() {
			all = append(all, fmt.Sprintf("%s%s %d", strings.Repeat(" ", int(th.Depth(i))),
				tr.FunctionOf(th, i).Name, th.End(i)-th.Start(i)))
		}
	}
	return all
}

// cases are files and the trees that they become, with the codes of their diagnostics.
var cases = []struct {
	name, text string
	want       []string
	codes      string
}{
	{"the example of the specification, whose callers share what is called",
		"events: Instructions\n\nfl=file1.c\nfn=main\n16 20\ncfn=func1\ncalls=1 50\n16 400\n" +
			"cfi=file2.c\ncfn=func2\ncalls=3 20\n16 400\n\nfn=func1\n51 100\ncfi=file2.c\ncfn=func2\n" +
			"calls=2 20\n51 300\n\nfl=file2.c\nfn=func2\n20 700\n",
		[]string{"main 820", " func1 400", "  func2 300", " func2 400"}, ""},
	{"compressed names, positions that are relative, two positions, hexadecimal numbers",
		"positions: instr line\nevents: Cycles\nob=(1) a.out\nfl=(1) a.c\nfn=(1) main\n0x10 +5 0x10\n" +
			"+3 * 4\ncob=(2) b.so\ncfi=(2) b.c\ncfn=(2) f\ncalls=1 0x99 -2\n* -1 5\n-3 +10 1\n" +
			"ob=(2)\nfl=(2)\nfn=(2)\n0x99 7 5\n",
		[]string{"main 26", " f 5"}, ""},
	{"code that is inlined from other files, and back to the function's own",
		"events: Ir\nfl=a.c\nfn=main\n1 10\nfi=in.h\n5 4\n6 2\nfe=a.c\n2 1\nfn=other\n9 3\n",
		[]string{"main 17", " (inlined in.h) 6", "other 3"}, ""},
	{"the file of a callee is that of the code that calls it, if none is named",
		"events: Ir\nfl=a.c\nfn=main\nfi=in.h\n1 1\ncfn=f\ncalls=1 2\n1 7\nfl=in.h\nfn=f\n2 7\n",
		[]string{"main 8", " (inlined in.h) 1", " f 7"}, ""},
	{"a function that calls itself: what its calls cost is counted at each level",
		"events: Ir\nfn=main\n1 1\ncfn=fib\ncalls=1 1\n1 30\nfn=fib\n2 30\ncfn=fib\ncalls=9 2\n3 70\n",
		[]string{"main 31", " fib 30"}, ""},
	{"a cycle of two functions, entered in two places, that calls a third",
		"events: Ir\nfn=main\n1 10\ncfn=even\ncalls=1 1\n1 60\ncfn=odd\ncalls=1 1\n1 30\n" +
			"fn=even\n2 20\ncfn=odd\ncalls=5 1\n2 540\n" +
			"fn=odd\n3 40\ncfn=even\ncalls=5 1\n2 500\ncfn=mix\ncalls=5 1\n2 30\nfn=mix\n4 30\n",
		[]string{"main 100", " even 60", "  odd 46", "   mix 20", " odd 30", "  even 6", "  mix 10"},
		"split-cost"},
	{"a cycle whose members cost more or less, depending on where it is entered",
		"events: Ir\nfn=main\n1 10\ncfn=prepare\ncalls=1 1\n1 42\ncfn=step\ncalls=1 1\n1 486\n" +
			"fn=prepare\n1 2\ncfn=parse\ncalls=1 1\n1 42\nfn=parse\n1 40\ncfn=schema\ncalls=1 1\n1 2\n" +
			"fn=schema\n1 1\ncfn=prepare\ncalls=1 1\n1 2\ncfn=step\ncalls=1 1\n1 3\n" +
			"fn=step\n1 5\ncfn=run\ncalls=1 1\n1 484\nfn=run\n1 480\ncfn=schema\ncalls=1 1\n1 4\n",
		[]string{"main 538", " prepare 42", "  parse 40", "   schema 1", "    step 1", "     run 1",
			" step 486", "  run 481", "   schema 2", "    prepare 1", "     parse 1"}, "split-cost"},
	{"callers of one function share what it calls in the ratio of their calls",
		"events: Ir\nfn=main\n1 10\ncfn=f\ncalls=1 1\n1 60\ncfn=g\ncalls=1 1\n1 30\n" +
			"fn=f\n1 30\ncfn=g\ncalls=1 1\n1 30\nfn=g\n1 20\ncfn=h\ncalls=1 1\n1 40\nfn=h\n1 40\n",
		[]string{"main 100", " f 60", "  g 30", "   h 20", " g 30", "  h 20"}, "split-cost"},
	{"a function without a caller, and one whose callers do not account for it",
		"events: Ir\nfn=a\n1 5\ncfn=b\ncalls=1 1\n1 3\nfn=b\n2 10\n",
		[]string{"a 8", " b 3", "b 7"}, ""},
	{"a callee of which there is less than was called",
		"events: Ir\nfn=a\n1 5\ncfn=b\ncalls=1 1\n1 9\nfn=b\n2 4\n",
		[]string{"a 14", " b 9", "  (not recorded) 5"}, "lost-records"},
	{"a callee of which there is less by what rounding can be, of times in steps of 10 ns",
		"events: t_(10ns)\nfn=a\n1 5\ncfn=b\ncalls=1 1\n1 7\nfn=b\n2 3\ncfn=c\ncalls=1 1\n1 2\nfn=c\n1 2\n",
		[]string{"a 100", " b 50", "  c 20"}, ""},
	{"a callee of which there is less by next to nothing of the run",
		"events: Ir\nfn=a\n1 90000\ncfn=b\ncalls=1 1\n1 1009\nfn=b\n2 1000\n", []string{"a 91000", " b 1000"}, ""},
	{"the same in a file whose total says that nothing is lost",
		"creator: callgrind-3\nevents: Ir\nfn=a\n1 5\ncfn=b\ncalls=1 1\n1 9\nfn=b\n2 4\ntotals: 9\n",
		[]string{"a 9", " b 4"}, "split-cost"},
	{"threads and parts",
		"version: 1\ncreator: callgrind-3\npid: 7\ncmd: ./bin/p x\npart: 1\nthread: 1\nevents: Ir\n" +
			"fn=(1) a\n1 5\ntotals: 5\npart: 1\nthread: 2\nevents: Ir\nfn=(1)\n1 2\ntotals: 2\n" +
			"part: 2\nthread: 1\nevents: Ir\nfn=(1)\n1 3\nfn=b\n1 1\ntotals: 4\n",
		[]string{"a 8", "b 1", "a 2"}, ""},
	{"jumps are no costs",
		"events: Ir\nfn=a\n1 5\njump=3 +4\n2\njcnd=1/2 7\n3\n4 6\n", []string{"a 11"}, ""},
	{"no costs, fewer costs than events, costs behind the sum, as Xdebug writes them",
		"version: 1\ncreator: xdebug 3\nevents: Time_(10ns) Memory_(bytes)\n\nfl=a.php\nfn=f\n3 12 8\n4\n" +
			"\nfl=a.php\nfn={main}\n\nsummary: 20 0\n\n0 8 1\ncfn=f\ncalls=1 0 0\n5 12 8\n",
		[]string{"f 0", "{main} 200", " f 120"}, ""},
	{"code without a symbol is named by its binary",
		"events: Ir\nob=/lib/ld.so\nfl=???\nfn=0x0000000000001080\n0 3\nob=b\nfn=0x0000000000001080\n0 4\n",
		[]string{"b+0x1080 4", "ld.so+0x1080 3"}, ""},
	{"lines that say nothing, costs of nothing, names that are not known",
		"events: Ir\n1 2\nnonsense\nfn=a\ncalls=1 1\nx=y\n1 1\n+ 3\n1 x\n1 99999999999999999999\nfn=(9)\n1 4\n",
		[]string{"?9 4"}, "bad-record not-read"},
	{"zeros", "events: Ir\nfn=a\n1 5\nfn=b\x00\x00\n1 2\n", []string{"a 7"}, "bad-record"},
	{"calls without the name of what is called",
		"events: Ir\nfn=a\n1 5\ncfn=b\ncalls=1 1\n1 3\ncalls=1 1\n1 9\nfn=b\n1 3\n",
		[]string{"a 8", " b 3"}, "bad-record"},
	{"a file without totals that was cut", "events: Ir\nfn=a\n1 5\ncfn=b\n", []string{"a 5"}, "truncated"},
	{"a file that was cut",
		"creator: callgrind-3\nevents: Ir\nsummary: 9\nfn=a\n1 5\n", []string{"a 5"}, "truncated"},
	{"a file of which records are missing",
		"creator: callgrind-3\nevents: Ir\nfn=a\n1 5\ntotals: 9\n", []string{"a 5"}, "lost-records"},
	{"a part without what the first part counts",
		"events: Ir\nfn=a\n1 5\nevents: Dr\nfn=a\n1 7\n", []string{"a 5"}, "not-read"},
	{"ends of lines of Windows, blanks around, a mark of the byte order",
		"\ufeffevents:  Ir  \r\nfn=a\r\n 1 5 \r\n\r\n", []string{"a 5"}, ""},
	{"a part without what the first part counts, which states its total",
		"creator: callgrind-3\nevents: Ir\nfn=a\n1 5\ntotals: 5\npart: 2\nevents: Dr\nfn=a\n1 7\ntotals: 7\n",
		[]string{"a 5"}, "not-read"},
	{"a total of two threads that exceeds the axis",
		fmt.Sprintf("creator: callgrind-3\nthread: 1\nevents: Ir\nfn=a\n1 %d\nthread: 2\nfn=a\n1 %[1]d\n"+
			"totals: %d\n", trace.Limit-1, 2*(trace.Limit-1)),
		[]string{fmt.Sprintf("a %d", trace.Limit-1), fmt.Sprintf("a %d", trace.Limit-1)}, ""},
	{"a total that is no number",
		"creator: callgrind-3\nevents: Ir\nfn=a\n1 5\ntotals: 99999999999999999999\n", []string{"a 5"}, "bad-record"},
	{"a sum that exceeds the axis",
		fmt.Sprintf("events: Ir\nfn=a\n1 %d\n1 %d\n", trace.Limit-1, trace.Limit-1),
		[]string{fmt.Sprintf("a %d", trace.Limit-1)}, "bad-record"},
}

func TestCases(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			tr := load(t, c.text)
			got := rows(tr)
			got = slices.DeleteFunc(got, func(r string) bool { return r == "f 0" && !slices.Contains(c.want, r) })
			want := slices.DeleteFunc(slices.Clone(c.want), func(r string) bool { return r == "f 0" })
			if !slices.Equal(got, want) {
				t.Errorf("calls %q\n want %q", got, want)
			}
			var codes []string
			for _, d := range tr.Diagnostics {
				codes = append(codes, string(d.Code))
			}
			if strings.Join(codes, " ") != c.codes {
				t.Errorf("diagnostics %+v, want %q", tr.Diagnostics, c.codes)
			}
			if !Sniff(&input.Source{Head: []byte(c.text)}) {
				t.Error("not recognised")
			}
		})
	}
}

// TestPlaces holds where functions are, and what threads and processes are called.
func TestPlaces(t *testing.T) {
	tr := load(t, "creator: callgrind-3.19\npid: 7\ncmd: ./bin/p x\npart: 1\nthread: 3\nevents: Ir Dr\n"+
		"ob=/bin/p\nfl=a.cc\nfn=ns::f(int)\n9 5 1\ncfi=b.cc\ncfn=g\ncalls=1 44\n9 6 1\n"+
		"fl=b.cc\nfn=g\n45 6\ntotals: 11 1\n")
	f, g := tr.FunctionOf(tr.Threads[0], 0), tr.FunctionOf(tr.Threads[0], 1)
	if f.Package != "ns" || f.File != "a.cc" || f.Module != "/bin/p" || g.File != "b.cc" || g.Line != 44 {
		t.Errorf("functions %+v, %+v", f, g)
	}
	if tr.Tool != "callgrind-3.19 Ir (besides: Dr)" || tr.Unit != "Ir" || tr.Kind != trace.Profile {
		t.Errorf("tool %q, unit %q, kind %v", tr.Tool, tr.Unit, tr.Kind)
	}
	th := tr.Threads[0]
	if th.Name != "thread 3" || tr.Processes[0].ID != "7" || tr.Processes[0].Name != "p" {
		t.Errorf("thread %q of %+v", th.Name, tr.Processes)
	}
}

// TestManyThreads: what a thread takes does not grow with how many there are.
func TestManyThreads(t *testing.T) {
	const n = 30_000
	var text strings.Builder
	for k := range n {
		fmt.Fprintf(&text, "thread: %d\nevents: Ir\nfn=f%d\n1 1\n", k, k)
	}
	before := testtrace.Processor()
	tr := load(t, text.String())
	if took := testtrace.Processor() - before; len(tr.Threads) != n || took > 4*time.Second {
		t.Errorf("%d threads take %v", len(tr.Threads), took)
	}
}

// TestTool: an event that is named twice is not also what is besides.
func TestTool(t *testing.T) {
	if tr := load(t, "events: Ir Ir\nfn=a\n1 5 5\n"); tr.Tool != "callgrind format Ir" {
		t.Errorf("tool %q", tr.Tool)
	}
}

func TestEvents(t *testing.T) {
	for _, c := range []struct {
		events, wanted, name string
		unit                 trace.Unit
		scale                uint64
	}{
		{"Ir Dr Dw", "", "Ir", "Ir", 1},
		{"Dr Ir", "", "Ir", "Ir", 1},
		{"Dr Ir", "Dr", "Dr", "Dr", 1},
		{"Ir sysCount sysTime", "", "Ir", "Ir", 1},
		{"Instructions Flops", "", "Instructions", "Instructions", 1},
		{"Memory_(bytes) Time_(10ns)", "", "Time_(10ns)", "ns", 10},
		{"Memory_(bytes)", "", "Memory_(bytes)", "bytes", 1},
		{"samples(count)", "", "samples(count)", "samples(count)", 1},
		{"cpu(ms)", "", "cpu(ms)", "ns", 1e6},
		{"Ticks Nanoseconds", "", "Nanoseconds", "ns", 1},
		{"Time_(0ns)", "", "Time_(0ns)", "Time_(0ns)", 1},
	} {
		e, err := choose(strings.Fields(c.events), c.wanted)
		if err != nil || e.name != c.name || e.unit != c.unit || e.scale != c.scale {
			t.Errorf("%s: %+v, %v", c.events, e, err)
		}
	}
	_, err := tryLoad([]byte("events: Ir Dr\nfn=a\n1 2\n"), "Bc")
	if err == nil || !strings.Contains(err.Error(), `no event "Bc" (it has Ir, Dr)`) {
		t.Errorf("error %v", err)
	}
}

func TestSniff(t *testing.T) {
	for text, want := range map[string]bool{
		"# callgrind format\n": true, "version: 1\n\nevents: Ir\nfn=a\n": true, "events: Ir\n": true,
		"positions: line\nevents: Ir\n+1 3\n": true, "desc: I1\ncmd: x\nevents: Ir\nfl=a\n": true,
		"": false, "version: 1\n": false, "{\"a\":1}": false, "main;f 3\n": false, "fn=a\n1 2\n": false,
		"events: Ir\nsomething else\n": false, "a: b\n": false, "events: \x00\nfn=a\n": false,
	} {
		if got := Sniff(&input.Source{Head: []byte(text)}); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// TestLongLines has a name that is longer than a line may be.
func TestLongLines(t *testing.T) {
	tr := load(t, "events: Ir\nfn=a\n1 5\nfn="+strings.Repeat("x", longestLine)+"\n1 2\n")
	if got := rows(tr); !slices.Equal(got, []string{"a 7"}) || tr.Diagnostics[0].Code != trace.BadRecord {
		t.Errorf("%q, %v", got, tr.Diagnostics)
	}
}

// TestYappi reads what yappi writes: times in microseconds, and names that end with their place.
func TestYappi(t *testing.T) {
	tr := load(t, "version: 1\ncreator: yappi\npid: 1\ncmd:  app.py\npart: 1\n\nevents: Ticks\n\n"+
		"fl=(0) /srv/app.py\nfl=(1) /srv/app.py\n\nfn=(0) main /srv/app.py:27\nfn=(1) parse /srv/app.py:11\n\n"+
		"fl=(0)\nfn=(0)\n27 6690\ncfl=(1)\ncfn=(1)\ncalls=20 0\n0 310\n\nfl=(1)\nfn=(1)\n11 310\n")
	if tr.Unit != trace.Nanoseconds || tr.Exact {
		t.Errorf("unit %q, exact %v", tr.Unit, tr.Exact)
	}
	if got, want := rows(tr), []string{"main 7000000", " parse 310000"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
