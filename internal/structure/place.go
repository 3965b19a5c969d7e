package structure

import (
	"strings"
	"unicode"

	"diptych/internal/trace"
)

// joint is what stands between a name and that of its parent when a path is written out.
type joint uint8

const (
	apart  joint = iota // " · "
	slash               // of folders and import paths
	dot                 // of Go, Java, Python and JavaScript
	colons              // of C++ and Rust
)

func (j joint) String() string { return [...]string{" · ", "/", ".", "::"}[j] }

// level is one part of a place in the code.
type level struct {
	name  string
	kind  Kind
	joint joint
}

// place is where a function is: the levels around it, outermost first, and its own.
type place []level

// placer finds the places of one side's functions.
type placer struct {
	t         *trace.Trace
	functions map[string]bool // all names
	located   bool            // names carry places in the source, so dots are borders of scopes
	process   string          // what functions of no known place belong to
	about     map[string]int  // by verb, names that end with a path, as in "compile net/http"
	goNames   bool            // names are Go's, although the format states no symbols
}

func newPlacer(t *trace.Trace) *placer {
	x := &placer{t: t, functions: make(map[string]bool, len(t.Functions)), process: onlyProcess(t),
		about: map[string]int{}}
	n, dotted, methods := 0, 0, 0
	for i := range t.Functions {
		f := &t.Functions[i]
		x.functions[f.Name] = true
		if _, _, ok := located(f.Name); ok {
			n++
		}
		if verb, path := lastWord(f.Name); strings.Contains(path, "/") {
			x.about[verb]++
		}
		_, rest, ok := goPackage(f.Name)
		if ok && f.Package == "" && !strings.Contains(f.Name, " ") {
			dotted++
			if rest[0] == '(' {
				methods++
			}
		}
	}
	x.goNames = methods > 0 && 2*dotted > len(t.Functions)
	x.located = 2*n > len(t.Functions)
	return x
}

// onlyProcess returns the name of a trace's process if it has only one, and that has a name.
func onlyProcess(t *trace.Trace) string {
	if t.Symbols || len(t.Processes) != 1 {
		return ""
	}
	name := t.Processes[0].Name
	if !strings.ContainsFunc(name, unicode.IsLetter) {
		return ""
	}
	return name
}

// lastWord splits free text before its last word; a single word has no verb. Brackets around the
// words do not belong to them.
func lastWord(name string) (verb, word string) {
	name = strings.TrimSuffix(name, ")")
	i := strings.LastIndexByte(name, ' ') // −1 before a single word
	return strings.ReplaceAll(name[:max(i, 0)], "(", ""), name[i+1:]
}

// leastSpoken is how many names must have a verb and a path before the verb's last words are taken
// for paths.
const leastSpoken = 3

// free places a function that is free text about a package, as of go build's trace:
// "modload.loadImport net/http" is in net/http. Of other text nothing is known but the process.
func (x *placer) free(name string) place {
	if verb, path := lastWord(name); x.about[verb] >= leastSpoken && verb != "" && path != "" {
		if at := goPath(path); at != nil && path[0] != '/' {
			return append(at, level{verb, Function, apart})
		}
	}
	at := place{{name, Function, apart}}
	if x.process != "" {
		return append(place{{x.process, Process, apart}}, at...)
	}
	return at
}

// file returns the source file that a function's record or its name states.
func (x *placer) file(f *trace.Function) string {
	if f.File != "" {
		return f.File
	}
	_, file, _ := located(f.Name)
	return file
}

// place finds where a function is. Name is its name in the comparison, without compiler noise.
func (x *placer) place(f *trace.Function, name string) place {
	name, _, _ = located(name)
	file := x.file(f)
	if at := x.scoped(f, name); at != nil {
		return at
	}
	switch {
	case f.Kind == trace.State && f.Package == "":
		return place{{"(states)", Package, apart}, {name, Function, apart}}
	case f.Kind == trace.Event && f.Package == "":
		return place{{"(events)", Package, apart}, {name, Function, apart}}
	case x.isGo(f, file):
		if at := x.goPlace(f, name, file); at != nil {
			return at
		}
	}
	at := module(f)
	switch words, ok := dotted(name); {
	case file != "":
		return append(append(at, filePath(withoutPosition(file))...), x.inFile(f, name)...)
	case ok && (x.located || x.t.Symbols && java(words)):
		return append(at, words...)
	case f.Package == "" && f.Module == "" && !x.t.Symbols:
		return x.free(name)
	case f.Package == "" || f.Package == f.Module:
	case x.t.Symbols:
		at = append(at, goPath(f.Package)...)
	default:
		at = append(at, categories(f.Package)...)
	}
	return append(at, level{name, Function, apart})
}

// scoped places a C++ or Rust function by its namespaces. If its class has no namespace, at best
// the category is known.
func (x *placer) scoped(f *trace.Function, name string) place {
	at, ok := scoped(name)
	if !ok {
		return nil
	}
	if x.t.Symbols || f.Package == "" || at[0].kind == Package {
		return append(module(f), at...)
	}
	return append(categories(f.Package), at...)
}

func module(f *trace.Function) place {
	if f.Module == "" {
		return nil
	}
	return place{{f.Module, Module, apart}}
}

// isGo reports whether a function is one of Go's. In a module it is only if its package says so.
func (x *placer) isGo(f *trace.Function, file string) bool {
	if !x.t.Symbols && !x.goNames || f.Kind != trace.Routine {
		return false
	}
	if f.Module != "" && (f.Package == f.Module || !strings.HasPrefix(f.Name, f.Package+".")) {
		return false
	}
	return file == "" || strings.HasSuffix(file, ".go") || strings.HasSuffix(file, ".s")
}

// goPlace places a Go function by its import path, the name of its file and its receiver. It
// returns nil for a name without a package, and for one of Java's.
func (x *placer) goPlace(f *trace.Function, name, file string) place {
	pkg, rest, ok := goPackage(name)
	if !ok {
		return nil
	}
	if words, ok := dotted(name); ok && file == "" && java(words) {
		return words
	}
	at := append(module(f), goPath(pkg)...)
	if file != "" {
		at = append(at, level{file[strings.LastIndexAny(file, `/\`)+1:], File, slash})
	}
	return append(at, x.goOwn(pkg, rest)...)
}

func (x *placer) goOwn(pkg, rest string) (at place) {
	class, own := goMethod(rest, func(name string) bool { return x.functions[pkg+"."+name] })
	if class != "" {
		at = append(at, level{class, Class, dot})
	}
	return append(at, level{own, Function, dot})
}

// inFile returns the levels of a function below its source file: its classes and its own.
func (x *placer) inFile(f *trace.Function, name string) place {
	if x.isGo(f, x.file(f)) {
		if pkg, rest, ok := goPackage(name); ok {
			return x.goOwn(pkg, rest)
		}
	}
	at, ok := scoped(name)
	if !ok && (x.located || !x.t.Symbols) && x.file(f) != "" {
		at, ok = dotted(name)
	}
	if !ok {
		return place{{name, Function, apart}}
	}
	for len(at) > 1 && at[0].kind == Package {
		at = at[1:]
	}
	at[0].joint = apart
	return at
}
