package typeface

import (
	"strings"
	"unicode/utf8"
)

// fewest is the number of characters below which a label says nothing.
const fewest = 3

const ellipsis = "…"

// Shorten returns the fullest form of a function's name that fits into width px: the name itself,
// then without template and call arguments, then with its package path taken off from the left,
// element by element, at last its beginning and an ellipsis. It returns "" where fewer than three
// characters fit.
func Shorten(name string, width, size float32, bold bool) string {
	for _, f := range Forms(name) {
		if Width(f, size, bold) <= width {
			return f
		}
	}
	forms := Forms(name)
	return cut(forms[len(forms)-1], width, size, bold)
}

// cut returns the beginning of name and an ellipsis, within width.
func cut(name string, width, size float32, bold bool) string {
	room := width - Width(ellipsis, size, bold)
	end, n := 0, 0
	for i, r := range name {
		room -= Width(name[i:i+utf8.RuneLen(max(r, 0))], size, bold)
		if room < 0 {
			break
		}
		end, n = i+utf8.RuneLen(r), n+1
	}
	if n < fewest {
		return ""
	}
	return name[:end] + ellipsis
}

// Forms returns the ways to write a function's name, fullest first; the last is the bare name.
//
//	github.com/a/b/pkg.(*T).Method   b/pkg.(*T).Method   pkg.(*T).Method   (*T).Method   Method
//	ns::vec<int>::at(unsigned)   ns::vec::at   vec::at   at
//	prices: GET /total   GET /total
//	Executing action (build net/http)   build net/http   net/http   http
//	libz.so.1(+0x12b5)   +0x12b5
func Forms(name string) []string {
	if what, ok := subject(name); ok {
		return append([]string{name}, phrase(what)...)
	}
	if k := strings.LastIndex(name, "(+0x"); k > 0 && strings.HasSuffix(name, ")") {
		return []string{name, name[k+1 : len(name)-1]} // the module is that of many others
	}
	forms := []string{name}
	add := func(f string) {
		if f != "" && f != forms[len(forms)-1] {
			forms = append(forms, f)
		}
	}
	bare := strip(name)
	add(bare)
	path := false
	for {
		k := strings.IndexByte(bare, '/')
		if k < 0 || k+1 >= len(bare) || strings.ContainsAny(bare[:k], " (") {
			break
		}
		bare, path = bare[k+1:], true
	}
	if path {
		add(bare)
	}
	for {
		rest, ok := dropQualifier(bare)
		if !ok {
			return forms
		}
		bare = rest
		add(bare)
	}
}

// subject returns what a phrase such as "Executing action (build net/http)" is about: its beginning
// is the same for all of its kind.
func subject(name string) (string, bool) {
	k := strings.Index(name, " (")
	if k <= 0 || !strings.HasSuffix(name, ")") || !strings.Contains(name[:k], " ") {
		return "", false
	}
	what := strings.TrimSpace(name[k+2 : len(name)-1])
	return what, len(what) >= fewest && !strings.ContainsAny(what, "()")
}

// phrase returns a few words, then the last of them, then the elements of its path.
func phrase(words string) []string {
	forms := []string{words}
	last := words[strings.LastIndexByte(words, ' ')+1:]
	if last != words && last != "" {
		forms = append(forms, last)
	}
	for k := strings.IndexByte(last, '/'); k >= 0 && k+1 < len(last); k = strings.IndexByte(last, '/') {
		last = last[k+1:]
		forms = append(forms, last)
	}
	return forms
}

// dropQualifier takes the first package, namespace or class off a name.
func dropQualifier(name string) (string, bool) {
	if strings.HasPrefix(name, "(") { // a Go receiver or (anonymous namespace), whole
		k := strings.IndexByte(name, ')') + 1
		rest := strings.TrimLeft(name[k:], ".:")
		return rest, k > 0 && rest != "" && len(rest) < len(name)-k
	}
	k := strings.IndexAny(name, ".:")
	switch {
	case k <= 0 || strings.ContainsAny(name[:k], " ("):
		return name, false
	case name[k] == '.' && k+1 < len(name) && !isClosure(name[k+1:]):
		return name[k+1:], true
	case strings.HasPrefix(name[k:], "::") && k+2 < len(name):
		return name[k+2:], true
	case strings.HasPrefix(name[k:], ": ") && k+2 < len(name): // the operation of a service
		return name[k+2:], true
	}
	return name, false
}

// isClosure reports whether what follows a dot is only a number or Go's name for a closure, which
// says nothing without the function it is in.
func isClosure(rest string) bool {
	rest = strings.TrimPrefix(rest, "func")
	return strings.Trim(rest, "0123456789.") == ""
}

// strip removes balanced template arguments and the argument list of a C++ or Rust name. Names in
// which the brackets mean something else (operator<, a Go receiver, an unbalanced one) are left as
// they are.
func strip(name string) string {
	if !strings.ContainsAny(name, "<[(") || strings.Contains(name, "operator") {
		return name
	}
	if k := strings.LastIndexByte(name, ')'); isDescriptor(name[k+1:]) {
		name = name[:k+1]
	}
	var b strings.Builder
	depth := 0
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case c == '<' || c == '[' || c == '(' && (depth > 0 || !isReceiver(name[i:])) && i > 0:
			depth++
		case depth > 0 && (c == '>' && name[i-1] != '-' || c == ']' || c == ')'):
			depth--
		case depth == 0:
			b.WriteByte(c)
		}
	}
	short := strings.TrimSuffix(strings.TrimSpace(b.String()), " const")
	if depth != 0 || short == "" || strings.ContainsRune(":.", rune(short[len(short)-1])) {
		return name
	}
	return short
}

// isDescriptor reports whether s is a type as Java's class files write it, after the arguments:
//
//	getBean(Ljava/lang/String;)Ljava/lang/Object;   size()I
func isDescriptor(s string) bool {
	s = strings.TrimLeft(s, "[")
	return len(s) == 1 && strings.Contains("BCDFIJSVZ", s) ||
		len(s) > 2 && s[0] == 'L' && s[len(s)-1] == ';'
}

// isReceiver reports whether s starts with a Go receiver such as (*T) or a C++ name such as
// (anonymous namespace).
func isReceiver(s string) bool {
	k := strings.IndexByte(s, ')')
	return k > 0 && k+1 < len(s) && (s[k+1] == '.' || s[k+1] == ':')
}

// Name is a function's name prepared for being fitted into many widths.
type Name struct {
	forms  []string
	widths []float32 // at size 1
}

// NewName prepares a name.
func NewName(name string) *Name {
	n := &Name{forms: Forms(name)}
	for _, f := range n.forms {
		n.widths = append(n.widths, Width(f, 1, false))
	}
	return n
}

// Fit is Shorten for the regular weight.
func (n *Name) Fit(width, size float32) string {
	for i, w := range n.widths {
		if w*size <= width {
			return n.forms[i]
		}
	}
	return cut(n.forms[len(n.forms)-1], width, size, false)
}

// Clip returns text, or its beginning and an ellipsis where it is wider than width px, or "".
func Clip(text string, width, size float32) string {
	if Width(text, size, false) <= width {
		return text
	}
	return cut(text, width, size, false)
}
