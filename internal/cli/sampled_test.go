package cli

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestInfoTellsSamples: who reads the numbers of calls is told that they are no calls.
func TestInfoTellsSamples(t *testing.T) {
	file := testdata + "/perfscript/pipeline-level1.txt.gz"
	status, out, errs := run(t, "info", file)
	if status != 0 || !strings.Contains(out, "5 threads: a call is a run of stack samples") {
		t.Errorf("status %d, %s\n%s", status, errs, out)
	}
	for _, th := range runJSON(t, "info", file)["threads"].([]any) {
		if th.(map[string]any)["sampled"] != true {
			t.Errorf("thread %v", th)
		}
	}
	if _, out, _ = run(t, "info", testdata+"/folded/pipeline-level1.folded.gz"); strings.Contains(out, "sampled") {
		t.Errorf("sums are no samples in time:\n%s", out)
	}
}

// TestStacksAreNoCalls: what a profile has is called stacks, unless its recorder has counted calls.
func TestStacksAreNoCalls(t *testing.T) {
	calls := regexp.MustCompile(`\b[Cc]alls?\b`)
	a := filepath.Join(testdata, "pprof/pipeline-level1.cpu.pprof")
	b := filepath.Join(testdata, "pprof/pipeline-level9.cpu.pprof")
	for _, args := range [][]string{{"info", a}, {"align", a, b}, {"match", a, b, "--groups"},
		{"structure", a}, {"structure", a, b}, {"waits", a, b}} {
		status, out, errs := run(t, args...)
		if status != 0 || !strings.Contains(out, "stack") && args[0] != "waits" || calls.MatchString(out) {
			t.Errorf("%q: exit %d, %s\n%s", args, status, errs, out)
		}
	}
	_, out, _ := run(t, "structure", testdata+"/callgrind/orders.callgrind")
	if !calls.MatchString(out) {
		t.Errorf("calls were counted, and are not told:\n%s", out)
	}
}

// timely are words and units that heap profiles have no use for, and numbers of bytes that went past
// the formatter of units.
var timely = regexp.MustCompile(`(?i)\b(earlier|later|faster|slower|elapsed|longer|duration|` +
	`self time)\b|[0-9] ?(ns|µs|ms|s|min)\b|[0-9]{5,} ?(B|bytes)\b`)

// TestBytesAreNotTimes: no command writes anything about time on a pair of heap profiles.
func TestBytesAreNotTimes(t *testing.T) {
	a := filepath.Join(testdata, "pprof/pipeline-mutex.heap.pprof")
	b := filepath.Join(testdata, "pprof/pipeline-chan.heap.pprof")
	for _, args := range [][]string{{"info", a}, {"diff", a, b}, {"diff", b, a, "--format", "md"},
		{"diff", "--a", a, "--a", a, "--b", b, "--b", b}, {"align", a, b}, {"match", a, b, "--groups"},
		{"waits", a, b}, {"structure", a, b}, {"aggregate", a, b}} {
		status, out, errs := run(t, append(args, "--no-cache")...)
		if args[0] == "info" || status == 2 {
			status, out, errs = run(t, args...)
		}
		if status != 0 || out == "" {
			t.Errorf("%q: exit %d, %s", args, status, errs)
		}
		if m := timely.FindString(out); m != "" {
			t.Errorf("%q writes %q:\n%s", args, m, out)
		}
	}
}
