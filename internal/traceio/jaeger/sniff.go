package jaeger

import (
	"bytes"

	"diptych/internal/traceio/input"
	"diptych/internal/traceio/jsonin"
)

// Sniff reports whether the source looks like such a file: a trace with its id and its spans, in a
// member data or in a list at most.
func Sniff(src *input.Source) bool {
	if !bytes.Contains(src.Head, []byte(`"traceID"`)) {
		return false
	}
	return sniff(jsonin.NewHead(src.Head), 0)
}

func sniff(r *jsonin.Reader, depth int) (found bool) {
	switch k := r.Kind(); {
	case k == '[' && depth <= mostAround:
		for range r.Elements() {
			return sniff(r, depth+1) // the first tells
		}
	case k == '{' && depth <= mostAround:
		known := 0
		for name := range r.Members() {
			switch k := r.Kind(); {
			case name == "data" && (k == '{' || k == '['):
				found = sniff(r, depth+1)
			case name == "spans" && k == '[':
				found = listsSpan(r)
			case name == "traceID" || name == "processes" || name == "spans":
				known++
			}
			if found = found || known == 3; found {
				break
			}
		}
	}
	return found
}

// listsSpan reports whether the first object of a list has an id and the name of an operation.
func listsSpan(r *jsonin.Reader) bool {
	known := 0
	for range r.Elements() {
		if r.Kind() == '{' {
			for name := range r.Members() {
				if name == "spanID" || name == "operationName" || name == "traceID" {
					known++
				}
				if known == 3 {
					break
				}
			}
		}
		break
	}
	return known >= 2
}
