package cpuprofile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

// FuzzLoad looks for input that makes the loader panic or hang, or gives calls that lie badly.
func FuzzLoad(f *testing.F) {
	for _, c := range cases {
		f.Add([]byte(c.text))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		Sniff(&input.Source{Head: file})
		tr, err := tryLoad(file)
		if err != nil {
			var e *input.FormatError
			if !errors.As(err, &e) && !errors.Is(err, input.ErrLimit) {
				t.Fatal(err)
			}
			return
		}
		for _, th := range tr.Threads {
			for i := range th.Len() {
				if th.Start[i] < 0 || th.End[i] < th.Start[i] || th.End[i] > tr.Duration {
					t.Fatalf("call %d of %s lies badly", i, th.ID)
				}
			}
		}
	})
}

// long is a profile of so many nodes, and twenty samples of each.
func long(nodes int) []byte {
	var out strings.Builder
	out.WriteString(`{"nodes":[`)
	for i := range nodes {
		fmt.Fprintf(&out, `{"id":%d,"callFrame":{"functionName":"function%d","scriptId":"%d",`+
			`"url":"file:///srv/app/src/file%d.js","lineNumber":%d,"columnNumber":20},"hitCount":100,"children":[`,
			i+1, i, i%50, i%50, i)
		if i%10 != 9 && i+1 < nodes {
			fmt.Fprint(&out, i+2)
		}
		out.WriteString("]},")
	}
	samples, deltas := make([]int, 20*nodes), make([]int, 20*nodes)
	for i := range samples {
		samples[i], deltas[i] = i/7%nodes+1, 900+i%200
	}
	list := func(of []int) []byte {
		text, err := json.Marshal(of)
		if err != nil {
			panic(err)
		}
		return text
	}
	text := strings.TrimSuffix(out.String(), ",")
	return fmt.Appendf(nil, `%s],"startTime":1000,"endTime":1000000000000,"samples":%s,"timeDeltas":%s}`,
		text, list(samples), list(deltas))
}

// opened returns a loader of a file with that content, which reads it as the program does.
func opened(b *testing.B, data []byte) func() {
	path := filepath.Join(b.TempDir(), "profile")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		b.Fatal(err)
	}
	return func() {
		ctx := context.Background()
		src, err := input.Open(ctx, path, input.Options{}, func(*input.Source) bool { return true })
		if err != nil {
			b.Fatal(err)
		}
		defer src.Close()
		to := trace.NewBuilder("x")
		if err := Load(ctx, src, input.Options{}, to); err != nil {
			b.Fatal(err)
		}
		if _, err := to.Build(ctx); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLoad reports, besides its own speed, how many times as long encoding/json takes to decode
// the same fields, the fastest of either in the same run.
func BenchmarkLoad(b *testing.B) {
	file := long(10_000)
	b.SetBytes(int64(len(file)))
	loadFile := opened(b, file)
	own, standard := time.Duration(1<<62), time.Duration(1<<62)
	for b.Loop() {
		start := time.Now()
		loadFile()
		own = min(own, time.Since(start))
		start = time.Now()
		var p plain
		if err := json.Unmarshal(file, &p); err != nil {
			b.Fatal(err)
		}
		standard = min(standard, time.Since(start))
	}
	b.ReportMetric(float64(standard)/float64(own), "x-faster-than-encoding/json")
}
