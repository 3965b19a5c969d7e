package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"diptych/internal/report"
	"diptych/internal/store"
)

// TestMain keeps tests away from the user's results.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "diptych-test-")
	if err != nil {
		panic(err)
	}
	os.Setenv(store.Variable, dir)
	status := m.Run()
	os.RemoveAll(dir)
	os.Exit(status)
}

// TestMatchCached holds that a comparison is made once, that it comes out the same when it is found,
// and that --no-cache neither finds nor leaves anything.
func TestMatchCached(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(store.Variable, dir)
	openStore = func() *store.Store {
		s := store.Open()
		s.All = true
		return s
	}
	defer func() { openStore = store.Open }()
	args := []string{"match", "--json", filepath.Join(testdata, "chrome/go-build-cold.json.gz"),
		filepath.Join(testdata, "chrome/go-build-warm.json.gz")}
	compare := func(more ...string) report.Match {
		t.Helper()
		status, out, errs := run(t, append(args, more...)...)
		var m report.Match
		if err := json.Unmarshal([]byte(out), &m); err != nil || status != 0 {
			t.Fatalf("exit status %d, %v, %q", status, err, errs)
		}
		m.ElapsedNs = report.Elapsed{}
		return m
	}
	plain := compare("--no-cache")
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 || plain.Cached {
		t.Errorf("--no-cache: cached %v, left %v, %v", plain.Cached, files, err)
	}
	for i, c := range []struct {
		args []string
		want bool // cached
	}{
		{nil, false}, {nil, true}, {[]string{"--no-cache"}, false}, {[]string{"--tau", "0.3"}, false},
		{[]string{"--tau", "3/10"}, true}, {nil, true},
	} {
		got := compare(c.args...)
		if got.Cached != c.want {
			t.Errorf("run %d: cached %v", i, got.Cached)
		}
		got.Cached = false
		a, _ := json.Marshal(got)
		b, _ := json.Marshal(plain)
		if got.Tau == plain.Tau && !bytes.Equal(a, b) {
			t.Errorf("run %d: %s, want %s", i, a, b)
		}
	}
}
