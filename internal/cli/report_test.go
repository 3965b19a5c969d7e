package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"diptych/internal/testtrace"
)

func TestReportTarget(t *testing.T) {
	for _, c := range []struct{ to, out, format, path, err string }{
		{"", "a.html", "html", "a.html", ""},
		{"", "a", "html", "a", ""},
		{"", "a.md", "md", "a.md", ""},
		{"", "a.md.gz", "md", "a.md.gz", ""},
		{"html", "a.md", "html", "a.md", ""},
		{"html", "-", "html", "-", ""},
		{"md", "", "md", "-", ""},
		{"md", "a.txt", "md", "a.txt", ""},
		{"", "", "", "", "report needs -o OUT.html"},
		{"pdf", "a.pdf", "", "", "--to pdf: want html or md"},
	} {
		format, path, err := reportTarget(c.to, c.out)
		if said := errorText(err); format != c.format || path != c.path || said != c.err {
			t.Errorf("%q %q: %q, %q, %q", c.to, c.out, format, path, said)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestReport writes both formats, and holds that they begin with the answer.
func TestReport(t *testing.T) {
	dir := t.TempDir()
	a, b, page := filepath.Join(dir, "a.json"), filepath.Join(dir, "b.json"), filepath.Join(dir, "out.html")
	testtrace.WriteScript(t, a, "read", 2., "parse", 5.)
	testtrace.WriteScript(t, b, "read", 2., "parse", 9., "check", 1.)
	if status, out, errs := run(t, "report", a, b, "-o", page, "--no-cache"); status != 0 || out != "" {
		t.Fatalf("status %d, %q, %q", status, out, errs)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	const answer = "B takes 5.00 ms longer than A (1.71×)"
	for _, want := range []string{"<!doctype html>", answer + "</h1>", "check is new in B", "<svg "} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the page does not hold %q", want)
		}
	}
	status, out, errs := run(t, "report", "--to", "md", a, b, "--no-cache")
	if status != 0 || !strings.HasPrefix(out, "**"+answer+"**\n") || strings.Count(out, "<details>") == 0 {
		t.Errorf("status %d, %s%s", status, out, errs)
	}
	if status, _, errs = run(t, "report", a, b); status != 2 || !strings.Contains(errs, "needs -o") {
		t.Errorf("without -o: status %d, %s", status, errs)
	}
	if status, _, errs = run(t, "report", a, b, "-o", a); status != 2 {
		t.Errorf("over an input: status %d, %s", status, errs)
	}
}
