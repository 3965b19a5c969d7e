package chrome

import (
	"bytes"
	"encoding/binary"
	"iter"
	"math/bits"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// status is how scanning a piece of JSON ended.
type status uint8

const (
	whole  status = iota
	cut           // the text ends inside
	broken        // it is no JSON
)

// maxNesting bounds the levels of a value inside an event. The scan of a deeper one fails early, so
// that hunting for events in garbage stays cheap.
const maxNesting = 512

// scanner walks over JSON values without decoding them. It is strict about structure, since a
// misplaced quote must show within a few tokens, and lenient about the rest: control characters in
// strings pass, as do NaN and Infinity, which Python writes.
type scanner struct {
	open []byte // the brackets around the current position
	gaps bool
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && b[i] <= ' ' {
		i++
	}
	return i
}

// stringEnd returns the index of the quote that closes the string whose content begins at i, or −1
// if it is not in b. It looks at eight bytes at a time.
func stringEnd(b []byte, i int) int {
	const (
		ones    = 0x0101010101010101
		tops    = 0x8080808080808080
		quotes  = ones * '"'
		slashes = ones * '\\'
	)
	for i+8 <= len(b) {
		w := binary.LittleEndian.Uint64(b[i:])
		q, s := w^quotes, w^slashes
		hit := ((q-ones)&^q | (s-ones)&^s) & tops
		if hit == 0 {
			i += 8
			continue
		}
		i += bits.TrailingZeros64(hit) >> 3
		if b[i] == '"' {
			return i
		}
		i += 2
	}
	for i < len(b) {
		switch b[i] {
		case '"':
			return i
		case '\\':
			i++
		}
		i++
	}
	return -1
}

// bare marks the bytes of numbers and of the words true, false, null, NaN and Infinity.
var bare = func() (t [256]bool) {
	for c := range t {
		t[c] = c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' ||
			c == '-' || c == '+' || c == '.'
	}
	return t
}()

// wordEnd returns the end of the number or word at i.
func wordEnd(b []byte, i int) int {
	for i < len(b) && bare[b[i]] {
		i++
	}
	return i
}

// scalar returns the end of the string, number or word at i.
func scalar(b []byte, i int) (int, status) {
	if b[i] == '"' {
		if i = stringEnd(b, i+1); i < 0 {
			return len(b), cut
		}
		return i + 1, whole
	}
	end := wordEnd(b, i)
	switch {
	case end == len(b):
		return end, cut
	case end == i:
		return i, broken
	}
	return end, whole
}

// value returns the end of the value at i, and notes in s.gaps whether white space stands between
// its tokens.
func (s *scanner) value(b []byte, i int) (int, status) {
	s.open, s.gaps = s.open[:0], false
	for {
		i = s.space(b, i)
		if i >= len(b) {
			return i, cut
		}
		var st status
		switch c := b[i]; c {
		case '{', '[':
			if len(s.open) == maxNesting {
				return i, broken
			}
			s.open = append(s.open, c)
			i = s.space(b, i+1)
			if i >= len(b) {
				return i, cut
			}
			if b[i] != closing(c) {
				if c == '{' {
					if _, i, st = s.key(b, i); st != whole {
						return i, st
					}
				}
				continue
			}
		default:
			if i, st = scalar(b, i); st != whole {
				return i, st
			}
		}
		if i, st = s.leave(b, i); st != whole || len(s.open) == 0 {
			return i, st
		}
	}
}

// closing returns the bracket that closes c: both are two code points on.
func closing(c byte) byte { return c + 2 }

// leave goes from the end of a value out of all brackets that end here, and on to the next value.
func (s *scanner) leave(b []byte, i int) (int, status) {
	for len(s.open) > 0 {
		i = s.space(b, i)
		if i >= len(b) {
			return i, cut
		}
		top := s.open[len(s.open)-1]
		switch {
		case b[i] == closing(top):
			s.open = s.open[:len(s.open)-1]
			i++
		case b[i] != ',':
			return i, broken
		case top == '{':
			_, next, st := s.key(b, s.space(b, i+1))
			return next, st
		default:
			return i + 1, whole
		}
	}
	return i, whole
}

// key returns the end of the name at i, its quote excluded, and the position after its colon.
func (s *scanner) key(b []byte, i int) (to, next int, st status) {
	if i >= len(b) {
		return i, i, cut
	}
	if b[i] != '"' {
		return i, i, broken
	}
	if to = stringEnd(b, i+1); to < 0 {
		return to, len(b), cut
	}
	i = s.space(b, to+1)
	if i >= len(b) {
		return to, i, cut
	}
	if b[i] != ':' {
		return to, i, broken
	}
	return to, i + 1, whole
}

func (s *scanner) space(b []byte, i int) int {
	if i >= len(b) || b[i] > ' ' {
		return i
	}
	s.gaps = true
	return skipSpace(b, i)
}

// squeeze appends the well-formed value b to out without the white space between its tokens.
func squeeze(out, b []byte) []byte {
	for i := 0; i < len(b); {
		from := i
		for i < len(b) && b[i] > ' ' {
			if b[i] == '"' {
				i = stringEnd(b, i+1)
			}
			i++
		}
		out = append(out, b[from:i]...)
		i = skipSpace(b, i)
	}
	return out
}

// members yields the names and values of a well-formed JSON object, strings without their quotes
// and still escaped. Text that is no object has no members.
func members(b []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		var s scanner
		i := skipSpace(b, 0)
		if i >= len(b) || b[i] != '{' {
			return
		}
		for i = skipSpace(b, i+1); i < len(b) && b[i] == '"'; i = skipSpace(b, i+1) {
			from := i + 1
			to, next, st := s.key(b, i)
			if st != whole {
				return
			}
			i = skipSpace(b, next)
			end, st := s.value(b, i)
			if st != whole {
				return
			}
			value := b[i:end]
			if value[0] == '"' {
				value = value[1 : len(value)-1]
			}
			if !yield(b[from:to], value) {
				return
			}
			if i = skipSpace(b, end); i >= len(b) || b[i] != ',' {
				return
			}
		}
	}
}

