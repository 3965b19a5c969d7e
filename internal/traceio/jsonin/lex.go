package jsonin

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// SkipSpace returns the index of the first byte of b from i on that is no white space, or len(b).
// NUL bytes, which a crash can leave in a file, count as white space.
func SkipSpace(b []byte, i int) int {
	for i < len(b) && b[i] <= ' ' {
		i++
	}
	return i
}

// StringEnd returns the index of the quote that closes the string whose content begins at i, or −1
// if it is not in b. It looks at eight bytes at a time.
func StringEnd(b []byte, i int) int {
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

// Bare marks the bytes of numbers and of the words true, false, null, NaN and Infinity.
var Bare = func() (t [256]bool) {
	for c := range t {
		t[c] = c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' ||
			c == '-' || c == '+' || c == '.'
	}
	return t
}()

// WordEnd returns the end of the number or word at i.
func WordEnd(b []byte, i int) int {
	for i < len(b) && Bare[b[i]] {
		i++
	}
	return i
}

// Text decodes the content of a JSON string. An invalid escape stays as it is written. Bytes that
// are no UTF-8 stay for the Builder to escape, as does a surrogate without its other half.
func Text(raw []byte) string {
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

// powers are those of ten that float64 has exactly, as far as leadingDecimal needs them.
var powers = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14,
	1e15}

// leadingDecimal decodes the number that b begins with and returns its length; 0 if it has more
// than 15 digits or an exponent, or is no number, or if b does not show where it ends. Its digits
// and the power of ten are exact as float64, so the quotient is the number that is nearest.
func leadingDecimal(b []byte) (f float64, length int) {
	const most = 15 // digits, which float64 has exactly
	i := 0
	if len(b) > 0 && b[0] == '-' {
		i = 1
	}
	first, n, behind := i, int64(0), 0
	for ; i < len(b) && b[i]-'0' <= 9; i++ {
		if i-first == most {
			return 0, 0
		}
		n = 10*n + int64(b[i]-'0')
	}
	if i == first {
		return 0, 0
	}
	if i < len(b) && b[i] == '.' {
		point := i
		for i++; i < len(b) && b[i]-'0' <= 9; i++ {
			if i-first > most {
				return 0, 0
			}
			n = 10*n + int64(b[i]-'0')
		}
		behind = i - 1 - point
	}
	if i == len(b) || Bare[b[i]] {
		return 0, 0
	}
	f = float64(n)
	if behind > 0 {
		f /= powers[behind]
	}
	if first > 0 {
		f = -f
	}
	return f, i
}
