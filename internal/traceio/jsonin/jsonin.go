// Package jsonin pulls values out of JSON text of any size, for the formats that are one JSON
// document: the loader asks for what it expects, and what it does not ask for is passed over.
//
//	for name := range r.Members() {
//		switch name {
//		case "samples":
//			for n, ok := range r.Ints() {
//				…
//			}
//		case "title":
//			title = r.Text()
//		}
//	}
//	err := r.Err()
//
// The text is read once, from front to back, through a window (window.go), and nothing is kept of
// it but the value at hand. So a loader takes no more memory than what it makes, and nesting takes
// a byte a level and none of the goroutine's stack. lex.go has the words of JSON, which the loader
// of Chrome's events uses as well, in its own way.
//
// Why no library: encoding/json is what loading is measured against, and jsontext, which can be
// read token by token, takes 40 % of its time for the lists of numbers that profiles consist of.
// This reader takes a quarter, all that both allocate included. It is lenient where that does no
// harm: control characters and bytes that are no UTF-8 in strings pass. NUL bytes pass too, since
// what is around them can be saved, but are counted.
//
// There are two kinds of defects. Text that is no JSON, or ends early, ends all loops and is what
// Err returns, with its offset; what was read before is sound. A value of another type than the
// loader asks for is passed over and counted, see Misfits; so are spoilt numbers, and NaN.
package jsonin

import (
	"fmt"
	"iter"
	"math"
	"strconv"
)

// Members yields the names of the object that is next; null is one without members. The body of the
// loop may read the value of the name, once, or leave it.
func (r *Reader) Members() iter.Seq[string] {
	return func(yield func(string) bool) {
		more := r.enter('{')
		for i := 0; more && r.inside('}', i == 0); i++ {
			name, ok := r.name()
			if !ok {
				return
			}
			at := r.Offset()
			more = yield(name)
			r.leave(at, '}', more)
		}
	}
}

// Elements yields the indices of the array that is next; null is an empty one. The body of the loop
// may read one value, or leave it.
func (r *Reader) Elements() iter.Seq[int] {
	return func(yield func(int) bool) {
		more := r.enter('[')
		for i := 0; more && r.inside(']', i == 0); i++ {
			at := r.Offset()
			more = yield(i)
			r.leave(at, ']', more)
		}
	}
}

// Ints yields the numbers of the array that is next, without their fractions; null is an empty one.
// An element that is null, or no number that fits, is not ok; only null is no misfit. The loop
// reads no other value.
func (r *Reader) Ints() iter.Seq2[int64, bool] {
	return func(yield func(int64, bool) bool) { list(r, r.ints[:], (*Reader).listedInts, (*Reader).Int, yield) }
}

// Floats is Ints for numbers with their fractions.
func (r *Reader) Floats() iter.Seq2[float64, bool] {
	return func(yield func(float64, bool) bool) {
		list(r, r.floats[:], (*Reader).listedFloats, (*Reader).Float, yield)
	}
}

// list yields the numbers of the array that is next. Many at once are read by one function, and by
// the other the one at which that stops.
func list[N int64 | float64](r *Reader, next []N, many func(r *Reader, to []N, first bool) int,
	one func(*Reader) (N, bool), yield func(N, bool) bool) {
	if !r.enter('[') {
		return
	}
	more := true
	for first := true; more; first = false {
		n := many(r, next, first)
		for _, v := range next[:n] {
			if more = more && yield(v, true); !more {
				break
			}
		}
		if n > 0 {
			continue
		}
		if !r.inside(']', first) {
			return
		}
		more = yield(one(r))
	}
	r.leave(-1, ']', more)
}

// batch is how many numbers of a list are read at once at most.
const batch = 64

// enter takes the bracket of an object or an array, and reports whether there is one.
func (r *Reader) enter(bracket byte) bool {
	if r.null() || !r.expect(bracket) {
		return false
	}
	r.i++
	return true
}

// inside reports whether a further value comes before the closing bracket, which it takes. It
// passes over the comma before a value that is not the first.
func (r *Reader) inside(bracket byte, first bool) bool {
	c := r.peek()
	if c == ',' && !first {
		r.i++
		c = r.peek() // a comma before the bracket is a habit of some writers
	} else if c != bracket && !first {
		return r.fail("a comma or a bracket is missing")
	}
	if c == bracket {
		r.i++
		return false
	}
	return r.err == nil
}

// leave passes over the value that began at an offset, if the body of a loop left it; and if that
// ended the loop, over all that remains to the closing bracket.
func (r *Reader) leave(at int64, bracket byte, more bool) {
	if r.Offset() == at {
		r.Skip()
	}
	for !more && r.inside(bracket, false) {
		if bracket == '}' {
			r.name()
		}
		r.Skip()
	}
}

