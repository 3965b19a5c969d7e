package explain

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// longName is the number of characters from which on a name is shortened in sentences.
const longName = 80

// names returns what a finding's sentences may name: its function, its caller, and what else it
// claims something of, as of the function's new name.
func (f *Finding) names() []string {
	names := []string{f.Function, f.Caller}
	for _, c := range f.Claims {
		names = append(names, c.Function)
	}
	return names
}

// shortenNames shortens the names in the sentences of findings. Where several functions that they
// name have one short name, as instances of one template do, more is kept of each.
func shortenNames(list []Finding) {
	of, shared := map[string]string{}, map[string]bool{} // by short name
	for i := range list {
		for _, name := range list[i].names() {
			if utf8.RuneCountInString(name) <= longName {
				continue
			}
			short := shortName(name)
			if other, met := of[short]; met && other != name {
				shared[short] = true
			}
			of[short] = name
		}
	}
	for i := range list {
		f := &list[i]
		for _, part := range []*string{&f.words, &f.after} {
			*part = trimmed(*part, f.Function)
			for _, name := range f.names() {
				*part = shortened(*part, name, shared)
			}
		}
	}
}

// shortened returns a sentence in which a function's long name is shortened. Claims and JSON keep
// the whole name.
func shortened(text, name string, shared map[string]bool) string {
	if utf8.RuneCountInString(name) <= longName {
		return text
	}
	short := shortName(name)
	if shared[short] {
		short = tellingName(name)
	}
	return strings.ReplaceAll(text, name, short)
}

// qualifiers are the namespaces and classes before a name.
var qualifiers = regexp.MustCompile(`(?:[A-Za-z_]\w*|\(anonymous namespace\))::`)

// tellingName is shortName for one of several functions that have the same one. What tells them
// apart are template arguments, so these lose their qualifiers alone, and no more than the end:
//
//	void at::f<4, at::native::Add<float> >(int, float*)  →  void at::f<4, Add<float> >(…)
func tellingName(name string) string {
	name = strings.ReplaceAll(calledLambda.ReplaceAllString(emptied(name, '(', ')'), "$1"), " const::", "::")
	if head, rest, ok := strings.Cut(name, "<"); ok {
		name = head + "<" + qualifiers.ReplaceAllString(rest, "")
	}
	if runes := []rune(name); len(runes) > longName*3/2 {
		name = string(runes[:longName*3/2-1]) + "…"
	}
	return name
}

// trimmed returns a sentence that begins with a function's name without the spaces at its ends:
// names that a recorder pads, such as "Frame   ", leave a gap.
func trimmed(text, name string) string {
	if rest, ok := strings.CutPrefix(text, name); ok {
		return strings.TrimSpace(name) + rest
	}
	return text
}

// shortName leaves out what a name has in brackets, parameters first, then template arguments; what
// only says that a lambda is called; and its middle if it is still too long. For example, if ten
// characters were allowed:
//
//	void f<int, float>(int, float*)          →  void f<…>(…)
//	f(int)::(lambda)::operator()(int) const  →  f(…)::(lambda) const
//	abcdefghijklmnop                         →  abcdefgh…p
func shortName(name string) string {
	if utf8.RuneCountInString(name) <= longName {
		return name
	}
	for _, brackets := range []string{"()", "<>"} {
		if utf8.RuneCountInString(name) > longName {
			name = emptied(name, brackets[0], brackets[1])
		}
	}
	name = calledLambda.ReplaceAllString(name, "$1")
	runes := []rune(name)
	if len(runes) <= longName {
		return name
	}
	head := longName * 4 / 5
	return string(runes[:head]) + "…" + string(runes[len(runes)-(longName-1-head):])
}

// calledLambda is the call of a lambda, as Clang and GCC write it without its parameters.
var calledLambda = regexp.MustCompile(`(\(lambda\)|\{lambda[^{}]*\})::operator\(\)\((…?)\)`)

// said are brackets whose content is a word of the name, not parameters.
var said = []string{"(lambda)", "(anonymous namespace)", "(anonymous class)", "()"}

// emptied returns a name with … for what is between its outermost brackets of one kind. Names whose
// brackets do not match, as in "operator<", stay as they are.
func emptied(name string, open, shut byte) string {
	var b strings.Builder
	depth := 0
	for i := 0; i < len(name); i++ {
		c := name[i]
		if word := prefixOf(name[i:], said); depth == 0 && word != "" {
			b.WriteString(word)
			i += len(word) - 1
			continue
		}
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

// prefixOf returns the first of some words that a text begins with, or "".
func prefixOf(text string, words []string) string {
	for _, w := range words {
		if strings.HasPrefix(text, w) {
			return w
		}
	}
	return ""
}
