package blocking

import (
	"bytes"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"diptych/internal/trace"
)

// reading is what the argument text of a call says: what uftrace prints, `(0x7ffd, 3) = 0`, or the
// args object of a Chrome trace event that holds such text as "arguments". There can be as many
// texts as calls, and most were met before, so nothing is copied: arguments and result lie in the
// text, which belongs to the trace, or in memory that is reused for the next text. Whoever keeps
// them copies them.
type reading struct {
	args   [][]byte
	result []byte
	plain  []byte // the last object's name, if its text has backslashes
}

// object returns the object that the argument at a position, from 1, names, a string without its
// quotes; nothing for null pointers and missing arguments. The next call of object takes its
// memory.
func (r *reading) object(n int) []byte {
	if n > len(r.args) {
		return nil
	}
	return r.objectName(r.args[n-1])
}

func (r *reading) objectName(arg []byte) []byte {
	switch string(arg) {
	case "", "0", "0x0", "(nil)", "NULL", "nil", "null":
		return nil
	}
	if arg[0] != '"' {
		return arg
	}
	return r.unescape(bytes.TrimSuffix(arg[1:], []byte(`"`)))
}

// read splits argument text into arguments and result.
func (r *reading) read(text []byte) {
	r.args, r.result = r.args[:0], nil
	text = bytes.TrimSpace(text)
	if startsWith(text, '{') {
		if bytes.Contains(text, []byte(`\x`)) {
			text = []byte(trace.Unescape(string(text)))
		}
		r.readJSON(text)
		return
	}
	if startsWith(text, '(') {
		n := r.split(text[1:])
		text = bytes.TrimSpace(text[1+n:])
	}
	if startsWith(text, '=') {
		r.result = bytes.TrimSpace(text[1:])
	}
}

func startsWith(text []byte, c byte) bool { return len(text) > 0 && text[0] == c }

// split separates arguments at commas outside strings and brackets, up to the closing parenthesis;
// n is how much of s that takes.
func (r *reading) split(s []byte) (n int) {
	var (
		from, depth int
		quote       byte
	)
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quote != 0:
			if c == '\\' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '(' || c == '[' || c == '{':
			depth++
		case depth > 0 && (c == ')' || c == ']' || c == '}'):
			depth--
		case c == ')':
			r.take(s[from:i])
			return i + 1
		case c == ',' && depth == 0:
			r.take(s[from:i])
			from = i + 1
		}
	}
	r.take(s[from:])
	return len(s)
}

// take adds an argument. Between two parentheses with nothing in them there is none.
func (r *reading) take(arg []byte) {
	if arg = bytes.TrimSpace(arg); len(arg) > 0 || len(r.args) > 0 {
		r.args = append(r.args, arg)
	}
}

// unescape undoes backslashes before quotes and backslashes; what stands for bytes that do not
// print stays.
func (r *reading) unescape(s []byte) []byte {
	if bytes.IndexByte(s, '\\') < 0 {
		return s
	}
	r.plain = r.plain[:0]
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && (s[i+1] == '\\' || s[i+1] == '"') {
			i++
		}
		r.plain = append(r.plain, s[i])
	}
	return r.plain
}

// readJSON reads one or more JSON objects, as begin and end of a Chrome event each may bring one.
// Only the strings "arguments" and "retval" count.
func (r *reading) readJSON(text []byte) {
	if !r.readPlain(text) {
		r.readAnyJSON(text)
	}
}

// readArguments reads the arguments that a JSON string holds.
func (r *reading) readArguments(text []byte) {
	result := r.result
	r.read(text)
	r.result = result
}

// readPlain does that for objects of strings that are written without escapes, white space or
// letters beyond ASCII, as almost all are. It returns false if it cannot.
func (r *reading) readPlain(text []byte) bool {
	for startsWith(text, '{') {
		for bracket := byte(','); bracket == ','; {
			name, n := plain(text[1:])
			if n == 0 || !startsWith(text[1+n:], ':') {
				return false
			}
			text = text[1+n:]
			value, n := plain(text[1:])
			if n == 0 || len(text) == 1+n {
				return false
			}
			text = text[1+n:]
			switch string(name) {
			case "arguments":
				r.readArguments(value)
			case "retval":
				r.result = value
			}
			bracket = text[0]
			if bracket != ',' && bracket != '}' {
				return false
			}
		}
		if len(text) == 1 {
			return true
		}
		text = bytes.TrimPrefix(text, []byte("} "))
	}
	return false
}

// plain returns the content of the string that s begins with, and the length of the whole; 0 if it
// is none, or not plain.
func plain(s []byte) (content []byte, n int) {
	if !startsWith(s, '"') {
		return nil, 0
	}
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return s[1:i], i + 1
		case c < ' ' || c >= 0x7f || c == '\\':
			return nil, 0
		}
	}
	return nil, 0
}

// readAnyJSON does it for all that is JSON.
func (r *reading) readAnyJSON(text []byte) {
	r.args, r.result = r.args[:0], nil
	in := jsontext.NewDecoder(bytes.NewReader(text),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for in.PeekKind() == '{' {
		if _, err := in.ReadToken(); err != nil {
			return
		}
		for in.PeekKind() == '"' {
			key, err := in.ReadToken()
			if err != nil {
				return
			}
			name := key.String()
			value, err := in.ReadValue()
			if err != nil {
				return
			}
			switch {
			case value.Kind() != '"':
			case name == "arguments":
				r.readArguments(unquoteJSON(value))
			case name == "retval":
				r.result = bytes.Trim(unquoteJSON(value), `"`)
			}
		}
		if _, err := in.ReadToken(); err != nil {
			return
		}
	}
}

// unquoteJSON decodes a JSON string into a text of the trace: bytes that are no UTF-8, which
// jsontext would all replace by one character, are escaped.
func unquoteJSON(v jsontext.Value) []byte {
	var out []byte
	for rest := v[1 : len(v)-1]; len(rest) > 0; {
		n := validPrefix(rest)
		var err error
		if out, err = jsontext.AppendUnquote(out, `"`+string(rest[:n])+`"`); err != nil {
			return nil
		}
		if n < len(rest) {
			out = append(out, rest[n])
			n++
		}
		rest = rest[n:]
	}
	return []byte(trace.Escape(string(out)))
}

// validPrefix returns the length of what is UTF-8 at the start of s.
func validPrefix(s []byte) (n int) {
	for n < len(s) {
		r, k := utf8.DecodeRune(s[n:])
		if r == utf8.RuneError && k == 1 {
			break
		}
		n += k
	}
	return n
}
