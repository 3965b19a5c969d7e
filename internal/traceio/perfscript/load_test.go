package perfscript_test

import (
	"cmp"
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
	"diptych/internal/traceio/perfscript"
)

func tryLoad(text, event string) (*trace.Trace, error) {
	return loadtest.Loader(perfscript.Load).Bytes("x.txt", []byte(text), input.Options{SampleType: event})
}

func mustLoad(t testing.TB, text string) *trace.Trace {
	t.Helper()
	tr, err := tryLoad(text, "")
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// calls writes the calls of all threads as "main: a 0-3 .b 1-2", in µs.
func calls(tr *trace.Trace) string {
	var all []string
	for _, th := range tr.Threads {
		all = append(all, th.Name+":")
		for i := range th.Len() {
			all = append(all, fmt.Sprintf("%s%s %d-%d", strings.Repeat(".", int(th.Depth(i))),
				tr.FunctionOf(th, i).Name, th.Start(i)/1000, th.End(i)/1000))
		}
	}
	return strings.Join(all, " ")
}

const stacked = `sh   736 [001]  10.000001:    1000 cpu-clock:
	   16714b b+0x2b (/usr/lib/libc.so.6)
	    15901 a (/usr/bin/dash)

`

// TestLayouts reads the same two samples in the layouts that perf prints, by version and fields.
func TestLayouts(t *testing.T) {
	const want = "sh x: a 0-2 .b 0-2"
	for what, text := range map[string]string{
		"comm tid cpu time period event": "sh x   736 [001]    10.000001:       1000 cpu-clock:\n" +
			"\t  16714b b+0x2b (/l/libc.so.6)\n\t   15901 a (/b/dash)\n\n" +
			"sh x   736 [000]    10.000002:       1000 cpu-clock:\n\t  16714c b+0x2c (/l/libc.so.6)\n\t 15901 a (/b/dash)\n\n",
		"no cpu": "sh x 736 10.000001: 1000 cpu-clock:\n\t1 b (c)\n\t2 a (d)\n\n" +
			"sh x 736 10.000002: 1000 cpu-clock:\n\t1 b (c)\n\t2 a (d)\n",
		"no period":    "sh x 736 10.000001: cpu-clock:u: \n\t1 b (c)\n\t2 a (d)\n\nsh x 736 10.000002: cpu-clock:u: \n\t1 b (c)\n\t2 a (d)\n",
		"pid":          "sh x 735/736 [001] 10.000001: 1000 cpu-clock: \n\t1 b (c)\n\t2 a (d)\n\nsh x 735/736 10.000002: 1000 cpu-clock: \n\t1 b (c)\n\t2 a (d)\n",
		"--ns":         "sh x 736 10.000001000: 1000 cpu-clock: \n\t1 b (c)\n\t2 a (d)\n\nsh x 736 10.000002000: 1000 cpu-clock: \n\t1 b (c)\n\t2 a (d)\n",
		"no event":     "sh x 736 [002] 10.000001: \n\t1 b (c)\n\t2 a (d)\n\nsh x 736 [002] 10.000002: \n\t1 b (c)\n\t2 a (d)\n",
		"no addresses": "sh x 736 10.000001: 1000 cpu-clock:\n\tb (c)\n\ta (d)\n\nsh x 736 10.000002: 1000 cpu-clock:\n\tb (c)\n\ta (d)\n",
		"blanks":       "sh x 736 10.000001: 1000 cpu-clock:\n          1 b (c)\n     2 a (d)\n\nsh x 736 10.000002: 1000 cpu-clock:\n     1 b (c)\n    2 a (d)\n",
		"CR LF, comments, no blank lines": "# perf version : 6.1\r\n#\r\nsh x 736 10.000001: 1000 cpu-clock:\r\n\t1 b (c)\r\n\t2 a (d)\r\n" +
			"sh x 736 10.000002: 1000 cpu-clock:\r\n\t1 b (c)\r\n\t2 a (d)\r\n",
		"no objects": "sh x 736 10.000001: 1000 cpu-clock:\n\t1 b\n\t2 a\n\nsh x 736 10.000002: 1000 cpu-clock:\n\t1 b\n\t2 a\n",
		"-L": "    sh x   736   1    10.000001: 1000 cpu-clock:\n\t1 b (c)\n\t2 a (d)\n\n" +
			"    sh x   736 100 K     10.000002: 1000 cpu-clock:\n\t1 b (c)\n\t2 a (d)\n",
		"time of day": "sh x 736 [001] 2026-11-28 18:01:30.794509 10.000001: 1000 cpu-clock:\n\t1 b (c)\n\t2 a (d)\n\n" +
			"sh x 736 [001] K     2026-11-28 18:01:30.794510 10.000002: 1000 cpu-clock:\n\t1 b (c)\n\t2 a (d)\n",
		"mode": "sh x 736 [001] K     10.000001: 1000 cpu-clock:\n\t1 b (c)\n\t2 a (d)\n\n" +
			"sh x 736 U     10.000002: 1000 cpu-clock:\n\t1 b (c)\n\t2 a (d)\n",
		"address of data": "sh x 736 10.000001: 1000 cpu-clock:  7f1 data+0x2 (c)\n\t1 b (c)\n\t2 a (d)\n\n" +
			"sh x 736 10.000002: 1000 cpu-clock:  7f1 data+0x2 (c)\n\t1 b (c)\n\t2 a (d)\n",
		"places in the source": "sh x 736 10.000001: 1000 cpu-clock:\n\t1 b (c)\n  queue.c:41\n\t2 a (d)\n  ??:0\n\nsh x 736 10.000002: 1000 cpu-clock:\n\t1 b (c)\n  queue.c:42\n\t2 a (d)\n",
	} {
		tr := mustLoad(t, text)
		if got := calls(tr); got != want || len(tr.Diagnostics) > 0 || !tr.Threads[0].Sampled {
			t.Errorf("%s: %s, %v", what, got, tr.Diagnostics)
		}
		if (what == "pid") != (len(tr.Processes) == 1) {
			t.Errorf("%s: %d processes", what, len(tr.Processes))
		}
		if !perfscript.Sniff(&input.Source{Head: []byte(text)}) {
			t.Errorf("%s is not recognised", what)
		}
		var wide []byte
		for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
			wide = append(wide, byte(unit), byte(unit>>8))
		}
		if got := calls(mustLoad(t, string(wide))); got != want || !perfscript.Sniff(&input.Source{Head: wide}) {
			t.Errorf("%s as UTF-16: %s", what, got)
		}
	}
}

