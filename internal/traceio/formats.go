package traceio

import (
	"diptych/internal/traceio/callgrind"
	"diptych/internal/traceio/chrome"
	"diptych/internal/traceio/cpuprofile"
	"diptych/internal/traceio/ctf"
	"diptych/internal/traceio/firefox"
	"diptych/internal/traceio/folded"
	"diptych/internal/traceio/gotrace"
	"diptych/internal/traceio/jaeger"
	"diptych/internal/traceio/otf2"
	"diptych/internal/traceio/otlp"
	"diptych/internal/traceio/paje"
	"diptych/internal/traceio/perfetto"
	"diptych/internal/traceio/perfscript"
	"diptych/internal/traceio/pprof"
	"diptych/internal/traceio/speedscope"
	"diptych/internal/traceio/uftrace"
)

// loaders is the table of formats. They are tried in this order. Other formats in JSON come before
// chrome, which also takes a beginning that shows nothing but could be its own; those without a
// magic number come last: pprof, and folded stacks, which are any text whose lines end with a
// number.
var loaders = []Loader{
	{Name: "uftrace", Title: "uftrace data directories", Sniff: uftrace.Sniff, Load: uftrace.Load,
		Dirs: true},
	{Name: "otf2", Title: "OTF2 archives", Sniff: otf2.Sniff, Load: otf2.Load, Dirs: true},
	{Name: "ctf", Title: "CTF traces (LTTng)", Sniff: ctf.Sniff, Load: ctf.Load, Dirs: true},
	{Name: "gotrace", Title: "Go execution traces", Sniff: gotrace.Sniff, Load: gotrace.Load,
		Explicit: true, Terse: true},
	{Name: "otlp", Title: "OpenTelemetry traces (OTLP)", Sniff: otlp.Sniff, Load: otlp.Load,
		Explicit: true},
	{Name: "jaeger", Title: "Jaeger traces", Sniff: jaeger.Sniff, Load: jaeger.Load, Explicit: true},
	{Name: "speedscope", Title: "speedscope files", Sniff: speedscope.Sniff, Load: speedscope.Load,
		Samples: true},
	{Name: "cpuprofile", Title: "V8 CPU profiles", Sniff: cpuprofile.Sniff, Load: cpuprofile.Load,
		Explicit: true},
	{Name: "firefox", Title: "Firefox Profiler profiles", Sniff: firefox.Sniff, Load: firefox.Load},
	{Name: "chrome", Title: "Chrome Trace Event JSON", Sniff: chrome.Sniff, Load: chrome.Load},
	{Name: "paje", Title: "Paje traces", Sniff: paje.Sniff, Load: paje.Load},
	{Name: "perfetto", Title: "Perfetto traces", Sniff: perfetto.Sniff, Load: perfetto.Load},
	{Name: "perfscript", Title: "perf script output", Sniff: perfscript.Sniff, Load: perfscript.Load,
		Explicit: true, Terse: true, Samples: true},
	{Name: "callgrind", Title: "Callgrind profiles", Sniff: callgrind.Sniff, Load: callgrind.Load,
		Explicit: true, Samples: true},
	{Name: "pprof", Title: "pprof profiles", Sniff: pprof.Sniff, Load: pprof.Load, Explicit: true,
		Terse: true, Samples: true},
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
