package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"diptych/internal/testtrace"
)

// TestBatchReport holds that page and JSON name the pair of six in which a function takes longer, and
// the one that cannot be read, and that they are the same bytes once the batch is merged.
func TestBatchReport(t *testing.T) {
	dir := t.TempDir()
	manifest := "pair,a,b\n"
	for k := range 6 {
		ms := 10.
		if k == 4 {
			ms = 25
		}
		testtrace.WriteScript(t, filepath.Join(dir, fmt.Sprintf("a%d.json", k)), "init", 4., "solve", 10., "end", 4.)
		testtrace.WriteScript(t, filepath.Join(dir, fmt.Sprintf("b%d.json", k)), "init", 4., "solve", ms, "end", 4.)
		manifest += fmt.Sprintf("rank %d,a%d.json,b%d.json\n", k, k, k)
	}
	pairs, out := filepath.Join(dir, "pairs.csv"), filepath.Join(dir, "out")
	if err := os.WriteFile(pairs, []byte(manifest+"rank 6,a0.json,none.json\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, _, errs := run(t, "batch", pairs, "-o", out); status != 1 {
		t.Fatalf("exit status %d: %s", status, errs)
	}
	page := filepath.Join(dir, "report.html")
	status, text, errs := run(t, "batch", "report", out, "-o", page, "--json")
	var got fleetJSON
	if err := json.Unmarshal([]byte(text), &got); err != nil || status != 0 {
		t.Fatalf("exit status %d, %v: %s", status, err, errs)
	}
	if got.Pairs != 7 || len(got.Failed) != 1 || len(got.Outliers) != 1 || got.Outliers[0].Pair != "rank 4" ||
		got.Outliers[0].Function != "solve" || got.Outliers[0].DeltaNs != 15e6 {
		t.Errorf("%s", text)
	}
	html, err := os.ReadFile(page)
	if err != nil || !strings.Contains(string(html), "solve takes 2.50× as long") {
		t.Errorf("the page does not name solve: %v", err)
	}
	run(t, "batch", "merge", out)
	before := content(t, out)
	wrong := filepath.Join(dir, "report.md")
	status, _, errs = run(t, "batch", "report", out, "-o", wrong)
	if _, err := os.Stat(wrong); status != 2 || !strings.Contains(errs, "ends in .html") || err == nil {
		t.Errorf("-o report.md: exit status %d: %s", status, errs)
	}
	for _, own := range []string{"batch.json", "pairs.parquet", "parts/00000/pairs.parquet", "new.html"} {
		if status, _, errs := run(t, "batch", "report", out, "-o", filepath.Join(out, own)); status != 2 ||
			!strings.Contains(errs, "belongs to") {
			t.Errorf("-o %s: exit status %d: %s", own, status, errs)
		}
	}
	if !maps.Equal(before, content(t, out)) {
		t.Error("a report has changed its batch")
	}
	if _, again, _ := run(t, "batch", "report", out, "--json"); again != text {
		t.Error("the merged batch has another report")
	}
}

// TestReportOfTests: of pairs that have little in common the JSON ranks what changed.
func TestReportOfTests(t *testing.T) {
	dir := t.TempDir()
	manifest := "pair,a,b\n"
	for k := range 4 {
		own := fmt.Sprint("Test", k)
		testtrace.WriteScript(t, filepath.Join(dir, fmt.Sprintf("a%d.json", k)), "init", 1., own, 20.)
		testtrace.WriteScript(t, filepath.Join(dir, fmt.Sprintf("b%d.json", k)), "init", 1., own, 20.+float64(2*k))
		manifest += fmt.Sprintf("test %d,a%d.json,b%d.json\n", k, k, k)
	}
	pairs, out := filepath.Join(dir, "pairs.csv"), filepath.Join(dir, "out")
	if err := os.WriteFile(pairs, []byte(manifest), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, _, errs := run(t, "batch", pairs, "-o", out); status != 0 {
		t.Fatalf("exit status %d: %s", status, errs)
	}
	page := filepath.Join(dir, "report.html")
	_, text, _ := run(t, "batch", "report", out, "-o", page, "--json")
	var got fleetJSON
	if err := json.Unmarshal([]byte(text), &got); err != nil || !got.Diverse || got.Common.Functions != 6 ||
		got.Common.Shared != 2 || len(got.Changed) != 4 {
		t.Fatalf("%v: %s", err, text)
	}
	for i, o := range got.Changed {
		if want := fmt.Sprint("test ", 3-i); o.Pair != want || i < 3 && o.Function != fmt.Sprint("Test", 3-i) {
			t.Errorf("place %d: %+v, want %s", i, o, want)
		}
	}
	html, err := os.ReadFile(page)
	if err != nil || !strings.Contains(string(html), "Changed most") || !strings.Contains(string(html), "little in common") {
		t.Errorf("the page does not say so: %v", err)
	}
}

func TestBatchReportSaysWhereItGoes(t *testing.T) {
	for _, args := range [][]string{{}, {"-o", "-", "--json"}} {
		if status, _, errs := run(t, append([]string{"batch", "report", "x"}, args...)...); status != 2 {
			t.Errorf("%v: exit status %d: %s", args, status, errs)
		}
	}
	if status, _, errs := run(t, "batch", "report", t.TempDir(), "--json"); status != 1 || !strings.Contains(errs, "no batch") {
		t.Errorf("exit status %d: %s", status, errs)
	}
}
