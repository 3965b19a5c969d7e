package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRename compares two versions in which a function has another name, and another clone suffix.
func TestRename(t *testing.T) {
	var files []string
	for name, calls := range map[string]string{
		"a": `[{"ph":"X","pid":1,"tid":1,"ts":0,"dur":9,"name":"old_parse.isra.0"}]`,
		"b": `[{"ph":"X","pid":1,"tid":1,"ts":0,"dur":9,"name":"parse.isra.1"}]`,
	} {
		file := filepath.Join(t.TempDir(), name+".json")
		if err := os.WriteFile(file, []byte(calls), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	for _, c := range []struct {
		args  []string
		equal float64
	}{
		{nil, 0},
		{[]string{"--rename", "old_parse=parse"}, 1},
		{[]string{"--rename", "/^old_/="}, 1},
		{[]string{"--rename", "old_parse=parse", "--raw-names"}, 0},
	} {
		total := aligned(t, append(c.args, files...)...)["total"].(map[string]any)
		if total["equal"] != c.equal {
			t.Errorf("%q: %v equal, want %v", c.args, total["equal"], c.equal)
		}
	}
	for _, command := range []string{"match", "align", "diff"} {
		status, _, errs := run(t, append([]string{command, "--rename", "/(/=x"}, files...)...)
		if status != 2 || !strings.Contains(errs, "--rename") {
			t.Errorf("%s: %d %s", command, status, errs)
		}
	}
}

// TestUnits refuses to compare time with bytes.
func TestUnits(t *testing.T) {
	heap := filepath.Join(testdata, "pprof/pipeline-mutex.heap.pprof")
	for _, command := range []string{"match", "align", "diff", "waits"} {
		status, _, errs := run(t, command, queueA(), heap)
		if status != 1 || !strings.Contains(errs, "cannot be compared") {
			t.Errorf("%s: %d %s", command, status, errs)
		}
	}
}
