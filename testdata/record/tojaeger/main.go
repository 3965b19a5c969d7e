// Tojaeger reads lines of OTLP JSON and writes what Jaeger's API returns for these traces, by
// Jaeger's own code: the collector's translation, and the model's to JSON.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"github.com/jaegertracing/jaeger/model"
	uiconv "github.com/jaegertracing/jaeger/model/converter/json"
	ui "github.com/jaegertracing/jaeger/model/json"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/translator/jaeger"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

func main() {
	traces := map[model.TraceID]*model.Trace{}
	var order []model.TraceID
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 64<<20)
	for in.Scan() {
		td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(in.Bytes())
		if err != nil {
			panic(err)
		}
		bs, err := jaeger.ProtoFromTraces(td)
		if err != nil {
			panic(err)
		}
		for _, b := range bs {
			for _, s := range b.Spans {
				s.Process = b.Process
				t := traces[s.TraceID]
				if t == nil {
					t = &model.Trace{}
					traces[s.TraceID] = t
					order = append(order, s.TraceID)
				}
				t.Spans = append(t.Spans, s)
			}
		}
	}
	var all []*ui.Trace
	for _, id := range order {
		all = append(all, uiconv.FromDomain(traces[id]))
	}
	out, _ := json.Marshal(map[string]any{"data": all, "total": 0, "limit": 0, "offset": 0, "errors": nil})
	fmt.Println(string(out))
}
