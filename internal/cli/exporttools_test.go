package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
	"github.com/parquet-go/parquet-go"
)

// profiles are two profiles of one program.
var profiles = []string{filepath.Join(testdata, "pprof/pipeline-level1.cpu.pprof"),
	filepath.Join(testdata, "pprof/pipeline-level9.cpu.pprof")}

// total sums a profile's values of a type of samples, and those of its base.
func total(t *testing.T, path, kind string) (sum, base int64) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.ParseData(content)
	if err != nil {
		t.Fatal(err)
	}
	column, err := p.SampleIndexByName(kind)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range p.Sample {
		if s.DiffBaseSample() {
			base += s.Value[column]
		} else {
			sum += s.Value[column]
		}
	}
	return sum, base
}

// TestExportPprofKeepsProfiles holds that profiles come out with the totals that they went in with,
// and that a name that ends in .gz is compressed once.
func TestExportPprofKeepsProfiles(t *testing.T) {
	a, _ := total(t, profiles[0], "cpu")
	b, _ := total(t, profiles[1], "cpu")
	dir := t.TempDir()
	for _, c := range []struct {
		side, name string
		sum, base  int64
	}{{"a", "a.pb.gz", a, 0}, {"b", "b.pprof", b, 0}, {"diff", "diff.pb.gz", b, -a}} {
		path := filepath.Join(dir, c.name)
		status, _, errs := run(t, append([]string{"export", "--to", "pprof", "--side", c.side, "-o", path},
			profiles...)...)
		if status != 0 {
			t.Fatal(errs)
		}
		if sum, base := total(t, path, "cpu"); sum != c.sum || base != c.base {
			t.Errorf("%s: %d and %d, want %d and %d", c.side, sum, base, c.sum, c.base)
		}
		content, err := os.ReadFile(path)
		if err != nil || !bytes.HasPrefix(content, []byte{0x1f, 0x8b}) {
			t.Errorf("%s begins with % x, %v", c.name, content[:2], err)
		}
		if status, _, errs := run(t, "info", path); status != 0 {
			t.Errorf("%s does not open: %s", c.name, errs)
		}
	}
}

func TestExportParquet(t *testing.T) {
	for table, rows := range map[string]int{"calls": 0, "pairs": 0, "functions": 0} {
		for _, n := range walked(t) {
			if table == "calls" {
				rows += n
			}
		}
		path, content := exportTo(t, "t.parquet", "--to", "parquet", "--table", table)
		f, err := parquet.OpenFile(bytes.NewReader(content), int64(len(content)))
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if f.NumRows() == 0 || table == "calls" && f.NumRows() != int64(rows) {
			t.Errorf("%s has %d rows, want %d", table, f.NumRows(), rows)
		}
	}
}

func TestExportSpeedscope(t *testing.T) {
	_, content := exportTo(t, "t.speedscope.json.gz", "--to", "speedscope", "--side", "b")
	var f struct{ Profiles []struct{ Name string } }
	if err := json.Unmarshal(content, &f); err != nil || len(f.Profiles) == 0 {
		t.Fatalf("%d profiles, %v", len(f.Profiles), err)
	}
	for _, p := range f.Profiles {
		if !strings.HasPrefix(p.Name, "B: ") {
			t.Errorf("a profile %q", p.Name)
		}
	}
}

// TestExportTellsWhatIsLeftOut holds that what folded stacks cannot hold is counted on standard
// error, also where they go to standard output.
func TestExportTellsWhatIsLeftOut(t *testing.T) {
	dir := t.TempDir()
	var files []string
	for _, name := range []string{"a.json", "b.json"} {
		files = append(files, filepath.Join(dir, name))
		const text = `[{"ph":"X","name":"f","ts":1,"dur":5,"pid":1,"tid":1},
			{"ph":"X","name":"moment","ts":9,"dur":0,"pid":1,"tid":1}]`
		if err := os.WriteFile(files[len(files)-1], []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	status, out, errs := run(t, append([]string{"export", "--to", "folded", "-o", "-"}, files...)...)
	if status != 0 || out != "thread;f 5000 5000\n" ||
		errs != "diptych: -: 1 stack takes no time and has no line\n" {
		t.Errorf("%d %q %q", status, out, errs)
	}
}
