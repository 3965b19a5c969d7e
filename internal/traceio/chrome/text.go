package chrome

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// text decodes the content of a JSON string. What is no valid escape stays as it is written; what
// is no valid UTF-8, and a surrogate without its other half, becomes U+FFFD.
func text(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		return string(raw)
	}
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); {
		if raw[i] == '\\' && i+1 < len(raw) {
			r, n := unescape(raw[i:])
			out = utf8.AppendRune(out, r)
			i += n
			continue
		}
		r, n := utf8.DecodeRune(raw[i:])
		out = utf8.AppendRune(out, r)
		i += n
	}
	return string(out)
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
		return utf8.RuneError, 6
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
