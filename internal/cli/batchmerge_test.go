package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// comparedBatch returns the directory of a batch of three pairs, of which the last has no traces.
func comparedBatch(t *testing.T) string {
	t.Helper()
	manifest, dir := filepath.Join(t.TempDir(), "pairs.csv"), filepath.Join(t.TempDir(), "out")
	lines := "pair,a,b\n"
	for _, p := range [][3]string{{"same", queueA(), queueA()}, {"other", queueA(), queueB()}, {"broken", "none", "none"}} {
		a, errA := filepath.Abs(p[1])
		b, errB := filepath.Abs(p[2])
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		lines += strings.Join([]string{p[0], a, b}, ",") + "\n"
	}
	if err := os.WriteFile(manifest, []byte(lines), 0o666); err != nil {
		t.Fatal(err)
	}
	if status, _, errs := run(t, "batch", manifest, "-o", dir); status != 1 || !strings.Contains(errs, "broken") {
		t.Fatalf("exit status %d, %q", status, errs)
	}
	return dir
}

// TestBatchMerge holds what a merge says of a batch with a broken pair, and of one that lacks parts
// or has damaged ones.
func TestBatchMerge(t *testing.T) {
	dir := comparedBatch(t)
	status, out, errs := run(t, "batch", "merge", dir)
	if status != 1 || !strings.Contains(errs, "1 of 3 pairs could not be compared: broken") ||
		!strings.Contains(out, "3, 1 of them failed") {
		t.Errorf("exit status %d, %q\n%s", status, errs, out)
	}
	text, err := os.ReadFile(filepath.Join(dir, "totals.json"))
	if err != nil {
		t.Fatal(err)
	}
	var kept map[string]any
	if err := json.Unmarshal(text, &kept); err != nil {
		t.Fatal(err)
	}
	got := mergeJSON(t, 1, dir)
	for key, value := range kept {
		if text, _ := json.Marshal(value); got[key] == nil || string(text) != marshalled(t, got[key]) {
			t.Errorf("%s is %v, and %v in totals.json", key, got[key], value)
		}
	}
	if got["complete"] != true {
		t.Errorf("complete: %v", got["complete"])
	}
	damage := filepath.Join(dir, "parts", "00001", "waits.parquet")
	if err := os.Truncate(damage, 9); err != nil {
		t.Fatal(err)
	}
	got = mergeJSON(t, 1, dir)
	if text := marshalled(t, got["damaged"]); !strings.Contains(text, `"file":"parts/00001/waits.parquet"`) {
		t.Errorf("damaged %s", text)
	}
	if err := os.RemoveAll(filepath.Dir(damage)); err != nil {
		t.Fatal(err)
	}
	got = mergeJSON(t, 1, dir, "--shards", "2")
	if text := marshalled(t, []any{got["missingParts"], got["missingPairs"], got["missingShards"]}); text !=
		`[[[1,1]],[[2,2]],["2/2"]]` || got["complete"] != false || got["pairs"] != nil {
		t.Errorf("missing %s, %v", text, got)
	}
	if status, out, _ := run(t, "batch", "merge", dir); status != 1 || !strings.Contains(out, "00001") {
		t.Errorf("exit status %d\n%s", status, out)
	}
}

// mergeJSON runs batch merge --json.
func mergeJSON(t *testing.T, want int, args ...string) (got map[string]any) {
	t.Helper()
	status, out, errs := run(t, append([]string{"batch", "merge", "--json"}, args...)...)
	if err := json.Unmarshal([]byte(out), &got); err != nil || status != want {
		t.Fatalf("exit status %d, %q, %v", status, errs, err)
	}
	return got
}

func marshalled(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestBatchMergeOfNoBatch(t *testing.T) {
	status, _, errs := run(t, "batch", "merge", t.TempDir())
	if status != 1 || !strings.Contains(errs, "holds no batch") {
		t.Errorf("exit status %d, %q", status, errs)
	}
	if status, _, _ := run(t, "batch", "merge", t.TempDir(), "--shards", "-1"); status != 2 {
		t.Errorf("--shards -1: exit status %d", status)
	}
}
