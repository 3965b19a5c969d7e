package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"diptych/internal/store"
	"diptych/internal/trace"
	"diptych/internal/tracefile"
	"diptych/internal/traceio/input"
)

// TestTracesKept: a trace that was kept is what a command shows the next time, --no-cache neither
// reads nor writes it, and of a damaged one that is said.
func TestTracesKept(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(store.Variable, dir)
	usual := openCache
	openCache = func() *tracefile.Cache {
		c := usual()
		c.All = true
		return c
	}
	t.Cleanup(func() { openCache = usual })
	info := func(more ...string) string {
		t.Helper()
		status, out, errs := run(t, append([]string{"info", builds[0]}, more...)...)
		if status != 0 || errs != "" {
			t.Fatalf("status %d: %s", status, errs)
		}
		lines := strings.Split(out, "\n")
		for i, l := range lines {
			if strings.HasPrefix(l, "memory") { // what the heap holds differs
				lines[i] = ""
			}
		}
		return strings.Join(lines, "\n")
	}
	plain := info("--no-cache")
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("--no-cache left %v, %v", left, err)
	}
	if info() != plain {
		t.Error("keeping a trace changes what is shown")
	}
	files := filepath.Join(dir, "traces", "*.trace")
	kept, err := filepath.Glob(files)
	for tries := 0; len(kept) == 0 && tries < 8; tries++ { // of a recording changed a moment ago
		time.Sleep(time.Second / 2)
		info()
		kept, err = filepath.Glob(files)
	}
	if err != nil || len(kept) != 1 {
		t.Fatalf("kept are %v, %v", kept, err)
	}
	if info() != plain {
		t.Error("a kept trace is shown otherwise")
	}
	if err := os.Remove(kept[0]); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(kept[0], []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	status, _, errs := run(t, "info", builds[0])
	if status != 0 || !strings.Contains(errs, "damaged") {
		t.Errorf("status %d, %q", status, errs)
	}
}

// TestDamageWhileACommandWorks: a stored trace that is cut while a command works with it is one line
// that names it, and any other panic stays one.
func TestDamageWhileACommandWorks(t *testing.T) {
	dir := t.TempDir()
	k := &keeping{cache: tracefile.At(dir, tracefile.DefaultLimit)}
	k.cache.All = true
	load := func() *trace.Trace {
		tr, err := k.cache.Load(t.Context(), builds[0], input.Options{})
		if err != nil {
			t.Fatal(err)
		}
		k.cache.Wait(t.Context())
		return tr
	}
	load()
	files, err := filepath.Glob(filepath.Join(dir, "*.trace"))
	for tries := 0; len(files) == 0 && tries < 8; tries++ { // of a recording changed a moment ago
		time.Sleep(time.Second / 2)
		load()
		files, err = filepath.Glob(filepath.Join(dir, "*.trace"))
	}
	if err != nil || len(files) != 1 {
		t.Fatalf("kept are %v, %v", files, err)
	}
	tr := load() // mapped
	root := &cobra.Command{Use: "diptych"}
	cmd, err := k.guard(root, func() (*cobra.Command, error) {
		if err := os.Truncate(files[0], 0); err != nil {
			t.Fatal(err)
		}
		return nil, fmt.Errorf("it takes %d ns", tr.Threads[0].Dur(0))
	})
	if cmd != root || err == nil || !strings.Contains(err.Error(), files[0]+" was damaged while it was in use") {
		t.Errorf("%v", err)
	}
	defer func() {
		if p := recover(); p != "another" {
			t.Errorf("recovered %v", p)
		}
	}()
	_, _ = k.guard(root, func() (*cobra.Command, error) { panic("another") })
}
