package ctf

import (
	"fmt"
	"strings"
)

// token is a word of TSDL: a name, a number, a text without its quotes, or a sign.
type token struct {
	kind tokenKind
	text string
	at   int // offset in the metadata
}

type tokenKind uint8

const (
	endToken tokenKind = iota
	nameToken
	numberToken
	textToken
	signToken
)

// lexer takes one token after the other from metadata.
type lexer struct {
	text string
	pos  int
}

// signs of more than one character, the longest first.
var signs = []string{"...", ":=", "->", "::"}

// next returns the next token.
func (l *lexer) next() (token, error) {
	if err := l.skip(); err != nil {
		return token{}, err
	}
	t := token{at: l.pos}
	if l.pos == len(l.text) {
		return t, nil
	}
	c := l.text[l.pos]
	switch {
	case c == '"' || c == '\'':
		return l.quoted(c)
	case letter(c):
		t.kind, t.text = nameToken, l.while(func(c byte) bool { return letter(c) || digit(c) })
		return t, nil
	case digit(c):
		t.kind, t.text = numberToken, l.while(func(c byte) bool { return letter(c) || digit(c) || c == '.' })
		// An interval may follow a number without a blank: 0...30.
		if i := strings.Index(t.text, ".."); i >= 0 {
			l.pos, t.text = t.at+i, t.text[:i]
		}
		return t, nil
	}
	t.kind, t.text = signToken, l.text[l.pos:l.pos+1]
	for _, s := range signs {
		if strings.HasPrefix(l.text[l.pos:], s) {
			t.text = s
			break
		}
	}
	l.pos += len(t.text)
	return t, nil
}

func letter(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80 }
func digit(c byte) bool  { return c >= '0' && c <= '9' }

func (l *lexer) while(ok func(byte) bool) string {
	from := l.pos
	for l.pos < len(l.text) && ok(l.text[l.pos]) {
		l.pos++
	}
	return l.text[from:l.pos]
}

// skip passes over blanks, comments and lines of a preprocessor.
func (l *lexer) skip() error {
	for l.pos < len(l.text) {
		rest := l.text[l.pos:]
		n := 0
		switch c := rest[0]; {
		case c == ' ' || c >= '\t' && c <= '\r' || c == 0:
			n = 1
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				return fmt.Errorf("offset %d of the metadata: a comment does not end", l.pos)
			}
			n = end + 4
		case strings.HasPrefix(rest, "//"), c == '#':
			if n = strings.IndexByte(rest, '\n'); n < 0 {
				n = len(rest)
			}
		default:
			return nil
		}
		l.pos += n
	}
	return nil
}

// escapes are the characters that a backslash and a letter stand for.
var escapes = map[byte]byte{'n': '\n', 't': '\t', 'r': '\r', 'a': '\a', 'b': '\b', 'f': '\f', 'v': '\v'}

// quoted reads a text in quotes.
func (l *lexer) quoted(quote byte) (token, error) {
	t := token{kind: textToken, at: l.pos}
	var out strings.Builder
	for i := l.pos + 1; i < len(l.text); i++ {
		c := l.text[i]
		switch {
		case c == quote:
			l.pos, t.text = i+1, out.String()
			return t, nil
		case c == '\\' && i+1 < len(l.text):
			i++
			if e, ok := escapes[l.text[i]]; ok {
				out.WriteByte(e)
			} else {
				out.WriteByte(l.text[i])
			}
		default:
			out.WriteByte(c)
		}
	}
	return t, fmt.Errorf("offset %d of the metadata: a text does not end", l.pos)
}
