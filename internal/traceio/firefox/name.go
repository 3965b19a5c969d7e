package firefox

import (
	"fmt"
	"math"
	"path"
	"regexp"
	"strconv"
	"strings"

	"diptych/internal/trace"
	"diptych/internal/traceio/qualified"
)

// function returns the function of a frame. How code is placed is the same for both forms: what has
// no symbol is named by its library, what has no name by its file and line.
func (t *thread) function(frame int32, libs []library) trace.Function {
	if t.frameFunc == nil || len(t.frameFunc.whole) == 0 {
		f := located(t.text(t.frameLocation.at(frame)), libs)
		if line := t.frameLine.at(frame); line != null && f.Line == 0 && f.File != "" {
			f.Line = line
		}
		return f
	}
	fn := t.frameFunc.at(frame)
	f := trace.Function{Name: t.text(t.funcName.at(fn)), File: t.text(t.funcFile.at(fn))}
	if source := t.funcSource.at(fn); source != null {
		f.File = t.text(t.sourceFile.at(source))
	}
	f.File = realPlace(f.File)
	f.Line = max(t.funcLine.at(fn), 0)
	resource := t.funcResource.at(fn)
	at := t.frameAddress.at(frame)
	if at == null {
		at = t.funcAddress.at(fn)
	}
	lib := t.resourceLib.at(resource)
	if lib == null || int(lib) >= len(libs) {
		f.Package = t.text(t.resourceName.at(resource))
		return named(f)
	}
	if f.Module = libs[lib].place(); at != null && isAddress(f.Name) {
		return libs[lib].unnamed(uint64(at))
	}
	return named(f)
}

// named completes a function that has a name or a file.
func named(f trace.Function) trace.Function {
	switch {
	case f.Name != "":
	case f.File == "":
		f.Name = "(anonymous)"
	default:
		f.Name = fmt.Sprintf("(anonymous %s:%d)", path.Base(f.File), f.Line)
	}
	if f.Package == "" {
		f.Package = qualified.Package(f.Name)
	}
	return f
}

// place is where a library lies, or its name.
func (l *library) place() string {
	if l.path != "" {
		return l.path
	}
	return l.name
}

// unnamed returns the function of code without a symbol: unlike its address, its place in its
// library is the same in every run.
func (l *library) unnamed(offset uint64) trace.Function {
	name := l.name
	if name == "" {
		name = l.path
	}
	name = path.Base(strings.ReplaceAll(name, `\`, "/"))
	return trace.Function{Name: fmt.Sprintf("%s+%#x", name, offset), Package: name, Module: l.place()}
}

// isAddress reports whether a name is an address in its place.
func isAddress(name string) bool {
	if !strings.HasPrefix(name, "0x") {
		return false
	}
	_, err := strconv.ParseUint(name[2:], 16, 64)
	return err == nil
}

// realPlace returns where a script is from. Gecko notes what has loaded it before an arrow.
func realPlace(file string) string {
	if i := strings.LastIndex(file, " -> "); i >= 0 {
		return file[i+4:]
	}
	return file
}

// Gecko's locations other than labels: "f (http://h/a.js:3:5)", which the number of its source may
// follow, "http://h/a.js:3", and of symbols "ns::f(int) (in XUL) (a.cpp:3)".
var (
	symbolIn = regexp.MustCompile(`^(.*) \(in ([^)]*)\)(?: (?:\+ [0-9]+|\((.*):([0-9]+)\)))?$`)
	script   = regexp.MustCompile(`^(?:(.*) )?\((.+?):([0-9]+)(?::[0-9]+)?\)(?:\[[0-9]+\])?$`)
	bare     = regexp.MustCompile(`^([a-z-]+:[^ ]*):([0-9]+)(?::[0-9]+)?$`)
)

// located reads the text that Gecko has for a frame.
func located(text string, libs []library) trace.Function {
	if isAddress(text) {
		at, _ := strconv.ParseUint(text[2:], 16, 64)
		for i := range libs {
			if l := &libs[i]; at >= l.start && at < l.end {
				return l.unnamed(at - l.start + l.offset)
			}
		}
		return trace.Function{Name: text}
	}
	if !strings.ContainsAny(text, "():") {
		return named(trace.Function{Name: text})
	}
	if m := symbolIn.FindStringSubmatch(text); m != nil {
		return named(trace.Function{Name: m[1], Module: m[2], File: m[3], Line: lineNumber(m[4])})
	}
	if m := script.FindStringSubmatch(text); m != nil {
		return named(trace.Function{Name: m[1], File: realPlace(m[2]), Line: lineNumber(m[3])})
	}
	if m := bare.FindStringSubmatch(text); m != nil {
		return named(trace.Function{File: realPlace(m[1]), Line: lineNumber(m[2])})
	}
	return named(trace.Function{Name: text})
}

func lineNumber(digits string) int32 {
	n, err := strconv.Atoi(digits)
	if err != nil || n > math.MaxInt32 {
		return 0
	}
	return int32(n)
}
