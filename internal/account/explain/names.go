package explain

import (
	"strings"
	"unicode/utf8"
)

// longName is the number of characters from which on a name is shortened in sentences.
const longName = 80

// shortened returns a sentence in which a function's long name is shortened. Claims and JSON keep
// the whole name.
func shortened(text, name string) string {
	if utf8.RuneCountInString(name) <= longName {
		return text
	}
	return strings.ReplaceAll(text, name, shortName(name))
}

// shortName leaves out what a name has in brackets, parameters first, then template arguments; and
// its middle if it is still too long. For example, if ten characters were allowed:
//
//	void f<int, float>(int, float*)  →  void f<…>(…)
//	abcdefghijklmnop                 →  abcdefgh…p
func shortName(name string) string {
	for _, brackets := range []string{"()", "<>"} {
		if utf8.RuneCountInString(name) > longName {
			name = emptied(name, brackets[0], brackets[1])
		}
	}
	runes := []rune(name)
	if len(runes) <= longName {
		return name
	}
	head := longName * 4 / 5
	return string(runes[:head]) + "…" + string(runes[len(runes)-(longName-1-head):])
}

// emptied returns a name with … for what is between its outermost brackets of one kind. Names whose
// brackets do not match, as in "operator<", stay as they are.
func emptied(name string, open, shut byte) string {
	var b strings.Builder
	depth := 0
	for i := range len(name) {
		c := name[i]
		if c == shut {
			depth--
		}
		if depth == 0 {
			b.WriteByte(c)
		}
		if c == open {
			if depth++; depth == 1 {
				b.WriteString("…")
			}
		}
		if depth < 0 {
			return name
		}
	}
	if depth != 0 {
		return name
	}
	return b.String()
}
