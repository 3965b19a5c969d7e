// Package qualified reads qualified function names of Go, C++ and Rust: which part of a name is the
// package or namespace that its function belongs to. It knows no trace format.
package qualified

import (
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// Package returns the package of a Go function ("net/http" of "net/http.(*conn).serve"), the
// enclosing scopes of a C++ or Rust one ("std::vector" of "std::vector<int>::push_back(int)"), or
// "" for a plain name.
func Package(name string) string {
	if scope, ok := scopes(name); ok {
		return scope
	}
	name = beforeAny(name, "[(") // of type arguments and receivers
	if i := strings.LastIndexByte(name, '@'); i > 0 && strings.IndexByte(name[i:], '/') < 0 {
		return "" // a symbol of C with its version, as pthread_create@GLIBC_2.2.5
	}
	slash := strings.LastIndexByte(name, '/') + 1
	dot := strings.IndexByte(name[slash:], '.')
	if dot <= 0 || slash == 0 && compilerClone(name[dot+1:]) {
		return ""
	}
	return name[:slash+dot]
}

// scopes returns what stands before the last "::" of a name, without template arguments, parameters
// and return type.
func scopes(name string) (scope string, ok bool) {
	if !strings.Contains(name, "::") {
		return "", false
	}
	const anonymous = "(anonymous namespace)"
	rest, hidden := strings.CutPrefix(name, anonymous+"::")
	rest = untemplated(rest)
	rest = beforeAny(rest, "(")
	if i := strings.Index(rest, "operator"); i >= 0 {
		rest = rest[:i]
	}
	rest = rest[strings.LastIndexByte(rest, ' ')+1:]
	if i := strings.LastIndex(rest, "::"); i >= 0 {
		scope = rest[:i]
	}
	switch {
	case hidden && scope == "":
		return anonymous, true
	case hidden:
		return anonymous + "::" + scope, true
	}
	return scope, true
}

// untemplated removes what stands between balanced angle brackets, as in "a<b<c>>::d".
func untemplated(name string) string {
	if strings.IndexByte(name, '<') < 0 {
		return name
	}
	var b strings.Builder
	depth := 0
	for i := range len(name) {
		switch name[i] {
		case '<':
			depth++
		case '>':
			depth = max(depth-1, 0)
		default:
			if depth == 0 {
				b.WriteByte(name[i])
			}
		}
	}
	return b.String()
}

// beforeAny cuts name at the first of the given characters.
func beforeAny(name, chars string) string {
	if i := strings.IndexAny(name, chars); i >= 0 {
		return name[:i]
	}
	return name
}

// compilerClone reports whether suffix is what a C compiler appends to the name of a clone, as in
// "memcpy.part.0", or of what is local to a function, as in "close_state.2". Neither is a package's
// function.
func compilerClone(suffix string) bool {
	first, _, _ := strings.Cut(suffix, ".")
	if first != "" && strings.Trim(first, "0123456789") == "" {
		return true
	}
	switch first {
	case "constprop", "isra", "part", "cold", "lto_priv", "llvm":
		return true
	}
	return false
}

// mostMangled is up to how many bytes a name is read. Reading a longer one takes time that grows
// with the square of its length: half a minute for 100 KB.
const mostMangled = 1 << longest

// longest is the binary logarithm of how long a readable name may be, which ends there. A mangled
// one can repeat parts of itself, so that one of 200 bytes stands for gigabytes.
const longest = 14

// Readable turns a mangled name into a qualified one without parameters and template arguments, as
// uftrace prints it and as its debug files spell it. Any other name stays as it is.
func Readable(name string) string {
	if len(name) > mostMangled {
		return name
	}
	for _, prefix := range []string{"_Z", "_R", "_GLOBAL__"} {
		if strings.HasPrefix(name, prefix) {
			return demangled(name)
		}
	}
	return name
}

// demangled returns the name as it is if it is no symbol, or one that no compiler makes and on
// which demangle panics, such as _ZW1A.
func demangled(name string) (readable string) {
	defer func() {
		if recover() != nil {
			readable = name
		}
	}()
	text := demangle.Filter(name, demangle.NoParams, demangle.NoEnclosingParams,
		demangle.NoTemplateParams, demangle.NoClones, demangle.MaxLength(longest))
	return strings.ReplaceAll(text, "()::", "::") // what is left of enclosing functions
}
