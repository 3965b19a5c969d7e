package otlp

import (
	"encoding/base64"
	"io"
	"math"
	"strconv"

	"diptych/internal/trace"
	"diptych/internal/traceio/jsonin"
	"diptych/internal/traceio/requests"
)

// document reads JSON. Names of members are those of OTLP; writers that keep the names of the
// protocol buffers' fields are understood, too.
type document struct {
	*jsonin.Reader
	*loader
}

// documents reads one document after the other. It returns how far it came, and why not further.
func (l *loader) documents(in io.Reader) (at int64, err error) {
	t := document{jsonin.NewReader(in), l}
	for !t.End() && t.Err() == nil && l.ctx.Err() == nil {
		t.traces(0)
	}
	if n, first := t.Misfits(); n > 0 {
		l.b.Diagnose(trace.BadRecord, n, "%s", first)
	}
	return t.Offset(), t.Err()
}

// mostAround is how many objects may be around the lists of spans.
const mostAround = 3

// traces reads an object with spans by resource, which may lie in further objects.
func (t *document) traces(depth int) {
	for name := range t.Members() {
		switch k := t.Kind(); {
		case t.ctx.Err() != nil:
			return
		case isOne(name, "resourceSpans", "resource_spans", "batches") && k == '[':
			for range t.Elements() {
				t.resourceSpans()
			}
		case k == '{' && depth < mostAround:
			t.traces(depth + 1)
		}
	}
}

func isOne(name string, of ...string) bool {
	for _, x := range of {
		if name == x {
			return true
		}
	}
	return false
}

// resourceSpans reads the spans of a resource, which may be told before them or after.
func (t *document) resourceSpans() {
	r := &requests.Resource{}
	for name := range t.Members() {
		switch {
		case name == "resource":
			t.readResource(r)
		case isOne(name, "scopeSpans", "scope_spans", "instrumentationLibrarySpans"):
			for range t.Elements() {
				t.scopeSpans(r)
			}
		}
	}
}

func (t *document) readResource(r *requests.Resource) {
	a := attributes{said: map[string]string{}}
	for name := range t.Members() {
		if name == "attributes" {
			t.attributes(&a.Members, a.said)
		}
	}
	t.resource(r, &a)
}

// scopeSpans reads the spans of a scope. Where the scope is told after them, which no writer does,
// it is not told of them.
func (t *document) scopeSpans(r *requests.Resource) {
	s := &scope{}
	for name := range t.Members() {
		switch name {
		case "scope", "instrumentationLibrary":
			t.readScope(s)
		case "spans":
			for range t.Elements() {
				if t.ctx.Err() != nil {
					return
				}
				if t.readSpan(); t.Err() == nil {
					t.add(r, s, t.Offset())
				}
			}
		}
	}
}

func (t *document) readScope(s *scope) {
	var a requests.Members
	for name := range t.Members() {
		switch name {
		case "name":
			s.name = t.Text()
		case "version":
			s.version = t.Text()
		case "attributes":
			t.attributes(&a, nil)
		}
	}
	s.attributes = a.Text
}

// readSpan reads a span into the loader's.
func (t *document) readSpan() {
	x := &t.span
	x.reset()
	for name := range t.Members() {
		switch name {
		case "traceId", "trace_id":
			x.trace = idIn(t.Text())
		case "spanId", "span_id":
			x.id = idIn(t.Text())
		case "parentSpanId", "parent_span_id":
			x.parent = idIn(t.Text())
		case "name":
			x.name = t.Text()
		case "traceState", "trace_state":
			x.state = t.Text()
		case "kind":
			x.kind = t.enum(kindNames)
		case "startTimeUnixNano", "start_time_unix_nano":
			x.start = t.integer()
		case "endTimeUnixNano", "end_time_unix_nano":
			x.end = t.integer()
		case "attributes":
			t.attributes(&x.attributes, nil)
		default:
			t.readMore(name)
		}
	}
}

// readMore reads what only some spans have.
func (t *document) readMore(name string) {
	x := &t.span
	switch name {
	case "events":
		for range t.Elements() {
			t.readEvent()
		}
	case "links":
		for range t.Elements() {
			t.readLink()
		}
	case "status":
		for name := range t.Members() {
			switch name {
			case "message":
				x.message = t.Text()
			case "code":
				x.code = t.enum(codeNames)
			}
		}
	case "droppedAttributesCount", "dropped_attributes_count":
		x.dropped[0] = t.count()
	case "droppedEventsCount", "dropped_events_count":
		x.dropped[1] = t.count()
	case "droppedLinksCount", "dropped_links_count":
		x.dropped[2] = t.count()
	}
}

func (t *document) readEvent() {
	x := &t.span
	e := event{from: len(x.text.Text)}
	for name := range t.Members() {
		switch name {
		case "timeUnixNano", "time_unix_nano":
			e.at = t.integer()
		case "name":
			e.name = t.Text()
		case "attributes":
			t.attributes(&x.text, nil)
		}
	}
	e.to = len(x.text.Text)
	x.events = append(x.events, e)
}

