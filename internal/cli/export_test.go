package cli

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"diptych/internal/testtrace"
)

// exportTo exports the example into a new folder and returns what the file holds, unpacked.
func exportTo(t *testing.T, name string, args ...string) (path string, content []byte) {
	t.Helper()
	path = filepath.Join(t.TempDir(), name)
	args = append([]string{"export", "-o", path}, append(args, builds...)...)
	if status, _, errs := run(t, args...); status != 0 {
		t.Fatalf("%q: %s", args, errs)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(name, ".gz") {
		z, err := gzip.NewReader(bytes.NewReader(content))
		if err != nil {
			t.Fatal(err)
		}
		if content, err = io.ReadAll(z); err != nil {
			t.Fatal(err)
		}
	}
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) != 1 {
		t.Errorf("%d files beside %s, %v", len(left)-1, name, err)
	}
	return path, content
}

// walked counts the calls of align --dump by what became of them.
func walked(t *testing.T) map[string]int {
	t.Helper()
	path := filepath.Join(t.TempDir(), "dump")
	status, _, errs := run(t, append([]string{"align", "--dump", path}, builds...)...)
	if status != 0 {
		t.Fatal(errs)
	}
	dump, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer dump.Close()
	states := map[string]int{}
	for d := json.NewDecoder(dump); d.More(); {
		var line struct{ State string }
		if err := d.Decode(&line); err != nil {
			t.Fatal(err)
		}
		states[line.State]++
	}
	return states
}

func TestExportChromeIsReadBack(t *testing.T) {
	path, _ := exportTo(t, "diff.json.gz", "--to", "chrome")
	status, out, errs := run(t, "info", "--json", path)
	if status != 0 {
		t.Fatal(errs)
	}
	var got struct {
		Threads []struct {
			Name  string
			Calls int
		}
		Diagnostics []any
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	want, calls := 0, 0
	for _, n := range walked(t) {
		want += n
	}
	for _, th := range got.Threads {
		if strings.HasPrefix(th.Name, "status") {
			calls += th.Calls
		}
	}
	if calls != want || len(got.Diagnostics) > 0 {
		t.Errorf("%d slices of the status, %d lines of the dump; %v", calls, want, got.Diagnostics)
	}
}

func TestExportPerfettoPacksByName(t *testing.T) {
	_, plain := exportTo(t, "diff.pftrace", "--to", "perfetto")
	_, packed := exportTo(t, "diff.pftrace.gz", "--to", "perfetto")
	if len(plain) == 0 || !bytes.Equal(plain, packed) {
		t.Errorf("%d bytes, packed %d", len(plain), len(packed))
	}
}

func TestExportTables(t *testing.T) {
	states := walked(t)
	for table, column := range map[string]string{"functions": "lessANs", "pairs": "similarity",
		"calls": "virtualEndNs"} {
		_, content := exportTo(t, "t.csv", "--to", "csv", "--table", table)
		rows, err := csv.NewReader(bytes.NewReader(content)).ReadAll()
		if err != nil || len(rows) < 2 || !slices.Contains(rows[0], column) {
			t.Fatalf("%s: %d rows, %v", table, len(rows), err)
		}
		if table != "calls" {
			continue
		}
		got := map[string]int{}
		for _, row := range rows[1:] {
			got[row[slices.Index(rows[0], "state")]]++
		}
		for state, n := range states {
			state = cmp.Or(map[string]string{"gapA": "onlyB", "gapB": "onlyA"}[state], state)
			if got[state] != n {
				t.Errorf("%d calls are %s, the dump says %d", got[state], state, n)
			}
		}
	}
	_, byDefault := exportTo(t, "t.csv", "--to", "csv")
	if !bytes.HasPrefix(byDefault, []byte("function,pairs,")) {
		t.Errorf("by default %.40s…", byDefault)
	}
}

func TestExportJSON(t *testing.T) {
	for _, args := range [][]string{{"--to", "json"}, {"--to", "json", "--walk"},
		{"--to", "json", "--walk", "--pairs", testtrace.Sized("1:1", "0/0:0/0")}} {
		_, content := exportTo(t, "a.json", args...)
		var got struct {
			Pairs []struct{ Equal, Different, GapA, GapB int }
			Walk  []struct{ State string }
		}
		if err := json.Unmarshal(content, &got); err != nil {
			t.Fatalf("%q: %v", args, err)
		}
		lines := 0
		for _, p := range got.Pairs {
			lines += p.Equal + p.Different + p.GapA + p.GapB
		}
		if !slices.Contains(args, "--walk") {
			lines = 0
		}
		if len(got.Walk) != lines || len(got.Pairs) == 0 ||
			slices.Contains(args, "--pairs") && len(got.Pairs) > 1 {
			t.Errorf("%q: %d pairs, %d calls, want %d", args, len(got.Pairs), len(got.Walk), lines)
		}
	}
}

func TestExportStatus(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "x")
	for _, c := range []struct {
		args []string
		want int
		says string
	}{
		{[]string{"--to", "perfetto"}, 2, "-o"},
		{[]string{"-o", out}, 2, "--to"},
		{[]string{"-o", out, "--to", "svg"}, 2, "perfetto, chrome, speedscope, folded, pprof, csv, parquet, json"},
		{[]string{"-o", out + ".gz", "--to", "parquet"}, 2, "compressed by itself"},
		{[]string{"-o", out, "--to", "folded", "--side", "c"}, 2, "want diff, a or b"},
		{[]string{"-o", out, "--to", "chrome", "--side", "a"}, 2, "--side is for --to folded, pprof"},
		{[]string{"-o", out, "--to", "perfetto", "--no-args"}, 2, "--no-args is for --to chrome"},
		{[]string{"-o", out, "--to", "pprof", "--table", "calls"}, 2, "--table is for --to csv, parquet"},
		{[]string{"-o", out, "--to", "csv", "--table", "x"}, 2, "functions, pairs, calls"},
		{[]string{"-o", out, "--to", "json", "--table", "calls"}, 2, "--table"},
		{[]string{"-o", out, "--to", "csv", "--walk"}, 2, "--walk"},
		{[]string{"-o", out, "--to", "csv", "--pairs", "all"}, 2, "auto or TID:TID"},
		{[]string{"-o", out, "--to", "csv", "--pairs", "x:y"}, 2, `no thread "x"`},
		{[]string{"-o", filepath.Join(dir, "missing", "x"), "--to", "csv"}, 1, "missing"},
	} {
		status, _, errs := run(t, append([]string{"export"}, append(c.args, builds...)...)...)
		if status != c.want || !strings.Contains(errs, c.says) {
			t.Errorf("%q: exit status %d, want %d; %q", c.args, status, c.want, errs)
		}
	}
	if status, _, errs := run(t, "export", builds[0], "-o", out, "--to", "csv"); status != 2 {
		t.Errorf("one trace: %d, %q", status, errs)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("%d files left, %v", len(left), err)
	}
}
