package uftrace

import (
	"path"
	"regexp"
	"regexp/syntax"
	"strings"
)

// pattern is a function's name, or several's, in an argument specification. A recording can hold
// thousands of patterns, each of which every function of the program is held against. So a pattern
// is compiled when a name has the literal text that it begins with, and not before:
//
//	^pthread_.*lock$   names that begin with "pthread_"
//	mutex_(un)?lock    names that contain "mutex_"
//	a*|b               all names
type pattern struct {
	text    string
	style   string // as the recording spells it: simple, regex or glob
	exact   bool   // the function is named, not matched
	whole   bool   // a match begins at the start of the name
	literal string // what it begins with
	tried   bool
	regex   *regexp.Regexp
}

// newPattern also reports whether the text is a pattern of the style. One that is none stands for
// itself.
func newPattern(text, style string) (p pattern, ok bool) {
	p = pattern{text: text, style: style}
	special := strings.ContainsAny(text, ".?*+-^$|()[]{}") && !strings.HasPrefix(text, "operator ")
	switch {
	case !special || style == "simple":
		p.exact = true
		return p, true
	case style == "glob":
		_, err := path.Match(text, "")
		p.exact, p.whole, p.literal = err != nil, true, literalPrefix(text)
		return p, err == nil
	}
	_, err := syntax.Parse(text, syntax.POSIX)
	rest, anchored := strings.CutPrefix(text, "^")
	p.exact, p.whole = err != nil, anchored
	if !strings.Contains(text, "|") {
		p.literal = literalPrefix(rest)
	}
	return p, err == nil
}

// literalPrefix returns the text that what s matches begins with: up to the first character with a
// meaning, and without the character that a repetition may leave out, as a+? is (a+)?.
func literalPrefix(s string) string {
	end := strings.IndexAny(s, `.?*+^$|()[]{}\`)
	if end < 0 {
		return s
	}
	if after := strings.TrimLeft(s[end:], "+"); after != "" && strings.ContainsRune("?*{", rune(after[0])) {
		return s[:max(end-1, 0)]
	}
	return s[:end]
}

// match reports whether the pattern is about a function. It may compile the pattern, so only one
// goroutine may call it at a time.
func (p *pattern) match(name string) bool {
	switch {
	case p.exact:
		return p.text == name
	case p.whole && !strings.HasPrefix(name, p.literal):
		return false
	case !strings.Contains(name, p.literal):
		return false
	case p.style == "glob":
		ok, err := path.Match(p.text, name)
		return ok && err == nil
	}
	if !p.tried {
		p.tried = true
		p.regex, _ = regexp.CompilePOSIX(p.text) // too large a repetition fails here
	}
	return p.regex != nil && p.regex.MatchString(name)
}
