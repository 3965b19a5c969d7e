package traceio

import (
	"diptych/internal/traceio/chrome"
	"diptych/internal/traceio/gotrace"
	"diptych/internal/traceio/pprof"
	"diptych/internal/traceio/uftrace"
)

// loaders are tried in this order; pprof, which has no magic number, comes last.
var loaders = []Loader{
	{"uftrace", uftrace.Sniff, uftrace.Load},
	{"gotrace", gotrace.Sniff, gotrace.Load},
	{"chrome", chrome.Sniff, chrome.Load},
	{"pprof", pprof.Sniff, pprof.Load},
}