func (t *document) readLink() {
	x := &t.span
	k := link{from: len(x.text.Text)}
	for name := range t.Members() {
		switch name {
		case "traceId", "trace_id":
			k.trace = idIn(t.Text())
		case "spanId", "span_id":
			k.span = idIn(t.Text())
		case "attributes":
			t.attributes(&x.text, nil)
		}
	}
	k.to = len(x.text.Text)
	x.links = append(x.links, k)
}

// kindNames and codeNames are the names of numbers that some writers use in their place.
var (
	kindNames = map[string]int64{"SPAN_KIND_INTERNAL": 1, "SPAN_KIND_SERVER": 2, "SPAN_KIND_CLIENT": 3,
		"SPAN_KIND_PRODUCER": 4, "SPAN_KIND_CONSUMER": 5}
	codeNames = map[string]int64{"STATUS_CODE_OK": statusOK, "STATUS_CODE_ERROR": statusError}
)

func (t *document) enum(names map[string]int64) int64 {
	if t.Kind() == '"' {
		return names[t.Text()]
	}
	n, _ := t.Int()
	return n
}

// integer reads a number of 64 bits, which is written as a text as a rule. One that is none, or is
// too large, is a time that cannot be.
func (t *document) integer() int64 {
	if t.Kind() != '"' {
		n, ok := t.Int()
		if !ok {
			return -1
		}
		return n
	}
	n, err := strconv.ParseInt(t.Text(), 10, 64)
	if err != nil {
		return -1
	}
	return n
}

// count reads how many of something there are.
func (t *document) count() int64 { return min(max(t.integer(), 0), math.MaxUint32) }

// attributes writes a list of keys and values as members; said, which may be nil, gets the texts
// that are watched.
func (t *document) attributes(out *requests.Members, said map[string]string) {
	for range t.Elements() {
		if said == nil && t.usualPair(out) {
			continue
		}
		if key, text := t.pair(out, 0); said != nil && watched[key] {
			said[key] = text
		}
	}
}

// pair writes a key and its value as a member, and returns the key and, if it is one, the text. The
// value may come first, as order says nothing in JSON.
func (t *document) pair(out *requests.Members, depth int) (key, text string) {
	var early requests.Members
	named, valued := false, false
	for name := range t.Members() {
		switch {
		case name == "key" && !named:
			key, named = t.Text(), true
			out.Name(key)
			if len(early.Text) > 0 {
				out.Raw(early.Text)
			}
		case name == "value" && named && !valued:
			text, valued = t.value(out, depth), true
		case name == "value" && !valued:
			text, valued = t.value(&early, depth), true
		}
	}
	if named && !valued {
		out.Raw([]byte("null"))
	}
	return key, text
}

// value writes a value, and returns it if it is a text. One that is empty is null.
func (t *document) value(out *requests.Members, depth int) (text string) {
	written := false
	for name := range t.Members() {
		if written {
			continue
		}
		written = true
		switch name {
		case "stringValue", "string_value":
			text = t.Text()
			out.Quote(text)
		case "boolValue", "bool_value":
			out.Bool(t.Bool())
		case "intValue", "int_value":
			t.intValue(out)
		case "doubleValue", "double_value":
			t.doubleValue(out)
		case "bytesValue", "bytes_value":
			t.bytesValue(out)
		case "arrayValue", "array_value":
			t.list(out, depth)
		case "kvlistValue", "kvlist_value":
			t.pairs(out, depth)
		default:
			written = false
		}
	}
	if !written {
		out.Raw([]byte("null"))
	}
	return text
}

func (t *document) intValue(out *requests.Members) {
	if t.Kind() == '"' {
		digits := t.Text()
		if n, err := strconv.ParseInt(digits, 10, 64); err == nil {
			out.Int(n)
		} else {
			out.Quote(digits)
		}
		return
	}
	n, _ := t.Int()
	out.Int(n)
}

// doubleValue writes a number; NaN and the infinities are texts.
func (t *document) doubleValue(out *requests.Members) {
	if t.Kind() == '"' {
		out.Quote(t.Text())
		return
	}
	f, _ := t.Float()
	out.Float(f)
}

// bytesValue writes bytes, which are in base64, as they are; in other text they are not.
func (t *document) bytesValue(out *requests.Members) {
	coded := t.Text()
	if _, err := base64.StdEncoding.DecodeString(coded); err != nil {
		t.b.Diagnose(trace.BadRecord, 1, "before offset %d: bytes that are not in base64", t.Offset())
	}
	out.Quote(coded)
}

func (t *document) list(out *requests.Members, depth int) {
	out.Open('[')
	for name := range t.Members() {
		if name != "values" {
			continue
		}
		for range t.Elements() {
			if depth < mostNested {
				t.value(out, depth+1)
			}
		}
	}
	out.Close(']')
}

func (t *document) pairs(out *requests.Members, depth int) {
	out.Open('{')
	for name := range t.Members() {
		if name != "values" {
			continue
		}
		for range t.Elements() {
			if depth < mostNested {
				t.pair(out, depth+1)
			}
		}
	}
	out.Close('}')
}
