//go:build unix

// Package peers measures Diptych against named programs that do the same work, and against the
// algorithms of the papers that it builds on, on the same input in one run. Its own benchmarks are
// of whole programs; the packages that read a peer's format or implement a paper have benchmarks of
// their own, BenchmarkPeer. `make bench-peers` runs them all, and peers/table prints what they say.
package peers

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
)

// rounds is how often each side of a race runs. The sides take turns, so that what else the machine
// does meets both alike, and of each the fastest round counts.
const rounds = 3

// Race runs our way and the peer's of doing the same work in turns and reports the fastest round of
// each: ours-ms and peer-ms are processor time, ×peer how many times as much of it the peer takes,
// and ×peer-elapsed the same for elapsed time, which several processors shorten. Programs that the
// sides start count as their own.
func Race(b *testing.B, ours, peer func()) {
	b.Helper()
	least := [2]Spent{{1 << 62, 1 << 62}, {1 << 62, 1 << 62}}
	for b.Loop() {
		for range rounds {
			for side, work := range []func(){ours, peer} {
				runtime.GC() // so that no side clears up after the other
				s := Measure(work)
				least[side] = Spent{min(least[side].CPU, s.CPU), min(least[side].Elapsed, s.Elapsed)}
			}
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(least[0].CPU.Seconds()*1e3, "ours-ms")
	b.ReportMetric(least[1].CPU.Seconds()*1e3, "peer-ms")
	b.ReportMetric(least[1].CPU.Seconds()/least[0].CPU.Seconds(), "×peer")
	b.ReportMetric(least[1].Elapsed.Seconds()/least[0].Elapsed.Seconds(), "×peer-elapsed")
}

// Spent is what some work took.
type Spent struct{ CPU, Elapsed time.Duration }

// Measure returns what work took, neither of it less than a ns. CPU is the processor time of this
// program and of those it started that are over, in user and kernel mode.
func Measure(work func()) Spent {
	before, began := processorTime(), time.Now()
	work()
	return Spent{max(processorTime()-before, 1), max(time.Since(began), 1)}
}

// processorTime returns what this program has used so far, with the programs that it started and
// that are over, in user and kernel mode.
func processorTime() time.Duration {
	sum := int64(0)
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if syscall.Getrusage(who, &u) == nil {
			sum += u.Utime.Nano() + u.Stime.Nano()
		}
	}
	return time.Duration(sum)
}

// Need skips a benchmark for which a program is not installed.
func Need(b *testing.B, programs ...string) {
	b.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			b.Skipf("%s is not installed", p)
		}
	}
}

// Run runs a program to its end in a directory and throws away what it prints.
func Run(b *testing.B, dir, program string, args ...string) {
	b.Helper()
	run(b, nil, dir, program, args...)
}

// Output is Run, and returns what the program prints.
func Output(b *testing.B, dir, program string, args ...string) string {
	b.Helper()
	var out bytes.Buffer
	run(b, &out, dir, program, args...)
	return out.String()
}

// Lines is Run, and returns how many lines that the program prints have a text. They are counted as
// they come, since there can be millions.
func Lines(b *testing.B, text, dir, program string, args ...string) int {
	b.Helper()
	c := &counter{text: []byte(text)}
	run(b, c, dir, program, args...)
	return c.n
}

func run(b *testing.B, out io.Writer, dir, program string, args ...string) {
	b.Helper()
	var said bytes.Buffer
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, out, &said
	if err := cmd.Run(); err != nil {
		b.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, said.Bytes())
	}
}

// counter counts the lines written to it that have a text.
type counter struct {
	text, part []byte // part is a line whose end has not come yet
	n          int
}

func (c *counter) Write(data []byte) (int, error) {
	for line := range bytes.Lines(data) {
		if c.part = append(c.part, line...); line[len(line)-1] != '\n' {
			break
		}
		if bytes.Contains(c.part, c.text) {
			c.n++
		}
		c.part = c.part[:0]
	}
	return len(data), nil
}

// Agree fails a race whose sides do not find the same: then they do not do the same work.
func Agree(b *testing.B, what string, ours, peer int) {
	b.Helper()
	if ours != peer {
		b.Fatalf("%s: %d by ours, %d by the peer", what, ours, peer)
	}
}

// OnDisk writes files below a new directory and returns it.
func OnDisk(b *testing.B, files map[string][]byte) string {
	b.Helper()
	dir := b.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		b.Fatal(err)
	}
	defer root.Close()
	for name, data := range files {
		if at := strings.LastIndexByte(name, '/'); at > 0 {
			if err := root.MkdirAll(name[:at], 0o755); err != nil {
				b.Fatal(err)
			}
		}
		if err := root.WriteFile(name, data, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	return dir
}

// EachFile calls read with each file that matches a pattern, with as many at a time as there are
// processors, and returns the sum of what it returns. There must be one.
func EachFile(b *testing.B, pattern string, read func(*bufio.Reader) (uint64, error)) uint64 {
	b.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		b.Fatalf("no files at %s: %v", pattern, err)
	}
	var sum atomic.Uint64
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, name := range names {
		group.Go(func() error {
			f, err := os.Open(name)
			if err != nil {
				return err
			}
			defer f.Close()
			n, err := read(bufio.NewReaderSize(f, 64<<10))
			sum.Add(n)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		b.Fatal(err)
	}
	return sum.Load()
}
