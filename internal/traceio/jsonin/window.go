package jsonin

import (
	"errors"
	"fmt"
	"io"

	"diptych/internal/traceio/input"
)

// Reader reads one document. What it sees of the text is a window: all before r.i has been read.
// The window grows only where one string or number is longer than it.
type Reader struct {
	in   io.Reader
	buf  []byte // the window
	i    int    // where reading has got
	base int64  // the offset of the window in the text
	end  error  // why no more text comes; nil while some may
	err  error

	list        []member       // names met before, which take no memory again; the first is none
	names       map[string]int // their indices
	after       int            // the index of the last one
	ints        [batch]int64   // of the list that is read, and
	floats      [batch]float64 // the same of one with fractions
	open        []byte         // the brackets around what Skip passes over
	nuls        Nuls
	misfits     uint64
	firstMisfit string
}

// member is the name of a member, as it is written and what it means.
type member struct {
	raw, name string
	next      int // the index of the name that came after it the last time
}

const windowSize = 64 << 10

// NewReader returns a reader of the document in r, which may be UTF-8 or, with a mark that says so,
// UTF-16.
func NewReader(r io.Reader) *Reader {
	return &Reader{in: input.PlainText(r), names: map[string]int{}, list: make([]member, 1),
		buf: make([]byte, 0, windowSize)}
}

// NewHead returns a reader of the beginning of a document, which is its window: many files are
// looked at only to see that they are none, and each would take two buffers.
func NewHead(head []byte) *Reader {
	return &Reader{names: map[string]int{}, list: make([]member, 1), buf: input.PlainHead(head), end: io.EOF}
}

// Err returns why the document could not be read to the point where the loops ended, nil if that
// is where its values ended.
func (r *Reader) Err() error { return r.err }

// Offset returns how many bytes have been read.
func (r *Reader) Offset() int64 { return r.base + int64(r.i) }

// End reports whether nothing follows the values that were read.
func (r *Reader) End() bool { return r.err == nil && r.space() == 0 && r.i == len(r.buf) }

// fail ends reading, and returns false. As after cut, the window shows nothing more.
func (r *Reader) fail(why string) bool {
	if r.err == nil {
		r.err = fmt.Errorf("no JSON at offset %d: %s", r.Offset(), why)
		r.base, r.buf, r.i = r.Offset(), r.buf[:0], 0
	}
	return false
}

// cut ends reading since the text ends, and returns false.
func (r *Reader) cut() bool {
	switch {
	case r.err != nil:
	case errors.Is(r.end, io.EOF):
		r.err = &cutError{r.base + int64(len(r.buf))}
	default:
		r.err = fmt.Errorf("at offset %d: %w", r.base+int64(len(r.buf)), r.end)
	}
	return false
}

// cutError is io.ErrUnexpectedEOF with the place.
type cutError struct{ offset int64 }

func (e *cutError) Error() string {
	return fmt.Sprintf("the text ends at offset %d, before its outermost bracket", e.offset)
}

func (*cutError) Unwrap() error { return io.ErrUnexpectedEOF }

// fill moves the window on to r.i and reads more text into it. It reports false if no more comes;
// then the window may be where it was, and bytes of a head are not written to.
func (r *Reader) fill() bool {
	if r.end != nil {
		return false
	}
	if r.i > 0 {
		n := copy(r.buf, r.buf[r.i:])
		r.base += int64(r.i)
		r.buf, r.i = r.buf[:n], 0
	}
	if len(r.buf) == cap(r.buf) {
		r.buf = append(r.buf, 0)[:len(r.buf)] // grows it
	}
	const patience = 100 // reads without a byte or an error
	for range patience {
		if r.end != nil {
			return false
		}
		n, err := r.in.Read(r.buf[len(r.buf):cap(r.buf)])
		r.nuls.Look(r.buf[len(r.buf) : len(r.buf)+n])
		r.buf, r.end = r.buf[:len(r.buf)+n], err
		if n > 0 {
			return true
		}
	}
	r.end = io.ErrNoProgress
	return false
}

// space passes over white space and returns the byte after it, 0 at the end.
func (r *Reader) space() byte {
	for {
		if r.i < len(r.buf) && r.buf[r.i] > ' ' {
			return r.buf[r.i]
		}
		if r.i = SkipSpace(r.buf, r.i); r.i >= len(r.buf) && !r.fill() {
			return 0
		}
	}
}

// peek returns the byte that is next but for white space, 0 after an error. The end of the text is
// one.
func (r *Reader) peek() (c byte) {
	if r.i < len(r.buf) {
		if c = r.buf[r.i]; c > ' ' {
			return
		}
	}
	return r.peekOn()
}

