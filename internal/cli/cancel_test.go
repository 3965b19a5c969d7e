package cli

import (
	"context"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"diptych/internal/testtrace"
)

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
	calls := testtrace.Sized("1000", "300000")
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

// soon is how much of its work a command may still do that is cancelled before it begins, as a share
// of the processor time of all of it.
const soon = .5

// soonAfter is the same for later moments, of the work that is left then. What takes less than
// measurable is not judged: the usual run has small inputs, the long one large ones.
const (
	soonAfter  = .5
	measurable = 500 * time.Millisecond
)

// cancelSometimes cancels a command before it begins, and at a random moment of each part of its
// time. The first must spare most of the work, which finds a command that does not pass its context
// on. All figures are of one run of the test, so that slow machines and the race detector do not
// matter, and since others may disturb a measurement it is repeated before it counts.
func cancelSometimes(t *testing.T, args []string) {
	whole, elapsed := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
	for range 2 { // the first one also sets up what lasts
		began, cpu := time.Now(), testtrace.Processor()
		if err := runUntil(context.Background(), args); err != nil {
			t.Fatal(err)
		}
		whole, elapsed = min(whole, testtrace.Processor()-cpu), min(elapsed, time.Since(began))
	}
	tryCancel(t, args, 0, soon, func() (used, left time.Duration) {
		done, cancel := context.WithCancel(context.Background())
		cancel()
		began := testtrace.Processor()
		if err := runUntil(done, args); !errors.Is(err, context.Canceled) {
			t.Fatalf("cancelled before it began: %v", err)
		}
		return testtrace.Processor() - began, whole
	})
	random := rand.New(rand.NewPCG(1, uint64(len(args[0]))))
	parts := testtrace.Sized(2, 4)
	for k := range parts {
		at := (time.Duration(k)*elapsed + time.Duration(random.Int64N(int64(elapsed)))) / time.Duration(parts)
		tryCancel(t, args, at, soonAfter, func() (used, left time.Duration) {
			if used, left = usedAfterCancel(t, args, at, whole); left < measurable {
				return 0, 0
			}
			return used, left
		})
	}
}

// beside is processor time that the program takes beside what it is to do, such as to collect what
// tests before have left: the smallest command takes half of that.
const beside = 10 * time.Millisecond

// tryCancel fails the test if a command that was cancelled uses more than the given share of the
// processor time that was left, five times over.
func tryCancel(t *testing.T, args []string, at time.Duration, share float64,
	cancelled func() (used, left time.Duration)) {
	t.Helper()
	var used, left time.Duration
	for range 5 {
		runtime.GC()
		if used, left = cancelled(); float64(used-beside) <= share*float64(left) {
			return
		}
	}
	t.Errorf("%s, cancelled after %v, uses %v of the %v of processor time that were left", args[0], at,
		used, left)
}

// usedAfterCancel cancels a command so long after it began. It returns how much processor time it used
// after that, and how much it would have used of its whole. Both are 0 if it was done before.
func usedAfterCancel(t *testing.T, args []string, at, whole time.Duration) (used, left time.Duration) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	then := make(chan time.Duration, 1)
	began := testtrace.Processor()
	timer := time.AfterFunc(at, func() { then <- testtrace.Processor(); cancel() })
	err := runUntil(ctx, args)
	end := testtrace.Processor()
	if timer.Stop() {
		return 0, 0
	}
	cancelled := <-then
	if err != nil && !errors.Is(err, context.Canceled) {
		t.Fatalf("cancelled after %v: %v", at, err)
	}
	return max(0, end-cancelled), max(0, whole-(cancelled-began))
}
