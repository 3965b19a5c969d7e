//go:build unix

package cli

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"diptych/internal/testtrace"
)

// pairsInterrupted is how many pairs its batch has; each is a part.
const pairsInterrupted = 40

// TestBatchInterrupted presses Ctrl-C in the middle of a batch: the exit status says so, what was
// done is told, parts are whole or absent, and --resume completes the batch to that of one run, to
// the byte.
func TestBatchInterrupted(t *testing.T) {
	dir := t.TempDir()
	testtrace.WriteScript(t, filepath.Join(dir, "a.json"), "f", 10., "g", 20.)
	testtrace.WriteScript(t, filepath.Join(dir, "b.json"), "f", 10., "g", 30.)
	pairs, whole := filepath.Join(dir, "pairs.csv"), filepath.Join(dir, "whole")
	if err := os.WriteFile(pairs, []byte("a,b\n"+strings.Repeat("a.json,b.json\n", pairsInterrupted)), 0o600); err != nil {
		t.Fatal(err)
	}
	mustRun(t, "batch", pairs, "-o", whole)
	want := filesBelow(t, whole)
	for try := 1; ; try++ {
		out := filepath.Join(dir, fmt.Sprint("out", try))
		status, errs := interruptBatch(t, pairs, out)
		if status == 0 && try < 5 {
			continue // it was done before the signal came
		}
		left, err := os.ReadDir(filepath.Join(out, "parts"))
		if err != nil || status != 128+int(syscall.SIGINT) || len(left) == 0 || len(left) == pairsInterrupted ||
			!strings.Contains(errs, fmt.Sprintf("%d of %d pairs done; --resume does the rest", len(left), pairsInterrupted)) {
			t.Fatalf("exit status %d with %d parts, %v: %s", status, len(left), err, errs)
		}
		for name, text := range filesBelow(t, out) {
			if text != want[name] {
				t.Errorf("interrupted, %s is left, or not whole", name)
			}
		}
		mustRun(t, "batch", pairs, "-o", out, "--resume")
		if !maps.Equal(want, filesBelow(t, out)) {
			t.Error("resumed, the batch is not that of one run")
		}
		return
	}
}

// interruptBatch runs a batch in a process of its own, and interrupts that once a part is there.
func interruptBatch(t *testing.T, pairs, out string) (status int, errs string) {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), "GOMAXPROCS=1", interrupted+"="+strings.Join([]string{"batch", pairs, "-o", out}, "\n"))
	var said strings.Builder
	c.Stderr = &said
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	for {
		if parts, _ := filepath.Glob(filepath.Join(out, "parts", "[0-9]*")); len(parts) > 0 {
			_ = c.Process.Signal(syscall.SIGINT) // it may have ended
			break
		}
		select {
		case err := <-ended:
			t.Fatalf("it ended before a part was there: %v: %s", err, said.String())
		case <-time.After(time.Millisecond):
		}
	}
	err := <-ended
	if left := new(exec.ExitError); err != nil && !errors.As(err, &left) {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), said.String()
}