// mostNames and longestName bound the names that are kept.
const (
	mostNames   = 256
	longestName = 64
)

// name takes the name of a member and the colon after it.
func (r *Reader) name() (string, bool) {
	if r.peek() != '"' {
		return "", r.fail("a name is missing")
	}
	raw, ok := r.quoted()
	if !ok {
		return "", false
	}
	name := r.named(raw)
	if r.peek() != ':' {
		return "", r.fail("a colon is missing")
	}
	r.i++
	r.peek() // so that the value begins here, and it shows whether it is read
	return name, true
}

// named returns the name that is written so. The objects of a list mostly have the same members in
// the same order, so the name that followed the last one before is tried first.
func (r *Reader) named(raw []byte) string {
	before := r.after
	if k := r.list[before].next; k > 0 && r.list[k].raw == string(raw) {
		r.after = k
		return r.list[k].name
	}
	k, known := r.names[string(raw)]
	if !known {
		name := Text(raw)
		if len(r.list) == mostNames || len(raw) >= longestName {
			return name
		}
		k = len(r.list)
		r.names[string(raw)] = k
		r.list = append(r.list, member{string(raw), name, 0})
	}
	r.after, r.list[before].next = k, k
	return r.list[k].name
}

// Kind returns what the next value is: one of { [ " 0 t f n, or 0 if there is none.
func (r *Reader) Kind() byte {
	switch c := r.peek(); {
	case c == '{' || c == '[' || c == '"':
		return c
	case !Bare[c]:
		return 0
	case c == 't' || c == 'f' || c == 'n':
		return c
	}
	return '0'
}

// Text returns the next value, a string; null is the empty one.
func (r *Reader) Text() string {
	if r.peek() != '"' && (r.null() || !r.expect('"')) {
		return ""
	}
	raw, _ := r.quoted()
	return Text(raw)
}

// Bool returns the next value, true or false; null is false.
func (r *Reader) Bool() bool {
	switch k := r.Kind(); k {
	case 't', 'f':
		return string(r.word()) == "true"
	}
	if !r.null() {
		r.expect('t')
	}
	return false
}

// Int returns the next value, a number, without its fraction. Null and numbers that do not fit are
// not ok; only the latter are misfits.
func (r *Reader) Int() (n int64, ok bool) {
	if r.peek()-'0' > 9 && (r.null() || !r.expect('0')) {
		return 0, false
	}
	if f, ok := r.short(); ok {
		return int64(f), true
	}
	raw := r.word()
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return n, true
	}
	f, ok := r.number(raw)
	if ok && math.Abs(f) >= 1<<63 {
		return 0, r.Misfit("%.40s is too large a number", raw)
	}
	return int64(f), ok
}

// Float returns the next value, a number. Null and numbers that do not fit are not ok; only the
// latter are misfits.
func (r *Reader) Float() (f float64, ok bool) {
	if r.peek()-'0' > 9 && (r.null() || !r.expect('0')) {
		return 0, false
	}
	if f, ok := r.short(); ok {
		return f, true
	}
	return r.number(r.word())
}

// number decodes a number.
func (r *Reader) number(raw []byte) (float64, bool) {
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return 0, r.Misfit("%.40s is no number that fits", raw)
	}
	return f, true
}

// null takes the next value if it is null.
func (r *Reader) null() bool {
	if r.peek() != 'n' {
		return false
	}
	if raw := r.word(); string(raw) != "null" {
		r.Misfit("the word %.40s", raw)
	}
	return true
}

// expect reports whether the next value is of a kind. If there is another, it is passed over and
// counted.
func (r *Reader) expect(kind byte) bool {
	found := r.Kind()
	if found == kind {
		return true
	}
	at := r.Offset()
	if r.Skip(); r.err == nil {
		r.Misfit("at offset %d: %s where %s belongs", at, kindNames[found], kindNames[kind])
	}
	return false
}

var kindNames = map[byte]string{'{': "an object", '[': "a list", '"': "a text", '0': "a number",
	't': "true or false", 'f': "true or false", 'n': "null"}

// Misfit counts a value that is not what was asked for, and returns false. Whoever asks may know
// more of what a value must be.
func (r *Reader) Misfit(format string, args ...any) bool {
	if r.misfits++; r.misfits == 1 {
		r.firstMisfit = fmt.Sprintf(format, args...)
	}
	return false
}

// Misfits returns how many values had another type than what was asked for and how many stretches
// of NUL bytes there were, and the first of either in words.
func (r *Reader) Misfits() (n uint64, first string) {
	if r.nuls.Stretches == 0 {
		return r.misfits, r.firstMisfit
	}
	return r.misfits + r.nuls.Stretches, fmt.Sprintf("at offset %d: a NUL byte", r.nuls.First)
}