// text decodes the content of a JSON string. What is no valid escape stays as it is written. Bytes
// that are no UTF-8 stay for the Builder to escape, as does a surrogate without its other half.
func text(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw)
	}
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); {
		if raw[i] == '\\' && i+1 < len(raw) {
			r, n := unescape(raw[i:])
			out = appendRune(out, r)
			i += n
			continue
		}
		out = append(out, raw[i])
		i++
	}
	return string(out)
}

// appendRune appends r, and half a surrogate pair as three bytes that are no UTF-8: U+D800 is
// ED A0 80, where utf8.AppendRune would write U+FFFD for all of them.
func appendRune(out []byte, r rune) []byte {
	if utf16.IsSurrogate(r) {
		return append(out, 0xe0|byte(r>>12), 0x80|byte(r>>6)&0x3f, 0x80|byte(r)&0x3f)
	}
	return utf8.AppendRune(out, r)
}

var escapes = [256]rune{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

// unescape decodes the escape that b begins with and returns its length.
func unescape(b []byte) (r rune, n int) {
	if r := escapes[b[1]]; r != 0 {
		return r, 2
	}
	first := unit(b)
	if first < 0 {
		return '\\', 1
	}
	if utf16.IsSurrogate(first) {
		if r := utf16.DecodeRune(first, unit(b[6:])); r != utf8.RuneError {
			return r, 12
		}
	}
	return first, 6
}

// unit returns the UTF-16 code unit of the \u escape that b begins with, or −1.
func unit(b []byte) rune {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return -1
	}
	v, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	if err != nil {
		return -1
	}
	return rune(v)
}
