// Package jaeger loads the JSON of Jaeger: what its API returns and its interface saves. It knows
// the encoding only; what becomes of spans is up to package requests.
//
// A trace is an object with traceID, spans and processes, to which spans refer by a name such as
// p1; see model/json of the repository jaeger. A file is
//
//   - {"data": [trace, …]}, as the API returns it and the interface saves it;
//   - {"data": trace, …}, as the interface holds it: each span has its process in it;
//   - a trace alone, or a list of traces, as people cut them out;
//   - or any number of those after each other.
//
// Times are in µs. The parent of a span is the first of its references that is a CHILD_OF in the
// same trace; other references are links. Members that are not named in the code, such as those
// that the interface derives from others, are passed over.
package jaeger

import (
	"bytes"
	"context"
	"math"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/jsonin"
	"diptych/internal/traceio/requests"
)

// Load reads a file into b. It fails if there is no sound span.
func Load(ctx context.Context, src *input.Source, o input.Options, b *trace.Builder) error {
	l := &loader{Reader: jsonin.NewReader(src.Stream), ctx: ctx, b: b, set: requests.NewSet(b, o.Trace)}
	for !l.End() && l.Err() == nil && ctx.Err() == nil {
		l.traces(0)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if l.set.Len() == 0 {
		return &input.FormatError{File: src.Path, Offset: l.Offset(), Reason: "no span of a trace",
			Err: l.Err()}
	}
	if n, first := l.Misfits(); n > 0 {
		b.Diagnose(trace.BadRecord, n, "%s", first)
	}
	if err := l.Err(); err != nil {
		b.Diagnose(trace.Truncated, 1, "%v", err)
	}
	b.Tool = l.tool
	return l.set.Feed(ctx, src.Path)
}

// mostAround is how many lists and objects may be around a trace.
const mostAround = 3

// loader reads traces.
type loader struct {
	*jsonin.Reader
	ctx  context.Context
	b    *trace.Builder
	set  *requests.Set
	tool string
	span span
}

// span is a span while it is read.
type span struct {
	trace, id, name string
	parent          string // by the references
	older           string // by a member of its own
	process         string
	inner           *requests.Resource // the process, if the span itself has it
	start, duration int64              // µs
	kind, scope     string
	tags            requests.Members
	logs            requests.Members
	refs            requests.Members
	warnings        requests.Members
	events          []requests.Event
	links           []requests.Link
}

func (x *span) reset() {
	for _, m := range []*requests.Members{&x.tags, &x.logs, &x.refs, &x.warnings} {
		m.Reset()
	}
	*x = span{tags: x.tags, logs: x.logs, refs: x.refs, warnings: x.warnings, events: x.events[:0],
		links: x.links[:0], start: missing, duration: missing}
}

// traces reads what is around traces, and traces.
func (l *loader) traces(depth int) {
	if depth > mostAround {
		l.Skip()
		return
	}
	if l.Kind() == '[' {
		for range l.Elements() {
			l.traces(depth + 1)
		}
		return
	}
	id, processes := "", map[string]*process{}
	for name := range l.Members() {
		switch name {
		case "data":
			l.traces(depth + 1)
		case "traceID":
			id = l.Text()
		case "spans":
			for range l.Elements() {
				if l.ctx.Err() != nil {
					return
				}
				l.readSpan(id, processes)
			}
		case "processes":
			for key := range l.Members() {
				p := named(processes, key)
				p.Resource, p.told = l.readProcess(), true
			}
		case "warnings":
			for range l.Elements() {
				l.b.Diagnose(trace.NotRead, 1, "trace %s: the recorder warns: %s", id, l.Text())
			}
		case "errors":
			l.errors()
		}
	}
	l.untold(id, processes)
}

// errors counts what the API could not return.
func (l *loader) errors() {
	for range l.Elements() {
		for name := range l.Members() {
			if name == "msg" {
				l.b.Diagnose(trace.LostRecords, 1, "the recorder says: %s", l.Text())
			}
		}
	}
}

// process is what a trace calls by a name. It mostly comes after the spans that name it.
type process struct {
	requests.Resource
	told  bool
	spans uint64
}

func named(all map[string]*process, name string) *process {
	p := all[name]
	if p == nil {
		p = &process{}
		all[name] = p
	}
	return p
}

// untold counts the spans of processes that the trace does not tell, whose service is unknown.
func (l *loader) untold(id string, processes map[string]*process) {
	spans, first := uint64(0), ""
	for name, p := range processes {
		if p.told || p.spans == 0 {
			continue
		}
		if spans == 0 || name < first {
			first = name
		}
		spans += p.spans
	}
	l.b.Diagnose(trace.BadRecord, spans, "trace %s: spans of process %q, of which there is no record",
		id, first)
}

func (l *loader) readProcess() (r requests.Resource) {
	var tags requests.Members
	for name := range l.Members() {
		switch name {
		case "serviceName":
			r.Service = l.Text()
		case "tags":
			l.tags(&tags, func(key, text string) {
				switch {
				case key == "jaeger.version" && l.tool == "":
					l.tool = "Jaeger client " + text
				case key == "telemetry.sdk.language" && l.tool == "":
					l.tool = "opentelemetry " + text
				case key == "service.namespace":
					r.Namespace = text
				}
			})
		}
	}
	r.Args = tags.Text
	return r
}

// readSpan reads a span and adds it.
func (l *loader) readSpan(id string, processes map[string]*process) {
	x := &l.span
	x.reset()
	for name := range l.Members() {
		switch name {
		case "traceID":
			x.trace = l.Text()
		case "spanID":
			x.id = l.Text()
		case "parentSpanID":
			x.older = l.Text()
		case "operationName":
			x.name = l.Text()
		case "startTime":
			x.start = l.number()
		case "duration":
			x.duration = l.number()
		case "processID":
			x.process = l.Text()
		case "process":
			r := l.readProcess()
			x.inner = &r
		default:
			l.readMore(name, id)
		}
	}
	if l.Err() != nil {
		return // half a span
	}
	if x.trace == "" {
		x.trace = id
	}
	if x.parent == "" && len(x.links) == 0 {
		x.parent = x.older
	}
	r := x.inner
	if r == nil || r.Service == "" && x.process != "" {
		p := named(processes, x.process)
		r = &p.Resource
		if x.process != "" {
			p.spans++
		}
	}
	l.add(r)
}

// missing stands for a number that a span lacks.
const missing = math.MinInt64

// number reads a number of µs, missing if it is none.
func (l *loader) number() int64 {
	n, ok := l.Int()
	if !ok {
		return missing
	}
	return n
}

// readMore reads what only some spans have. Trace is the id of the trace around the span.
func (l *loader) readMore(name, trace string) {
	x := &l.span
	switch name {
	case "references":
		for range l.Elements() {
			l.readReference(trace)
		}
	case "tags":
		l.tags(&x.tags, func(key, text string) {
			switch key {
			case "span.kind":
				x.kind = text
			case "otel.scope.name", "otel.library.name", "component":
				x.scope = text
			}
		})
	case "logs":
		for range l.Elements() {
			l.readLog()
		}
	case "warnings":
		for range l.Elements() {
			x.warnings.Quote(l.Text())
		}
	}
}

// micros returns a time in ns, or one that cannot be.
func micros(us int64) int64 {
	if us < 0 || us > math.MaxInt64/1000 {
		return -1
	}
	return us * 1000
}

// add adds the span that was read last.
func (l *loader) add(r *requests.Resource) {
	x := &l.span
	out := requests.Span{ID: x.id, Parent: x.parent, Name: x.name, Start: micros(x.start),
		Resource: r, Scope: x.scope, Kind: kinds[x.kind]}
	// A span of negative duration ends before it starts, which is repaired with the others'.
	const most = math.MaxInt64 / 1000
	if us := x.duration; out.Start >= 0 && -most < us && us < most {
		out.End = micros(x.start + us)
	} else {
		out.End = -1
	}
	if l.set.Wants(x.trace) {
		out.Detail = l.detail()
	}
	l.set.Add(x.trace, out, l.Offset())
}

// kinds are the kinds of spans by their tags.
var kinds = map[string]requests.Kind{"internal": requests.Internal, "server": requests.Server,
	"client": requests.Client, "producer": requests.Producer, "consumer": requests.Consumer}

// detail returns what else is known of the span, nil if nothing is.
func (l *loader) detail() *requests.Detail {
	x, d := &l.span, requests.Detail{}
	m := requests.Members{Text: bytes.Clone(x.tags.Text)}
	list := func(name string, of *requests.Members) {
		if len(of.Text) > 0 {
			m.Name(name)
			m.Open('[')
			m.Raw(of.Text)
			m.Close(']')
		}
	}
	list("logs", &x.logs)
	list("references", &x.refs)
	list("warnings", &x.warnings)
	if len(m.Text) > 0 {
		d.Args = m.Text
	}
	d.Events = append(d.Events, x.events...)
	d.Links = append(d.Links, x.links...)
	if d.Args == nil && d.Events == nil && d.Links == nil {
		return nil
	}
	return &d
}
