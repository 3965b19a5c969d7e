package chrome

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

// texts are typical files: begin and end records without arguments, complete ones with them, and
// the indented style of PyTorch.
var texts = map[string]func(n int) []byte{
	"begin-end": func(n int) []byte {
		return list(n, func(b *bytes.Buffer, i int) {
			fmt.Fprintf(b, `{"ts":%d.%03d,"ph":"%c","pid":1785,"tid":%d,"name":"luaV_%d"}`,
				881970321+i, i%1000, "BE"[i&1], 1785+i/64%4, i/2%300)
		})
	},
	"complete": func(n int) []byte {
		return list(n, func(b *bytes.Buffer, i int) {
			fmt.Fprintf(b, `{"args":{"src_file":"content/browser/scheduler.cc","src_func":"F%d"},`+
				`"cat":"toplevel","dur":%d,"name":"ThreadControllerImpl::RunTask%d","ph":"X",`+
				`"pid":12228,"tdur":3,"tid":%d,"ts":%d,"tts":%d}`,
				i%700, i%9, i%700, 12228+i%9, i*10, i*7)
		})
	},
	"indented": func(n int) []byte {
		return list(n, func(b *bytes.Buffer, i int) {
			fmt.Fprintf(b, `  {
    "ph": "X", "cat": "cpu_op", "name": "aten::op%d", "pid": 25, "tid": 25,
    "ts": %d, "dur": %d,
    "args": {
      "External id": %d,
      "Input Dims": [[], [], []], "Input type": ["", "", "Scalar"], "Call stack": ""
    }
  }`, i%200, i*10, i%9, i)
		})
	},
}

func list(n int, event func(b *bytes.Buffer, i int)) []byte {
	b := bytes.NewBufferString(`{"traceEvents":[`)
	for i := range n {
		if i > 0 {
			b.WriteString(",\n")
		}
		event(b, i)
	}
	b.WriteString(`],"displayTimeUnit":"ns"}`)
	return b.Bytes()
}

// BenchmarkLoad measures the way from text to finished trace and reports, besides its own speed,
// how many times faster it is with two processors than with one, in the same run. peer_test.go has
// the decoders of others.
func BenchmarkLoad(b *testing.B) {
	for name, make := range texts {
		text := make(200_000)
		b.Run(name, func(b *testing.B) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
			b.ReportAllocs()
			times := map[string]time.Duration{}
			for b.Loop() {
				for range 5 { // the sides in turn, for the machine may do other things too
					for procs, name := range map[int]string{1: "one", 2: "two"} {
						runtime.GOMAXPROCS(procs)
						noteFastest(times, name, func() { build(b, text) })
					}
				}
			}
			b.SetBytes(int64(10 * len(text)))
			b.ReportMetric(float64(times["one"])/float64(times["two"]), "x-one-processor")
		})
	}
}

// noteFastest runs f and notes how long it took if that was the shortest time so far.
func noteFastest(times map[string]time.Duration, name string, f func()) {
	runtime.GC() // what others left is not f's
	start := time.Now()
	f()
	took := time.Since(start)
	if t, ok := times[name]; !ok || took < t {
		times[name] = took
	}
}

func build(b *testing.B, text []byte) { buildFrom(b, &input.Source{Stream: bytes.NewReader(text)}) }

func buildFrom(b *testing.B, src *input.Source) {
	builder := trace.NewBuilder("chrome")
	if err := Load(context.Background(), src, input.Options{}, builder); err != nil {
		b.Fatal(err)
	}
	if _, err := builder.Build(context.Background()); err != nil {
		b.Fatal(err)
	}
}
