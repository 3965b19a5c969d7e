package gotrace

import (
	"bytes"
	"io"
	"testing"
	"time"

	xtrace "golang.org/x/exp/trace"
)

// BenchmarkLoad gives the time to load a recording as a multiple of the time to read its events and
// drop them.
func BenchmarkLoad(b *testing.B) {
	for name, data := range recordings(b) {
		b.Run(name, func(b *testing.B) {
			var loading, draining time.Duration
			for b.Loop() {
				start := time.Now()
				load(b, data)
				middle := time.Now()
				drain(b, data)
				loading, draining = loading+middle.Sub(start), draining+time.Since(middle)
			}
			b.ReportMetric(float64(loading)/float64(draining), "load/drain")
		})
	}
}

func drain(b *testing.B, data []byte) {
	r, err := xtrace.NewReader(bytes.NewReader(data))
	for err == nil {
		_, err = r.ReadEvent()
	}
	if err != io.EOF {
		b.Fatal(err)
	}
}
