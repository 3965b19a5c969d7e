// Package jsonin pulls values out of JSON text of any size, for the formats that are one JSON
// document: the loader asks for what it expects, and what it does not ask for is passed over.
//
//	for name := range r.Members() {
//		switch name {
//		case "samples":
//			for range r.Elements() {
//				n, ok := r.Int()
//				…
//			}
//		case "title":
//			title = r.Text()
//		}
//	}
//	err := r.Err()
//
// The text is read once, from front to back, and nothing is kept of it but the value at hand, so a
// loader takes no more memory than what it makes. It is decoded by jsontext, which takes about a
// seventh of the time that encoding/json needs for the same fields, whose limit is 10,000 levels of
// nesting and which calls itself no deeper.
//
// There are two kinds of defects. Text that is no JSON, or ends early, ends all loops and is what
// Err returns, with its offset; what was read before is sound. A value of another type than the
// loader asks for is passed over and counted, see Misfits.
package jsonin

import (
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/go-json-experiment/json/jsontext"

	"diptych/internal/traceio/input"
)

// Reader reads one document.
type Reader struct {
	d       *jsontext.Decoder
	err     error
	names   map[string]string // those met before, which then take no memory again
	misfits uint64
	misfit  string // the first of them, in words
}

// NewReader returns a reader of the document in r, which may be UTF-8 or, with a mark that says so,
// UTF-16.
func NewReader(r io.Reader) *Reader {
	return &Reader{names: map[string]string{}, d: jsontext.NewDecoder(input.PlainText(r),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
}

// Err returns why the document could not be read to the point where the loops ended, nil if that
// is where its values ended.
func (r *Reader) Err() error { return r.err }

// Offset returns how many bytes have been read.
func (r *Reader) Offset() int64 { return r.d.InputOffset() }

// Misfits returns how many values had another type than what was asked for, and the first of them
// in words.
func (r *Reader) Misfits() (n uint64, first string) { return r.misfits, r.misfit }

// Kind returns what the next value is: one of { [ " 0 t f n, or 0 if there is none.
func (r *Reader) Kind() byte {
	if r.err != nil {
		return 0
	}
	if k := r.d.PeekKind(); kindNames[k] != "" {
		return byte(k)
	}
	return 0
}

// End reports whether nothing follows the values that were read.
func (r *Reader) End() bool {
	if r.err != nil {
		return false
	}
	_, err := r.d.ReadToken()
	return errors.Is(err, io.EOF)
}

// Members yields the names of the object that is next; null is one without members. The body of the
// loop may read the value of the name, once, or leave it.
func (r *Reader) Members() iter.Seq[string] {
	return func(yield func(string) bool) {
		for more := r.enter('{'); more && r.inside('}'); {
			name, ok := r.name()
			if !ok {
				return
			}
			at := r.d.InputOffset()
			more = yield(name)
			r.leave(at, '}', more)
		}
	}
}

// Elements yields the indices of the array that is next; null is an empty one. The body of the loop
// may read one value, or leave it.
func (r *Reader) Elements() iter.Seq[int] {
	return func(yield func(int) bool) {
		i := 0
		for more := r.enter('['); more && r.inside(']'); i++ {
			at := r.d.InputOffset()
			more = yield(i)
			r.leave(at, ']', more)
		}
	}
}

// enter takes the bracket of an object or an array, and reports whether there is one.
func (r *Reader) enter(bracket jsontext.Kind) bool {
	if r.null() || !r.expect(bracket) {
		return false
	}
	_, err := r.d.ReadToken()
	return r.note(err)
}

// inside reports whether a further value comes before the closing bracket, which it takes.
func (r *Reader) inside(bracket jsontext.Kind) bool {
	if r.err != nil {
		return false
	}
	switch r.d.PeekKind() {
	case bracket:
		_, err := r.d.ReadToken()
		r.note(err)
		return false
	case jsontext.KindInvalid:
		r.Skip() // which says why
		return false
	}
	return true
}

// leave passes over the value that began at an offset, if the body of a loop left it; and if that
// ended the loop, over all that remains to the closing bracket.
func (r *Reader) leave(at int64, bracket jsontext.Kind, more bool) {
	if r.d.InputOffset() == at {
		r.Skip()
	}
	for !more && r.inside(bracket) {
		r.Skip()
	}
}

// mostNames and longestName bound the names that are kept.
const (
	mostNames   = 256
	longestName = 64
)

// name takes the name of a member.
func (r *Reader) name() (string, bool) {
	raw, ok := r.value()
	if !ok {
		return "", false
	}
	if name, known := r.names[string(raw)]; known {
		return name, true
	}
	name := unquoted(raw)
	if len(r.names) < mostNames && len(raw) < longestName {
		r.names[string(raw)] = name
	}
	return name, true
}

// Skip passes over the next value.
func (r *Reader) Skip() {
	if r.err == nil {
		r.note(r.d.SkipValue())
	}
}

// Raw returns the text of the next value, valid until the next one is read. All of it is held in
// memory.
func (r *Reader) Raw() []byte {
	raw, _ := r.value()
	return raw
}

// Text returns the next value, a string; null is the empty one.
func (r *Reader) Text() string {
	if r.null() || !r.expect('"') {
		return ""
	}
	raw, _ := r.value()
	return unquoted(raw)
}

// Bool returns the next value, true or false; null is false.
func (r *Reader) Bool() bool {
	switch k := r.Kind(); k {
	case 't', 'f':
		r.Skip()
		return k == 't'
	}
	if !r.null() {
		r.expect('t')
	}
	return false
}

// Int returns the next value, a number, without its fraction. Null and numbers that do not fit are
// not ok; only the latter are misfits.
func (r *Reader) Int() (n int64, ok bool) {
	if raw, ok := r.number(); ok {
		return r.whole(raw)
	}
	return 0, false
}

// Float returns the next value, a number. Null and numbers that do not fit are not ok; only the
// latter are misfits.
func (r *Reader) Float() (f float64, ok bool) {
	if raw, ok := r.number(); ok {
		return r.fraction(raw)
	}
	return 0, false
}

// number takes the next value if it is a number.
func (r *Reader) number() (raw []byte, ok bool) {
	if r.err == nil && r.d.PeekKind() == '0' { // asked first, since lists of numbers are long
		return r.value()
	}
	if !r.null() {
		r.expect('0')
	}
	return nil, false
}

// null takes the next value if it is null.
func (r *Reader) null() bool {
	if r.err != nil || r.d.PeekKind() != 'n' {
		return false
	}
	r.Skip()
	return true
}

// expect reports whether the next value is of a kind. If there is another, it is passed over and
// counted.
func (r *Reader) expect(kind jsontext.Kind) bool {
	if r.err != nil {
		return false
	}
	found := r.d.PeekKind()
	if found == kind {
		return true
	}
	at := r.d.InputOffset()
	r.Skip()
	if r.err == nil {
		r.tell("at offset %d: %s where %s belongs", at, kindNames[found], kindNames[kind])
	}
	return false
}

var kindNames = map[jsontext.Kind]string{'{': "an object", '[': "a list", '"': "a text", '0': "a number",
	't': "true or false", 'f': "true or false", 'n': "null"}

// kindOf returns the kind of the value that begins with a byte.
func kindOf(c byte) jsontext.Kind {
	if c == '-' || c >= '0' && c <= '9' {
		return '0'
	}
	return jsontext.Kind(c)
}

func (r *Reader) tell(format string, args ...any) {
	if r.misfits++; r.misfits == 1 {
		r.misfit = fmt.Sprintf(format, args...)
	}
}

func (r *Reader) value() ([]byte, bool) {
	if r.err != nil {
		return nil, false
	}
	raw, err := r.d.ReadValue()
	return raw, r.note(err)
}

// note keeps the error that ends reading, and reports whether there is none. Of a syntax error it
// keeps where and what, not the path of names that leads there, which may hold anything.
func (r *Reader) note(err error) bool {
	if err == nil {
		return true
	}
	var bad *jsontext.SyntacticError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		r.err = fmt.Errorf("the text ends at offset %d, before its outermost bracket: %w",
			r.d.InputOffset(), io.ErrUnexpectedEOF)
	case errors.As(err, &bad):
		r.err = fmt.Errorf("no JSON at offset %d: %w", bad.ByteOffset, bad.Err)
	default:
		r.err = fmt.Errorf("at offset %d: %w", r.d.InputOffset(), err)
	}
	return false
}
