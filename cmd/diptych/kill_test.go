package main

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// writer is a command that writes files, run in a directory of its own. Its inputs lie above that.
type writer struct {
	name    string
	args    []string
	targets []string
	blocks  []string // that a file can have in TestFullDisk, of 512 or 1024 bytes
}

var writers = []writer{
	{"export", []string{"export", "../a.json", "../b.json", "--to", "perfetto", "-o", "out.gz"},
		[]string{"out.gz"}, []string{"0"}},
	{"export a table", []string{"export", "../a.json", "../b.json", "--to", "csv", "--table", "calls",
		"-o", "out.csv"}, []string{"out.csv"}, []string{"8"}},
	{"export Parquet", []string{"export", "../a.json", "../b.json", "--to", "parquet", "--table", "calls",
		"-o", "out.parquet"}, []string{"out.parquet"}, []string{"8"}},
	{"align", []string{"align", "--dump", "dump", "../a.json", "../b.json"}, []string{"dump"}, []string{"8"}},
	{"render", []string{"render", "../a.json", "../b.json", "--size", "320x200", "-o", "out.png"},
		[]string{"out.png"}, []string{"0"}},
	{"generate", []string{"generate", "--calls", "10000", "--seed", "3", "x.json.gz", "y.json"},
		[]string{"x.json.gz", "y.json", "y.json.truth.json"}, []string{"0", "100"}},
	{"generate directories", []string{"generate", "--calls", "10000", "--threads", "3", "x", "y"},
		[]string{"x", "y", "y.truth.json"}, []string{"8"}},
}

// kills is how many runs of all commands together are ended before they would end.
func kills() int {
	if os.Getenv("DIPTYCH_LONG") != "" {
		return 504
	}
	return len(writers)
}

// digest returns what a target holds, a file or a directory: equal texts are equal content. A
// target that is not there has none.
func digest(t *testing.T, path string) string {
	t.Helper()
	h := sha256.New()
	_ = filepath.WalkDir(path, func(name string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		rel, err := filepath.Rel(path, name)
		fmt.Fprintf(h, "%s %d ", rel, len(text))
		h.Write(text)
		return err
	})
	return fmt.Sprintf("%x", h.Sum(nil))
}

// digests returns what all targets of a command hold.
func (w *writer) digests(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, target := range w.targets {
		all[target] = digest(t, filepath.Join(dir, target))
	}
	return all
}

// pairAbove makes a pair of traces in a directory, and one for temporary files.
func pairAbove(t *testing.T, dir string) {
	t.Helper()
	generate := program(t, "", "generate", "--calls", "4000", "a.json", "b.json")
	generate.Dir = dir
	if out, err := generate.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := os.Mkdir(filepath.Join(dir, "tmp"), 0o700); err != nil {
		t.Fatal(err)
	}
}

// command returns the command, to be run in a directory.
func (w *writer) command(t *testing.T, dir string) *exec.Cmd {
	t.Helper()
	cmd := program(t, "", w.args...)
	cmd.Dir = dir
	cmd.Env = append(cmd.Env, "TMPDIR="+filepath.Join(dir, "..", "tmp"))
	return cmd
}

// start begins the command in a directory.
func (w *writer) start(t *testing.T, dir string) *exec.Cmd {
	t.Helper()
	cmd := w.command(t, dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// run runs it to its end.
func (w *writer) run(t *testing.T, dir string) {
	t.Helper()
	if err := w.start(t, dir).Wait(); err != nil {
		t.Fatalf("%s: %v", w.name, err)
	}
}

// old puts what an earlier run could have left in the place of the targets.
func (w *writer) old(t *testing.T, dir string) {
	t.Helper()
	for _, target := range w.targets {
		at := filepath.Join(dir, target)
		if err := os.RemoveAll(at); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(target, ".") || target == "dump" {
			if err := os.WriteFile(at, []byte("old"), 0o600); err != nil {
				t.Fatal(err)
			}
		} else if err := os.Mkdir(at, 0o700); err != nil { // as generate replaces it
			t.Fatal(err)
		}
	}
}

// TestKills ends the commands that write files at random moments, by SIGKILL and by signals that
// they hear: each target holds what it held, or what it should; and at the latest after the next
// run nothing else is left.
func TestKills(t *testing.T) {
	above := t.TempDir()
	pairAbove(t, above)
	random := rand.New(rand.NewPCG(1, 2))
	for _, w := range writers {
		t.Run(w.name, func(t *testing.T) {
			if os.Getenv("DIPTYCH_LONG") == "" && slices.Contains([]string{"render", "export", "align"}, w.name) {
				t.Skip("it writes as an exported table is written, and takes longer")
			}
			dir := filepath.Join(above, w.name)
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			w.run(t, dir)
			took := time.Since(began)
			fresh := w.digests(t, dir)
			w.old(t, dir)
			before := w.digests(t, dir)
			ended, wanted, runs := 0, kills()/len(writers), 0
			for ; ended < wanted; runs++ {
				if runs == 20*(wanted+1) {
					t.Fatalf("%d of %d runs ended early: the moments are not those of a run", ended, runs)
				}
				w.old(t, dir)
				killed := w.besides(t, dir)
				cmd := w.start(t, dir)
				time.Sleep(time.Duration(random.Int64N(int64(took)))) // the moment is what varies
				signal := []os.Signal{os.Kill, os.Kill, syscall.SIGTERM, syscall.SIGHUP}[random.IntN(4)]
				_ = cmd.Process.Signal(signal) // it may have ended, and then it does not count
				if cmd.Wait() != nil {
					ended++
				}
				for target, got := range w.digests(t, dir) {
					if got != before[target] && got != fresh[target] {
						t.Errorf("%v: %s is neither old nor new", signal, target)
					}
				}
				if signal != os.Kill { // what a kill left may stay if this run ended before it began to write
					w.nothingElse(t, dir, killed...)
				}
			}
			w.old(t, dir)
			w.run(t, dir)
			if got := w.digests(t, dir); !maps.Equal(got, fresh) {
				t.Errorf("the run after that gives %v, want %v", got, fresh)
			}
			w.nothingElse(t, dir)
			t.Logf("%d of %d runs ended early", ended, runs)
		})
	}
}

// besides returns the names of what lies beside the targets.
func (w *writer) besides(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !slices.Contains(w.targets, e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names
}

// nothingElse checks that there is nothing but the targets and what is known, and nothing among
// temporary files.
func (w *writer) nothingElse(t *testing.T, dir string, known ...string) {
	t.Helper()
	for _, name := range w.besides(t, dir) {
		if !slices.Contains(known, name) {
			t.Errorf("left beside the targets: %s", name)
		}
	}
	if left, err := os.ReadDir(filepath.Join(dir, "..", "tmp")); err != nil || len(left) > 0 {
		t.Errorf("left temporary: %v, %v", left, err)
	}
}
