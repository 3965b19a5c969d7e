package cli

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"diptych/internal/traceio"
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

// TestMemoryIsAFlag: a limit that is too small for a file is told in one line, and any command that
// loads takes the flag.
func TestMemoryIsAFlag(t *testing.T) {
	file := filepath.Join(t.TempDir(), "blanks.json.gz")
	err := writeFile(file, func(w io.Writer) error {
		_, err := io.WriteString(w, `[{"ph":"X","pid":1,"tid":1,"ts":0,"dur":9,"name":"a"}`+
			strings.Repeat(" ", 1<<20)+"]")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"open", "info", "match", "align", "waits", "structure",
		"aggregate", "diff", "render", "export"} {
		if _, out, _ := run(t, command, "--help"); !strings.Contains(out, "--memory") {
			t.Errorf("%s has no --memory", command)
		}
	}
	status, _, errs := run(t, "info", "--memory", "64KiB", file)
	if want := file + ": it unpacks to more than "; status != 1 || strings.Count(errs, "\n") != 1 ||
		!strings.Contains(errs, want) || !strings.Contains(errs, "--memory=128KiB raises it") {
		t.Errorf("status %d, %s", status, errs)
	}
	if status, _, errs := run(t, "info", "--memory", "much", file); status != 2 ||
		!strings.Contains(errs, "is not an amount of memory") {
		t.Errorf("status %d, %s", status, errs)
	}
	if status, _, errs := run(t, "info", "--memory", "50%", file); status != 0 {
		t.Errorf("status %d, %s", status, errs)
	}
}

// TestFormatFlag: every command that reads traces can be told the format; a name that is none is
// wrong usage, and each side may have its own.
func TestFormatFlag(t *testing.T) {
	gotrace, chrome := filepath.Join(testdata, "gotrace/pipeline-chan.gotrace"), queueA()
	for _, cmd := range newRoot().Commands() {
		name := "format"
		if cmd.Flags().Lookup("input-format") != nil {
			name = "input-format"
		}
		if f := cmd.Flags().Lookup("memory"); f == nil {
			continue
		}
		if f := cmd.Flags().Lookup(name); f == nil || f.Value.Type() != "FORMAT" {
			t.Errorf("%s has no flag for the format", cmd.Name())
		}
		offered, _ := completions(t, cmd.Name(), "--"+name, "")
		if !slices.Equal(offered, traceio.FormatNames()) {
			t.Errorf("%s --%s offers %q", cmd.Name(), name, offered)
		}
	}
	for _, c := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"info", "--format", "gotrace", gotrace}, 0, ""},
		{[]string{"info", "--format", "uftrace", gotrace}, 1, gotrace + ": this is a file, and cannot be read as uftrace"},
		{[]string{"info", "--format", "gotrace", filepath.Join(testdata, "README.md")}, 1, "README.md"},
		{[]string{"info", "--format", "fancy", gotrace}, 2, `there is no format "fancy"; the formats are uftrace, `},
		{[]string{"match", "--format-a", "uftrace", "--format-b", "gotrace", chrome, gotrace}, 0, ""},
		{[]string{"match", "--format-b", "gotrace", chrome, gotrace}, 0, ""},
		{[]string{"match", "--format", "gotrace", "--format-a", "uftrace", chrome, gotrace}, 0, ""},
		{[]string{"match", "--format-a", "gotrace", chrome, gotrace}, 1, chrome},
		{[]string{"diff", "--input-format", "chrome", chrome, chrome}, 1, chrome},
		{[]string{"diff", "--format", "chrome", chrome, chrome}, 2, "--input-format chrome"},
	} {
		status, _, errs := run(t, c.args...)
		if status != c.status || !strings.Contains(errs, c.want) || (c.want == "") != (errs == "") {
			t.Errorf("%q: %d %q", c.args, status, errs)
		}
	}
	withStandardInput(t, gotrace, nil)
	if status, _, errs := run(t, "info", "--format", "gotrace", "-"); status != 0 {
		t.Error(errs)
	}
}
