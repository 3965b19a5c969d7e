package cli

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestBatch plans a batch, runs it in two shares with a broken file among the traces, and looks at
// what is told: all others are compared, the broken pair is named, and the exit status is 1.
func TestBatch(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"A/r1.json", "A/r2.json", "A/r3.json", "B/r1.json", "B/r3.json"} {
		text := `[{"name":"f","ph":"X","ts":1,"dur":5,"pid":1,"tid":1}]`
		if name == "B/r3.json" {
			text = "nothing"
		}
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	status, out, errs := run(t, "batch", "plan", "--a", "A/*", "--b", "B/*", "--by", "rank", "-o", "m.csv")
	if status != 0 || !strings.Contains(out, "m.csv: 2 pairs") || !strings.Contains(errs, "r2.json: no trace of B") {
		t.Fatalf("status %d, %s, %s", status, out, errs)
	}
	batch := func(want int, args ...string) (o batchOutcome, errs string) {
		t.Helper()
		status, out, errs := run(t, append([]string{"batch", "m.csv", "-o", "out", "--json"}, args...)...)
		if err := json.Unmarshal([]byte(out), &o); status != want || err != nil && want < 2 {
			t.Fatalf("%q: status %d, %s, %s, %v", args, status, out, errs, err)
		}
		return o, errs
	}
	if o, _ := batch(0, "--shard", "1/2"); o.Compared != 1 || o.Shard != "1/2" || o.Pairs != 2 {
		t.Errorf("the first share: %+v", o)
	}
	t.Setenv("SLURM_ARRAY_TASK_ID", "7")
	t.Setenv("SLURM_ARRAY_TASK_MIN", "6")
	t.Setenv("SLURM_ARRAY_TASK_COUNT", "2")
	o, errs := batch(1)
	if o.Shard != "2/2" || o.Compared != 0 || len(o.Failed) != 1 || o.Failed[0].Pair != "3" ||
		!strings.HasPrefix(o.Failed[0].Error, "B/r3.json") || !strings.Contains(errs, "1 of 1 pair could not be compared: 3") {
		t.Errorf("the second share: %+v, %s", o, errs)
	}
	if o, _ := batch(1, "--shard", "1/1", "--resume"); o.Before != 1 || o.Compared != 0 || len(o.Failed) != 1 {
		t.Errorf("resumed: %+v", o)
	}
	if err := os.WriteFile("B/r3.json", []byte(`[{"name":"f","ph":"X","ts":1,"dur":7,"pid":1,"tid":1}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	if o, _ := batch(0, "--shard", "1/1", "--retry"); o.Before != 1 || o.Compared != 1 || len(o.Failed) != 0 {
		t.Errorf("retried: %+v", o)
	}
	if status, _, errs := run(t, "batch", "m.csv", "-o", "typed", "--sample-type", "x", "--shard", "1/1"); status != 1 ||
		!strings.Contains(errs, "2 of 2 pairs could not be compared") {
		t.Errorf("sample types: %d %s", status, errs)
	}
	for _, args := range [][]string{{"--shard", "3/2"}, {"--shard", "x"}} {
		batch(2, args...)
	}
	t.Setenv("SLURM_ARRAY_TASK_COUNT", "")
	if _, errs := batch(2); !strings.Contains(errs, "SLURM_ARRAY_TASK_COUNT") {
		t.Error(errs)
	}
}

// TestBatchKeepsInputs has a batch refuse to write over what it reads, whatever that is called.
func TestBatchKeepsInputs(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if status, _, errs := run(t, "generate", "--calls", "300", "--threads", "2", "a.uftrace", "b.uftrace"); status != 0 {
		t.Fatal(errs)
	}
	manifest := filepath.Join(dir, "pairs.csv")
	if err := os.WriteFile(manifest, []byte("a,b\na.uftrace,b.uftrace\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a.uftrace", "link"); err != nil {
		t.Skip(err)
	}
	before := content(t, dir)
	for _, out := range []string{"a.uftrace", "./b.uftrace", "link", "a.uftrace/out", "pairs.csv", "."} {
		if status, _, errs := run(t, "batch", manifest, "-o", out); status == 0 || errs == "" {
			t.Errorf("-o %s: exit status %d, %q", out, status, errs)
		}
		if after := content(t, dir); !maps.Equal(before, after) {
			t.Fatalf("-o %s: the files are now %q", out, after)
		}
	}
}

// TestPlanNamesWhatItRefuses: files that a manifest cannot name do not end a plan of the others. They
// are counted and named, each with the reason.
func TestPlanNamesWhatItRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"A/r1", "A/r2\xe9", "A/r3\r\n", "B/r1", "B/r2"} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Skip(err) // some systems have no such names
		}
	}
	status, out, errs := run(t, "batch", "plan", "--a", "A/*", "--b", "B/*", "--by", "rank", "-o", "m.csv")
	want := `diptych: A/r2\xe9: the name is not UTF-8, which a manifest has to be, so it is in no pair
diptych: A/r3\r\n: a manifest cannot keep a carriage return before a line feed, so it is in no pair
diptych: B/r2: no trace of A is its partner
`
	if status != 0 || errs != want || out != "m.csv: 1 pair; 2 files have names that a manifest cannot hold\n" {
		t.Errorf("exit status %d, %s%swant\n%s", status, out, errs, want)
	}
	if text := content(t, ".")["m.csv"]; text != "pair,a,b\n1,A/r1,B/r1\n" {
		t.Errorf("the manifest is %q", text)
	}
}
