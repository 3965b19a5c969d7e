package trace

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Text from a file may be anything, while JSON, CSV, Markdown, fonts and terminals want UTF-8. So
// the Builder escapes every text that it keeps: a byte that is no part of a valid character becomes
// \x and two upper-case digits. So that this can be undone, a backslash that already stands before
// such an x becomes \x5C:
//
//	caf<E9>   (Latin-1)            caf\xE9
//	caf\xE9   (seven characters)   caf\x5CxE9
//	C:\xml    (no two digits)      C:\xml
//
// Different texts stay different, so functions are never merged by it. Replacing bad bytes by
// U+FFFD would merge them; leaving the second text alone would make it equal to the first.

// Escape returns s as the texts of a Trace are written. Almost every text is returned as it is.
func Escape(s string) string {
	if utf8.ValidString(s) && !strings.Contains(s, `\x`) {
		return s
	}
	var out strings.Builder
	for len(s) > 0 {
		_, n := utf8.DecodeRuneInString(s)
		bad := n == 1 && s[0] >= utf8.RuneSelf
		if _, escape := escaped(s); escape || bad {
			out.WriteString(`\x`)
			out.WriteByte(upperHex[s[0]>>4])
			out.WriteByte(upperHex[s[0]&15])
		} else {
			out.WriteString(s[:n])
		}
		s = s[n:]
	}
	return out.String()
}

// Unescape returns the bytes that a text of a Trace had in the file.
func Unescape(s string) string {
	at := strings.Index(s, `\x`)
	if at < 0 {
		return s
	}
	out := []byte(s[:at])
	for s = s[at:]; len(s) > 0; {
		if c, ok := escaped(s); ok {
			out, s = append(out, c), s[escapeLen:]
			continue
		}
		out, s = append(out, s[0]), s[1:]
	}
	return string(out)
}

const (
	upperHex  = "0123456789ABCDEF"
	escapeLen = len(`\x00`)
)

// escaped returns the byte that the escape at the start of s stands for, if there is one.
func escaped(s string) (c byte, ok bool) {
	if len(s) < escapeLen || s[0] != '\\' || s[1] != 'x' {
		return 0, false
	}
	high, low := strings.IndexByte(upperHex, s[2]), strings.IndexByte(upperHex, s[3])
	return byte(high<<4 | low), high >= 0 && low >= 0
}

// escapeMark is what each escape begins with.
var escapeMark = []byte(`\x`)

// text escapes a text that the trace keeps, and counts it if it was not UTF-8.
func (b *Builder) text(s string) string {
	valid := b.escape(s)
	if len(valid) != len(s) && !utf8.ValidString(s) {
		b.Diagnose(NotUTF8, 1, "%s", valid)
	}
	return valid
}

func (b *Builder) escape(s string) string {
	if b.Escaped && utf8.ValidString(s) {
		return s
	}
	return Escape(s)
}

// given returns what a text of the trace was before the Builder escaped it.
func (b *Builder) given(s string) string {
	if b.Escaped {
		return s
	}
	return Unescape(s)
}

// argument escapes the argument text of a call. It touches nothing that threads share.
func (t *ThreadBuilder) argument(text []byte) []byte {
	valid := utf8.Valid(text)
	if valid && (t.b.Escaped || !bytes.Contains(text, escapeMark)) {
		return text
	}
	escaped := Escape(string(text))
	if !valid {
		x := t.rare()
		if x.notUTF8++; x.notUTF8 == 1 {
			x.escaped = escaped
		}
	}
	return []byte(escaped)
}
