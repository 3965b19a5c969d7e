package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"diptych/internal/traceio/input"
)

// TestAtOnce: sides are loaded at the same time if both are small and can be read again.
func TestAtOnce(t *testing.T) {
	a, b := builds[0], builds[1]
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(filepath.Join(testdata, "uftrace"), link); err != nil {
		t.Skip(err)
	}
	for _, x := range []struct {
		paths  []string
		memory input.Memory
		want   bool
	}{
		{[]string{a, b}, 0, true},
		{[]string{a, b}, 1 << 10, false},
		{[]string{link, b}, 1 << 10, false},
		{[]string{a, input.Standard}, 0, false},
		{[]string{a, filepath.Join(t.TempDir(), "missing")}, 0, true},
	} {
		if _, got := atOnce(t.Context(), x.paths, x.memory); got != x.want {
			t.Errorf("%v with %v: %v", x.paths, x.memory, got)
		}
	}
}

// TestFirstErrorIsOfA: if neither side can be loaded, A is what the error is about.
func TestFirstErrorIsOfA(t *testing.T) {
	dir := t.TempDir()
	bad, missing := filepath.Join(dir, "bad.json"), filepath.Join(dir, "missing.json")
	if err := os.WriteFile(bad, []byte(strings.Repeat("{", 1<<16)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, paths := range [][2]string{{bad, missing}, {missing, bad}, {bad, builds[1]},
		{missing, builds[1]}} {
		status, _, errs := run(t, "diff", "--no-cache", paths[0], paths[1])
		if status != 1 || !strings.Contains(errs, filepath.Base(paths[0])) {
			t.Errorf("%v: status %d, %q", paths, status, errs)
		}
	}
	if status, _, errs := run(t, "diff", "--no-cache", builds[0], missing); status != 1 ||
		!strings.Contains(errs, "missing.json") {
		t.Errorf("status %d, %q", status, errs)
	}
}
