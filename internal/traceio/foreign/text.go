package foreign

import (
	"bytes"
	"regexp"
)

// matches makes a test for a regular expression at the beginning of a file.
func matches(expression string) func(head) bool {
	x := regexp.MustCompile(`\A` + expression)
	const most = 4 << 10 // what shows a text stands in its first lines
	return func(h head) bool { return x.Match(h[:min(len(h), most)]) }
}

// What to do with the text that a tool prints of a recording.
const (
	profileItself = "open the profile itself"
	folded        = " and open what it writes"
	toCTF         = "`perf data convert --all --to-ctf=DIR`," + folded
)

// texts are the kinds that their first lines show.
var texts = []kind{
	{"a trace of Paraver (.prv)", "", has("#Paraver ")},
	{"a part of a Paraver trace (.pcf, .row)", "", has("DEFAULT_OPTIONS\n", "LEVEL CPU SIZE ")},
	{"a profile of TAU", "", matches(`\d+ templated_functions`)},
	{"the events of a TAU trace (.edf)", "", matches(`\d+ dynamic_trace_events`)},
	{"a description of a Projections recording of Charm++ (.sts)", "", has("PROJECTIONS_ID")},
	{"a log of a Projections recording of Charm++", "", has("PROJECTIONS-RECORD")},
	{"a part of a Projections recording of Charm++", "", has("RC_GLOBAL_START_TIME")},
	{"a database of HPCToolkit", "", func(h head) bool { return bytes.Contains(h, []byte("<HPCToolkitExperiment")) }},
	{"an ftrace text (tracefs)", "record the same events with Perfetto, and open that", has("# tracer: ")},
	{"the report of perf", "run `perf script > FILE`, and open FILE", matches(`# To display the perf\.data header info`)},
	{"what perf trace printed", "run `perf trace record` and " + toCTF,
		matches(` *(\?|[\d.]+) \( *([\d.]+ ms)? *\): `)},
	{"what perf sched timehist printed", "run " + toCTF, matches(` +time +cpu +task name `)},
	{"what strace or ltrace printed", "", matches(`(\[pid +\d+\] |\d+ +)?([\d:.]+ )?\w+\(.*\) += `)},
	{"what bpftrace printed", "run `stackcollapse-bpftrace.pl FILE > FOLDED`," + folded,
		matches(`(Attaching \d+ probes?\.\.\.\s+)?@\w*\[`)},
	{"stacks that DTrace printed", "run `stackcollapse.pl FILE > FOLDED`," + folded,
		matches(`(CPU +ID +FUNCTION:NAME\n|\s*\n) +\S+` + "`" + `\S+`)},
	{"what sample of macOS printed", "run `stackcollapse-sample.awk FILE > FOLDED`," + folded,
		has("Analysis of sampling ", "Sampling process ")},
	{"a snapshot of Valgrind's massif", no, matches(`desc: .*\ncmd: .*\ntime_unit: `)},
	{"a profile of Valgrind's cachegrind", "run `valgrind --tool=callgrind`, and open what that writes",
		matches(`(desc: .*\n)+cmd: .*\nevents: `)},
	{"a log of Valgrind", no, matches(`==\d+== `)},
	{"a recording of heaptrack", no, matches(`v [0-9a-f]+ [0-9a-f]+\nX `)},
	{"a heap profile of jemalloc", "run `jeprof --collapsed PROGRAM FILE > FOLDED`," + folded, has("heap_v2/")},
	{"a log of Ninja", "run `ninjatracing FILE`," + folded, has("# ninja log v")},
	{"a log of V8's profiler (node --prof)", "record with `node --cpu-prof`, and open that", has("v8-version,")},
	{"a trace of Xdebug", "record a profile with Xdebug (cachegrind.out), and open that",
		matches(`(Version: .*\n(File format: .*\n)?)?TRACE START \[`)},
	{"what uftrace printed", "open the directory that it recorded", matches(`# +(DURATION|TASK NAME|TIMESTAMP)\b.*FUNCTION`)},
	{"what otf2-print printed", "open the OTF2 archive itself", matches(`=== OTF2-PRINT ===`)},
	{"what babeltrace2 printed", "open the CTF folder itself", matches(`\[[\d:.]+\] \(\+[?\d.]+\) `)},
	{"what go tool pprof printed", profileItself, matches(`(File: .*\n(Build ID: .*\n)?Type: |PeriodType: )`)},
	{"what gprof printed", "record the program with uftrace, which uses the same `-pg`", has("Flat profile:\n")},
	{"a dump of a JVM's threads", no + ": it shows one moment", matches(`(\d{4}-\d\d-\d\d.*\n)?Full thread dump `)},
	{"the stacks of goroutines", no + ": they show one moment",
		matches(`((panic|fatal error|SIG\w+): (.*\n)+?\s*)?goroutine \d+ .*\[.*\]:\n`)},
	{"a backtrace of gdb", no + ": it shows one moment", matches(`(Thread \d+ \(.*\):\n)?#0 +(0x[0-9a-f]+ in )?\S+ \(`)},
	{"a flame graph as a picture (SVG)", "open the folded stacks that it was made of", func(h head) bool {
		return isMarkup("<svg")(h) && bytes.Contains(h, []byte("lame")) && bytes.Contains(h, []byte("raph"))
	}},
	{"a picture (SVG)", no, isMarkup("<svg")},
	{"a page of systrace (HTML) with a trace in it", "record with Perfetto, and open that", func(h head) bool {
		return isMarkup("<html", "<!doctype html")(h) && (bytes.Contains(h, []byte("trace-data")) ||
			bytes.Contains(h, []byte("Android System Trace")) || bytes.Contains(h, []byte("trace-viewer")))
	}},
	{"a page of HTML", no, isMarkup("<html", "<!doctype html")},
	{"a property list of macOS", no, func(h head) bool { return has("bplist00")(h) || isMarkup("<plist")(h) }},
	{"a file of XML", no, has("<?xml ")},
	{"a pointer of Git LFS to a file that is not here", "run `git lfs pull`, and open the file again",
		has("version https://git-lfs.github.com/")},
	{"a script", no, has("#!")},
}

// isMarkup makes a test for an element among the first of a file of XML or HTML.
func isMarkup(elements ...string) func(head) bool {
	return func(h head) bool {
		const first = 1 << 10
		start := bytes.ToLower(bytes.TrimSpace(h[:min(len(h), first)]))
		if len(start) == 0 || start[0] != '<' {
			return false
		}
		for _, e := range elements {
			if bytes.Contains(start, []byte(e)) {
				return true
			}
		}
		return false
	}
}
