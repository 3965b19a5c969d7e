package cli

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"diptych/internal/testtrace"
)

// cpuTime returns the processor time that this process has used. Unlike the time of day it does not
// run on while others use the machine.
func cpuTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // fails for wrong arguments only
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// runUntil runs a command until ctx is done and returns its error.
func runUntil(ctx context.Context, args []string) error {
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(io.Discard)
	root.SetErr(io.Discard)
	return root.ExecuteContext(ctx)
}

// TestCancelledCommandsReturnSoon cancels each command, and so each loader and each engine, at
// random moments, and holds that it uses little more processor time after that.
func TestCancelledCommandsReturnSoon(t *testing.T) {
	dir := t.TempDir()
	calls := testtrace.Sized("1000", "1000000")
	slices := testtrace.Sized("8", "100") // aggregating costs their number to the third power
	pairs := map[string][2]string{}
	for _, format := range []string{"chrome", "uftrace"} {
		a, b := filepath.Join(dir, "a-"+format), filepath.Join(dir, "b-"+format)
		if status, _, errs := run(t, "generate", "--format", format, "--calls", calls, a, b); status != 0 {
			t.Fatal(errs)
		}
		pairs[format] = [2]string{a, b}
	}
	a, b := pairs["chrome"][0], pairs["chrome"][1]
	out := filepath.Join(dir, "out")
	for _, args := range [][]string{
		{"info", pairs["uftrace"][0]}, {"info", a},
		{"info", filepath.Join(testdata, "gotrace/pipeline-chan.gotrace")},
		{"info", filepath.Join(testdata, "pprof/pipeline-level9.cpu.pprof")},
		{"match", "--no-cache", a, b}, {"align", "--no-cache", a, b}, {"waits", a, b},
		{"structure", a, b}, {"aggregate", "--slices", slices, a, b}, {"diff", "--no-cache", a, b},
		{"export", "--no-cache", "--to", "perfetto", "-o", out, a, b},
		{"export", "--no-cache", "--to", "pprof", "-o", out, a, b},
		{"export", "--no-cache", "--to", "parquet", "--table", "calls", "-o", out, a, b},
	} {
		t.Run(strings.Join(args[:2], " "), func(t *testing.T) { cancelSometimes(t, args) })
	}
}

// soon is how much processor time a command may use after it was cancelled.
const soon = slowness * 100 * time.Millisecond

func cancelSometimes(t *testing.T, args []string) {
	began := time.Now()
	if err := runUntil(context.Background(), args); err != nil {
		t.Fatal(err)
	}
	whole := time.Since(began)
	random := rand.New(rand.NewPCG(1, uint64(len(args[0]))))
	for range testtrace.Sized(2, 20) {
		ctx, cancel := context.WithCancel(context.Background())
		at := time.Duration(random.Int64N(int64(whole)))
		then := make(chan time.Duration, 1)
		timer := time.AfterFunc(at, func() { then <- cpuTime(); cancel() })
		err := runUntil(ctx, args)
		end := cpuTime()
		if timer.Stop() {
			cancel()
			continue // it was done before
		}
		used := end - <-then
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatalf("cancelled after %v of %v: %v", at, whole, err)
		}
		if used > soon {
			t.Errorf("cancelled after %v of %v: uses %v of processor time after that", at, whole, used)
		}
	}
}
