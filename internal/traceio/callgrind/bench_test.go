package callgrind

import (
	"bytes"
	"fmt"
	"testing"
	"time"
)

// manyLines is a file of n functions, of which each has ten costs and calls four others.
func manyLines(n int) []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "creator: callgrind-test\npositions: line\nevents: Ir Dr Dw\nfl=(1) a.c\n")
	for f := range n {
		fmt.Fprintf(&out, "fn=(%d) function_number_%d\n%d 17 5 3\n", f+1, f+1, f)
		for i := range 9 {
			fmt.Fprintf(&out, "+%d %d 3 1\n", i, 10+i)
		}
		for i := 1; i <= 4 && f < n-8; i++ {
			fmt.Fprintf(&out, "cfn=(%d) function_number_%d\ncalls=%d +3\n* 100 7 2\n", f+2*i, f+2*i, i)
		}
	}
	return out.Bytes()
}

// BenchmarkLoad reports, besides its own speed, how many times as long it takes as to split the
// file into words, the fastest of either in the same run.
func BenchmarkLoad(b *testing.B) {
	file := manyLines(20_000)
	plain := time.Duration(1 << 62)
	for range 3 {
		start, words := time.Now(), 0
		for line := range bytes.Lines(file) {
			words += len(bytes.Fields(line))
		}
		if words == 0 {
			b.Fatal("no words")
		}
		plain = min(plain, time.Since(start))
	}
	b.SetBytes(int64(len(file)))
	b.ReportAllocs()
	own := time.Duration(1 << 62)
	for b.Loop() {
		start := time.Now()
		if _, err := tryLoad(file, ""); err != nil {
			b.Fatal(err)
		}
		own = min(own, time.Since(start))
	}
	b.ReportMetric(float64(own)/float64(plain), "x-words")
}
