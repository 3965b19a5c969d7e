package uftrace

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"testing"
	"testing/fstest"
	"time"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

// plainRecord is a record as a reader without care for speed would take it.
type plainRecord struct{ At, Packed uint64 }

// generated fills a task's file: a binary tree of calls repeated until there are n records.
func generated(n int) []byte {
	d := newDir()
	now := uint64(1000)
	count := 0
	var grow func(depth int)
	grow = func(depth int) {
		offset := offsets[(count+depth)%len(offsets)]
		now += 20
		d.enter(now, depth, offset)
		count += 2
		for range 2 {
			if depth < 9 {
				grow(depth + 1)
			}
		}
		now += 30
		d.leave(now, depth, offset)
	}
	for count < n {
		grow(0)
	}
	return d.dat[7].Bytes()
}

// BenchmarkLoad reads generated records and states, in one run, how many there are a second, with
// the building of the trace and without, and how much faster that is than encoding/binary filling a
// struct a record. With two tasks two cores work.
func BenchmarkLoad(b *testing.B) {
	data := generated(2 << 20)
	plain := plainSpeed(b, data)
	for _, tasks := range []int{1, 2} {
		b.Run(fmt.Sprintf("tasks=%d", tasks), func(b *testing.B) {
			d := newDir()
			d.tasks += "TASK timestamp=0.000000003 tid=8 pid=7\n"
			files := d.files("")
			for tid := 7; tid < 7+tasks; tid++ {
				files[fmt.Sprintf("%d.dat", tid)] = &fstest.MapFile{Data: data}
			}
			var loading time.Duration
			for b.Loop() {
				start := time.Now()
				to := trace.NewBuilder("uftrace")
				src := &input.Source{Path: "rec", Dir: files}
				if err := Load(context.Background(), src, input.Options{}, to); err != nil {
					b.Fatal(err)
				}
				loading += time.Since(start)
				if _, err := to.Build(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
			records := float64(b.N) * float64(tasks*len(data)/recordSize)
			b.ReportMetric(records/loading.Seconds()/1e6, "Mrec/s")
			b.ReportMetric(records/b.Elapsed().Seconds()/1e6, "Mrec/s-built")
			b.ReportMetric(records/loading.Seconds()/plain, "×binary.Read")
		})
	}
}

// plainSpeed is how many records a second binary.Read takes.
func plainSpeed(b *testing.B, data []byte) float64 {
	start := time.Now()
	in := bytes.NewReader(data[:len(data)/8/recordSize*recordSize])
	n := 0
	for ; ; n++ {
		var rec plainRecord
		if err := binary.Read(in, binary.LittleEndian, &rec); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			b.Fatal(err)
		}
	}
	return float64(n) / time.Since(start).Seconds()
}
