//go:build unix

package batch_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

var (
	scalePairs = flag.Int("pairs", 60, "pairs of BenchmarkScale")
	scaleCalls = flag.Int("calls", 10_000, "calls a side of a pair of BenchmarkScale")
)

// differentPairs is how many pairs BenchmarkScale has traces of; each is listed many times.
const differentPairs = 4

// cost is what a process took.
type cost struct {
	elapsed, cpu time.Duration
	peak         int64 // bytes of memory
}

// BenchmarkScale compares what the program does with a batch on all processors with what one
// processor does with one pair after the other: throughput as a share of processors × the speed of
// one, by the clock and by processor time, which other work on the machine does not disturb; and
// how much memory it takes beyond processors × that of a process that compares one pair.
//
//	go test ./internal/batch -run xxx -bench Scale -benchtime 1x -pairs 2000 -calls 50000
func BenchmarkScale(b *testing.B) {
	dir := b.TempDir()
	program := filepath.Join(dir, "diptych")
	build := exec.Command("go", "build", "-tags", "nogui", "-o", program, "../../cmd/diptych")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	for k := range differentPairs {
		process(b, 0, program, "generate", "--calls", strconv.Itoa(*scaleCalls), "--seed", fmt.Sprint(k+1),
			"--edit", "slow:0.01", "--edit", "insert:0.01", traceAt(dir, "a", k), traceAt(dir, "b", k))
	}
	processors := runtime.GOMAXPROCS(0)
	few := max(*scalePairs/20, 5*differentPairs)
	for b.Loop() {
		alone := batchOf(b, program, dir, 1, processors)
		before := batchOf(b, program, dir, few, 1)
		many := batchOf(b, program, dir, *scalePairs, processors)
		after := batchOf(b, program, dir, few, 1)
		each := func(of func(cost) time.Duration) float64 { // of one pair on one processor, ns
			return float64(min(of(before), of(after))) / float64(few)
		}
		elapsed, cpu := func(c cost) time.Duration { return c.elapsed }, func(c cost) time.Duration { return c.cpu }
		n := float64(*scalePairs)
		b.ReportMetric(n*each(elapsed)/float64(many.elapsed)/float64(processors), "elapsed-ratio")
		b.ReportMetric(n*each(cpu)/float64(many.cpu), "CPU-ratio")
		b.ReportMetric(float64(many.cpu)/n/1e6, "CPU-ms/pair")
		b.ReportMetric(float64(many.peak)/(1<<20), "MB-peak")
		b.ReportMetric(float64(alone.peak)/(1<<20), "MB-one-pair")
		b.ReportMetric(float64(many.peak-int64(processors)*alone.peak)/(1<<20), "MB-beyond")
	}
}

func traceAt(dir, side string, k int) string {
	return filepath.Join(dir, fmt.Sprintf("%s%d.data", side, k%differentPairs))
}

// batchOf compares so many pairs in a process with so many processors.
func batchOf(b *testing.B, program, dir string, pairs, processors int) cost {
	b.Helper()
	var list strings.Builder
	list.WriteString("a,b\n")
	for k := range pairs {
		fmt.Fprintf(&list, "%s,%s\n", traceAt(dir, "a", k), traceAt(dir, "b", k))
	}
	manifest, out := filepath.Join(dir, "m.csv"), filepath.Join(dir, "out")
	if err := os.WriteFile(manifest, []byte(list.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	defer os.RemoveAll(out)
	return process(b, processors, program, "batch", manifest, "-o", out)
}

// process runs a process with so many processors; 0 for all.
func process(b *testing.B, processors int, program string, args ...string) cost {
	b.Helper()
	c := exec.Command(program, args...)
	c.Env = os.Environ()
	if processors > 0 {
		c.Env = append(c.Env, fmt.Sprint("GOMAXPROCS=", processors))
	}
	// The peak of a process counts from that of the one which starts it, and other benchmarks may
	// have let this one grow. Where it is not Linux there is no such file.
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
	began := time.Now()
	if out, err := c.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	took := cost{elapsed: time.Since(began), cpu: c.ProcessState.UserTime() + c.ProcessState.SystemTime()}
	if use, ok := c.ProcessState.SysUsage().(*syscall.Rusage); ok {
		took.peak = int64(use.Maxrss) << 10
	}
	return took
}
