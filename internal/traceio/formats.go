package traceio

import (
	"diptych/internal/traceio/chrome"
	"diptych/internal/traceio/folded"
	"diptych/internal/traceio/gotrace"
	"diptych/internal/traceio/jaeger"
	"diptych/internal/traceio/otlp"
	"diptych/internal/traceio/perfetto"
	"diptych/internal/traceio/perfscript"
	"diptych/internal/traceio/pprof"
	"diptych/internal/traceio/speedscope"
	"diptych/internal/traceio/uftrace"
)

// loaders is the table of formats. They are tried in this order; those without a magic number come
// last: pprof, and folded stacks, which are any text whose lines end with numbers.
var loaders = []Loader{
	{Name: "uftrace", Title: "uftrace data directories", Sniff: uftrace.Sniff, Load: uftrace.Load,
		Dirs: true},
	{Name: "gotrace", Title: "Go execution traces", Sniff: gotrace.Sniff, Load: gotrace.Load,
		Explicit: true},
	{Name: "otlp", Title: "OpenTelemetry traces (OTLP)", Sniff: otlp.Sniff, Load: otlp.Load,
		Explicit: true},
	{Name: "jaeger", Title: "Jaeger traces", Sniff: jaeger.Sniff, Load: jaeger.Load, Explicit: true},
	{Name: "speedscope", Title: "speedscope files", Sniff: speedscope.Sniff, Load: speedscope.Load},
	{Name: "chrome", Title: "Chrome Trace Event JSON", Sniff: chrome.Sniff, Load: chrome.Load},
	{Name: "perfetto", Title: "Perfetto traces", Sniff: perfetto.Sniff, Load: perfetto.Load},
	{Name: "perfscript", Title: "perf script output", Sniff: perfscript.Sniff, Load: perfscript.Load,
		Explicit: true},
	{Name: "pprof", Title: "pprof profiles", Sniff: pprof.Sniff, Load: pprof.Load, Explicit: true},
	{Name: "folded", Title: "folded stacks", Sniff: folded.Sniff, Load: folded.Load, Explicit: true},
}

// Format is a format that Load reads.
type Format struct{ Name, Title string }

// Formats returns all formats that Load reads.
func Formats() []Format {
	var all []Format
	for _, l := range loaders {
		all = append(all, Format{l.Name, l.Title})
	}
	return all
}
