package cli

import (
	"context"
	"errors"
	"io"
	"math"
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
// random moments, and holds that it does little of the work that was left.
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

// soon is how much of the work that was left, as a share of its processor time, a cancelled command may
// still do.
const soon = .5

// cancelSometimes cancels a command at a random moment of each part of its time but the last. The
// processor time it uses after that is held against what it would have used: both are of one run of
// the test, so that slow machines and the race detector do not matter. Since others may disturb a
// measurement, the same moment is tried again before it counts. This finds a command that does not pass
// its context on, or whose longest step ignores it; shorter steps are for the tests of their packages.
func cancelSometimes(t *testing.T, args []string) {
	whole, elapsed := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
	for range 2 { // the first one also sets up what lasts
		began, cpu := time.Now(), cpuTime()
		if err := runUntil(context.Background(), args); err != nil {
			t.Fatal(err)
		}
		whole, elapsed = min(whole, cpuTime()-cpu), min(elapsed, time.Since(began))
	}
	random := rand.New(rand.NewPCG(1, uint64(len(args[0]))))
	parts := testtrace.Sized(5, 20)
	for k := range parts - 1 {
		at := (time.Duration(k)*elapsed + time.Duration(random.Int64N(int64(elapsed)))) / time.Duration(parts)
		var used, left time.Duration
		tries := 5
		for ; tries > 0; tries-- {
			used, left = usedAfterCancel(t, args, at, whole)
			if float64(used) <= soon*float64(left) {
				break
			}
		}
		if tries == 0 {
			t.Errorf("cancelled after %v of %v: it uses %v of the %v of processor time that were left", at,
				elapsed, used, left)
		}
	}
}

// usedAfterCancel cancels a command so long after it began. It returns how much processor time it used
// after that, and how much it would have used of its whole. Both are 0 if it was done before.
func usedAfterCancel(t *testing.T, args []string, at, whole time.Duration) (used, left time.Duration) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	then := make(chan time.Duration, 1)
	began := cpuTime()
	timer := time.AfterFunc(at, func() { then <- cpuTime(); cancel() })
	err := runUntil(ctx, args)
	end := cpuTime()
	if timer.Stop() {
		return 0, 0
	}
	cancelled := <-then
	if err != nil && !errors.Is(err, context.Canceled) {
		t.Fatalf("cancelled after %v: %v", at, err)
	}
	return max(0, end-cancelled), max(0, whole-(cancelled-began))
}