// peekOn is peek where white space or the end of the window is next. Apart from it, peek is small
// enough to cost no call.
func (r *Reader) peekOn() byte {
	if r.err != nil {
		return 0
	}
	c := r.space()
	if c == 0 {
		r.cut()
	}
	return c
}

// quoted takes a string, whose quote is next, and returns what is between its quotes, valid until
// the next value is read.
func (r *Reader) quoted() ([]byte, bool) {
	from := 1
	for {
		end := StringEnd(r.buf, r.i+from)
		if end >= 0 {
			raw := r.buf[r.i+1 : end]
			r.i = end + 1
			return raw, true
		}
		if !r.fill() {
			r.i = len(r.buf)
			return nil, r.cut()
		}
	}
}

// word takes a number or a word.
func (r *Reader) word() []byte {
	end := WordEnd(r.buf, r.i)
	for more := true; more && end == len(r.buf); end = WordEnd(r.buf, r.i) {
		more = r.fill() // may move the window
	}
	raw := r.buf[r.i:end]
	r.i = end
	return raw
}

// listedInts takes the next numbers of a list as far as there is room for them, with the comma
// before each but the first, and returns how many. It stops where the window does not show that
// this is all, without blanks, and that a number has few digits.
func (r *Reader) listedInts(to []int64, first bool) (count int) {
	const digits = 18
	if r.err != nil {
		return 0
	}
	b, at := r.buf, r.i
	for count < len(to) && at+digits+3 < len(b) {
		i := at
		if !first {
			if b[i] != ',' {
				break
			}
			i++
		}
		minus := b[i] == '-'
		if minus {
			i++
		}
		from, n := i, int64(0)
		for ; i-from < digits && b[i]-'0' <= 9; i++ {
			n = 10*n + int64(b[i]-'0')
		}
		if i == from || b[i] != ',' && b[i] != ']' {
			break
		}
		if minus {
			n = -n
		}
		to[count] = n
		count++
		at, first = i, false
	}
	r.i = at
	return count
}

// listedFloats is listedInts for numbers that may have a fraction.
func (r *Reader) listedFloats(to []float64, first bool) (count int) {
	if r.err != nil {
		return 0
	}
	at := r.i
	for count < len(to) && at < len(r.buf) {
		from := at
		if !first {
			if r.buf[from] != ',' {
				break
			}
			from++
		}
		f, n := leadingDecimal(r.buf[from:])
		if n == 0 {
			break
		}
		to[count] = f
		count++
		at, first = from+n, false
	}
	r.i = at
	return count
}

// short takes the number that is next, without white space before it, if it is as leadingDecimal
// wants it.
func (r *Reader) short() (f float64, ok bool) {
	f, n := leadingDecimal(r.buf[r.i:])
	r.i += n
	return f, n > 0
}

// Skip passes over the next value. It looks at brackets and strings alone.
func (r *Reader) Skip() {
	r.open = r.open[:0]
	for {
		c := r.peek()
		switch {
		case c == 0:
			return
		case c == '{' || c == '[':
			r.open = append(r.open, c+2) // which closes it
			r.i++
		case c == '"':
			r.skipQuoted()
		case c == '}' || c == ']':
			if n := len(r.open) - 1; n < 0 || r.open[n] != c {
				r.fail("a bracket that closes nothing")
				return
			} else {
				r.open = r.open[:n]
			}
			r.i++
		case c == ',' || c == ':':
			if len(r.open) == 0 {
				r.fail("a value is missing")
				return
			}
			r.i++
		case Bare[c]:
			r.skipWord()
		default:
			r.fail("a character that begins no value")
			return
		}
		if len(r.open) == 0 {
			return
		}
	}
}

// skipQuoted passes over a string without holding it.
func (r *Reader) skipQuoted() {
	r.i++
	for {
		if end := StringEnd(r.buf, r.i); end >= 0 {
			r.i = end + 1
			return
		}
		// An escape may begin with the last byte of the window, so as many backslashes as end it
		// are looked at again.
		kept := len(r.buf)
		for kept > r.i && r.buf[kept-1] == '\\' {
			kept--
		}
		if r.i = kept; !r.fill() {
			r.i = len(r.buf)
			r.cut()
			return
		}
	}
}

// skipWord passes over a number or a word without holding it.
func (r *Reader) skipWord() {
	for {
		if r.i = WordEnd(r.buf, r.i); r.i < len(r.buf) || !r.fill() {
			return
		}
	}
}
