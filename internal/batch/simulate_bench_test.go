//go:build unix

package batch

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/metrics"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// BenchmarkMerge writes simulated parts, and then merges them: what a batch of so many pairs comes
// to in files, bytes, time and memory. docs/batch.md has the figures.
//
//	go test ./internal/batch -run xxx -bench Merge -benchtime 1x
func BenchmarkMerge(b *testing.B) {
	for _, size := range []struct{ pairs, perPart int }{
		{1_000, 1}, {1_000, 4}, {1_000, 100}, {10_000, 10}, {10_000, 100}, {100_000, 100},
	} {
		b.Run(fmt.Sprintf("pairs=%d/perPart=%d", size.pairs, size.perPart), func(b *testing.B) {
			mergeSimulated(b, simulate(b, size.pairs, size.perPart))
		})
	}
}

// mergeSimulated merges a batch.
func mergeSimulated(b *testing.B, d *Directory) {
	pairs, before := float64(d.Pairs), processorTime(b)
	for b.Loop() {
		peak := peakHeap(func() {
			if _, err := Merge(b.Context(), d, nil); err != nil {
				b.Fatal(err)
			}
		})
		b.ReportMetric(float64(peak)/(1<<20), "MB-heap")
	}
	used := processorTime(b) - before
	b.ReportMetric(float64(used.Microseconds())/(float64(b.N)*pairs), "cpu-µs/pair")
	parts := sizeOf(b, filepath.Join(d.Path, partsIn))
	b.ReportMetric(float64(parts)/pairs, "B-parts/pair")
	b.ReportMetric(float64(sizeOf(b, d.Path)-parts)/pairs, "B-merged/pair")
}

// simulate returns the directory of a simulated batch.
func simulate(b *testing.B, pairs, perPart int) *Directory {
	d := &Directory{b.TempDir(), Description{Layout: layout, Pairs: pairs, PerPart: perPart}}
	if err := os.MkdirAll(filepath.Join(d.Path, partsIn), 0o777); err != nil {
		b.Fatal(err)
	}
	before := processorTime(b)
	for part := range d.Parts() {
		var rows Rows
		for k, to := d.span(part); k < to; k++ {
			rows.add(simulated(k + 1))
		}
		if err := d.write(part, &rows); err != nil {
			b.Fatal(err)
		}
	}
	used := processorTime(b) - before
	b.Logf("written in %.0f µs of processor time a pair", float64(used.Microseconds())/float64(pairs))
	return d
}

// processorTime returns how much of the processors this process has used.
func processorTime(b *testing.B) time.Duration {
	var used unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// sizeOf returns how many bytes the files in a directory have.
func sizeOf(b *testing.B, dir string) (size int64) {
	err := filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		st, err := e.Info()
		if err == nil {
			size += st.Size()
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return size
}

// peakHeap returns the largest heap seen while something is done.
func peakHeap(do func()) (peak uint64) {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	stop, done := make(chan bool), make(chan bool)
	go func() {
		defer close(done)
		for tick := time.Tick(5 * time.Millisecond); ; {
			select {
			case <-stop:
				return
			case <-tick:
				metrics.Read(sample)
				peak = max(peak, sample[0].Value.Uint64())
			}
		}
	}()
	do()
	close(stop)
	<-done
	return peak
}