// TestOneLineSamples are what perf prints where no stacks were recorded.
func TestOneLineSamples(t *testing.T) {
	tr := mustLoad(t, "              sh  3440  10.000001:    1000 cpu-clock:      560281ebda9e [unknown] (/usr/bin/dash)\n"+
		"              sh  3440  10.000002:    1000 cpu-clock:      7f3584191c48 strtoll+0x18 (/usr/lib/libc.so.6 (deleted))\n")
	if got := calls(tr); got != "sh: [dash] 0-1 strtoll 1-2" || len(tr.Diagnostics) > 0 {
		t.Errorf("%s, %v", got, tr.Diagnostics)
	}
}

// TestDeltas refuses times that are those since the sample before, and no others that begin with 0.
func TestDeltas(t *testing.T) {
	text := func(threads string, micros ...int) (text string) {
		for i, at := range micros {
			text += fmt.Sprintf("sh %c 0.%06d: cpu-clock:\n\t1 a (b)\n\n", threads[i%len(threads)], at)
		}
		return "# cmdline : perf\n#\n" + text
	}
	for what, times := range map[string][]int{"": {0, 10, 20, 30}, "21": {10, 20, 9, 10, 11},
		"123": {0, 5, 2, 7, 8, 9}, "1": {0, 4, 5, 6, 7, 8, 9, 10, 11, 2, 12, 13, 14, 15, 16, 17, 18}} {
		if _, err := tryLoad(text(cmp.Or(what, "1"), times...), ""); err != nil {
			t.Errorf("%q: %v", what, err)
		}
	}
	_, err := tryLoad(text("12", 0, 1001, 1019, 976, 2040, 961, 1012, 1003), "")
	if err == nil || !strings.Contains(err.Error(), "x.txt:19: each time is the time since") {
		t.Errorf("deltas: %v", err)
	}
}

