package foreign

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
	"testing/fstest"

	"diptych/internal/escape"
	"diptych/internal/fuzzall/seeds"
	"diptych/internal/traceio/input"
)

// etl is how a log of Windows begins.
func etl() string {
	h := make([]byte, 0x60)
	binary.LittleEndian.PutUint32(h, 1<<16)
	copy(h[0x48:], "\x02\x00\x02\xc0")
	return string(h)
}

// samples are how files of the kinds begin, by a part of the sentence that is said of them. Each row
// of the tables has one.
var samples = []struct{ want, head string }{
	{"perf.data file: run `perf script > FILE`", "PERFILE2\x68\x00\x00\x00"},
	{"simpleperf", "SIMPLEPERF\x01\x00"},
	{"HPCToolkit database", "HPCTOOLKITmeta\x04\x00"},
	{"hpcrun", "HPCRUN-profile____04.00b"},
	{"Tracy", "tlZ\x04\x00\x00\x01"},
	{"Tracy", "trac\x01\x04\x00"},
	{"Slog-2", "SLOG 2.0.6"},
	{"ETW", etl()},
	{"Android method trace: record", "*version\n3\ndata-file-overflow=false\n"},
	{"Android method trace: record", "SLOW\x03\x00\x20\x00"},
	{"Flight Recorder", "FLR\x00\x00\x02\x00\x01"},
	{"dotnet-trace convert", "Nettrace\x14\x00\x00\x00!FastSerialization.1"},
	{"heap dump of a JVM (hprof), not a recording", "JAVA PROFILE 1.0.2\x00"},
	{"trace-cmd", "\x17\x08Dtracing6\x00"},
	{"Fuchsia", "\x10\x00\x04\x46\x78\x54\x16\x00"},
	{"hs-speedscope", "hdrb\x00"},
	{"crox", "MMPD\x09\x00\x00\x00"},
	{"Sysprof", "\x5e\x97\xca\xfd\x01"},
	{"Unreal", "2CRT\x00"},
	{"memray", "memray\x00\x0b"},
	{"rbspy", "rbspy02\n"},
	{"cProfile", "{\xa9\x03\xfa\x07main.py\xe9"},
	{"cProfile", "{(\x03\x00\x00\x00t\x07\x00\x00\x00"},
	{"gmon.out", "gmon\x01\x00\x00\x00"},
	{"coverage profile of LLVM", "\x81rforpl\xff\x08"},
	{"coverage data of GCC", "adcg*33B"},
	{"Nsight", "SQLite format 3\x00 CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL"},
	{"SQLite database, not", "SQLite format 3\x00\x10\x00"},
	{"core dump", "\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x04\x00\x3e\x00"},
	{"(ELF), not a recording: record a run of it", "\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x03\x00\x3e\x00"},
	{"(ELF), not a recording: record a run of it", "\x7fELF\x02\x02\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x15"},
	{"object file", "\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x3e\x00"},
	{"class file", "\xca\xfe\xba\xbe\x00\x00\x00\x41"},
	{"Mach-O", "\xcf\xfa\xed\xfe\x0c\x00\x00\x01"},
	{"Mach-O", "\xca\xfe\xba\xbe\x00\x00\x00\x02"},
	{"Windows, not a recording: record", "MZ\x90\x00\x03"},
	{"WebAssembly", "\x00asm\x01\x00\x00\x00"},
	{"pcap", "\xd4\xc3\xb2\xa1\x02\x00\x04\x00"},
	{"a picture, not", "\x89PNG\r\n\x1a\n"},
	{"sound or film", "RIFF\x00\x00\x00\x00WEBP"},
	{"sound or film", "\x00\x00\x00\x18ftypmp42"},
	{"PDF", "%PDF-1.7\n"},
	{"Parquet", "PAR1\x15"},
	{"Arrow", "ARROW1\x00\x00"},
	{"HDF5", "\x89HDF\r\n\x1a\n"},
	{"NumPy", "\x93NUMPY\x01\x00"},
	{"pickle", "\x80\x04\x95\x00"},
	{"7-Zip archive: unpack", "7z\xbc\xaf\x27\x1c\x00\x04"},
	{"RAR", "Rar!\x1a\x07\x01\x00"},
	{"cabinet", "MSCF\x00\x00\x00\x00\x01"},
	{"lzip", "LZIP\x01\x0c"},
	{"lzma", "\x5d\x00\x00\x80\x00\xff\xff\xff\xff\xff\xff\xff\xff\x00\x11"},
	{"compress (.Z)", "\x1f\x9d\x90\x61"},
	{"lzop", "\x89LZO\x00\r\n"},
	{"Snappy", "\xff\x06\x00\x00sNaPpY"},
	{"cpio", "070701000"},
	{"RPM", "\xed\xab\xee\xdb\x03\x00"},
	{"(ar)", "!<arch>\ndebian-binary"},
	{"Paraver (.prv)", "#Paraver (22/11/2026 at 10:00):100_ns:1(1):1:1(1:1)\n"},
	{".pcf", "DEFAULT_OPTIONS\n\nLEVEL               THREAD\n"},
	{"profile of TAU", "5 templated_functions_MULTI_TIME\n"},
	{".edf", "12 dynamic_trace_events\n"},
	{"(.sts)", "PROJECTIONS_ID \nVERSION 11.0\n"},
	{"log of a Projections", "PROJECTIONS-RECORD 985\n6 77991\n"},
	{"part of a Projections", "RC_GLOBAL_START_TIME 0\n"},
	{"database of HPCToolkit", "<?xml version=\"1.0\"?>\n<!DOCTYPE HPCToolkitExperiment [\n<HPCToolkitExperiment version=\"2.2\">"},
	{"ftrace text", "# tracer: function_graph\n#\n"},
	{"perf trace record", "         ? (         ): w/19  ... [continued]: execve())  = 0\n"},
	{"perf trace record", "     0.045 ( 0.012 ms): w/19789 brk()  = 0x556009b2c000\n"},
	{"timehist", "           time    cpu  task name                       wait time  sch delay   run time\n"},
	{"report of perf", "# To display the perf.data header info, please use --header\n"},
	{"strace", "execve(\"/bin/ls\", [\"ls\"], 0x7ffe /* 20 vars */) = 0\nbrk(NULL) = 0x55\n"},
	{"strace", "1234  12:00:01.5 openat(AT_FDCWD, \"/etc/passwd\", O_RDONLY) = 3\n"},
	{"bpftrace", "Attaching 1 probe...\n\n@[\n    main+10\n]: 5\n"},
	{"DTrace", "\n              genunix`as_fault+0x70\n              unix`trap+0x1\n                2\n"},
	{"sample of macOS", "Analysis of sampling Finder (pid 1) every 1 millisecond\n"},
	{"massif", "desc: (none)\ncmd: ./a\ntime_unit: i\n"},
	{"cachegrind", "desc: I1 cache: 32768 B\ncmd: ./a\nevents: Ir\n"},
	{"log of Valgrind", "==12== Memcheck, a memory error detector\n"},
	{"heaptrack", "v 10400 3\nX ./a\n"},
	{"jemalloc", "heap_v2/524288\n"},
	{"ninjatracing", "# ninja log v5\n0\t10\t0\ta.o\tabc\n"},
	{"node --prof)", "v8-version,11,3,244,8,1,0\n"},
	{"Xdebug", "Version: 3.3.0\nFile format: 4\nTRACE START [2026-11-22 10:00:00]\n"},
	{"uftrace printed", "# DURATION     TID     FUNCTION\n            [  1] | main() {\n"},
	{"otf2-print", "\n=== OTF2-PRINT ===\n"[1:]},
	{"babeltrace2", "[10:00:00.123456789] (+?.?????????) host ev: { cpu_id = 0 }\n"},
	{"pprof printed", "File: a\nType: cpu\nTime: Nov 22\n"},
	{"gprof printed", "Flat profile:\n\nEach sample counts as 0.01 seconds.\n"},
	{"JVM's threads, not a recording: it shows one moment", "2026-11-22 10:00:00\nFull thread dump OpenJDK 64-Bit\n"},
	{"goroutines", "panic: oops\n\ngoroutine 1 [running]:\nmain.main()\n"},
	{"goroutines", "goroutine 7 [select, 2 minutes]:\n"},
	{"gdb", "#0  0x00007f in main () at a.c:3\n"},
	{"flame graph", "<?xml version=\"1.0\"?>\n<svg width=\"1200\"><title>Flame Graph</title>"},
	{"picture (SVG)", "<svg xmlns=\"http://www.w3.org/2000/svg\">"},
	{"systrace", "<!DOCTYPE html>\n<html><head><title>Android System Trace</title>"},
	{"page of HTML", "<!doctype html><html><body>hello"},
	{"property list", "bplist00\xd4"},
	{"file of XML", "<?xml version=\"1.0\"?><a/>"},
	{"git lfs pull", "version https://git-lfs.github.com/spec/v1\noid sha256:4d\n"},
	{"a script", "#!/bin/sh\necho hi\n"},
	{"UTF-16, text that begins with \"a\"", "\xff\xfea\x00"},
	{"UTF-16, text that begins with \"just\", not a trace", "j\x00u\x00s\x00t\x00"},
	{"a page of HTML", "\x00<\x00h\x00t\x00m\x00l\x00>"},
	// JSON
	{"heap snapshot", `{"snapshot":{"meta":{"node_fields":["type"]},"node_count":1},"nodes":[`},
	{"sampling heap profile", `{"head":{"callFrame":{"functionName":"(root)"},"selfSize":0},"samples":[]}`},
	{"DHAT", `{"dhatFileVersion":2,"mode":"heap"}`},
	{"Zipkin", `[{"traceId":"a","id":"b","kind":"SERVER","localEndpoint":{"serviceName":"x"}}]`},
	{"perf script -F +pid", `{"linux-perf-json-version":1,"headers":{},"samples":[]}`},
	{"Zipkin", `[{"traceId":"a","id":"b","timestamp":1,"duration":2,"name":"get"}]`},
	{"X-Ray", `{"Traces":[{"Id":"1-5","Segments":[]}]}`},
	{"NetLog", `{"constants":{"logEventTypes":{"A":1}},"events":[]}`},
	{"HAR", `{"log":{"version":"1.2","entries":[]}}`},
	{"React", `{"version":5,"dataForRoots":[]}`},
	{"Lighthouse", `{"lighthouseVersion":"12.0","audits":{}}`},
	{"Safari", `{"version":1,"recording":{"displayName":"x","records":[]}}`},
	{"Safari", `{"version":1,"recording":{},"overview":{}}`},
	{"pyinstrument -r speedscope", `{"start_time":1,"root_frame":{"function":"main"}}`},
	{"Scalene", `{"elapsed_time_sec":1.5,"files":{}}`},
	{"XHProf", `{"main()":{"ct":1,"wt":2}}`},
	{"node --prof-process", `{"code":[],"functions":[],"ticks":[]}`},
	{"diptych FILE, under a name that ends in .diptych", `{"format":"diptych session","version":1,"traces":{},"panes":[]}`},
	{"diptych diff printed", `{"findings":[],"similarity":1,"account":{}}`},
	{"Google Benchmark", `{"context":{"date":"x"},"benchmarks":[]}`},
	{`a JSON object with "a", "b.c", of no shape that is read here`, `{"a":1,"b.c":[1,2]}`},
	{"a JSON list of objects with \"x\", of no shape", `[{"x":{}},{"y":1}]`},
	{"an empty JSON list", `[]`},
	{"a JSON list without objects", ` [1,2,"traceEvents"]`},
	{"a JSON object without members", "\ufeff{ }"},
	{`a JSON object with "a" that is damaged at offset 6: invalid character`, `{"a":1,]`},
	{`a JSON object with "a", "b" that is damaged at offset 12: it ends too early`, `{"a":1,"b":2`},
	{`: values are nested too deep`, `{"a":` + strings.Repeat("[", 20000)},
	{`"a", "b", "c", "d", "e", "f" …, of no shape`, `{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1}`},
	{`a JSON object with "a" …, of no shape`, `{"a":"` + strings.Repeat("x", input.HeadSize)},
	// Neither
	{"a table of 3 columns that begin with \"a,b,c\", not a trace in a format read here (x, y)", "a,b,c\n1,2,3\n"},
	{"a table of 2 columns", "time\tvalue\n1\t2\n"},
	{"text that begins with \"just some words\", not a trace", "\njust some words\n\nand more\n"},
	{"text that begins with \"" + strings.Repeat("é", mostQuoted) + "…\"", strings.Repeat("é", 100)},
	{"nothing but blanks", " \n\t\n"},
	{"nothing but zeros", strings.Repeat("\x00", 100)},
	{"binary data that begins with 01 02 ff fe, not a trace in a format", "\x01\x02\xff\xfe"},
	{"text that begins with \"ééé", strings.Repeat("é", input.HeadSize/2+1)[:input.HeadSize-1] + "é"},
	{"binary data", "text with\x00a zero"},
}

