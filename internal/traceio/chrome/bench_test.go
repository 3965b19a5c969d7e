package chrome

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"testing"
	"time"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

// jsonEvent is what a plain loader would decode an event into.
type jsonEvent struct {
	Name string          `json:"name"`
	Cat  string          `json:"cat"`
	Ph   string          `json:"ph"`
	Ts   float64         `json:"ts"`
	Dur  float64         `json:"dur"`
	Pid  int64           `json:"pid"`
	Tid  int64           `json:"tid"`
	ID   json.RawMessage `json:"id"`
	Args json.RawMessage `json:"args"`
}

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
// how many times faster than encoding/json it is on the same text in the same run.
func BenchmarkLoad(b *testing.B) {
	for name, make := range texts {
		text := make(200_000)
		for _, procs := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/procs=%d", name, procs), func(b *testing.B) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
				plain := fastest(3, func() { unmarshal(b, text) })
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				own := time.Duration(0)
				for b.Loop() {
					start := time.Now()
					build(b, text)
					own += time.Since(start)
				}
				b.ReportMetric(float64(plain)/(float64(own)/float64(b.N)), "x-encoding/json")
			})
		}
	}
}

func fastest(n int, f func()) time.Duration {
	best := time.Duration(1 << 62)
	for range n {
		start := time.Now()
		f()
		best = min(best, time.Since(start))
	}
	return best
}

func unmarshal(b *testing.B, text []byte) {
	var file struct {
		TraceEvents []jsonEvent `json:"traceEvents"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		b.Fatal(err)
	}
}

func build(b *testing.B, text []byte) {
	src, builder := &input.Source{Stream: bytes.NewReader(text)}, trace.NewBuilder("chrome")
	if err := Load(context.Background(), src, input.Options{}, builder); err != nil {
		b.Fatal(err)
	}
	if _, err := builder.Build(context.Background()); err != nil {
		b.Fatal(err)
	}
}
