package cli

import (
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
