package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"diptych/internal/report"
	"diptych/internal/testtrace"
)

// infos are what info --json has printed so far, by file.
var infos = map[string]string{}

// infoOf returns what info --json prints of a file, or its message if it fails.
func infoOf(file string) (out, errs string) {
	file = filepath.Clean(file)
	if infos[file] == "" {
		var o, e bytes.Buffer
		if Main([]string{"info", "--json", file}, &o, &e) != 0 {
			return "", e.String()
		}
		infos[file] = o.String()
	}
	return infos[file], ""
}

// infoKeys are the keys that scripts may rely on.
var infoKeys = []string{"format", "tool", "calls", "functions", "durationNs", "maxDepth", "processes", "unit",
	"threads", "objects", "correspondences", "diagnostics", "trust"}

var threadKeys = []string{"id", "name", "process", "host", "calls", "maxDepth", "startNs", "endNs", "waits", "releases",
	"ios", "kind", "role"}

// recordings returns those of testdata: in the usual run the smallest one of each format.
func recordings(t *testing.T) (files []string) {
	t.Helper()
	all, err := filepath.Glob(testdata + "/*/*.*")
	if err != nil {
		t.Fatal(err)
	}
	smallest := map[string]int64{}
	for _, f := range all {
		dir := filepath.Dir(f)
		if slices.Contains([]string{"record", "slurm"}, filepath.Base(dir)) || filepath.Ext(f) == ".txt" {
			continue // programs, and traces in the form that only tests read
		}
		st, err := os.Stat(f)
		if err != nil {
			t.Fatal(err)
		}
		if least, known := smallest[dir]; !known || testtrace.Sized(false, true) {
			files = append(files, f)
		} else if st.Size() < least {
			files[len(files)-1] = f // files of a directory follow each other
		} else {
			continue
		}
		smallest[dir] = st.Size()
	}
	return files
}

func TestInfoJSONHasItsKeys(t *testing.T) {
	files := recordings(t)
	if len(files) < 15 {
		t.Errorf("only %q", files)
	}
	for _, f := range files {
		out, errs := infoOf(f)
		if errs != "" {
			t.Errorf("%s: %s", f, errs)
			continue
		}
		var got map[string]any
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		for _, k := range infoKeys {
			if _, ok := got[k]; !ok {
				t.Errorf("%s: no key %q", f, k)
			}
		}
		for _, th := range got["threads"].([]any) {
			for _, k := range threadKeys {
				if _, ok := th.(map[string]any)[k]; !ok {
					t.Errorf("%s: a thread has no key %q", f, k)
				}
			}
		}
	}
}

// TestInfoCountsThreadsAlone holds that what a recording shows in the place of threads is counted
// apart from them.
func TestInfoCountsThreadsAlone(t *testing.T) {
	for file, want := range map[string]string{
		"gotrace/pipeline-chan.gotrace":       "7, beside 11 threads of the runtime and 36 async tracks",
		"chrome/node-n8.json.gz":              "1 in 1 process, beside 717 async tracks",
		"uftrace/queue-2p2c.data.tar.gz":      "5 in 1 process",
		"pprof/pipeline-level1.cpu.pprof":     "1 in 1 process",
		"chrome/edge/async-nested.json":       "0 in 1 process, beside 3 async tracks",
		"chrome/edge/partial-overlap.json":    "1 in 1 process, beside 2 further lanes",
		"gotrace/go121-pipeline-chan.gotrace": "9, beside 6 threads of the runtime and 37 async tracks",
	} {
		_, out, _ := run(t, "info", filepath.Join(testdata, file))
		_, line, _ := strings.Cut(out, "\nthreads")
		line, _, _ = strings.Cut(line, "\n")
		if got := strings.TrimSpace(line); got != want {
			t.Errorf("%s: threads %s, want %s", file, got, want)
		}
	}
}

// facts are counts made by other means than ours; see testdata/record/facts.py.
func TestInfoAgreesWithTheFacts(t *testing.T) {
	raw, err := os.ReadFile(testdata + "/facts.json")
	if err != nil {
		t.Fatal(err)
	}
	var facts map[string]map[string]any
	if err := json.Unmarshal(raw, &facts); err != nil {
		t.Fatal(err)
	}
	checked := 0
	for file, want := range facts {
		calls, ok := want["calls"].(float64)
		if !ok || strings.Contains(file, "edge") {
			continue
		}
		out, errs := infoOf(filepath.Join(testdata, file))
		if errs != "" {
			t.Errorf("%s: %s", file, errs)
			continue
		}
		var got struct {
			Calls   int
			Threads []struct {
				Calls, Lane int
				Async       bool
			}
		}
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			t.Fatal(err)
		}
		n, threads := 0, 0
		for _, th := range got.Threads {
			if th.Async {
				continue // the facts count asynchronous spans apart
			}
			n += th.Calls
			if th.Lane == 0 && th.Calls > 0 {
				threads++
			}
		}
		if n != int(calls) {
			t.Errorf("%s: %d calls, the facts say %v", file, n, calls)
		}
		if w, ok := want["threads"].(float64); ok && threads != int(w) {
			t.Errorf("%s: %d threads, the facts say %v", file, threads, w)
		}
		checked++
	}
	if checked < 6 {
		t.Errorf("the facts speak of the calls of %d files only", checked)
	}
}