// TestTracepoint shows no values of an event as a frame.
func TestTracepoint(t *testing.T) {
	tr := mustLoad(t, "sh 34 10.000001: raw_syscalls:sys_enter: NR 12 (0, 7ffe, 0)\n"+
		"sh 34 10.000002: raw_syscalls:sys_enter: NR 9 (0, 2000)\n")
	if got := calls(tr); got != "sh: (no stack) 0-2" {
		t.Error(got)
	}
}

// TestBranches has samples of branches, as of Intel PT: the thread goes to the second frame.
func TestBranches(t *testing.T) {
	tr := mustLoad(t, "ls 34 10.000001: 1 branches:uH:   call    7f4e a+0x3 (/l/d.so) =>     7f50 b+0x0 (/l/d.so)\n"+
		"ls 34 10.000002: 1 branches:uH:   return  7f52 b+0x2 (/l/d.so) =>     7f51 a+0x6 (/l/d.so)\n")
	if got := calls(tr); got != "ls: b 0-1 a 1-2" {
		t.Error(got)
	}
}

// TestOtherFields reads what perf prints with -F comm,time,event,ip,sym,dso, and with srcline where
// it knows no source.
func TestOtherFields(t *testing.T) {
	for what, text := range map[string]string{
		"no thread": "sh x 10.000001: cpu-clock:\n\t1 b (c)\n\t2 a (d)\n\n" +
			"sh x 10.000002: cpu-clock:\n\t1 b (c)\n\t2 a (d)\n",
		"no command": "  736 10.000001: cpu-clock:\n\t1 b (c)\n\t2 a (d)\n\n" +
			"  736 10.000002: cpu-clock:\n\t1 b (c)\n\t2 a (d)\n",
		"a number": "v 1.5: x 736 10.000001: cpu-clock:\n\t1 b (c)\n\t2 a (d)\n\n" +
			"v 1.5: x 736 10.000002: cpu-clock:\n\t1 b (c)\n\t2 a (d)\n",
		"no number": "Renderer 7   736 10.000001: cpu-clock:\n\t1 b (c)\n\t2 a (d)\n\n" +
			"Renderer 7   736 10.000002: cpu-clock:\n\t1 b (c)\n\t2 a (d)\n",
		"no source": "sh x 736 10.000001: 1000 cpu-clock:\n\t1 b (c)\n  libc.so.6[16714b]\n\t2 a (d)\n" +
			"  [kernel.kallsyms][ffffffff8168bec6]\n  a+0x41\n\nsh x 736 10.000002: 1000 cpu-clock:\n\t1 b (c)\n  b(int, char)+0x2\n" +
			"\t2 a (d)\n  q.c:41 (discriminator 2)\n",
	} {
		tr := mustLoad(t, text)
		want := cmp.Or(map[string]string{"no command": ":", "a number": "v 1.5: x:",
			"no number": "Renderer 7:"}[what], "sh x:") +
			" a 0-2 .b 0-2"
		if got := calls(tr); got != want || len(tr.Diagnostics) > 0 {
			t.Errorf("%s: %s, %v", what, got, tr.Diagnostics)
		}
		if !perfscript.Sniff(&input.Source{Head: []byte(text)}) {
			t.Errorf("%s is not recognised", what)
		}
	}
}