// TestEveryKindIsNamed tries the beginning of each kind, and that each kind has one.
func TestEveryKindIsNamed(t *testing.T) {
	named := map[string]bool{}
	for _, s := range samples {
		got := describe(head(s.head[:min(len(s.head), input.HeadSize)]), "x, y")
		if !strings.Contains(got, s.want) {
			t.Errorf("%q is %s, want %s", s.head[:min(len(s.head), 40)], got, s.want)
		}
		named[got] = true
	}
	check := func(k *kind) {
		if !named[k.sentence()] {
			t.Errorf("no sample is %s", k.sentence())
		}
	}
	for i := range binaries {
		check(&binaries[i])
	}
	for i := range texts {
		check(&texts[i])
	}
	for _, s := range shapes {
		check(&kind{what: s.what, do: s.do})
	}
}

// TestFolders names directories by what is in them.
func TestFolders(t *testing.T) {
	never := func(*input.Source) bool { return false }
	for _, c := range []struct {
		files []string
		want  string
	}{
		{nil, "a directory of nothing"},
		{[]string{"form.template", "a"}, "Instruments"},
		{[]string{"Trace1.run/x"}, "Instruments"},
		{[]string{"r.vtune", "config/a"}, "VTune"},
		{[]string{"r.advixe"}, "Advisor"},
		{[]string{"meta.db", "profile.db", "cct.db"}, "an HPCToolkit database"},
		{[]string{"experiment.xml"}, "an HPCToolkit database"},
		{[]string{"a-000.hpcrun"}, "measurements of HPCToolkit"},
		{[]string{"profile.cubex", "scorep.cfg"}, "SCOREP_ENABLE_TRACING"},
		{[]string{"anchor.xml"}, "CUBE"},
		{[]string{"d/task.txt", "d/1.dat", "d/info"}, "a recording of uftrace without a sound file info"},
		{[]string{"batch.json", "manifest.csv", "parts/00000/pairs.parquet"}, "diptych batch report"},
		{[]string{".git/HEAD", "a"}, "Git"},
		{[]string{"inner/form.template"}, "Instruments"},
		{[]string{"a.txt", "b"}, "a directory of 2 files without a trace: a.txt, b"},
		{[]string{"only"}, "a directory of 1 file without a trace: only"},
		{[]string{"1", "2", "3", "4", "5", "6"}, "of 6 files without a trace: 1, 2, 3, 4, 5 …"},
	} {
		dir := fstest.MapFS{}
		for _, name := range c.files {
			dir[name] = &fstest.MapFile{Data: []byte("x")}
		}
		if got := Describe(&input.Source{Path: "d", Dir: dir}, never, ""); !strings.Contains(got, c.want) {
			t.Errorf("%q is %s, want %s", c.files, got, c.want)
		}
	}
}

// FuzzDescribe describes any beginning of a file: always in one line of reasonable length, which a
// terminal may show.
func FuzzDescribe(f *testing.F) {
	seeds.Add(f)
	for _, s := range samples {
		if len(s.head) < 1000 {
			f.Add([]byte(s.head))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		text := describe(bytes.Clone(data[:min(len(data), input.HeadSize)]), "x")
		if text == "" || text != escape.Line(text) || len(text) > 2000 {
			t.Errorf("%q", text)
		}
	})
}
