package structure

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// This file splits names of functions and files into levels. A name is split only where the
// language puts a border between scopes: template arguments, parameters and operators stay whole.
//
//	std::vector<a::b>::push_back(c::d)   std :: vector<a::b> :: push_back(c::d)
//	net/http.(*conn).serve               net / http . conn . serve
//	com.example.App.run                  com . example . App . run
//
// A name that no rule understands is one level: nothing is ever dropped but a return type, the
// brackets and the star of a Go receiver, and the hash that ends a Rust symbol.

// scoped splits a C++ or Rust name at the "::" between its scopes. It reports false for a name
// without any.
func scoped(name string) (place, bool) {
	if !strings.Contains(name, "::") {
		return nil, false
	}
	parts := scopes(withoutReturnType(name))
	if n := len(parts); n > 1 && rustHash(parts[n-1]) {
		parts = parts[:n-1]
	}
	parts = append(selfType(parts[0]), parts[1:]...)
	if len(parts) < 2 {
		return nil, false
	}
	own := parts[len(parts)-1]
	at, kind := place{}, Package
	for i, p := range parts[:len(parts)-1] {
		last := i == len(parts)-2
		if kind == Package && (classLike(p) || last && constructs(own, p)) {
			kind = Class
		}
		at = append(at, level{p, kind, colons})
	}
	return append(at, level{own, Function, colons}), true
}

// scopes cuts a name at the "::" that stand outside all brackets. The part that has parameters, is
// an operator or follows a space is the last one: what is defined inside a function belongs to it.
func scopes(name string) (parts []string) {
	from, depth := 0, 0
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case i == from && operator(name[i:]):
			return append(parts, name[from:])
		case c == '(' && depth == 0 && i > from, c == ' ' && depth == 0:
			return append(parts, name[from:])
		case strings.IndexByte("<([{", c) >= 0:
			depth++
		case c == '>' && i > 0 && (name[i-1] == '-' || name[i-1] == '='): // an arrow
		case strings.IndexByte(">)]}", c) >= 0:
			depth = max(depth-1, 0)
		case c == ':' && depth == 0 && i > from && strings.HasPrefix(name[i:], "::") &&
			i+2 < len(name):
			if part := name[from:i]; part == "{{closure}}" && len(parts) > 0 {
				return append(parts, name[from:])
			} else {
				parts = append(parts, part)
			}
			i++
			from = i + 1
		}
	}
	parts = append(parts, name[from:])
	if n := len(parts); n > 1 && parts[n-1] == "{{closure}}" {
		parts = append(parts[:n-2], parts[n-2]+"::{{closure}}")
	}
	return parts
}

// operator reports whether a name begins with the operator of a C++ class.
func operator(name string) bool {
	rest, ok := strings.CutPrefix(name, "operator")
	if !ok || rest == "" {
		return false
	}
	r, _ := utf8.DecodeRuneInString(rest)
	return !wordRune(r)
}

func wordRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// withoutReturnType cuts what stands before the qualified name of a function that has parameters,
// as in "void a::f(int)". Names without parameters have no return type: demanglers write both or
// none.
func withoutReturnType(name string) string {
	from, depth := 0, 0
	for i := 0; i < len(name); i++ {
		c := name[i]
		begins := i == from || strings.HasSuffix(name[:i], "::")
		switch {
		case begins && operator(name[i:]):
			return name[from:]
		case c == '(' && depth == 0 && !begins:
			return name[from:]
		case strings.IndexByte("<([{", c) >= 0:
			depth++
		case c == '>' && i > 0 && (name[i-1] == '-' || name[i-1] == '='):
		case strings.IndexByte(">)]}", c) >= 0:
			depth = max(depth-1, 0)
		case c == ' ' && depth == 0:
			from = i + 1
		}
	}
	return name
}

// rustHash reports whether part is the hash that Rust appends to its symbols.
func rustHash(part string) bool {
	return len(part) == 17 && part[0] == 'h' && strings.Trim(part[1:], "0123456789abcdef") == ""
}

// selfType returns the parts of a name's first part. In Rust this may be a type in brackets, as in
// "<alloc::string::String as core::fmt::Display>", whose methods belong to String.
func selfType(part string) []string {
	if len(part) < 3 || part[0] != '<' || part[len(part)-1] != '>' {
		return []string{part}
	}
	kind, _, _ := strings.Cut(part[1:len(part)-1], " as ")
	if r, _ := utf8.DecodeRuneInString(kind); !wordRune(r) || strings.Contains(kind, " ") {
		return []string{part}
	}
	parts := scopes(kind)
	parts[len(parts)-1] += part[1+len(kind) : len(part)-1]
	return parts
}

// classLike reports whether a scope is a class rather than a namespace, as far as its name tells.
func classLike(scope string) bool {
	r, _ := utf8.DecodeRuneInString(scope)
	return unicode.IsUpper(r) || r == '<' || scope[len(scope)-1] == '>' ||
		strings.Contains(scope, " as ")
}

// constructs reports whether a function is a constructor or a destructor of a scope.
func constructs(function, scope string) bool {
	name, _, _ := strings.Cut(strings.TrimPrefix(function, "~"), "(")
	return name == scope
}

// goPackage returns the import path of a Go function and the rest of its name.
func goPackage(name string) (pkg, rest string, ok bool) {
	end := strings.IndexAny(name, "[(") // of type arguments and receivers
	if end < 0 {
		end = len(name)
	}
	from := strings.LastIndexByte(name[:end], '/') + 1
	i := strings.IndexByte(name[from:end], '.')
	if i <= 0 || from+i+1 == len(name) {
		return "", name, false
	}
	return name[:from+i], name[from+i+1:], true
}

