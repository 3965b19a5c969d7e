package traceio

import (
	"diptych/internal/traceio/chrome"
	"diptych/internal/traceio/ctf"
	"diptych/internal/traceio/gotrace"
	"diptych/internal/traceio/otf2"
	"diptych/internal/traceio/paje"
	"diptych/internal/traceio/perfetto"
	"diptych/internal/traceio/pprof"
	"diptych/internal/traceio/uftrace"
)

// loaders is the table of formats. They are tried in this order; pprof, which has no magic number,
// comes last.
var loaders = []Loader{
	{Name: "uftrace", Title: "uftrace data directories", Sniff: uftrace.Sniff, Load: uftrace.Load,
		Dirs: true},
	{Name: "otf2", Title: "OTF2 archives", Sniff: otf2.Sniff, Load: otf2.Load, Dirs: true},
	{Name: "ctf", Title: "CTF traces (LTTng)", Sniff: ctf.Sniff, Load: ctf.Load, Dirs: true},
	{Name: "gotrace", Title: "Go execution traces", Sniff: gotrace.Sniff, Load: gotrace.Load,
		Explicit: true},
	{Name: "chrome", Title: "Chrome Trace Event JSON", Sniff: chrome.Sniff, Load: chrome.Load},
	{Name: "paje", Title: "Paje traces", Sniff: paje.Sniff, Load: paje.Load},
	{Name: "perfetto", Title: "Perfetto traces", Sniff: perfetto.Sniff, Load: perfetto.Load},
	{Name: "pprof", Title: "pprof profiles", Sniff: pprof.Sniff, Load: pprof.Load, Explicit: true},
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