func TestFunctions(t *testing.T) {
	for text, want := range map[string]trace.Function{
		"16714b strcmp+0x2b (/usr/lib/libc.so.6)":                  {Name: "strcmp", Package: "libc.so.6", Module: "libc.so.6"},
		"ffffffff9 do_idle+0xa ([kernel.kallsyms])":                {Name: "do_idle", Package: "kernel", Module: "[kernel.kallsyms]"},
		"15901 [unknown] (/usr/bin/dash)":                          {Name: "[dash]", Package: "dash", Module: "dash"},
		"15901 [unknown] ([unknown])":                              {Name: "[unknown]"},
		"15901 [unknown] ([kernel.kallsyms])":                      {Name: "[kernel.kallsyms]", Package: "kernel", Module: "[kernel.kallsyms]"},
		"1 std::vector<int, A (b)>::f(int, char)+0x1 (/x)":         {Name: "std::vector<int, A (b)>::f(int, char)", Package: "std::vector", Module: "x"},
		"1 net/http.(*conn).serve+0x5 (/b/srv)":                    {Name: "net/http.(*conn).serve", Package: "net/http", Module: "srv"},
		"1 Ljava/util/HashMap;::get+0x10 (/tmp/perf-7.map)":        {Name: "java/util/HashMap::get", Package: "java/util/HashMap", Module: "perf-7.map"},
		"1 LazyCompile:*parse /app/json.js:12:7 (/tmp/perf-7.map)": {Name: "parse", File: "/app/json.js", Line: 12},
		"1 JS:~ node:internal/fs:3:1 (x)":                          {Name: "(anonymous)", File: "node:internal/fs", Line: 3},
		"1 JS:^f file:///a/b.mjs:9:1 (x)":                          {Name: "f", File: "file:///a/b.mjs", Line: 9},
		"add (c)":                                                  {Name: "add", Package: "c", Module: "c"},
		"1 f(void (*)(int))+0x2":                                   {Name: "f(void (*)(int))"},
		"1 f(void (*)(int))":                                       {Name: "f(void (*)(int))"},
		"1 f(int)+0x2 (/opt/a (x86)/b)":                            {Name: "f(int)", Package: "b", Module: "b"},
		"1 f+0x2 (/opt/a (x86)/b (deleted))":                       {Name: "f", Package: "b", Module: "b"},
		"1 f+0x2 (/opt/a) b/c)":                                    {Name: "f", Package: "c", Module: "c"},
		"1 f+0x2 (/opt/b+0x17)":                                    {Name: "f", Package: "b", Module: "b"},
		"1 a+0xzz (c)":                                             {Name: "a+0xzz", Package: "c", Module: "c"},
	} {
		tr := mustLoad(t, "sh 7 1.000001: cycles:\n\t"+text+"\n")
		if got := tr.Functions[0]; got != want || len(tr.Diagnostics) > 0 {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
}

// TestInlined: inlined functions stay calls, of the object of the function around them.
func TestInlined(t *testing.T) {
	tr := mustLoad(t, "sh 7 1.000001: 5 cycles:\n\t1 x (inlined)\n\t1 y (inlined)\n\t1 f+0x2 (/l/lib.so)\n\t2 main (/b/sh)\n")
	if got := calls(tr); got != "sh: main 0-0 .f 0-0 ..y 0-0 ...x 0-0" || tr.Functions[0].Module != "lib.so" {
		t.Errorf("%s, %+v", got, tr.Functions)
	}
	tr = mustLoad(t, "sh 7 1.000001: 5 cycles:\n\t1 x (inlined)\n")
	if got := calls(tr); got != "sh: x 0-0" {
		t.Error(got)
	}
}

// TestEvents shows samples of the event that counts time, or of the one asked for.
func TestEvents(t *testing.T) {
	text := "sh 7 1.000001: 5 cache-misses:\n\t1 m (x)\n\nsh 7 1.000002: 5 cache-misses:\n\t1 m (x)\n\n" +
		"sh 7 1.000003: 5 cycles:ppp:\n\t1 c (x)\n\nsh 7 1.000004: 1 cycles:ppp:\n\t1 c (x)\n"
	tr := mustLoad(t, text)
	if got := calls(tr); got != "sh: c 0-2" || tr.Tool != "perf cycles:ppp (besides: cache-misses)" ||
		len(tr.Diagnostics) != 1 || tr.Diagnostics[0].Code != trace.NotRead || tr.Diagnostics[0].Count != 2 {
		t.Errorf("%s of %s, %v", got, tr.Tool, tr.Diagnostics)
	}
	tr, err := tryLoad(text, "cache-misses")
	if err != nil || calls(tr) != "sh: m 0-2" {
		t.Errorf("%v, %v", calls(tr), err)
	}
	if tr, err = tryLoad(text, "cycles"); err != nil || calls(tr) != "sh: c 0-2" {
		t.Errorf("%v", err)
	}
	if _, err = tryLoad(text, "cats"); err == nil || !strings.Contains(err.Error(), "it has cache-misses, cycles:ppp") {
		t.Errorf("error %v", err)
	}
}

// TestSwitches: from sched_switch on a thread has no processor, until it is the next or is sampled.
func TestSwitches(t *testing.T) {
	sample := func(tid int, us int) string {
		return fmt.Sprintf("t%d %d 1.%06d: 1000 cpu-clock:\n\t1 f (x)\n\t2 main (x)\n\n", tid, tid, us)
	}
	out := func(tid int, us int, state string, next int) string {
		return fmt.Sprintf("t%d %d 1.%06d: sched:sched_switch: prev_comm=t prev_pid=%d prev_prio=120 prev_state=%s ==> "+
			"next_comm=u next_pid=%d next_prio=120\n\t3 wait (x)\n\t2 main (x)\n\n", tid, tid, us, tid, state, next)
	}
	tr := mustLoad(t, sample(7, 0)+sample(7, 1)+out(7, 2, "S", 8)+sample(8, 5)+out(8, 50, "R+", 7)+sample(7, 52)+
		out(7, 53, "D", 0)+sample(7, 99))
	want := "t7: main 0-100 .f 0-2 .wait 2-52 ..linux:schedule 2-50 .f 52-53 .wait 53-99 ..linux:schedule 53-99 .f 99-100 " +
		"t8: main 5-6 .f 5-6 main 50-51 .wait 50-51 ..linux:schedule (pre-empted) 50-51"
	if got := calls(tr); got != want {
		t.Errorf("\n%s, want\n%s", got, want)
	}
	// perf may have no stack where it switches: then the last one holds, unless it is too old.
	bare := strings.Replace(out(7, 2, "S", 8), "\t3 wait (x)\n\t2 main (x)\n", "", 1)
	late := strings.Replace(out(7, 90, "S", 8), "\t3 wait (x)\n\t2 main (x)\n", "", 1)
	want = "t7: main 0-6 .f 0-6 ..linux:schedule 2-5 (no stack) 90-99 .linux:schedule 90-99 main 99-100 .f 99-100"
	if got := calls(mustLoad(t, sample(7, 0)+sample(7, 1)+bare+sample(7, 5)+late+sample(7, 99))); got != want {
		t.Errorf("\n%s, want\n%s", got, want)
	}
	if f := tr.FunctionOf(tr.Threads[0], 3); !f.OffCPU() {
		t.Errorf("%+v is no time without a processor", f)
	}
}

// TestIdleLoops are threads of the runtime, one a processor.
func TestIdleLoops(t *testing.T) {
	tr := mustLoad(t, "swapper     0 [003] 1.000001: 1000 cpu-clock:\n\t1 idle ([kernel.kallsyms])\n\n"+
		"swapper     0/0 [000] 1.000001: 1000 cpu-clock:\n\t1 idle ([kernel.kallsyms])\n\n")
	if len(tr.Threads) != 2 || tr.Threads[0].Kind != trace.Runtime || tr.Threads[0].Name != "swapper/0" ||
		tr.Threads[1].Name != "swapper/3" || tr.Threads[0].Role != "swapper" {
		t.Errorf("%s", calls(tr))
	}
}

func TestOtherLines(t *testing.T) {
	for text, want := range map[string]string{
		"nonsense\n":          "bad-record 1",
		"\t1 f\x00\x00 (x)\n": "bad-record 1",
		"sh 7 1.5 sec: x\n":   "bad-record 1",
		"\n\t1 f (x)\n":       "bad-record 1",
		"\t1 f+0x2 /x)\n":     "bad-record 1", // each frame has an object, or none
		"\t1 f+0x2 (/\n":      "bad-record 1",
		"sh 7 1.000009: 0 PERF_RECORD_LOST lost 12\n":                     "lost-records 1",
		"sh 7 1.000009: PERF_RECORD_MMAP2 7/7: [0x1(0x2) @ 0]: r-xp /x\n": "not-read 1",
	} {
		tr := mustLoad(t, stacked+text)
		got := ""
		for _, d := range tr.Diagnostics {
			got += fmt.Sprintf("%s %d", d.Code, d.Count)
		}
		if got != want || calls(tr) != "sh: a 0-1 .b 0-1" {
			t.Errorf("%q: %s, %v", text, calls(tr), tr.Diagnostics)
		}
	}
	tr := mustLoad(t, "sh 7 1.000009: 1 cycles:\n\n")
	if calls(tr) != "sh: (no stack) 0-0" {
		t.Error(calls(tr))
	}
	if _, err := tryLoad("# nothing\n\n", ""); err == nil || !strings.Contains(err.Error(), "x.txt:11: no sample") {
		t.Errorf("error %v", err)
	}
}

// TestCutInALine cuts a text within its lines: none goes unnoticed.
func TestCutInALine(t *testing.T) {
	text := strings.TrimSuffix(stacked+stacked, "\n")
	for at := len(stacked); at < len(text); at++ {
		tr := mustLoad(t, text[:at])
		told := slices.ContainsFunc(tr.Diagnostics, func(d trace.Diagnostic) bool {
			return d.Code == trace.Truncated
		})
		if whole := text[at-1] == '\n'; whole == told {
			t.Errorf("cut after %q: %v", text[:at], tr.Diagnostics)
		}
	}
}

func TestSniff(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "#\n#\n": false, "a;b;c 5\n": false, "Sep 12 10:00:01 host kernel: [  1.234567] usb 1-1: new\n": false,
		"# ========\n# captured on: x\n" + stacked: true, `{"a": 1}`: false, "PERFILE2\x00\x00": false,
		stacked + "\x00\x00" + stacked: true, "\x00" + stacked: false,
		"12.5: a\n": false, "7 12.500000: a: b\n": false, "bash-7 [001] 5.000001: sched_switch: x\nbash-7 [001] 5.000002: sched_wakeup: x\n": false,
	} {
		if got := perfscript.Sniff(&input.Source{Head: []byte(text)}); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// TestSamplesAreKept writes random samples and counts the time under each function.
func TestSamplesAreKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		want, samples := map[string]int64{}, rapid.IntRange(1, 30).Draw(t, "samples")
		for i := range samples {
			tid := rapid.IntRange(1, 3).Draw(t, "tid")
			fmt.Fprintf(&text, "x y %d [00%d] 5.%09d: 10 cpu-clock:\n", tid, tid, 1000*i)
			stack := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c<d;e>"}), 1, 5).Draw(t, "stack")
			for k, f := range stack {
				fmt.Fprintf(&text, "\t%16x %s+0x%x (/lib/x)\n", 100*i+k, f, i)
			}
			fmt.Fprintln(&text)
			want[fmt.Sprint(tid, " ", stack[0])] += 10 // each is 10 ns, for the next is far
		}
		tr, err := tryLoad(text.String(), "")
		if err != nil || len(tr.Diagnostics) > 0 {
			t.Fatal(err, tr)
		}
		got := map[string]int64{}
		for _, th := range tr.Threads {
			for i := range th.Len() {
				if self := th.Self(i); self > 0 {
					got[th.ID+" "+tr.FunctionOf(th, i).Name] += self
				}
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%v, want %v in\n%s", got, want, text.String())
		}
	})
}

func survives(t testing.TB, text string) {
	perfscript.Sniff(&input.Source{Head: []byte(text)})
	tr, err := tryLoad(text, "")
	loadtest.Sound(t, tr, err)
}

const mixed = stacked + "sh   736 [001]  10.000002:    1000 cpu-clock:\n\t 1 i (inlined)\n\t 16714c b (/l)\n\n" +
	"sh 736 10.000100: sched:sched_switch: prev_comm=sh prev_pid=736 prev_prio=120 prev_state=S ==> next_comm=x next_pid=9 next_prio=1\n" +
	"\t1 b (/l)\n\nswapper 0 [000] 10.000200: 1 cycles:\n"

// TestHugePeriods: the call of a sample ends within the trace, whatever its period.
func TestHugePeriods(t *testing.T) {
	for _, period := range []string{"2305843009213693952", "9223372036854775807", "9223372036854775808"} {
		survives(t, "a 1 [000] 1.000000: "+period+" cpu-clock: \n\t1 f (x)\n")
	}
}

func TestMutations(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range testtrace.Sized(300, 100_000) {
		survives(t, string(testtrace.Mutate(r, []byte(mixed), "\n\t ()[]:./09+x")))
	}
}

func FuzzLoad(f *testing.F) {
	seeds.Add(f)
	f.Add([]byte(mixed))
	f.Add([]byte(stacked))
	f.Fuzz(func(t *testing.T, text []byte) { survives(t, string(text)) })
}
