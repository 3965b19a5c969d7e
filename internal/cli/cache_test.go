package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"diptych/internal/report"
	"diptych/internal/store"
	"diptych/internal/testtrace"
)

// shared is a directory for recordings that several tests read.
var shared string

// interrupted is the environment variable that makes this binary the program that TestBatchInterrupted
// interrupts: its arguments, one a line.
const interrupted = "DIPTYCH_CLI_INTERRUPTED"

// TestMain keeps tests away from the user's results. The heaps of tests are small, so that
// collecting them as often as those of large traces would take a third of the time.
func TestMain(m *testing.M) {
	if args := os.Getenv(interrupted); args != "" {
		os.Exit(Main(strings.Split(args, "\n"), os.Stdout, os.Stderr))
	}
	os.Setenv("GOGC", "400")
	debug.SetGCPercent(400)
	dir, err := os.MkdirTemp("", "diptych-test-")
	if err != nil {
		panic(err)
	}
	os.Setenv(store.Variable, filepath.Join(dir, "results"))
	if shared = filepath.Join(dir, "shared"); os.Mkdir(shared, 0o700) != nil {
		panic("no directory for what tests share")
	}
	status := m.Run()
	os.RemoveAll(dir)
	os.Exit(status)
}

// keepAll makes commands store all results in a directory, and returns the directory.
func keepAll(t *testing.T) (dir string) {
	dir = t.TempDir()
	t.Setenv(store.Variable, dir)
	openStore = func() *store.Store {
		s := store.Open()
		s.All = true
		return s
	}
	t.Cleanup(func() { openStore = store.Open })
	return dir
}

// builds are the traces that most tests compare: a small pair, or in the long run one of four times
// as many calls.
var builds = testtrace.Sized([]string{filepath.Join(testdata, "gotrace/pipeline-mutex.gotrace"),
	filepath.Join(testdata, "gotrace/pipeline-chan.gotrace")},
	[]string{filepath.Join(testdata, "chrome/go-build-cold.json.gz"),
		filepath.Join(testdata, "chrome/go-build-warm.json.gz")})

// TestMatchCached holds that a comparison is computed once, that the stored result equals the
// computed one, and that --no-cache neither reads nor writes the store.
func TestMatchCached(t *testing.T) {
	dir := keepAll(t)
	args := append([]string{"match", "--json"}, builds...)
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

// TestAlignCached holds the same of an alignment, and that only the default engine's is stored.
func TestAlignCached(t *testing.T) {
	dir := keepAll(t)
	args := append([]string{"align", "--json"}, builds...)
	compare := func(more ...string) report.Align {
		t.Helper()
		status, out, errs := run(t, append(args, more...)...)
		var a report.Align
		if err := json.Unmarshal([]byte(out), &a); err != nil || status != 0 {
			t.Fatalf("exit status %d, %v, %q", status, err, errs)
		}
		a.ElapsedNs = report.Elapsed{}
		return a
	}
	plain := compare("--no-cache")
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 || plain.Cached {
		t.Errorf("--no-cache: cached %v, left %v, %v", plain.Cached, files, err)
	}
	two := "--pairs=" + *plain.Pairs[0].A + ":" + *plain.Pairs[0].B
	for i, c := range []struct {
		args []string
		want bool // cached
	}{
		{nil, false}, {nil, true}, {[]string{"--no-cache"}, false},
		{[]string{"--engine", "hybrid"}, false}, {[]string{"--engine", "hybrid"}, false},
		{[]string{two}, false}, {[]string{two}, true}, {nil, true},
	} {
		got := compare(c.args...)
		if got.Cached != c.want {
			t.Errorf("run %d: cached %v", i, got.Cached)
		}
		got.Cached = false
		a, _ := json.Marshal(got)
		b, _ := json.Marshal(plain)
		if got.Engine == plain.Engine && len(got.Pairs) == len(plain.Pairs) && !bytes.Equal(a, b) {
			t.Errorf("run %d: %s, want %s", i, a, b)
		}
	}
}

// TestOneAlignmentForAll holds that what one command aligned serves the others, with the same
// outcome.
func TestOneAlignmentForAll(t *testing.T) {
	dir := keepAll(t)
	var last *store.Store
	open := openStore
	openStore = func() *store.Store {
		last = open()
		return last
	}
	outcome := func(args ...string) string {
		t.Helper()
		out := filepath.Join(dir, "out")
		args = append(args, builds...)
		if args[0] == "export" {
			args = append(args, "-o", out)
		}
		status, text, errs := run(t, args...)
		if status != 0 {
			t.Fatalf("exit status %d, %q", status, errs)
		}
		if args[0] == "export" {
			b, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			text = string(b)
		}
		return text
	}
	if outcome("align"); last.Counts().Stored != 1 {
		t.Fatalf("%+v", last.Counts())
	}
	for _, args := range [][]string{{"align"}, {"diff", "--format", "md"},
		{"export", "--to", "csv", "--table", "calls"}, {"export", "--to", "perfetto"}} {
		want := outcome(append(args, "--no-cache")...)
		last = nil
		if got := outcome(args...); got != want {
			t.Errorf("%v: %q, want %q", args, got, want)
		}
		if last == nil || last.Counts().Hits != 1 {
			t.Errorf("%v: not found", args)
		}
	}
}
