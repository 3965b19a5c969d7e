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
