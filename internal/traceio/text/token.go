package text

import (
	"errors"
	"strconv"
	"strings"
	"unicode"
)

// unknown stands for an object that is not known.
const unknown = "?"

// word writes s bare if it can be read back so, else quoted.
func word(s string) string {
	special := func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r) || strings.ContainsRune("\",:=#+!\\\ufffd", r)
	}
	if s == "" || s == unknown || strings.ContainsFunc(s, special) {
		return strconv.Quote(s)
	}
	return s
}

var errQuote = errors.New("quoted word does not end")

// split cuts s at each sep that is not within quotes; cutting at blanks leaves out empty parts.
func split(s string, sep byte) ([]string, error) {
	var parts []string
	from, quoted := 0, false
	for i := 0; i <= len(s); i++ {
		switch {
		case i == len(s) || s[i] == sep && !quoted:
			if sep != ' ' || i > from {
				parts = append(parts, s[from:i])
			}
			from = i + 1
		case s[i] == '"':
			quoted = !quoted
		case s[i] == '\\' && quoted:
			i++
		}
	}
	if quoted {
		return nil, errQuote
	}
	return parts, nil
}

// plain returns what a word stands for.
func plain(w string) (string, error) {
	if !strings.HasPrefix(w, `"`) {
		return w, nil
	}
	s, err := strconv.Unquote(w)
	if err != nil {
		return "", errors.New("bad quoted word " + w)
	}
	return s, nil
}

// attr is one key=value of a line; the value is still as written.
type attr struct{ key, value string }

func attrs(words []string) []attr {
	out := make([]attr, len(words))
	for i, w := range words {
		out[i].key, out[i].value, _ = strings.Cut(w, "=")
	}
	return out
}