// goPath returns the levels of a Go import path. Dots after the last slash are escaped in symbols.
func goPath(pkg string) (at place) {
	for p := range strings.SplitSeq(strings.ReplaceAll(pkg, "%2e", "."), "/") {
		if p != "" {
			at = append(at, level{p, Package, slash})
		}
	}
	return at
}

// goMethod splits the name of a Go function within its package into the receiver's type and the
// rest. Function tells whether the package has a function of a name: what is defined inside it is
// no method, although its name looks like one.
func goMethod(name string, function func(string) bool) (class, rest string) {
	if inner, ok := strings.CutPrefix(name, "("); ok {
		if class, rest, ok = strings.Cut(inner, ")."); ok && class != "" && rest != "" {
			return strings.TrimPrefix(class, "*"), rest
		}
		return "", name
	}
	i := outsideBrackets(name, '.')
	if i <= 0 || i+1 >= len(name) {
		return "", name
	}
	class, rest = name[:i], name[i+1:]
	if inFunction(rest) || function(class) {
		return "", name
	}
	return class, rest
}

// inFunction reports whether the Go compiler made the name for something inside of a function: a
// closure, or one of several functions called init.
func inFunction(name string) bool {
	if name == "" || name[0] == '.' {
		return true
	}
	for _, prefix := range []string{"func", "gowrap", "deferwrap", ""} {
		rest, ok := strings.CutPrefix(name, prefix)
		if ok && rest != "" && rest[0] >= '0' && rest[0] <= '9' {
			return true
		}
	}
	return false
}

// outsideBrackets returns the index of the first c outside of square brackets, or −1.
func outsideBrackets(name string, c byte) int {
	depth := 0
	for i := range len(name) {
		switch {
		case name[i] == '[':
			depth++
		case name[i] == ']':
			depth--
		case name[i] == c && depth <= 0:
			return i
		}
	}
	return -1
}

// dotted splits a name of words with dots between them, such as Python's and Java's. Words before
// the first one that begins with a capital are packages, the others classes. It reports false for
// other names.
func dotted(name string) (place, bool) {
	qualified, _, _ := strings.Cut(name, "(")
	words := strings.Split(qualified, ".")
	kind, at := Package, place{}
	for _, w := range words {
		if w == "" || strings.ContainsFunc(w, func(r rune) bool {
			return !wordRune(r) && !strings.ContainsRune("$<>", r)
		}) {
			return nil, false
		}
		if r, _ := utf8.DecodeRuneInString(w); unicode.IsUpper(r) {
			kind = Class
		}
		at = append(at, level{w, kind, dot})
	}
	if len(at) < 2 {
		return nil, false
	}
	own := &at[len(at)-1]
	own.name, own.kind = own.name+name[len(qualified):], Function
	return at, true
}

// java reports whether a dotted name has a package of at least two words and a class.
func java(at place) bool {
	return len(at) > 3 && at[1].kind == Package && at[len(at)-2].kind == Class
}

// located cuts the place in the source that some tracers append to a name, as in "run (app.py:7)".
func located(name string) (function, file string, ok bool) {
	open := strings.LastIndex(name, " (")
	if open <= 0 || name[len(name)-1] != ')' {
		return name, "", false
	}
	file = name[open+2 : len(name)-1]
	cut := withoutPosition(file)
	if cut == file || cut == "" {
		return name, "", false
	}
	return name[:open], cut, true
}

// withoutPosition cuts a line, and a column if there is one, off a path, as in "a.h:3:14".
func withoutPosition(file string) string {
	for range 2 {
		i := strings.LastIndexByte(file, ':')
		if i <= 0 || i+1 == len(file) || strings.Trim(file[i+1:], "0123456789") != "" {
			break
		}
		file = file[:i]
	}
	return file
}

// filePath returns the levels of a path or a URL, the last of which is a file.
func filePath(file string) (at place) {
	for _, scheme := range []string{"file://", "node:"} {
		file = strings.TrimPrefix(file, scheme)
	}
	first := ""
	if i := strings.Index(file, "://"); i > 0 {
		host := strings.IndexByte(file[i+3:], '/')
		if host < 0 {
			return place{{file, File, slash}}
		}
		first, file = file[:i+3+host], file[i+3+host+1:]
		file, _, _ = strings.Cut(file, "?")
		at = append(at, level{first, Module, slash})
	}
	file = path.Clean(strings.ReplaceAll(file, `\`, "/"))
	if rest, ok := strings.CutPrefix(file, "/"); ok && first == "" {
		head, tail, more := strings.Cut(rest, "/")
		at, file = append(at, level{"/" + head, Folder, slash}), tail
		if !more {
			at[0].kind = File
			return at
		}
	}
	for p := range strings.SplitSeq(file, "/") {
		at = append(at, level{p, Folder, slash})
	}
	at[len(at)-1].kind = File
	return at
}

// categories returns the levels of a Chrome category. If it is a list, the first name counts, or
// the longest one that only continues it: "node,node.fs" is node, fs.
func categories(list string) (at place) {
	all := strings.Split(list, ",")
	best := trimmed(all[0])
	for _, c := range all[1:] {
		if c = trimmed(c); strings.HasPrefix(c, best+".") {
			best = c
		}
	}
	for p := range strings.SplitSeq(best, ".") {
		if p != "" {
			at = append(at, level{p, Package, dot})
		}
	}
	return at
}

func trimmed(category string) string {
	return strings.TrimPrefix(strings.TrimSpace(category), "disabled-by-default-")
}