// TestInfoCheck: one word says how far a recording can be trusted, and the reasons follow. What a
// recorder lost is no failure of the command.
func TestInfoCheck(t *testing.T) {
	for file, want := range map[string][]string{
		"uftrace/queue-1p3c.data.tar.gz": {"verdict  complete\n", "nothing is known to be missing"},
		"chrome/queue-1p3c.json.gz":      {"verdict   repaired\n", "repaired  10× unmatched-end: ends closed no open call"},
		"uftrace/lost.data.tar.gz": {"verdict   lossy\n", "counts and totals are lower bounds",
			"missing   3367× lost-records: the recorder itself lost records", "repaired  17× unmatched-begin: "},
	} {
		status, out, errs := run(t, "info", "--check", filepath.Join(testdata, file))
		if status != 0 {
			t.Errorf("%s: exit status %d, %s", file, status, errs)
		}
		for _, text := range want {
			if !strings.Contains(out, text) {
				t.Errorf("%s: %q is missing in\n%s", file, text, out)
			}
		}
	}
}

func TestInfoTableNamesWhatItCounts(t *testing.T) {
	_, out, _ := run(t, "info", filepath.Join(testdata, "uftrace/queue-2p2c.data.tar.gz"))
	for _, w := range []string{"uftrace", "calls", "threads", "B a call", "producer"} {
		if !strings.Contains(out, w) {
			t.Errorf("the table lacks %q:\n%s", w, out)
		}
	}
}

// TestInfoCounts: of a profile whose recorder has counted calls info says how many, besides how many
// nodes its tree has.
func TestInfoCounts(t *testing.T) {
	orders := filepath.Join(testdata, "callgrind/orders.callgrind")
	if _, out, _ := run(t, "info", orders); !strings.Contains(out, "counted     ") {
		t.Error(out)
	}
	var in report.Info
	if _, out, _ := run(t, "info", "--json", orders); json.Unmarshal([]byte(out), &in) != nil || in.CountedCalls != 4575 {
		t.Errorf("%d calls were counted", in.CountedCalls)
	}
}

// TestInfoSampleType: info names what a profile counts as its file does, also if it counts one thing.
func TestInfoSampleType(t *testing.T) {
	for file, want := range map[string][2]string{
		"pprof/pipeline-level1.cpu.pprof":     {"cpu", "total     1.34 s cpu\n"},
		"pprof/pipeline-mutex.mutex.pprof":    {"delay", " delay\n"},
		"callgrind/orders.callgrind":          {"Ir", "total       272 k Ir\n"},
		"folded/pipeline-level1.folded.gz":    {"samples", " samples\n"},
		"speedscope/pipeline-level1.json.gz":  {"", "duration"},
		"cpuprofile/requests-8.cpuprofile.gz": {"", "duration"},
	} {
		path := filepath.Join(testdata, file)
		var in report.Info
		if _, out, _ := run(t, "info", "--json", path); json.Unmarshal([]byte(out), &in) != nil {
			t.Fatal(out)
		}
		if name := ""; len(in.SampleTypes) > 0 {
			name = in.SampleTypes[0].Name
			if len(in.SampleTypes) > 1 || name != want[0] {
				t.Errorf("%s: %+v, want %q", file, in.SampleTypes, want[0])
			}
		} else if want[0] != name {
			t.Errorf("%s has no sample type", file)
		}
		if _, out, _ := run(t, "info", path); !strings.Contains(out, want[1]) {
			t.Errorf("%s: want %q in\n%s", file, want[1], out)
		}
	}
}

// TestInfoTotals: of a profile with several sample types info says how much it has of each, first of
// the one that diff compares, in the same figures.
func TestInfoTotals(t *testing.T) {
	heap := filepath.Join(testdata, "pprof/pipeline-mutex.heap.pprof")
	if _, out, _ := run(t, "info", heap); !strings.Contains(out, "total     32.3 KiB inuse_space, 183 MiB alloc_space\n") {
		t.Error(out)
	}
	_, one, _ := run(t, "info", "--json", heap)
	_, two, _ := run(t, "diff", "--json", heap, heap)
	var in report.Info
	var diff report.Diff
	if err := errors.Join(json.Unmarshal([]byte(one), &in), json.Unmarshal([]byte(two), &diff)); err != nil {
		t.Fatal(err)
	}
	for k, of := range diff.SampleTypes {
		if want := (report.InfoSampleType{Name: of.Name, Total: of.A}); in.SampleTypes[k] != want {
			t.Errorf("%v, want %v", in.SampleTypes[k], want)
		}
	}
	if len(in.SampleTypes) != 2 || in.SampleTypes[0].Total != diff.DurationNs.A {
		t.Errorf("%+v, %+v", in.SampleTypes, diff.DurationNs)
	}
}
