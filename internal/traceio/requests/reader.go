package requests

import (
	"iter"

	"diptych/internal/traceio/jsonin"
)

// Reader is a reader of JSON to which null is an empty list or object, as writers of traces mean it.
type Reader struct{ *jsonin.Reader }

// Elements is that of jsonin.
func (r Reader) Elements() iter.Seq[int] {
	if r.Kind() == 'n' {
		return func(func(int) bool) {} // who called passes over it
	}
	return r.Reader.Elements()
}

// Members is that of jsonin.
func (r Reader) Members() iter.Seq[string] {
	if r.Kind() == 'n' {
		return func(func(string) bool) {}
	}
	return r.Reader.Members()
}
