// Package otlp loads traces of OpenTelemetry in its own format, OTLP: as JSON and as
// protocol buffers, as exporters send it and as the collector's file exporter writes it. It knows
// encodings only; what becomes of spans is up to package requests.
//
// The format is opentelemetry/proto/trace/v1 of the repository opentelemetry-proto, and its JSON
// the mapping in the specification of OTLP. A file is one or more messages TracesData, each with
// spans by resource (an instance of a service) and by scope (the library that recorded them):
//
//   - JSON: a document, or several after each other, as in JSON lines. Ids are in hexadecimal; in
//     base64 they are understood, too, as the general mapping of protocol buffers to JSON has them.
//     The lists of spans may lie in another object, such as what Jaeger's API returns ("result") or
//     Tempo's ("batches", "trace");
//   - protocol buffers: a message, or several with the length before each, in four bytes with the
//     highest first.
//
// The module go.opentelemetry.io/proto/otlp has the messages as Go types, but requires gRPC with
// all that it requires; and a message of it is decoded whole or not at all. So protowire decodes
// here, as for Perfetto's traces: span by span, with what is sound of a damaged file.
//
// Members and fields that are not named in the code, such as flags, are passed over.
package otlp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"strings"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/requests"
)

const readSize = 256 << 10

// Load reads a file into b. It fails if there is no sound span.
func Load(ctx context.Context, src *input.Source, o input.Options, b *trace.Builder) error {
	l := &loader{ctx: ctx, b: b, set: requests.NewSet(b, o.Trace)}
	var at int64
	var err error
	if isWire(src.Head) {
		w := &wire{in: bufio.NewReaderSize(src.Stream, readSize), loader: l}
		err = w.file(isFramed(src.Head))
		at = w.at
	} else {
		at, err = l.documents(src.Stream)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if l.set.Len() == 0 {
		return &input.FormatError{File: src.Path, Offset: at, Reason: "no span of a trace", Err: err}
	}
	if err != nil {
		b.Diagnose(trace.Truncated, 1, "at offset %d: %v", at, err)
	}
	b.Tool = l.tool
	return l.set.Feed(ctx, src.Path)
}

// loader takes spans, whatever they are encoded as.
type loader struct {
	ctx  context.Context
	b    *trace.Builder
	set  *requests.Set
	tool string
	span span
	args requests.Members
}

// scope is the library that recorded spans.
type scope struct {
	name, version string
	attributes    []byte // members of a JSON object
}

// Codes of a span's status.
const (
	statusOK    = 1
	statusError = 2
)

// span is a span while it is read.
type span struct {
	trace, id, parent    string
	name, state, message string
	kind, code           int64
	start, end           int64
	attributes           requests.Members
	events               []event
	links                []link
	text                 requests.Members // the attributes of events and links
	dropped              [3]int64         // attributes, events, links
}

// event and link are those of a span; from and to are where their attributes stand in its text.
type event struct {
	name     string
	at       int64
	from, to int
}

type link struct {
	trace, span string
	from, to    int
}

// reset makes the span ready for the next one.
func (x *span) reset() {
	x.attributes.Reset()
	x.text.Reset()
	*x = span{attributes: x.attributes, text: x.text, events: x.events[:0], links: x.links[:0]}
}

// kinds are the kinds of spans by their numbers.
var kinds = []requests.Kind{requests.Unstated, requests.Internal, requests.Server, requests.Client,
	requests.Producer, requests.Consumer}

func (x *span) kindOf() requests.Kind {
	if x.kind < 0 || x.kind >= int64(len(kinds)) {
		return requests.Unstated
	}
	return kinds[x.kind]
}

// add adds the span that was read last.
func (l *loader) add(r *requests.Resource, s *scope, at int64) {
	x := &l.span
	out := requests.Span{ID: x.id, Parent: x.parent, Name: x.name, Start: x.start, End: x.end, Resource: r,
		Scope: s.name, Kind: x.kindOf()}
	if l.set.Wants(x.trace) {
		out.Detail = l.detail(s)
	}
	l.set.Add(x.trace, out, at)
}

// detail returns what else is known of the span, nil if nothing is.
func (l *loader) detail(s *scope) *requests.Detail {
	x, d := &l.span, requests.Detail{Args: l.arguments(s)}
	for _, e := range x.events {
		d.Events = append(d.Events, requests.Event{Name: e.name, At: e.at})
	}
	for _, k := range x.links {
		d.Links = append(d.Links, requests.Link{Trace: k.trace, Span: k.span})
	}
	lost := x.dropped[1] + x.dropped[2]
	if lost > 0 {
		l.b.Diagnose(trace.LostRecords, uint64(lost), "of span %s events or links were dropped", x.id)
	}
	if d.Args == nil && d.Events == nil && d.Links == nil {
		return nil
	}
	return &d
}

// arguments returns what is to be told of the span, as members of a JSON object. What went wrong
// comes first, under the names by which exporters to other formats tell it.
func (l *loader) arguments(s *scope) []byte {
	x, m := &l.span, &l.args
	m.Reset()
	if x.code == statusError {
		m.Name("error")
		m.Bool(true)
		m.Said("otel.status_code", "ERROR")
	} else if x.code == statusOK {
		m.Said("otel.status_code", "OK")
	}
	m.Said("otel.status_description", x.message)
	m.Said("span.kind", x.kindOf().String())
	if len(x.attributes.Text) > 0 {
		m.Raw(x.attributes.Text)
	}
	l.nested()
	m.Said("tracestate", x.state)
	m.Counted("droppedAttributes", x.dropped[0])
	m.Counted("droppedEvents", x.dropped[1])
	m.Counted("droppedLinks", x.dropped[2])
	m.Said("otel.scope.name", s.name)
	m.Said("otel.scope.version", s.version)
	if len(s.attributes) > 0 {
		m.Name("otel.scope")
		m.Open('{')
		m.Raw(s.attributes)
		m.Close('}')
	}
	if len(m.Text) == 0 {
		return nil
	}
	return bytes.Clone(m.Text)
}

// nested writes the events, with their times after the start of the span, and the links.
func (l *loader) nested() {
	x, m := &l.span, &l.args
	attributes := func(from, to int) {
		if to > from {
			m.Raw(bytes.TrimPrefix(x.text.Text[from:to], []byte(",")))
		}
		m.Close('}')
	}
	if len(x.events) > 0 {
		m.Name("events")
		m.Open('[')
		for _, e := range x.events {
			m.Open('{')
			m.Said("event", e.name)
			m.Name("afterNs")
			m.Int(e.at - x.start)
			attributes(e.from, e.to)
		}
		m.Close(']')
	}
	if len(x.links) > 0 {
		m.Name("links")
		m.Open('[')
		for _, k := range x.links {
			m.Open('{')
			m.Said("traceID", k.trace)
			m.Said("spanID", k.span)
			attributes(k.from, k.to)
		}
		m.Close(']')
	}
}

// resource takes over what is known of a resource. Its attributes are told as they are.
func (l *loader) resource(r *requests.Resource, a *attributes) {
	r.Service, r.Namespace = a.said["service.name"], a.said["service.namespace"]
	r.Args = bytes.Clone(a.Text)
	if l.tool == "" {
		l.tool = strings.TrimSpace(strings.Join([]string{a.said["telemetry.sdk.name"],
			a.said["telemetry.sdk.language"], a.said["telemetry.sdk.version"]}, " "))
	}
}

// attributes are those of a resource, of which some are looked at.
type attributes struct {
	requests.Members
	said map[string]string // texts by name
}

// watched are the attributes of a resource that are looked at.
var watched = map[string]bool{"service.name": true, "service.namespace": true,
	"telemetry.sdk.name": true, "telemetry.sdk.language": true, "telemetry.sdk.version": true}

// idOf returns an id of some bytes, as text; "" for none.
func idOf(id []byte) string {
	if len(bytes.Trim(id, "\x00")) == 0 {
		return ""
	}
	return hex.EncodeToString(id)
}

// idIn returns an id that is written as text: as it is, in lower case; as hexadecimal digits, if it
// is in base64; or "" for none.
func idIn(text string) string {
	if n := len(text); n == 12 || n == 24 {
		if id, err := base64.StdEncoding.DecodeString(text); err == nil && len(id)%8 == 0 {
			return idOf(id)
		}
	}
	zeros, upper := true, false
	for i := range len(text) {
		zeros, upper = zeros && text[i] == '0', upper || text[i]-'A' < 26
	}
	switch {
	case zeros:
		return ""
	case upper:
		return strings.ToLower(text)
	}
	return text
}
