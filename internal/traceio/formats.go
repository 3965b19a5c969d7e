package traceio

import (
	"diptych/internal/traceio/chrome"
	"diptych/internal/traceio/gotrace"
	"diptych/internal/traceio/pprof"
	"diptych/internal/traceio/uftrace"
)

// loaders are tried in this order; pprof, which has no magic number, comes last.
var loaders = []Loader{
	{Name: "uftrace", Sniff: uftrace.Sniff, Load: uftrace.Load},
	{Name: "gotrace", Sniff: gotrace.Sniff, Load: gotrace.Load, Explicit: true},
	{Name: "chrome", Sniff: chrome.Sniff, Load: chrome.Load},
	{Name: "pprof", Sniff: pprof.Sniff, Load: pprof.Load, Explicit: true},
}
