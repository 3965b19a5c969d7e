package paje

import (
	"bufio"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"
)

// manyStates is a file of n states of 16 processes.
func manyStates(n int) string {
	var out strings.Builder
	out.WriteString(types)
	for p := range 16 {
		fmt.Fprintf(&out, "20 0 q%d P h1 \"rank %d\"\n", p, p)
	}
	for i := range n {
		fmt.Fprintf(&out, "31 %d.%06d S q%d %c %d\n32 %d.%06d S q%d\n", i/1e5, 10*(i%1e5), i%16, "rs"[i%2], i,
			i/1e5, 10*(i%1e5)+5, i%16)
	}
	return out.String()
}

// plainRead takes such lines apart with nothing but the standard library.
func plainRead(file string) (sum float64, err error) {
	in := bufio.NewScanner(strings.NewReader(file))
	for in.Scan() {
		if words := strings.Fields(in.Text()); len(words) > 1 && (words[0] == "31" || words[0] == "32") {
			at, err := strconv.ParseFloat(words[1], 64)
			if err != nil {
				return 0, err
			}
			sum += at
		}
	}
	return sum, in.Err()
}

// BenchmarkLoad reports, besides its own speed, how many times as long as such a plain reader it
// takes, the fastest of either in the same run.
func BenchmarkLoad(b *testing.B) {
	file := manyStates(200_000)
	plain := time.Duration(1 << 62)
	for range 3 {
		start := time.Now()
		if sum, err := plainRead(file); err != nil || sum == 0 {
			b.Fatal(err)
		}
		plain = min(plain, time.Since(start))
	}
	b.SetBytes(int64(len(file)))
	b.ReportAllocs()
	own := time.Duration(1 << 62)
	for b.Loop() {
		start := time.Now()
		mustLoad(b, file)
		own = min(own, time.Since(start))
	}
	b.ReportMetric(float64(own)/float64(plain), "x-plain-reader")
}
