package blocking

import (
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"diptych/internal/trace"
)

// Objects returns the arguments at the given positions, from 1, of argument text: what uftrace
// prints, `(0x7ffd, 3) = 0`, or the args object of a Chrome trace event that holds such text as
// "arguments". Null pointers and missing arguments name no object. Strings come without quotes.
func Objects(argsText string, args []int) []string {
	list, _ := parse(argsText)
	return pick(list, args)
}

func pick(list []string, args []int) []string {
	var out []string
	for _, n := range args {
		if n <= len(list) {
			if name := objectName(list[n-1]); name != "" {
				out = append(out, name)
			}
		}
	}
	return out
}

// objectName returns the object that an argument names, or "" if it names none.
func objectName(arg string) string {
	switch arg {
	case "", "0", "0x0", "(nil)", "NULL", "nil", "null":
		return ""
	}
	if text, isQuoted := strings.CutPrefix(arg, `"`); isQuoted {
		return unescape(strings.TrimSuffix(text, `"`))
	}
	return arg
}

// parse splits argument text into arguments and result.
func parse(text string) (args []string, result string) {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "{") {
		return parseJSON(trace.Unescape(text))
	}
	if strings.HasPrefix(text, "(") {
		var n int
		args, n = split(text[1:])
		text = strings.TrimSpace(text[1+n:])
	}
	if r, ok := strings.CutPrefix(text, "="); ok {
		result = strings.TrimSpace(r)
	}
	return args, result
}

// split separates arguments at commas outside strings and brackets, up to the closing parenthesis;
// n is how much of s that takes.
func split(s string) (args []string, n int) {
	var (
		from, depth int
		quote       byte
	)
	take := func(to int) {
		if arg := strings.TrimSpace(s[from:to]); arg != "" || len(args) > 0 {
			args = append(args, arg)
		}
		from = to + 1
	}
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
			take(i)
			return args, i + 1
		case c == ',' && depth == 0:
			take(i)
		}
	}
	take(len(s))
	return args, len(s)
}

// unescape undoes backslashes before quotes and backslashes; what stands for bytes that do not
// print stays.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	return strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(s)
}

// parseJSON reads one or more JSON objects, as begin and end of a Chrome event each may bring one.
// Only the strings "arguments" and "retval" count.
func parseJSON(text string) (args []string, result string) {
	args, result, ok := parsePlain(text)
	if !ok {
		args, result = parseAnyJSON(text)
	}
	return args, result
}

// parsePlain does that for objects of strings that are written without escapes, white space or
// letters beyond ASCII, as almost all are. If it cannot, it is not ok.
func parsePlain(text string) (args []string, result string, ok bool) {
	for strings.HasPrefix(text, "{") {
		for bracket := byte(','); bracket == ','; {
			name, n := plain(text[1:])
			if n == 0 || !strings.HasPrefix(text[1+n:], ":") {
				return nil, "", false
			}
			text = text[1+n:]
			value, n := plain(text[1:])
			if n == 0 || len(text) == 1+n {
				return nil, "", false
			}
			text = text[1+n:]
			switch name {
			case "arguments":
				args, _ = parse(value)
			case "retval":
				result = value
			}
			bracket = text[0]
			if bracket != ',' && bracket != '}' {
				return nil, "", false
			}
		}
		if text == "}" {
			return args, result, true
		}
		text = strings.TrimPrefix(text, "} ")
	}
	return nil, "", false
}

// plain returns the content of the string that s begins with, and the length of the whole; 0 if it
// is none, or not plain.
func plain(s string) (content string, n int) {
	if s == "" || s[0] != '"' {
		return "", 0
	}
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return s[1:i], i + 1
		case c < ' ' || c >= 0x7f || c == '\\':
			return "", 0
		}
	}
	return "", 0
}

// parseAnyJSON does it for all that is JSON.
func parseAnyJSON(text string) (args []string, result string) {
	in := jsontext.NewDecoder(strings.NewReader(text),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for in.PeekKind() == '{' {
		if _, err := in.ReadToken(); err != nil {
			return args, result
		}
		for in.PeekKind() == '"' {
			key, err := in.ReadToken()
			if err != nil {
				return args, result
			}
			name := key.String()
			value, err := in.ReadValue()
			if err != nil {
				return args, result
			}
			switch {
			case value.Kind() != '"':
			case name == "arguments":
				args, _ = parse(unquoteJSON(value))
			case name == "retval":
				result = strings.Trim(unquoteJSON(value), `"`)
			}
		}
		if _, err := in.ReadToken(); err != nil {
			return args, result
		}
	}
	return args, result
}

// unquoteJSON decodes a JSON string into a text of the trace: bytes that are no UTF-8, which
// jsontext would all replace by one character, are escaped.
func unquoteJSON(v jsontext.Value) string {
	var out []byte
	for rest := v[1 : len(v)-1]; len(rest) > 0; {
		n := validPrefix(rest)
		var err error
		if out, err = jsontext.AppendUnquote(out, `"`+string(rest[:n])+`"`); err != nil {
			return ""
		}
		if n < len(rest) {
			out = append(out, rest[n])
			n++
		}
		rest = rest[n:]
	}
	return trace.Escape(string(out))
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
