package otlp

import (
	"bytes"

	"google.golang.org/protobuf/encoding/protowire"

	"diptych/internal/traceio/input"
	"diptych/internal/traceio/jsonin"
)

// Sniff reports whether the source looks like a message of OTLP with spans.
func Sniff(src *input.Source) bool {
	if src.Stream == nil && src.Head == nil {
		return false
	}
	return isWire(src.Head) || isText(src.Head)
}

// isText reports whether a document lists spans by resource.
func isText(head []byte) bool {
	if !bytes.Contains(head, []byte("pans\"")) { // most other documents
		return false
	}
	r := jsonin.NewHead(head)
	return listsSpans(r, 0)
}

// listsSpans reports whether the next object has a list of resources with spans, maybe in another
// object.
func listsSpans(r *jsonin.Reader, depth int) bool {
	found := false
	if r.Kind() != '{' {
		return false
	}
	for name := range r.Members() {
		switch k := r.Kind(); {
		case isOne(name, "resourceSpans", "resource_spans") && k == '[':
			found = true
		case name == "batches" && k == '[':
			found = listsScopes(r)
		case k == '{' && depth < mostAround:
			found = listsSpans(r, depth+1)
		}
		if found {
			break
		}
	}
	return found
}

// listsScopes reports whether the first object of a list has spans by scope.
func listsScopes(r *jsonin.Reader) bool {
	found := false
	for range r.Elements() {
		if r.Kind() == '{' {
			for name := range r.Members() {
				if isOne(name, "scopeSpans", "scope_spans", "instrumentationLibrarySpans") {
					found = true
					break
				}
			}
		}
		break
	}
	return found
}

// isFramed reports whether the length of the first message comes before it.
func isFramed(head []byte) bool {
	return len(head) > 4 && head[0] != tagResourceSpans && head[4] == tagResourceSpans
}

// tagResourceSpans begins each ResourceSpans.
const tagResourceSpans = tracesResourceSpans<<3 | byte(protowire.BytesType)

// isWire reports whether the first span of the first message has ids of the lengths that they have:
// other protocol buffers have something else under the same numbers. What comes before the spans
// may fill the head; then it has to be a resource with its service.
func isWire(head []byte) bool {
	if isFramed(head) {
		head = head[4:]
	}
	group, ok := beginning(head, tracesResourceSpans)
	if !ok {
		return false
	}
	for len(group) > 0 {
		number, kind, k := protowire.ConsumeTag(group)
		if k < 0 || kind != protowire.BytesType || number > groupSchema && number != groupOldScope {
			return false
		}
		if number == groupScopes || number == groupOldScope {
			body, _ := beginning(group, number)
			return listsSpan(body)
		}
		n := protowire.ConsumeFieldValue(number, kind, group[k:])
		if n < 0 {
			return number == groupResource && len(head) >= input.HeadSize-4 &&
				bytes.Contains(group, []byte("service.name"))
		}
		group = group[k+n:]
	}
	return false
}

// listsSpan reports whether a message ScopeSpans has a span with ids.
func listsSpan(body []byte) bool {
	for len(body) > 0 {
		number, kind, k := protowire.ConsumeTag(body)
		if k < 0 || kind != protowire.BytesType {
			return false
		}
		if number == scopeSpansSpans {
			span, _ := beginning(body, number)
			return hasIDs(span)
		}
		n := protowire.ConsumeFieldValue(number, kind, body[k:])
		if n < 0 {
			return false
		}
		body = body[k+n:]
	}
	return false
}

// hasIDs reports whether a span begins with the ids of its trace and its own.
func hasIDs(span []byte) bool {
	trace, ok := beginning(span, spanTrace)
	if !ok || len(trace) < 16 || len(span) < 18 || span[1] != 16 {
		return false
	}
	id, ok := beginning(span[18:], spanID)
	return ok && len(id) == 8
}

// beginning returns the body of the message's first field, or what there is of it, if the field has
// a number and is length-delimited.
func beginning(message []byte, number protowire.Number) ([]byte, bool) {
	got, kind, k := protowire.ConsumeTag(message)
	if k < 0 || got != number || kind != protowire.BytesType {
		return nil, false
	}
	n, m := protowire.ConsumeVarint(message[k:])
	if m < 0 {
		return nil, false
	}
	body := message[k+m:]
	return body[:min(n, uint64(len(body)))], true
}
