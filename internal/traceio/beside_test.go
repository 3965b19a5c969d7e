package traceio_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
)

// tree returns the files of an archive by their paths.
func tree(t testing.TB, archive []byte) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for _, m := range unrolled(t, archive) {
		files[m.name] = m.data
	}
	return files
}

// TestAnchorFile opens an archive of several files by the one that stands for all, by the directory
// that holds them, and by those above: the trace is the same, and all bytes count for progress.
func TestAnchorFile(t *testing.T) {
	inTestdata(t)
	want, err := load("otf2/kinds.data.tar.gz")
	if err != nil {
		t.Fatal(err)
	}
	top := t.TempDir()
	dir := filepath.Join(top, "runs", "monday")
	for name, data := range tree(t, gunzipped(t, read(t, "otf2/kinds.data.tar.gz"))) {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, at := range []string{top, filepath.Dir(dir), dir, filepath.Join(dir, "kinds.otf2")} {
		var p progress
		tr, err := traceio.Load(context.Background(), at, input.Options{Progress: p.report})
		if err != nil {
			t.Errorf("%s: %v", at, err)
			continue
		}
		if got, want := asText(t, tr), asText(t, want); got != want {
			t.Errorf("%s: %s", at, firstDifference(got, want))
		}
		if p.most != p.total || p.exceeded || p.total < 3000 && at != top { // that is too far above
			t.Errorf("%s: %d of %d bytes are reported", at, p.most, p.total)
		}
	}
	packed := filepath.Join(dir, "packed")
	if err := os.WriteFile(packed, gzipped(read(t, filepath.Join(dir, "kinds.otf2"))), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := load(packed); err == nil || !strings.Contains(err.Error(), "without the files that lie beside it") {
		t.Errorf("a packed anchor: %v", err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "kinds", "0.evt")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "kinds", "0.evt"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := load(dir); err == nil || !strings.Contains(err.Error(), "kinds/0.evt: cannot open: it is a directory") {
		t.Errorf("a directory for events: %v", err)
	}
}
